"""Time and room that environments take, and how long questions about many of them do.

    python -m benchmarks.living [--repeat 7] [create] [share] [impact]

``create`` makes one environment from a lock, all wheels at hand, beside ``uv venv`` and ``uv pip sync`` of
the same lock, a small, a middling and a large one; they take turns. ``share`` makes twenty that differ in one
small distribution, beside twenty of uv, counts what they take on the disk, and times ``envlock status`` of
them. ``impact`` locks 200 groups and asks what the site's changes would break. envlock and uv must be on
PATH.
"""

from __future__ import annotations

import argparse
import os
import shutil
import stat
import statistics
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path

from benchmarks.cases import FLEET
from benchmarks.run import timed
from benchmarks.tools import Run, common_environment, interpreter
from envlock.edges.store.protection import unprotect

PYTHON = "3.11"
COMMON = ("gensim", "spacy", "scikit-learn", "matplotlib", "pandas")
SMALL = ("requests",)
LARGE = (*COMMON, "sympy", "networkx", "statsmodels", "scikit-image", "jupyterlab")
OWN = (
    *("docopt", "toml", "tabulate", "termcolor", "colorama", "iniconfig", "pluggy", "humanize", "xmltodict"),
    *("inflection", "sortedcontainers", "natsort", "more-itertools", "zipp", "toolz", "cachetools"),
    *("decorator", "wcwidth", "pyfiglet", "text-unidecode"),
)
CHANGES = (("--remove", "openmpi==4.1.6"), ("--driver", "450.0"), ("--upgrade", "numpy==2.4.0"))
LOCKS = 200


def group(name: str, requires: tuple[str, ...]) -> str:
    """A group's section of the manifest."""
    listed = ", ".join(f'"{text}"' for text in requires)
    return f'[groups.{name}]\npython = "{PYTHON}"\nas-of = "none"\nrequires = [{listed}]\n\n'


def do(folder: Path, *command: str) -> None:
    """Run a command that is not timed."""
    subprocess.run(command, cwd=folder, check=True, stdout=subprocess.DEVNULL, env=common_environment())


def uv_command(place: str, lock: Path, *options: str) -> tuple[str, ...]:
    """Both steps of uv in one command."""
    make = f"uv venv -q --offline -p {interpreter(PYTHON)} {place}"
    sync = f"uv pip sync -q {' '.join(options)} -p {place} {lock}"
    return ("sh", "-c", f"{make} && {sync}")


def remove(*places: Path) -> None:
    """Take folders away, read-only ones too."""
    for place in places:
        unprotect(place)
        shutil.rmtree(place, ignore_errors=True)


def create(folder: Path, repeat: int) -> None:
    """Environments of three sizes; for the middling one also with bytecode compiled anew."""
    for name, requires in (("small", SMALL), ("middling", COMMON), ("large", LARGE)):
        place = folder / name
        place.mkdir()
        create_one(place, requires, repeat, compiling=requires == COMMON)


def create_one(folder: Path, requires: tuple[str, ...], repeat: int, *, compiling: bool) -> None:
    """One environment from a lock, several ways in turn."""
    (folder / "envlock.toml").write_text(group("g", requires))
    do(folder, "envlock", "solve", "g")
    lock, store = folder / "locks/local/pylock.g.toml", folder / ".envlock"
    do(folder, *uv_command("plain", lock))  # so that uv's cache has all
    ours = ("envlock", "solve", "g", "--offline")
    made = (store / "environments", store / "current")
    uv, uv_compiling = "uv pip sync", "uv pip sync --compile-bytecode"
    ways: dict[str, tuple[tuple[str, ...], tuple[Path, ...]]] = {
        uv: (uv_command("plain", lock, "--offline"), (folder / "plain",)),
        "envlock solve, bytecode in the store": (ours, made),
    }
    if compiling:
        compile_all = uv_command("compiled", lock, "--offline", "--compile-bytecode")
        ways[uv_compiling] = (compile_all, (folder / "compiled",))
        ways["envlock solve, no bytecode yet"] = (ours, (*made, store / "bytecode"))
    runs: dict[str, list[Run]] = {name: [] for name in ways}
    for turn in range(repeat + 1):
        for name, (command, before) in ways.items():
            remove(*before)
            run = timed(command, folder, common_environment())
            if run.failure:
                raise SystemExit(f"{name}: {run.failure}")
            if turn:
                runs[name].append(run)
    modules = sum(len(names) for place, _, names in os.walk(made[0]) if place.endswith("__pycache__"))
    print(
        f"\n{lock.read_text().count('[[packages]]')} distributions, {modules} files of bytecode, "
        f"medians of {repeat} (least in brackets)\n"
    )
    print("| way | wall | CPU | wall / uv | wall / uv compiling |\n|---|---:|---:|---:|---:|")
    for name, some in runs.items():
        wall = told(some, lambda run: run.wall_s)
        cpu = told(some, lambda run: run.cpu_s)
        beside = ratio(some, runs[uv_compiling]) if compiling else ""
        print(f"| {name} | {wall} | {cpu} | {ratio(some, runs[uv])} | {beside} |", flush=True)


def told(runs: list[Run], figure: Callable[[Run], float]) -> str:
    """Median and least of a figure in seconds."""
    values = [figure(run) for run in runs]
    return f"{statistics.median(values):.2f} s ({min(values):.2f})"


def ratio(runs: list[Run], base: list[Run]) -> str:
    """The median ratio of the runs of one turn, and that of the least."""
    ratios = [run.wall_s / other.wall_s for run, other in zip(runs, base, strict=True)]
    least = min(run.wall_s for run in runs) / min(run.wall_s for run in base)
    return f"{statistics.median(ratios):.2f} ({least:.2f})"


def share(folder: Path, repeat: int) -> None:
    """Twenty environments that share most, and what they take."""
    (folder / "envlock.toml").write_text("".join(group(f"g-{own}", (*COMMON, own)) for own in OWN))
    for own in OWN:
        do(folder, "envlock", "solve", f"g-{own}")
        lock = folder / f"locks/local/pylock.g-{own}.toml"
        for place, options in (("plain", ()), ("compiled", ("--compile-bytecode",))):
            do(folder, *uv_command(f"{place}/{own}", lock, *options))
    print(f"\n{len(OWN)} environments\n\n| made by | inodes | on disk | of that only there |")
    print("|---|---:|---:|---:|")
    for name, place in (
        ("uv pip sync", "plain"),
        ("uv pip sync --compile-bytecode", "compiled"),
        ("envlock", ".envlock"),
    ):
        inodes, size, own_size = taken(folder / place)
        print(f"| {name} | {inodes:,} | {size / 1e6:,.0f} MB | {own_size / 1e6:,.0f} MB |", flush=True)
    asked = [timed(("envlock", "status"), folder, common_environment()) for _ in range(repeat)]
    print(f"\nenvlock status of {len(OWN)} groups: {told(asked, lambda run: run.wall_s)}", flush=True)


def taken(place: Path) -> tuple[int, int, int]:
    """Distinct inodes, their bytes on the disk, and those of what has no other name elsewhere (a cache)."""
    seen: dict[int, tuple[int, int, int]] = {}
    for parent, folders, names in os.walk(place):
        for name in (*folders, *names):
            status = os.lstat(f"{parent}/{name}")
            links = 1 if stat.S_ISDIR(status.st_mode) else status.st_nlink
            _, found, _ = seen.get(status.st_ino, (0, 0, 0))
            seen[status.st_ino] = (status.st_blocks * 512, found + 1, links)
    own = sum(size for size, found, links in seen.values() if found == links)
    return len(seen), sum(size for size, _, _ in seen.values()), own


def impact(folder: Path, repeat: int) -> None:
    """What changes of the site break, in 200 locks."""
    cases = [(f"{case.name}-{number}", case.requires) for number in range(5) for case in FLEET]
    target = (
        '[targets.site]\nos = "Linux"\nmachine = "x86_64"\ncomponents = { driver = "580.65.06", '
        'gpu_cc = "8.0", glibc = "2.35", openmpi = "4.1.6", launcher = "srun" }\n'
    )
    text = "".join(group(name, requires) for name, requires in cases[:LOCKS])
    (folder / "envlock.toml").write_text(text + target)
    ours = common_environment()
    solve = timed(("envlock", "solve", "--all-groups", "--lock-only", "--target", "site"), folder, ours)
    locks = len(list(folder.glob("locks/site/pylock.*.toml")))
    print(f"\n{locks} locks, made in {solve.wall_s:.1f} s\n")
    print("| question | wall | CPU | groups named |\n|---|---:|---:|---:|")
    for change in CHANGES:
        command = ("envlock", "impact", *change, "--target", "site")
        asked = [timed(command, folder, ours) for _ in range(repeat)]
        said = subprocess.run((*command, "--json"), cwd=folder, capture_output=True, text=True, check=False)
        wall, cpu = told(asked, lambda run: run.wall_s), told(asked, lambda run: run.cpu_s)
        print(f"| `{' '.join(change)}` | {wall} | {cpu} | {said.stdout.count('outcome')} |", flush=True)


def main() -> None:
    """Measure what is named, or all."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--repeat", type=int, default=7)
    parser.add_argument("parts", nargs="*", help="create, share or impact; all if none is given")
    options = parser.parse_args()
    for name, part in (("create", create), ("share", share), ("impact", impact)):
        if not options.parts or name in options.parts:
            with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
                part(Path(folder), options.repeat)
                unprotect(Path(folder))


if __name__ == "__main__":
    main()
