"""Which installed file belongs to which distribution, by their RECORDs (PEP 376, PEP 627)."""

import csv
import os
import re
import sysconfig
from typing import Dict, Iterable, Iterator, List, NamedTuple, Set, Tuple

_ELSEWHERE = re.compile(r"__pycache__/|^[^/]+\.data/")
Recorded = NamedTuple("Recorded", [("path", str), ("hash", str), ("size", str)])


def recorded_files(metadata: str) -> List[Recorded]:
    """Return every file that an installation recorded, by absolute path; none if it has no RECORD.

    Bytecode is left out: what some wheels contain (NumPy 2.3.0's) is replaced by interpreters that compile.
    So are names that files have only in a wheel, before they are installed (``NAME-VERSION.data/...``).
    """
    path = os.path.join(metadata, "RECORD")
    if not os.path.isfile(path):
        return []
    base = os.path.dirname(metadata)
    with open(path, encoding="utf-8", errors="replace", newline="") as stream:
        # A node that went down may have left zeros, at which csv stops before Python 3.11.
        lines = (line.replace("\0", "") for line in stream)
        rows = [(row + ["", ""])[:3] for row in csv.reader(lines) if row and not _ELSEWHERE.search(row[0])]
    return [Recorded(os.path.normpath(os.path.join(base, row[0])), row[1], row[2]) for row in rows]


def unrecorded_files(recorded: Iterable[str], prefix: str, known: Iterable[str]) -> List[str]:
    """List what Python would import or run at start-up from this environment that nobody installed.

    Bytecode below ``__pycache__`` is left out, because it is not imported without its source.

    Args:
        recorded: the files that distributions recorded.
        prefix: the environment.
        known: files without an owner that were there when it was completed, relative to it.
    """
    owned = _real([*recorded, *(os.path.join(prefix, path) for path in known)])
    places = {os.path.realpath(sysconfig.get_path(name)) for name in ("purelib", "platlib")}
    return sorted(path for place in places for path in _runnable(place) if path not in owned)


def _runnable(place: str) -> Iterator[str]:
    for folder, folders, names in os.walk(place):
        folders[:] = [name for name in folders if name != "__pycache__"]
        endings = (".py", ".pyc", ".so", ".pth") if folder == place else (".py", ".pyc", ".so")
        for name in names:
            if name.endswith(endings):
                yield os.path.join(folder, name)


def _real(paths: Iterable[str]) -> Set[str]:
    """Resolve the links in the paths' folders, each folder once."""
    split = [os.path.split(path) for path in paths]
    folders = {folder: os.path.realpath(folder) for folder in {folder for folder, _ in split}}
    return {os.path.join(folders[folder], name) for folder, name in split}


def shared_objects(installed: Dict[str, str], names: List[str]) -> Iterator[Tuple[str, str]]:
    """Yield distribution and path of every shared object that these distributions installed."""
    for name in names:
        if name not in installed:
            continue
        for file in recorded_files(installed[name]):
            base = os.path.basename(file.path)
            if (base.endswith(".so") or ".so." in base) and os.path.isfile(file.path):
                yield name, file.path
