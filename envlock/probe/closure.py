"""Whether every library that the environment's files need is there, new enough and its own (S2, S3, P5)."""

import os
import sys
import sysconfig
from typing import Any, Collection, Dict, List, Set

from .elf import exported_symbols, read_elf
from .files import shared_objects
from .isolation import Reporter
from .linking import OF_THE_DRIVER, Loader, Missing, Unversioned
from .modules import installed_distributions
from .native import is_mpi
from .plan import Plan
from .verdict import not_applicable, unfinished, verdict

_TOLD = 6
_OPTIONAL = "optional parts"
_ON_DEMAND = "plug-ins that are loaded on demand (no library needs them, and they are no Python extensions)"


def check_linking(plan: Plan, given: Dict[str, Any], report: Reporter) -> None:
    """Run S2, S3 and P5 in the child process.

    A file with something missing only gets a warning if it is optional: if all modules of its distribution
    were imported without it, or if its distribution has no modules and it is a plug-in that is loaded on
    demand. In a distribution that could not be imported, it is the reason and fails the check. Of an
    extension module that comes in several builds, only the chosen one is examined.

    Args:
        plan: names the distributions.
        given: ``imported``: distributions imported without an error; ``broken``: those that were not;
            ``libraries``: what was mapped while importing everything; ``finished``: whether that came to its
            end.
        report: takes the results.
    """
    owners: Dict[str, str] = {}
    by_name: Dict[str, str] = {}
    own: Dict[str, str] = {}
    wanted: Set[str] = set()
    for name, path in shared_objects(
        installed_distributions(), plan.names() + plan.expect.get("carriers", [])
    ):
        owners[path] = name
        elf = read_elf(path)
        for known in {os.path.basename(path), elf.soname if elf else ""} - {""}:
            by_name.setdefault(known, path)
        for known in _known_as(path, elf.soname if elf else ""):
            own.setdefault(known, path)
        wanted.update(os.path.basename(library) for library in (elf.needed if elf else []))
    libraries = given.get("libraries", {})
    not_chosen = _not_chosen(owners, libraries)
    read = {path: name for path, name in owners.items() if path not in not_chosen}
    loader = Loader(os.environ.get("LD_LIBRARY_PATH", ""), by_name)
    missing: Dict[Missing, str] = {}
    unversioned: Dict[Unversioned, str] = {}
    imported, broken = set(given.get("imported", [])), set(given.get("broken", []))
    for path, name in read.items():
        report(begins="reading %s" % path)
        lacking, older, _ = loader.closure(path)
        lacking = [library for library in lacking if library.file == path or library.file not in owners]
        older = [version for version in older if version.file == path or version.file not in owners]
        if not lacking and not older:
            continue
        optional = _OPTIONAL if name in imported else ""
        if not optional and name not in broken and _on_demand(path, wanted):
            optional = _ON_DEMAND
        _keep(missing, lacking, optional)
        _keep(unversioned, older, optional)
    if read:
        report(check=_missing_check(missing, len(read), not_chosen))
        report(check=_versions_check(unversioned, len(read)))
    else:
        for identifier, name in (("S2", "shared libraries"), ("S3", "symbol versions")):
            report(check=not_applicable(identifier, name, "not applicable: nothing compiled here"))
    provenance = provenance_check(libraries, own, sys.prefix, plan.expect)
    report(check=provenance if given.get("finished") else unfinished(provenance))


def _not_chosen(paths: Collection[str], mapped: Collection[str]) -> List[str]:
    """List the other builds of loaded extension modules: mpi4py has one for each MPI and chooses one."""
    taken = {os.path.realpath(path) for path in mapped}
    loaded = {_module(path) for path in taken}
    return sorted(path for path in paths if _module(path) in loaded and os.path.realpath(path) not in taken)


def _module(path: str) -> str:
    """Return folder and name of an extension module, without what is between its name and Python's suffix."""
    folder, name = os.path.split(os.path.realpath(path))
    suffix = sysconfig.get_config_var("EXT_SUFFIX") or ""
    return os.path.join(folder, name.split(".")[0] if suffix and name.endswith(suffix) else name)


def _keep(found: Dict[Any, str], more: List[Any], optional: str) -> None:
    """Record why each is optional; the empty reason, for one that is not, prevails."""
    for part in more:
        found[part] = found.get(part, optional) and optional


def _on_demand(path: str, wanted: Set[str]) -> bool:
    """Whether only dlopen(3) can load a file: no library needs it, and ``import`` cannot load it."""
    elf = read_elf(path)
    if {os.path.basename(path), elf.soname if elf else ""} & wanted:
        return False
    return not any(name.startswith(b"PyInit_") for name in exported_symbols(path))


def _missing_check(missing: Dict[Missing, str], files: int, not_chosen: List[str]) -> Dict[str, Any]:
    driver = {item for item in missing if item.library.startswith(OF_THE_DRIVER)}
    needed = {item: why for item, why in missing.items() if item not in driver}
    hard = sorted(item for item, why in needed.items() if not why)
    details = {
        "files": files,
        "of_the_driver": sorted({item.library for item in driver}),
        "not_chosen": not_chosen,
    }
    if hard:
        return verdict("S2", "shared libraries", "failed", "not found on this node: " + _told(hard), details)
    if needed:
        told = [
            "of %s: %s" % (why, _told(sorted(item for item in needed if needed[item] == why)))
            for why in sorted(set(needed.values()))
        ]
        return verdict("S2", "shared libraries", "warned", "not found, " + "; ".join(told), details)
    message = "every library that %d files need is found on this node" % files
    if driver:
        message += ", apart from the GPU driver's"
    return verdict("S2", "shared libraries", "passed", message, details)


def _told(missing: List[Missing]) -> str:
    more = ["and %d more" % (len(missing) - _TOLD)] * (len(missing) > _TOLD)
    return "; ".join(["%s, which %s needs" % (item.library, item.file) for item in missing[:_TOLD]] + more)


def _versions_check(found: Dict[Unversioned, str], files: int) -> Dict[str, Any]:
    hard = sorted(one for one, why in found.items() if not why)
    told = [
        "%s needs %s, and %s offers up to %s"
        % (unversioned.file, unversioned.version, unversioned.found, unversioned.newest)
        for unversioned in (hard or sorted(found))[:_TOLD]
    ]
    name = "symbol versions"
    if hard:
        return verdict("S3", name, "failed", "too old on this node: " + "; ".join(told), {"files": files})
    if told:
        message = "too old for optional parts: " + "; ".join(told)
        return verdict("S3", name, "warned", message, {"files": files})
    message = "GLIBC, GLIBCXX and all other versions that %d files need are offered" % files
    return verdict("S3", name, "passed", message, {"files": files})


def _known_as(path: str, soname: str) -> List[str]:
    """Return the names by which a file is mistaken for another.

    A library is known by its own name, and by that which it calls itself (``libz.so.1`` for ``libz.so.1.2``)
    where it was not given another name, so that it stands beside the system's (``libz.1328edc3.so.1``). A
    module is one within its package: many packages have a ``_random``.
    """
    folder, name = os.path.split(path)
    if name.endswith(".so") and not name.startswith("lib"):
        return [os.path.join(os.path.basename(folder), name)]
    return [name, soname] if soname and (name.startswith(soname) or soname.startswith(name)) else [name]


def provenance_check(
    mapped: Dict[str, str], own: Dict[str, str], prefix: str, expect: Dict[str, Any]
) -> Dict[str, Any]:
    """Check that no library of the environment itself or of the lock was loaded from elsewhere (P5).

    Args:
        mapped: path -> identity of the libraries of a process that imported everything.
        own: name -> path of the environment's own libraries and modules.
        prefix: the environment.
        expect: the lock's part of the plan.
    """
    inside = os.path.realpath(prefix) + os.sep
    captured = []
    for path in sorted(mapped):
        if os.path.realpath(path).startswith(inside):
            continue
        elf = read_elf(path)
        known = _known_as(path, elf.soname if elf else "")
        mine = next((own[name] for name in reversed(known) if name in own), "")
        if mine and os.path.realpath(mine) != os.path.realpath(path):
            captured.append("%s in place of the environment's %s%s" % (path, mine, _by_whom(path)))
        elif is_mpi(path):
            home = expect.get("mpi", {}).get("prefix", "")
            if home and not os.path.realpath(path).startswith(os.path.realpath(home) + os.sep):
                wanted = "%s %s in %s" % (expect["mpi"]["component"], expect["mpi"]["version"], home)
                captured.append("%s in place of the lock's %s%s" % (path, wanted, _by_whom(path)))
    details = {
        "LD_LIBRARY_PATH": os.environ.get("LD_LIBRARY_PATH", ""),
        "LD_PRELOAD": os.environ.get("LD_PRELOAD", ""),
    }
    if captured:
        return verdict("P5", "provenance", "failed", "loaded " + "; ".join(captured), details)
    message = "%d mapped libraries, none in place of the environment's own or the lock's" % len(mapped)
    return verdict("P5", "provenance", "passed", message, details)


def _by_whom(path: str) -> str:
    folders = os.environ.get("LD_LIBRARY_PATH", "").split(":")
    return ", by LD_LIBRARY_PATH" if os.path.dirname(path) in folders else ""
