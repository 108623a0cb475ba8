"""Which installed file belongs to which distribution, from the RECORD of each (PEP 376, PEP 627)."""

import csv
import os
from typing import Dict, Iterator, List, NamedTuple, Tuple

Recorded = NamedTuple("Recorded", [("path", str), ("hash", str), ("size", str)])


def recorded_files(metadata: str) -> List[Recorded]:
    """Every file that an installation recorded, by absolute path; none where it kept no RECORD.

    But for bytecode: what some wheels bring (NumPy 2.3.0's), an interpreter that compiles replaces.
    """
    path = os.path.join(metadata, "RECORD")
    if not os.path.isfile(path):
        return []
    base = os.path.dirname(metadata)
    with open(path, encoding="utf-8", errors="replace", newline="") as stream:
        rows = [(row + ["", ""])[:3] for row in csv.reader(stream) if row and "__pycache__/" not in row[0]]
    return [Recorded(os.path.normpath(os.path.join(base, row[0])), row[1], row[2]) for row in rows]


def shared_objects(installed: Dict[str, str], names: List[str]) -> Iterator[Tuple[str, str]]:
    """Distribution and path of every shared object that these distributions installed."""
    for name in names:
        if name not in installed:
            continue
        for file in recorded_files(installed[name]):
            base = os.path.basename(file.path)
            if (base.endswith(".so") or ".so." in base) and os.path.isfile(file.path):
                yield name, file.path
