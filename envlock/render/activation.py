"""An environment's activation as text: for shells, for Lmod (Lua) and for Environment Modules (Tcl)."""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable, Mapping
from types import MappingProxyType

from envlock import __version__
from envlock.model.activation import Activation

_OLD = "_ENVLOCK_OLD_"


def sh_text(activation: Activation) -> str:
    """For sh, bash, zsh and ksh: to be evaluated; ``envlock_deactivate`` takes it back.

    Where a module cannot be loaded nothing is changed, and the status is not 0.
    """
    touched = sorted({*activation.prepended, *activation.set, *activation.unset})
    lines = [f"# {activation.title}"]
    if activation.modules:
        lines += [f"if module load {shlex.join(activation.modules)}; then"]
    lines += ["if command -v envlock_deactivate >/dev/null 2>&1; then envlock_deactivate; fi"]
    lines += [f'{_OLD}{name}="${{{name}-}}"; {_OLD}{name}_SET="${{{name}+1}}"' for name in touched]
    lines += [
        f'export {name}={shlex.quote(":".join(folders))}"${{{name}:+:${name}}}"'
        for name, folders in activation.prepended.items()
    ]
    lines += [f"export {name}={shlex.quote(value)}" for name, value in activation.set.items()]
    lines += [f"unset {name}" for name in activation.unset]
    lines += ["envlock_deactivate() {"]
    lines += [
        f'  if [ -n "${_OLD}{name}_SET" ]; then export {name}="${_OLD}{name}"; else unset {name}; fi;'
        f" unset {_OLD}{name} {_OLD}{name}_SET"
        for name in touched
    ]
    lines += ["  unset -f envlock_deactivate", "}", "hash -r 2>/dev/null || :"]
    lines += ["else false; fi"] if activation.modules else []
    return "\n".join(lines) + "\n"


def fish_text(activation: Activation) -> str:
    """For fish: to be piped into ``source``."""
    lines = [f"# {activation.title}"]
    lines += [f"module load {_fish(module)}" for module in activation.modules]
    lines += [
        f"set -gx {name} {' '.join(map(_fish, folders))} ${name}"
        for name, folders in activation.prepended.items()
    ]
    lines += [f"set -gx {name} {_fish(value)}" for name, value in activation.set.items()]
    lines += [f"set -e {name}" for name in activation.unset]
    return "\n".join(lines) + "\n"


def csh_text(activation: Activation) -> str:
    """For csh and tcsh: to be evaluated."""
    lines = [f"module load {shlex.quote(module)};" for module in activation.modules]
    for name, folders in activation.prepended.items():
        whole = shlex.quote(":".join(folders))
        lines.append(f'if ($?{name}) setenv {name} {whole}":${name}";')
        lines.append(f"if (! $?{name}) setenv {name} {whole};")
    lines += [f"setenv {name} {shlex.quote(value)};" for name, value in activation.set.items()]
    lines += [f"unsetenv {name};" for name in activation.unset]
    return "\n".join([*lines, "rehash;"]) + "\n"


def _fish(text: str) -> str:
    """A text in fish's single quotes, in which only these two are special."""
    escaped = text.replace("\\", "\\\\").replace("'", "\\'")
    return f"'{escaped}'"


SHELLS: Mapping[str, Callable[[Activation], str]] = MappingProxyType(
    {"sh": sh_text, "csh": csh_text, "fish": fish_text}
)
"""Shell -> its text."""


def lua_text(activation: Activation, name: str) -> str:
    """A module file for Lmod; ``family`` lets one environment be loaded at a time."""
    base, _, version = name.partition("/")
    lines = [
        f"-- {activation.title}; written by envlock {__version__}, for one environment that does not change"
    ]
    lines += [f"help({_lua(activation.title)})"]
    lines += [f"whatis({_lua(text)})" for text in _whatis(activation, base, version)]
    lines += ['family("envlock")']
    lines += [f"depends_on({_lua(module)})" for module in activation.modules]
    lines += [
        f"prepend_path({_lua(name)}, {_lua(folder)})"
        for name, folders in activation.prepended.items()
        for folder in reversed(folders)
    ]
    lines += [f"setenv({_lua(name)}, {_lua(value)})" for name, value in activation.set.items()]
    lines += [f"unsetenv({_lua(name)})" for name in activation.unset]
    return "\n".join(lines) + "\n"


def tcl_text(activation: Activation, name: str) -> str:
    """A module file for Environment Modules from release 3 on, which Lmod reads too."""
    base, _, version = name.partition("/")
    lines = ["#%Module1.0", f"# {activation.title}; written by envlock {__version__}"]
    lines += [f"proc ModulesHelp {{}} {{ puts stderr {_tcl(activation.title)} }}"]
    lines += [f"module-whatis {_tcl(text)}" for text in _whatis(activation, base, version)]
    lines += [f"conflict {_tcl(base)}"]
    lines += [
        f"if {{ ![is-loaded {_tcl(module)}] }} {{ module load {_tcl(module)} }}"
        for module in activation.modules
    ]
    lines += [
        f"prepend-path {_tcl(name)} {_tcl(folder)}"
        for name, folders in activation.prepended.items()
        for folder in reversed(folders)
    ]
    lines += [f"setenv {_tcl(name)} {_tcl(value)}" for name, value in activation.set.items()]
    lines += [f"unsetenv {_tcl(name)}" for name in activation.unset]
    return "\n".join(lines) + "\n"


MODULE_FORMATS: Mapping[str, tuple[str, Callable[[Activation, str], str]]] = MappingProxyType(
    {"lua": (".lua", lua_text), "tcl": ("", tcl_text)}
)
"""Format -> the suffix of its files, and its text."""


def activation_document(activation: Activation, *, target: str) -> dict[str, object]:
    """The same for programs."""
    return {
        "schema": "envlock/activate/1",
        "group": activation.group,
        "target": target,
        "modules": list(activation.modules),
        "prepended": {name: list(folders) for name, folders in activation.prepended.items()},
        "set": dict(activation.set),
        "unset": list(activation.unset),
    }


def _whatis(activation: Activation, base: str, version: str) -> tuple[str, ...]:
    return (f"Name: {base}", f"Version: {version}", f"Description: {activation.title}")


def _lua(text: str) -> str:
    """A Lua string; what JSON escapes, Lua escapes alike (for text without control characters)."""
    return json.dumps(text, ensure_ascii=False)


def _tcl(text: str) -> str:
    """A Tcl word, nothing in it substituted."""
    return "".join(f"\\{one}" if one in '\\"$[]{} ;#' else one for one in text)
