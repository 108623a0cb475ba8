"""Which modules an installed distribution offers, found from its installed files.

``importlib.metadata`` only came with Python 3.8, so the few lines needed are here: for ``RECORD`` (PEP 376,
PEP 627), and for ``top_level.txt`` where an old egg-info has nothing else.
"""

import csv
import importlib
import os
import re
import sys
from typing import Any, Dict, List, NamedTuple, Optional, Set

from .plan import normalise

NOT_FOR_IMPORT = {
    "test",
    "tests",
    "testing",
    "docs",
    "doc",
    "examples",
    "example",
    "benchmarks",
    "scripts",
    "bin",
}
"""Names that old distributions spill into site-packages, and that need what only their developers have."""

_DEEPEST_NAMESPACE = 3


class Installed(NamedTuple):
    """One installed distribution.

    Attributes:
        version: the version in its metadata.
        modules: importable top-level modules and first packages of namespaces, the one of its own name first.
        primary: the module with the distribution's name, or the only one; ``None`` if that cannot be told.
    """

    version: str
    modules: List[str]
    primary: Optional[str]


def load(module: str) -> Any:
    """Import a module; ``mpi4py.MPI`` without starting MPI.

    Cray's ends a process that starts it on a login node, and one that starts alone may look for other ranks.
    """
    if module == "mpi4py.MPI":
        importlib.import_module("mpi4py").rc.initialize = False
    return importlib.import_module(module)


Asks = NamedTuple("Asks", [("always", Set[str]), ("in_extras", Set[str])])
"""What a distribution requires, by normalised names: without any extra, and in one of its extras."""


def _listed(folder: str) -> List[str]:
    """List a folder of the search path; like Python, skip folders that may not be read."""
    try:
        return sorted(os.listdir(folder))
    except OSError:
        return []


def installed_distributions(path: Optional[List[str]] = None) -> Dict[str, str]:
    """Map normalised names to metadata directories, for all of ``sys.path``; the first one wins."""
    found: Dict[str, str] = {}
    for entry in sys.path if path is None else path:
        for item in _listed(entry):
            if item.endswith((".dist-info", ".egg-info")):
                metadata = os.path.join(entry, item)
                name = _field(metadata, "Name") or item.rsplit(".", 1)[0].split("-")[0]
                found.setdefault(normalise(name), metadata)
    return found


def asked_by(metadata: str) -> Asks:
    """Return what a distribution requires, by its metadata."""
    asks = Asks(set(), set())
    for requirement in _fields(metadata, "Requires-Dist"):
        name = re.match(r"[A-Za-z0-9._-]+", requirement)
        wanted = asks.in_extras if re.search(r"\bextra\s*==", requirement.partition(";")[2]) else asks.always
        wanted.add(normalise(name.group()) if name else "")
    return asks


def describe(metadata: str, name: str) -> Installed:
    """Describe what the distribution with this metadata directory offers for import."""
    modules = {m for m in _from_record(metadata) or _from_top_level(metadata) if _worth_importing(m)}
    own = normalise(name)
    primary = next((m for m in sorted(modules) if normalise(m) == own), None)
    if primary is None and len(modules) == 1:
        primary = next(iter(modules))
    ordered = sorted(modules, key=lambda module: (module != primary, module))
    return Installed(_field(metadata, "Version"), ordered, primary)


def _field(metadata: str, field: str) -> str:
    return next(iter(_fields(metadata, field)), "")


def _fields(metadata: str, field: str) -> List[str]:
    """Return every value of a field, from the first of the metadata files that has one."""
    for document in ("METADATA", "PKG-INFO", ""):
        path = os.path.join(metadata, document) if document else metadata
        found = []
        if os.path.isfile(path):
            with open(path, encoding="utf-8", errors="replace") as stream:
                for line in stream:
                    if line.lower().startswith(field.lower() + ":"):
                        found.append(line.split(":", 1)[1].strip())
                    if not line.strip():
                        break
        if found:
            return found
    return []


def _from_record(metadata: str) -> Set[str]:
    path = os.path.join(metadata, "RECORD")
    if not os.path.isfile(path):
        return set()
    with open(path, encoding="utf-8", errors="replace", newline="") as stream:
        lines = (line.replace("\0", "") for line in stream)  # see recorded_files
        return modules_of_files([row[0] for row in csv.reader(lines) if row])


def modules_of_files(files: List[str]) -> Set[str]:
    """Return top-level modules and topmost packages among installed files, relative to site-packages."""
    single: Set[str] = set()
    packages: Set[str] = set()
    for file in files:
        parts = file.replace("\\", "/").split("/")
        stem = parts[-1].split(".")[0]
        if parts[0] in ("..", "") or not parts[-1].endswith((".py", ".so")):
            continue
        if len(parts) == 1:
            single.add(stem)
        elif stem == "__init__":
            packages.add("/".join(parts[:-1]))
    topmost = {
        package
        for package in packages
        if package.count("/") < _DEEPEST_NAMESPACE
        and not any(package.startswith(other + "/") for other in packages)
    }
    return single | {package.replace("/", ".") for package in topmost}


def _from_top_level(metadata: str) -> Set[str]:
    path = os.path.join(metadata, "top_level.txt")
    if not os.path.isfile(path):
        return set()
    with open(path, encoding="utf-8", errors="replace") as stream:
        names = {line.strip().replace("/", ".") for line in stream if line.strip()}
    return {name for name in names if _exists(os.path.dirname(metadata), name)}


def _exists(base: str, name: str) -> bool:
    place = os.path.join(base, *name.split("."))
    return os.path.isfile(os.path.join(place, "__init__.py")) or os.path.isfile(place + ".py")


def _worth_importing(module: str) -> bool:
    parts = module.split(".")
    return all(
        part.isidentifier() and not part.startswith("_") and part.lower() not in NOT_FOR_IMPORT
        for part in parts
    )
