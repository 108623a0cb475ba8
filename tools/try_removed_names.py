# ruff: noqa: INP001, T201 - a script, no package
"""Tell which names of ``knowledge/removals/`` a release still has, though they are said to be gone.

usage: try_removed_names.py [--python 3.11] [--with REQUIREMENT] [DISTRIBUTION[==VERSION] ...]

Reading modules cannot see what they put into ``sys.modules`` or find while they run. So each distribution,
by default all that lost names, is installed in a virtual environment of its own, its newest release unless
another is named, and every name that it should no longer have is imported. One line for each that is there,
after which 1 is the exit status. What cannot be installed so is told, and passed over.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from packaging.requirements import Requirement
from uv import find_uv_bin

from envlock.edges.knowledge_files import load_knowledge
from envlock.model.knowing.knowledge import Knowledge, index_name

_INSIDE = r"""
import importlib, importlib.metadata, json, sys, warnings
warnings.simplefilter("ignore")
def there(name):
    parts = name.split(".")
    for end in range(len(parts), 0, -1):
        try:
            found = importlib.import_module(".".join(parts[:end]))
        except BaseException:
            continue
        try:
            for part in parts[end:]:
                found = getattr(found, part)
        except BaseException:
            return False
        return True
    return False
print(json.dumps([name for name in json.load(sys.stdin) if there(name)]))
"""
_CALLED = ".__call__"
_VERSION = "import importlib.metadata as m, sys; print(m.version(sys.argv[1]))"


def still_there(wanted: str, knowledge: Knowledge, options: argparse.Namespace) -> Iterator[str]:
    """The names that a release has and should not; one line where it cannot be installed."""
    requirement = Requirement(wanted)
    component = knowledge.distribution(requirement.name)
    with tempfile.TemporaryDirectory() as folder:
        python = Path(folder) / "bin/python"
        uv, more = find_uv_bin(), options.more
        installed = _run([uv, "venv", "--quiet", "--python", options.python, folder]) and _run(
            [
                uv,
                "pip",
                "install",
                "--quiet",
                "--only-binary",
                ":all:",
                "--python",
                str(python),
                wanted,
                *more,
            ]
        )
        if not installed:
            yield f"{wanted}: it cannot be installed so"
            return
        version = _answer([str(python), "-c", _VERSION, requirement.name], "").strip()
        gone = sorted(
            name
            for removal in knowledge.removals.get(component, ())
            if removal.has_happened(version)
            for name in removal.names
            if not name.endswith(_CALLED)  # what may still be read
        )
        # What modules print while they are imported comes first.
        told = _answer([str(python), "-c", _INSIDE], json.dumps(gone)).splitlines()
        for name in json.loads(told[-1]) if told else ():
            yield f"{requirement.name} {version}: {name}"


def _run(command: Sequence[str]) -> bool:
    return subprocess.run(command, capture_output=True, check=False).returncode == 0


def _answer(command: Sequence[str], given: str) -> str:
    return subprocess.run(command, input=given, capture_output=True, text=True, check=False).stdout


def main() -> int:
    """Print the names, each once; 1 where there are some."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("distributions", nargs="*")
    parser.add_argument("--python", default="3.11")
    parser.add_argument("--with", dest="more", action="append", default=[])
    options = parser.parse_args()
    knowledge = load_knowledge()
    known = sorted({index_name(component) for component in knowledge.removals} - {"python"})
    found = False
    for wanted in options.distributions or known:
        for line in still_there(wanted, knowledge, options):
            print(line, flush=True)
            found = True
    return int(found)


if __name__ == "__main__":
    sys.exit(main())
