"""An environment's activation as text for shells, and as a document for programs."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Mapping
from types import MappingProxyType

from envlock.model.locked.activation import Activation

_OLD = "_ENVLOCK_OLD_"


def sh_text(activation: Activation) -> str:
    """Return text for sh, bash, zsh and ksh to evaluate; ``envlock_deactivate`` undoes it.

    Another environment is left first: what it restores is from before the modules, and would hide them. Where
    a module cannot be loaded that is all, and the status is not 0.
    """
    touched = _touched(activation)
    lines = [f"# {activation.title}"]
    lines += ["if command -v envlock_deactivate >/dev/null 2>&1; then envlock_deactivate; fi"]
    if activation.modules:
        lines += [f"if module load {shlex.join(activation.modules)}; then"]
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
    """Return text for fish, to be piped into ``source``; ``envlock_deactivate`` undoes it.

    Modules and another environment as in ``sh_text``.
    """
    touched = _touched(activation)
    lines = [f"# {activation.title}"]
    # A function that ends with `set`, as modules do, passes the status on that it was called with.
    lines += ["functions -q envlock_deactivate; and envlock_deactivate; true"]
    lines += [f"if module load {' '.join(map(_fish, activation.modules))}"] if activation.modules else []
    lines += [f"set -e {_OLD}{name}; set -q {name}; and set -g {_OLD}{name} ${name}" for name in touched]
    lines += [
        f"set -gx {name} {' '.join(map(_fish, folders))} ${name}"
        for name, folders in activation.prepended.items()
    ]
    lines += [f"set -gx {name} {_fish(value)}" for name, value in activation.set.items()]
    lines += [f"set -e {name}" for name in activation.unset]
    lines += ["function envlock_deactivate"]
    lines += [
        f"  set -q {_OLD}{name}; and set -gx {name} ${_OLD}{name}; or set -e {name}; set -e {_OLD}{name}"
        for name in touched
    ]
    lines += ["  functions -e envlock_deactivate", "end"]
    lines += ["else", "  false", "end"] if activation.modules else []
    return "\n".join(lines) + "\n"


def csh_text(activation: Activation) -> str:
    """Return text for csh and tcsh to evaluate; ``envlock_deactivate``, an alias, undoes it.

    csh substitutes the command of an ``if`` before it evaluates the condition, and knows no alias there: both
    are left to an ``eval``.
    """
    touched = _touched(activation)
    lines = ['if ("`alias envlock_deactivate`" != "") eval envlock_deactivate;']
    lines += [f"module load {shlex.join(activation.modules)};"] if activation.modules else []
    lines += [f"unsetenv {_OLD}{name}; {_csh_copy(name, f'{_OLD}{name}')}" for name in touched]
    for name, folders in activation.prepended.items():
        whole = shlex.quote(":".join(folders))
        lines.append(_csh_if(name, f'setenv {name} {whole}":$' + f'{name}:q"'))
        lines.append(f"if (! $?{name}) setenv {name} {whole};")
    lines += [f"setenv {name} {shlex.quote(value)};" for name, value in activation.set.items()]
    lines += [f"unsetenv {name};" for name in activation.unset]
    back = [f"unsetenv {name}; {_csh_copy(f'{_OLD}{name}', name)} unsetenv {_OLD}{name};" for name in touched]
    back += ["unalias envlock_deactivate; rehash"]
    lines += [f"alias envlock_deactivate {shlex.quote(' '.join(back))};"]
    return "\n".join([*lines, "rehash;"]) + "\n"


def _csh_if(name: str, command: str) -> str:
    """Return a command that uses a variable, run only where that is set."""
    return f"if ($?{name}) eval {shlex.quote(command)};"


def _csh_copy(name: str, other: str) -> str:
    """Return what sets another variable to the value of one, where that is set."""
    return _csh_if(name, f'setenv {other} "${name}:q"')


def _touched(activation: Activation) -> list[str]:
    return sorted({*activation.prepended, *activation.set, *activation.unset})


def _fish(text: str) -> str:
    """Return a text in fish's single quotes, in which only these two characters are special."""
    escaped = text.replace("\\", "\\\\").replace("'", "\\'")
    return f"'{escaped}'"


SHELLS: Mapping[str, Callable[[Activation], str]] = MappingProxyType(
    dict.fromkeys(("sh", "bash", "zsh", "ksh"), sh_text)
    | dict.fromkeys(("csh", "tcsh"), csh_text)
    | {"fish": fish_text}
)
"""Shell -> what makes its text."""


def activation_document(activation: Activation, *, target: str) -> dict[str, object]:
    """Return the same as a document for programs."""
    return {
        "schema": "envlock/activate/1",
        "group": activation.group,
        "target": target,
        "modules": list(activation.modules),
        "prepended": {name: list(folders) for name, folders in activation.prepended.items()},
        "set": dict(activation.set),
        "unset": list(activation.unset),
    }
