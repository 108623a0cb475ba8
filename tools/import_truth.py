# ruff: noqa: INP001, T201 - a script, no package
"""Hold ``envlock check`` against what happens: old releases with the newest of what they ask for, imported.

usage: import_truth.py --names FILE --python 3.10 --era 2020-01..2022-06 [--seed 1] [--count 50]
                       [--forced] [--constraint 'torch<1.13'] [--beside 'setuptools<66'] --results FILE.jsonl
       import_truth.py --again --results FILE.jsonl

Distributions are drawn at random from the names in FILE, one a line, and of each a final release of
the era that has a wheel for that Python. It is installed, from wheels alone, with the newest of what it
asks for, in a virtual environment of its own; with ``--forced`` one thing that it bounds is the newest
all the same. All versions that are there are given to ``envlock check``. Then, in one process, the modules
are imported by which distributions are: those of what was drawn, which count; of the others, which nobody
may import (``fails beside``); and those that refusals name (``fails inside``: they are right). Each item is
one line in the results, and is not done again, so that a run that was broken off goes on. ``--again`` judges
the items of the results anew, and prints the table alone.
"""

from __future__ import annotations

import argparse
import datetime as dt
import json
import os
import random
import re
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import nullcontext
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from uv import find_uv_bin

from envlock.analysis.imports.modules import roots_of
from envlock.edges.cache import Cache, default_root
from envlock.edges.declarations import metadata_file, read_declarations
from envlock.edges.index.catalogue import IndexCatalogue
from envlock.edges.pip_configuration import read_pip_configuration
from envlock.judging.declared import markers_on
from envlock.model.published.catalogue import DistFile

_SECONDS = {"install": 300, "import": 150, "check": 300}
"""How long a step may take."""
_IMPORTING = r"""
import importlib, json, sys, traceback, warnings
warnings.simplefilter("ignore")
failed = []
for name in sys.argv[2:]:
    try:
        importlib.import_module(name)
    except BaseException as error:
        at = traceback.extract_tb(error.__traceback__)[-1]
        told = (type(error).__name__ + ": " + str(error)).strip().splitlines()[0]
        failed.append([name, told, "%s:%s" % ("/".join(at.filename.split("/")[-3:]), at.lineno)])
    with open(sys.argv[1], "w") as out:
        json.dump({"last": name, "failed": failed}, out)
"""
_FILE = re.compile(r"\((\w[\w/]*)\.py:\d+\)")
"""Where a finding says that a name is looked for."""


def draw(catalogue: IndexCatalogue, name: str, options: argparse.Namespace, rng: random.Random) -> str:
    """A final release of the era that has a wheel for the interpreter; empty where there is none."""
    first, last = (dt.date.fromisoformat(f"{month}-01") for month in options.era.split(".."))
    of_era = [one for one in catalogue.releases(name) if one.since and first <= one.since < last]
    final = [one for one in of_era if not one.version.is_prerelease]
    fit = [one.text for one in final if _fits(metadata_file(one, options.python), options.python)]
    return rng.choice(sorted(fit)) if fit else ""


def _fits(file: DistFile | None, python: str) -> bool:
    own = {f"cp{python.replace('.', '')}", "py3"}
    return file is not None and any(
        (one.interpreter in own or one.abi == "abi3") and ("linux" in one.platform or one.platform == "any")
        for one in file.tags
    )


def forced(catalogue: IndexCatalogue, name: str, version: str, python: str, rng: random.Random) -> str:
    """One distribution whose later releases a release refuses; empty where there is none."""
    today, cache = dt.datetime.now(dt.UTC).date(), Cache(default_root())
    wanted = {name: (name, version)}
    told = read_declarations(wanted, cache, lambda: nullcontext(catalogue), today=today, python=python)
    asked = [Requirement(text) for one in told.declarations.values() for text in one.requires_dist]
    markers = markers_on(python)
    bounded = {
        canonicalize_name(one.name)
        for one in asked
        if (one.marker is None or one.marker.evaluate(markers))
        and any(part.operator in {"<", "<=", "==", "~="} for part in one.specifier)
    }
    return rng.choice(sorted(bounded)) if bounded else ""


def try_one(name: str, version: str, over: str, options: argparse.Namespace) -> dict[str, Any]:
    """Install, check and import one item."""
    told: dict[str, Any] = {"name": name, "version": version, "python": options.python, "forced": over}
    with tempfile.TemporaryDirectory() as folder:
        if why := _install(Path(folder), f"{name}=={version}", over, options):
            return {**told, "outcome": "not installed", "why": why}
        found = _installed(Path(folder), options.python)
        told["pins"] = [f"{one}=={there}" for one, there, _ in found]
        told |= _checked(options.python, told["pins"])
        named = [file for _, message in told["refused"] for file in _FILE.findall(message)]
        inside = [file.removesuffix("/__init__").replace("/", ".") for file in named]
        tops = [(one == canonicalize_name(name), top) for one, _, there in found for top in there]
        groups = {"fails": [top for is_own, top in tops if is_own], "fails beside": [top for _, top in tops]}
        return told | _imported(Path(folder), {**groups, "fails inside": inside})


def _install(folder: Path, pin: str, over: str, options: argparse.Namespace) -> str:
    """Why it cannot be installed; empty where it was."""
    wanted = {"-r": [pin, *options.beside], "-c": options.constraint, "--override": [over]}
    install = [find_uv_bin(), "pip", "install", "--only-binary", ":all:", "--python", str(folder / "env")]
    for flag, lines in wanted.items():
        (folder / f"{flag}.txt").write_text("\n".join(lines), encoding="utf-8")
        install += [flag, str(folder / f"{flag}.txt")]
    venv = [find_uv_bin(), "venv", "--python", options.python, str(folder / "env")]
    for command in (venv, [*install, "--dry-run"], install):
        done = _run(command, "install", folder)
        if done is None:
            return "it takes too long"
        if done.returncode or "+ nvidia-" in done.stderr:  # that is gigabytes
            return " ".join(done.stderr.split())[-300:]
    return ""


def _installed(folder: Path, python: str) -> list[tuple[str, str, list[str]]]:
    """Name, version and the modules by which it is imported, of all that is there."""
    found: list[tuple[str, str, list[str]]] = []
    for info in sorted((folder / f"env/lib/python{python}/site-packages").glob("*.dist-info")):
        name, _, version = info.name.removesuffix(".dist-info").partition("-")
        record = (info / "RECORD").read_text(encoding="utf-8").splitlines()
        paths = [line.partition(",")[0].strip('"') for line in record]
        files = [Path(path) for path in paths if path.endswith((".py", ".so"))]
        inside = [(*one.parts[:-1], *{one.name.partition(".")[0]} - {"__init__"}) for one in files]
        dotted = [".".join(one) for one in inside if all(part.isidentifier() for part in one)]
        found.append((canonicalize_name(name), version, roots_of(dotted, name)))
    return found


def _imported(folder: Path, groups: Mapping[str, Sequence[str]]) -> dict[str, Any]:
    """What importing came to: what is said where one of a group fails, of the first such group."""
    out = folder / "out.json"
    out.write_text('{"last": "", "failed": []}', encoding="utf-8")
    command = [str(folder / "env/bin/python"), "-c", _IMPORTING, str(out), *chain(*groups.values())]
    done = _run(command, "import", folder)
    if done is None:
        return {"outcome": "hangs"}
    told = json.loads(out.read_text(encoding="utf-8"))
    if done.returncode:
        told["failed"].append([told["last"], f"the process ended with {done.returncode}", done.stderr[-200:]])
    for outcome, group in groups.items():
        if failed := [one for one in told["failed"] if one[0] in group]:
            return {"outcome": outcome, "failed": failed}
    return {"outcome": "imports", "failed": []}


def _checked(python: str, pins: Sequence[str]) -> dict[str, Any]:
    """The verdict, what refuses, and the time in seconds."""
    started = time.monotonic()
    command = [sys.executable, "-m", "envlock", "check", "--json", "--from", "-", f"python=={python}"]
    done = _run(command, "check", Path.cwd(), "\n".join(pins))
    if done is None or not done.stdout:
        return {"verdict": "too slow" if done is None else done.stderr[-300:], "refused": []}
    told: dict[str, Any] = json.loads(done.stdout)
    refused = [[one["fact"], one["message"]] for one in told["findings"] if one["severity"] == "refuse"]
    return {"verdict": told["verdict"], "refused": refused, "seconds": round(time.monotonic() - started, 1)}


def _run(
    command: Sequence[str], step: str, place: Path, given: str = ""
) -> subprocess.CompletedProcess[str] | None:
    """What a command came to; ``None`` where its time was over."""
    more = {"MPLBACKEND": "Agg", "OMP_NUM_THREADS": "1", "PYTHONDONTWRITEBYTECODE": "1"}
    run = partial(subprocess.run, command, capture_output=True, text=True, errors="replace", input=given)
    try:
        return run(timeout=_SECONDS[step], cwd=place, env={**os.environ, **more})
    except subprocess.TimeoutExpired:
        return None


def table(rows: Sequence[dict[str, Any]]) -> Iterator[str]:
    """What happened beside what was said, the misses and the false alarms, and how many of each."""
    yield f"{len(rows)} items: {sorted(Counter(one['outcome'] for one in rows).items())}"
    tried = [one for one in rows if one["outcome"] in {"fails", "imports"}]
    for row in tried:
        is_alarm = row["verdict"] == "incompatible"
        if is_alarm == (row["outcome"] == "fails"):
            continue
        over = f" with the newest {row['forced']}" if row["forced"] else ""
        yield f"\n{row['name']} {row['version']}{over}, Python {row['python']}: {row['verdict']}"
        yield from (f"    happens  {module}: {told} ({at})" for module, told, at in row["failed"][:3])
        yield from (f"    is told  {fact}: {message}" for fact, message in row["refused"][:3])
    metadata = {"requires-dist", "requires-python", "wheels"}
    for title, without in (("\nby all", set[str]()), ("by more than metadata", metadata)):
        told = [any(fact not in without for fact, _ in row["refused"]) for row in tried]
        hit = [told[at] for at, row in enumerate(tried) if row["outcome"] == "fails"]
        wrong = [told[at] for at, row in enumerate(tried) if row["outcome"] == "imports"]
        yield f"{title}: recall {sum(hit)}/{len(hit)}, specificity {len(wrong) - sum(wrong)}/{len(wrong)}"


def main() -> int:
    """Go on where the results end, and print the table."""
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("--python", default="3.10")
    parser.add_argument("--era", default="2020-01..2022-01")
    parser.add_argument("--seed", default="1")
    parser.add_argument("--forced", action="store_true")
    parser.add_argument("--again", action="store_true")
    parser.add_argument("--names", type=Path)
    parser.add_argument("--count", type=int, default=50)
    parser.add_argument("--constraint", action="append", default=[])
    parser.add_argument("--beside", action="append", default=[])
    parser.add_argument("--results", type=Path, required=True)
    options = parser.parse_args()
    done = options.results.read_text(encoding="utf-8").splitlines() if options.results.exists() else []
    rows: list[dict[str, Any]] = [json.loads(line) for line in done]
    if options.again:
        rows = [{**one, **_checked(one["python"], one["pins"])} for one in rows if "pins" in one]
    names = options.names.read_text(encoding="utf-8").split() if options.names else []
    random.Random(options.seed).shuffle(names)  # noqa: S311 - a draw, no secret
    with IndexCatalogue(read_pip_configuration(), Cache(default_root())) as catalogue:
        for name in names[: options.count]:
            rng = random.Random(f"{options.seed} {name} {options.python}")  # noqa: S311
            is_done = any(row["name"] == name and row["python"] == options.python for row in rows)
            version = "" if is_done else draw(catalogue, name, options, rng)
            over = forced(catalogue, name, version, options.python, rng) if version and options.forced else ""
            if not version or (options.forced and not over):
                continue
            told = try_one(name, version, over, options)
            rows.append(told)
            with options.results.open("a", encoding="utf-8") as out:
                out.write(json.dumps(told) + "\n")
            print(f"{name} {version} {over}: {told['outcome']}, {told.get('verdict', '')}", flush=True)
    print("\n".join(table(rows)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
