# ruff: noqa: INP001, T201 - a script, no package
"""Print what a release of a distribution no longer has, as a table for ``knowledge/removals/``.

usage: find_vanished_names.py [--python 3.11] [--with REQUIREMENT ...] [--module NAME ...] [--private]
                              DISTRIBUTION OLD NEW

Installs both releases with uv, imports every module of the old one, and asks the new one for each module and
each name: what can be imported from the old release and not from the new one is gone. A module that does not
import with either is passed over, and so are tests and what comes from the standard library or from others'
modules. Names that begin with ``_`` count with ``--private``.
"""

from __future__ import annotations

import argparse
import datetime as dt
import json
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from envlock.edges.knowledge_toml import canonical_text

_TELL = """
import importlib, json, pkgutil, sys, types, warnings
warnings.simplefilter("ignore")
tops, private = json.loads(sys.argv[1])
def hidden(name):
    parts = name.split(".")
    return any(p in ("tests", "testing", "conftest", "__main__") or p.startswith("test_") for p in parts) or (
        not private and any(p.startswith("_") for p in parts))
def own(name, value):
    if isinstance(value, types.ModuleType):
        return value.__name__.partition(".")[0] in roots
    home = str(getattr(value, "__module__", None) or type(value).__module__).partition(".")[0]
    # universal functions of NumPy tell no module
    return home in roots or type(value).__name__ == "ufunc" or (home == "builtins" and len(name) > 3)
found = {}
roots = {top.partition(".")[0] for top in tops}
queue = list(tops)
while queue:
    name = queue.pop()
    if hidden(name):
        continue
    try:
        module = importlib.import_module(name)
    except BaseException:
        continue
    found[name] = []
    for one in dir(module):
        if not one.startswith("__") and (private or not one.startswith("_")):
            try:
                keep = own(one, getattr(module, one))
            except BaseException:
                continue
            found[name] += [one] * keep
    queue += [name + "." + one.name for one in pkgutil.iter_modules(getattr(module, "__path__", ()))]
json.dump(found, sys.stdout)
"""
_ASK = """
import importlib, importlib.util, json, sys, warnings
warnings.simplefilter("ignore")
gone = []
for name, names in json.load(sys.stdin).items():
    try:
        module = importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name and (name == error.name or name.startswith(error.name + ".")):
            gone.append(name)
        continue
    except BaseException:
        continue
    for one in names:
        try:
            getattr(module, one)
        except AttributeError:
            try:
                importlib.import_module(name + "." + one)
            except ImportError:
                gone.append(name + "." + one)
        except BaseException:
            pass
json.dump(gone, sys.stdout)
"""


def main() -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("distribution")
    parser.add_argument("old")
    parser.add_argument("new")
    parser.add_argument("--python", default="3.11")
    parser.add_argument("--with", dest="beside", action="append", default=[], help="install this, too")
    parser.add_argument(
        "--module", action="append", default=[], help="the top-level modules, if of other names"
    )
    parser.add_argument("--private", action="store_true")
    asked = parser.parse_args()
    tops = asked.module or [asked.distribution.replace("-", "_")]
    with tempfile.TemporaryDirectory() as folder:
        old, new = (
            _environment(Path(folder) / version, f"{asked.distribution}=={version}", asked)
            for version in (asked.old, asked.new)
        )
        had = json.loads(_run([str(old), "-c", _TELL, json.dumps([tops, asked.private])]))
        gone = sorted(set(json.loads(_run([str(new), "-c", _ASK], json.dumps(had)))))
    names = [name for name in gone if not any(name.startswith(f"{other}.") for other in gone)]
    if not names:
        print(f"{asked.distribution} {asked.new} has all that {asked.old} has", file=sys.stderr)
        return 0
    title = f"seen: {asked.distribution} {asked.old} has them, {asked.new} has not"
    removal = {
        "component": asked.distribution,
        "since": asked.new,
        "names": names,
        "sources": [{"title": title, "checked": dt.datetime.now(dt.UTC).date()}],
    }
    print(canonical_text({"removal": [removal]}))
    return 0


def _environment(folder: Path, requirement: str, asked: argparse.Namespace) -> Path:
    """The interpreter of an environment that has the release."""
    _run(["uv", "venv", "-q", "--python", asked.python, str(folder)])
    python = folder / "bin" / "python"
    _run(["uv", "pip", "install", "-q", "--python", str(python), requirement, *asked.beside])
    return python


def _run(command: Sequence[str], given: str = "") -> str:
    done = subprocess.run(command, input=given, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"{' '.join(command[:4])}: {done.stderr[-2000:]}")
    return done.stdout[done.stdout.find("{") if "{" in done.stdout else done.stdout.find("[") :]


if __name__ == "__main__":
    sys.exit(main())
