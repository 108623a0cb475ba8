"""An environment's activation as a module file: for Lmod (Lua) and for Environment Modules (Tcl)."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from types import MappingProxyType

from envlock import __version__
from envlock.model.locked.activation import WRITTEN_BY, Activation

_TCL = {character: f"\\{character}" for character in '\\"$[]{} ;#'} | {"\n": "\\n", "\t": "\\t"}
"""What would end a Tcl word or be substituted in it -> how it is written."""


def lua_text(activation: Activation, name: str) -> str:
    """Return a module file for Lmod; ``family`` allows only one environment to be loaded at a time."""
    lines = [f"-- {activation.title}{WRITTEN_BY}{__version__}, for one environment that does not change"]
    lines += [f"help({_lua(activation.title)})"]
    lines += [f"whatis({_lua(text)})" for text in _whatis(activation, name)]
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
    """Return a module file for Environment Modules from release 3 on, which Lmod reads too.

    Environment Modules know ``family`` from release 5.1 on, and refuse a second member of one; in older
    releases only modules of the same name exclude each other.
    """
    lines = ["#%Module1.0", f"# {activation.title}{WRITTEN_BY}{__version__}"]
    lines += [f"proc ModulesHelp {{}} {{ puts stderr {_tcl(activation.title)} }}"]
    lines += [f"module-whatis {_tcl(text)}" for text in _whatis(activation, name)]
    alike = _tcl(_up_to(activation.group, name))
    lines += [f"if {{[llength [info commands family]]}} {{ family envlock }} else {{ conflict {alike} }}"]
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
"""Format -> the suffix of its files, and what makes its text."""


def _whatis(activation: Activation, name: str) -> tuple[str, ...]:
    base, _, version = name.rpartition("/")
    return (f"Name: {base or name}", f"Version: {version}", f"Description: {activation.title}")


def _up_to(group: str, name: str) -> str:
    """Return a module's name up to the part that names the group: others share a site's category."""
    parts = name.split("/")
    depth = next((number for number, part in enumerate(parts, 1) if group in part), 1)
    return "/".join(parts[:depth])


def _lua(text: str) -> str:
    """Return a Lua string; JSON's escapes are Lua's too (for text without control characters)."""
    return json.dumps(text, ensure_ascii=False)


def _tcl(text: str) -> str:
    """Return a Tcl word in which nothing is substituted."""
    return "".join(_TCL.get(character, character) for character in text) or "{}"
