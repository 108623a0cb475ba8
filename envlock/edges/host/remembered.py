"""Answers of a machine's tools, kept until they or their surroundings change.

Asking compilers, MPIs and interpreters for their versions takes longer than most solves, and the answers
hardly ever change. An answer counts only if nothing has changed that it could depend on: the tool's own file,
the folders beside it and its library folders, the loader's list of libraries, the variables that it would
see, and the boot of the machine. A failure is believed for some minutes, and a tool that did not answer in
time is asked again every time.
"""

from __future__ import annotations

import os
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import cache, cached_property
from pathlib import Path

from envlock.edges.cache import Cache, Form
from envlock.edges.host.tools import answer
from envlock.edges.visible import is_there, text_of

_KIND = "tools"
_FORM: Form = (str, float)
_FAILED_S = 600.0
"""Seconds for which a failure counts: its cause may have been repaired elsewhere."""
_BOOT = Path("/proc/sys/kernel/random/boot_id")
_LOADER = "/etc/ld.so.cache"
_BESIDE = ("", "../lib", "../lib64", "../lib/openmpi", "../lib64/openmpi", "../share", "../etc")
"""Folders relative to a tool's own: updating or configuring a package replaces files in one of them."""
_PASSING = frozenset(
    {"_", "PWD", "OLDPWD", "SHLVL", "COLUMNS", "LINES", "TERM", "STY", "WINDOWID", "GPG_TTY", "KRB5CCNAME"}
)
_OF_LOGINS = ("SSH_", "XDG_SESSION_", "TMUX", "DBUS_SESSION_", "VSCODE_")
"""Variables that differ between commands or logins, and prefixes of such names. No tool's answer depends on
them, and with them everything would be asked and kept again after each login."""


class NotKeptError(Exception):
    """A tool has not been asked before, or something has changed since."""


class Remembered:
    """Answers of tools, from the cache if possible.

    Args:
        cache: where they are kept.
        environ: the variables of tools that are given none of their own.
    """

    def __init__(self, cache: Cache, environ: Mapping[str, str]) -> None:
        self._cache = cache
        self._environ = environ
        self._states: dict[str, str] = {}

    def kept(self, command: Sequence[str], env: Mapping[str, str] | None = None) -> str:
        """Return what a tool said before; nothing for one that is missing.

        Raises:
            NotKeptError: it must be asked.
        """
        if not is_there(Path(command[0])):
            return ""
        kept = self._cache.read_as(_KIND, self._key(command, env), _FORM)
        if kept is None or not (kept[0] or 0 <= time.time() - kept[1] < _FAILED_S):
            raise NotKeptError
        said: str = kept[0]
        return said

    def ask(self, command: Sequence[str], env: Mapping[str, str] | None = None) -> str:
        """Return what a tool says, asking it now if necessary."""
        with suppress(NotKeptError):
            return self.kept(command, env)
        key = self._key(command, env)
        said = answer(command, env)
        if said is not None:
            self._cache.keep(_KIND, key, (said, time.time()))
        return said or ""

    def _key(self, command: Sequence[str], env: Mapping[str, str] | None) -> str:
        seen = self._seen if env is None else _lasting(env)
        return f"{list(command)} {self._around(Path(command[0]))} {self._machine} {seen}"

    @cached_property
    def _seen(self) -> list[tuple[str, str]]:
        return _lasting(self._environ)

    def _around(self, tool: Path) -> str:
        """Return the state of a tool and of the folders that it belongs to."""
        real = tool.resolve()
        folders = {folder for place in (tool.parent, real.parent) for folder in _beside(place)}
        return " ".join(map(self._state, (str(tool), str(real), *sorted(folders))))

    @cached_property
    def _machine(self) -> str:
        return f"{text_of(_BOOT)} {tuple(os.uname())} {self._state(_LOADER)}"

    def _state(self, path: str) -> str:
        if path not in self._states:
            try:
                found = os.stat(path)  # noqa: PTH116 - hundreds of times, and it follows links like a tool does
                self._states[path] = f"{path} {found.st_size} {found.st_mtime_ns} {found.st_ino}"
            except OSError:
                self._states[path] = f"{path} none"
        return self._states[path]


def _lasting(env: Mapping[str, str]) -> list[tuple[str, str]]:
    """Return the variables that a tool's answer may depend on, sorted."""
    return [
        pair for pair in sorted(env.items()) if pair[0] not in _PASSING and not pair[0].startswith(_OF_LOGINS)
    ]


@cache
def _beside(folder: Path) -> tuple[str, ...]:
    return tuple(os.path.normpath(folder / place) for place in _BESIDE)
