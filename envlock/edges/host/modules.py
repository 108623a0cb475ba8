"""System components that the site's modules offer, and the MPI of a Cray Programming Environment."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from envlock.edges.host.module_names import component_of
from envlock.edges.host.tools import ask
from envlock.edges.modules import module_command
from envlock.model.knowing.detection import ModuleNames
from envlock.model.project.target import Offer

_MODULE = r"^([\w+.-][^\s():]*)(?:\([^()]*\))?(?: <([\w:-]+)>)?$"
"""A module's whole name; then other names of that version (``(default:stable)``, or a mark of Lmod),
and Environment Modules' tags (``<L>``: it is loaded, ``<F>``: forbidden; module(1), Modulefile tags)."""
_FORBIDDEN = "F"


def find_modules(names: ModuleNames, environ: Mapping[str, str]) -> tuple[Offer, ...]:
    """Return the known components that ``module avail`` offers; nothing if there are no modules.

    Args:
        names: the words of which modules' names consist.
        environ: the variables that tell where modules are, and by which program.
    """
    command = module_command(environ)
    if command is None or not environ.get("MODULEPATH"):
        return ()
    return tuple(parse_avail(ask([str(command), "bash", "-t", "avail"], environ), names))


def parse_avail(text: str, names: ModuleNames) -> Iterator[Offer]:
    """Yield the offers in the output of ``module -t avail``: one module a line; folders end in a colon."""
    known = re.compile("|".join(map(re.escape, names.components)), re.IGNORECASE)  # of thousands a few are
    for line in dict.fromkeys(line.strip() for line in text.splitlines() if known.search(line)):
        match = re.match(_MODULE, line)
        meant = component_of(match[1], names) if match else None
        if match and meant and _FORBIDDEN not in (match[2] or "").split(":"):
            yield Offer(component=meant[0], version=meant[1], modules=(match[1],), note="module avail")


def find_cray_mpich(environ: Mapping[str, str]) -> tuple[Offer, ...]:
    """Return the Cray MPICH of the loaded Programming Environment, with the modules to load for it."""
    prefix = environ.get("CRAY_MPICH_DIR") or environ.get("CRAY_MPICH2_DIR") or ""
    version = environ.get("CRAY_MPICH_VERSION") or environ.get("CRAY_MPICH2_VER") or ""
    if not version:
        return ()
    loaded = environ.get("LOADEDMODULES", "").split(":")
    modules = tuple(module for module in loaded if module.startswith(("PrgEnv-", "cray-mpich")))
    note = "CRAY_MPICH_VERSION"
    return (Offer(component="cray-mpich", version=version, prefix=prefix, modules=modules, note=note),)
