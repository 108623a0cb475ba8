"""The variables that activate an environment and its system components."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path

from envlock.model.locked.pins import Origin, SystemPin

PREPENDED = frozenset(
    {
        *("PATH", "LD_LIBRARY_PATH", "LIBRARY_PATH", "CPATH", "C_INCLUDE_PATH", "CPLUS_INCLUDE_PATH"),
        *("PKG_CONFIG_PATH", "CMAKE_PREFIX_PATH"),
    }
)
"""Variables that are lists of folders: values from a pin or a recipe go before the existing ones."""

_STANDARD = frozenset({"/", "/usr", "/usr/local"})
REMOVED = frozenset({"PYTHONPATH", "PYTHONHOME", "PYTHONSTARTUP", "PYTHONUSERBASE", "CONDA_PREFIX"})
"""Variables that would bring other packages into the environment's process."""


def activation(base: Mapping[str, str], *, prefix: Path, systems: Sequence[SystemPin] = ()) -> dict[str, str]:
    """Return all variables to run with, without touching anything.

    The environment's own programs come first, then those of the pinned system components (those with a prefix
    of their own before those in ``/usr``), so that the locked launcher is found whatever else is loaded.

    Args:
        base: the variables before.
        prefix: the virtual environment's prefix.
        systems: the lock's system components.
    """
    variables = {name: value for name, value in base.items() if name not in REMOVED}
    variables["VIRTUAL_ENV"] = str(prefix)
    variables["PYTHONNOUSERSITE"] = "1"
    placed = [pin for pin in systems if pin.prefix]
    own = [pin.prefix for pin in placed if pin.prefix not in _STANDARD]
    shared = [pin.prefix for pin in placed if pin.prefix in _STANDARD]
    libraries = [f"{place}/{folder}" for place in own for folder in ("lib64", "lib")]
    if any(pin.origin is Origin.INDEX for pin in systems):
        libraries.insert(0, f"{prefix}/lib")
    programs = [f"{prefix}/bin", *(f"{place.rstrip('/')}/bin" for place in (*own, *shared))]
    variables = with_variables(
        variables, {"PATH": os.pathsep.join(programs), "LD_LIBRARY_PATH": os.pathsep.join(libraries)}
    )
    for pin in systems:
        variables = with_variables(variables, pin.variables, prefix=pin.prefix or str(prefix))
    return variables


def with_variables(
    base: Mapping[str, str], changes: Mapping[str, str], *, prefix: str = ""
) -> dict[str, str]:
    """Return variables with changes: folders are prepended to lists, each only once; other values are set.

    Args:
        base: the variables before.
        changes: the changed variables, maybe with the placeholder ``{prefix}``.
        prefix: what replaces ``{prefix}``.
    """
    variables = dict(base)
    for name, text in changes.items():
        value = text.replace("{prefix}", prefix) if prefix else text
        if name in PREPENDED:
            parts = [*value.split(os.pathsep), *base.get(name, "").split(os.pathsep)]
            value = os.pathsep.join(dict.fromkeys(part for part in parts if part))
            if not value:
                continue
        variables[name] = value
    return variables
