"""The Python interpreters of the machine: where they may be, and what each says about itself."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cache as memoized
from pathlib import Path
from types import MappingProxyType

from envlock.edges.host.tools import Ask, ForEach, ask, is_tool, tool_folders
from envlock.edges.visible import is_folder, is_there, matching
from envlock.model.oldest_python import OLDEST
from envlock.model.project.target import Interpreter

_NAME = re.compile(r"python3(\.\d+t?)?")
_LIBRARIES = "LD_LIBRARY_PATH"
_OF_PYTHON = re.compile("(^|/)c?python", re.IGNORECASE)
_USUAL = ("/usr/local/bin", "/usr/bin", "/opt/*/bin")

# Runs in the interpreter in question, any version since 3.4, without its site-packages. The names and
# formulas of the markers are those of the dependency specifiers specification (PEP 508). It imports only what
# startup imports anyway: json takes as long as startup itself, and a machine may have ten interpreters.
_QUESTION = r"""
import _imp, os, sys
def full(info):
    version = "%d.%d.%d" % info[:3]
    return version if info[3] == "final" else version + info[3][0] + str(info[4])
def quoted(text):
    plain = (c if " " <= c < "\x7f" and c not in '"\\' else "\\u%04x" % ord(c) for c in text)
    return '"' + "".join(plain) + '"'
system = os.uname()
markers = {
    "implementation_name": sys.implementation.name,
    "implementation_version": full(sys.implementation.version),
    "os_name": os.name,
    "platform_machine": system.machine,
    "platform_python_implementation": "CPython" if sys.implementation.name == "cpython" else "other",
    "platform_release": system.release,
    "platform_system": system.sysname,
    "platform_version": system.version,
    "python_full_version": full(sys.version_info),
    "python_version": "%d.%d" % sys.version_info[:2],
    "sys_platform": sys.platform,
}
print('{"version": %s, "suffix": %s, "markers": {%s}}' % (
    quoted(full(sys.version_info)),
    quoted(_imp.extension_suffixes()[0]),
    ", ".join(quoted(name) + ": " + quoted(value) for name, value in markers.items()),
))
"""


def find_interpreters(
    environ: Mapping[str, str], for_each: ForEach, ask: Ask = ask
) -> tuple[Interpreter, ...]:
    """Return all usable CPython interpreters, newest first; equal versions in the order they were found.

    Args:
        environ: the variables that say where to look.
        for_each: asks them in turn, or several at a time.
        ask: asks one of them.
    """
    answers = for_each(lambda path: _asked(path, environ, ask), dict.fromkeys(_candidates(environ)))
    found = [interpreter for interpreter in answers if interpreter is not None]
    return tuple(sorted(found, key=_age, reverse=True))


def _asked(path: Path, environ: Mapping[str, str], ask: Ask) -> Interpreter | None:
    found = parse_answer(path, ask(_question(path)))
    return found and replace(found, modules=_needed_modules(path, environ, ask))


def _needed_modules(path: Path, environ: Mapping[str, str], ask: Ask) -> tuple[str, ...]:
    """Return the loaded modules without whose library path an interpreter does not start.

    EasyBuild's Pythons, for one, are linked with a library that only their module makes known. Where no
    module has Python's name, it may be any of those that are loaded.
    """
    loaded = tuple(filter(None, environ.get("LOADEDMODULES", "").split(":")))
    without = {name: value for name, value in environ.items() if name != _LIBRARIES}
    if not loaded or len(without) == len(environ) or ask(_question(path), without):
        return ()
    return tuple(module for module in loaded if _OF_PYTHON.search(module)) or loaded


@memoized
def ask_interpreter(path: Path) -> Interpreter | None:
    """Ask one interpreter about itself; ``None`` for a broken one or one that is not CPython."""
    return parse_answer(path, ask(_question(path)))


def _question(path: Path) -> list[str]:
    # -I ignores the caller's PYTHON* variables and folder, -S the site-packages with their slow .pth files.
    return [str(path), "-I", "-S", "-c", _QUESTION]


def parse_answer(path: Path, answer: str) -> Interpreter | None:
    """Decode an interpreter from what it printed; ``None`` if that is no answer or not CPython's.

    The answer is a line of its own: the loader may complain beside it, as of an LD_PRELOAD that is not here
    (ld.so(8)), which ends nothing.
    """
    document = next((line for line in answer.splitlines() if line.startswith("{")), "")
    try:
        said = json.loads(document)
        markers, suffix = said["markers"], said["suffix"]
    except (ValueError, KeyError, TypeError):
        return None
    abi = abi_tag(suffix)
    if markers["implementation_name"] != "cpython" or not abi:
        return None
    interpreter = Interpreter(
        path=str(path), version=said["version"], abi=abi, markers=MappingProxyType(markers)
    )
    return interpreter if interpreter.release >= OLDEST else None


def abi_tag(suffix: str) -> str:
    """Return the ABI tag (PEP 425) for an extension module suffix (PEP 3149); empty if it is not CPython's.

    ``.cpython-37m-x86_64-linux-gnu.so`` -> ``cp37m``.
    """
    match = re.match(r"\.cpython-(\w+)-", suffix)
    return f"cp{match[1]}" if match else ""


def _candidates(environ: Mapping[str, str]) -> Iterator[Path]:
    """Yield the real file of everything that looks like an interpreter, so that links are asked only once."""
    home = Path(environ.get("HOME") or "/")
    pyenv = Path(environ.get("PYENV_ROOT") or home / ".pyenv")
    data = Path(environ.get("XDG_DATA_HOME") or home / ".local/share")
    managed = Path(environ.get("UV_PYTHON_INSTALL_DIR") or data / "uv/python")
    # pyenv's shims only choose among its versions, which are looked at anyway; a shim may well be broken.
    on_path = (folder for folder in tool_folders(environ, _USUAL) if folder != pyenv / "shims")
    own = (folder for root in (pyenv / "versions", managed) for folder in matching(root, "*/bin"))
    for folder in (*on_path, *own):
        try:
            names = sorted(name for name in os.listdir(folder) if _NAME.fullmatch(name))  # noqa: PTH208 - names only
        except OSError:
            continue
        for name in names:
            # A link that leads to itself is no tool; resolving one is an error before Python 3.13.
            if is_tool(folder / name) and not _belongs_to_another_manager(path := (folder / name).resolve()):
                yield path


def _belongs_to_another_manager(path: Path) -> bool:
    """Whether an interpreter belongs to a virtual environment or to conda, which keeps its own packages."""
    prefix = path.parent.parent
    return is_there(prefix / "pyvenv.cfg") or is_folder(prefix / "conda-meta")


def _age(interpreter: Interpreter) -> tuple[int, ...]:
    return tuple(int(number) for number in re.findall(r"\d+", interpreter.version)[:3])
