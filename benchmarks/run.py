"""Time whole locks of envlock beside uv, pip, pdm and poetry on the same requirements, in one run.

    python -m benchmarks.run [--repeat 5] [--cold] [--fleet [--every 4]] [--others FOLDER] [CASE ...]

Every tool is started as a user starts it, by its command. uv and envlock take turns, so that what else the
machine does meets both alike; what is printed is the median of each and the ratio to uv's. The others, which
take long, run once to fill their cache and once for the figure. Warm: uv and envlock run offline (the others
have no such switch and ask the index). Cold: each run begins with an empty cache; those that were filled are
removed at the end, for ext4 takes long to make files where many were removed in the last minutes. All ask one
index, pip's main one. With ``--fleet`` uv runs for every Nth lock only, and its sums are taken N times.
envlock and uv must be on PATH; the others are installed into FOLDER, from the index, when ``--others`` is
given.
"""

from __future__ import annotations

import argparse
import os
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from benchmarks.cases import CASES, FLEET, PLACES
from benchmarks.tools import LIMIT_S, Run, Tool, common_environment, environment_of, fleet, forget, tools


def timed(
    command: Sequence[str], folder: Path, environment: Mapping[str, str], limit_s: int = LIMIT_S
) -> Run:
    """One run of a command with all its children; one that fails or takes too long says so."""
    begin = time.perf_counter()
    with (folder / "said.txt").open("w+b") as said:
        process = subprocess.Popen(
            command, cwd=folder, env=environment, stdout=said, stderr=said, start_new_session=True
        )
        signal.signal(signal.SIGALRM, lambda *_: os.killpg(process.pid, signal.SIGKILL))
        signal.alarm(limit_s)
        _, status, usage = os.wait4(process.pid, 0)
        signal.alarm(0)
        process.returncode = os.waitstatus_to_exitcode(status)
        wall = time.perf_counter() - begin
        said.seek(0)
        lines = said.read().decode(errors="replace").strip().splitlines()
    failure = ""
    if process.returncode:
        failure = (
            f"none in {limit_s} s" if wall > limit_s - 1 else f"refused: {lines[-1][:60] if lines else ''}"
        )
    return Run(
        wall_s=wall,
        cpu_s=usage.ru_utime + usage.ru_stime,
        peak_mib=usage.ru_maxrss / 1024,
        failure=failure,
    )


def once(tool: Tool, folder: Path, *, cold: bool, offline: bool) -> Run:
    """One run of a tool without its earlier lock; a cold one's cache stays in the folder."""
    forget(tool, folder)
    command = (*tool.command, *tool.offline) if offline else tool.command
    cache = tempfile.mkdtemp(dir=folder) if cold else ""
    return timed(command, folder, environment_of(tool, cache))


def measure(found: Sequence[Tool], folder: Path, repeat: int, *, cold: bool) -> dict[str, Run]:
    """The median run of each tool."""
    runs: dict[str, list[Run]] = {tool.name: [] for tool in found}
    for tool in found:
        if not cold:
            once(tool, folder, cold=False, offline=False)
    for turn in range(repeat):
        for tool in found:
            if not turn or tool.offline:
                runs[tool.name].append(once(tool, folder, cold=cold, offline=bool(tool.offline) and not cold))
    return {name: median(some) for name, some in runs.items()}


def median(runs: Sequence[Run]) -> Run:
    """The median of each figure."""
    return Run(
        wall_s=statistics.median(run.wall_s for run in runs),
        cpu_s=statistics.median(run.cpu_s for run in runs),
        peak_mib=statistics.median(run.peak_mib for run in runs),
        failure=next((run.failure for run in runs if run.failure), ""),
    )


def size_of(folder: Path) -> str:
    """Distributions in envlock's lock and, where some are built, in the build environments of its plans."""
    lock = next(folder.glob("locks/*/pylock.g.toml"), None)
    if lock is None:
        return ""
    text = lock.read_text()
    built = text.count("[[packages.tool.envlock.build.requires]]")
    return f"{text.count('[[packages]]')}{f' + {built} to build' if built else ''}"


def print_case(name: str, size: str, found: Mapping[str, Run]) -> None:
    """One row for each tool."""
    uv, ours = found["uv"], found["envlock"]
    for tool, run in found.items():
        ratio = f"{run.wall_s / uv.wall_s:.1f} | {run.cpu_s / uv.cpu_s:.1f}"
        ours_by = f"{run.wall_s / ours.wall_s:.1f}" if tool not in {"uv", "envlock"} else ""
        told = f" ({run.failure})" if run.failure else ""
        print(
            f"| {name} | {size} | {tool}{told} | {run.wall_s:.2f} s | {run.cpu_s:.2f} s "
            f"| {ratio} | {ours_by} | {run.peak_mib:.0f} MiB |",
            flush=True,
        )


def measure_fleet(folder: Path, repeat: int, every: int) -> dict[str, Run]:
    """All locks of the fleet: by uv one after the other, by envlock in one command.

    The two take turns. Where uv runs for every Nth lock only, its sums are taken N times.
    """
    commands, ours = fleet(folder)
    chosen, environment = commands[::every], common_environment()
    say(f"filling the caches: {len(chosen)} runs of uv, then {len(commands)} locks of envlock")
    for command in chosen:
        timed(command, folder, environment)
    timed(ours, folder, environment, LIMIT_S * len(PLACES))
    uv, envlock = [], []
    for turn in range(repeat):
        say(f"turn {turn + 1} of {repeat}")
        runs = [timed((*command, "--offline"), folder, environment) for command in chosen]
        refused = sum(bool(run.failure) for run in runs)
        uv.append(
            Run(
                wall_s=sum(run.wall_s for run in runs) * len(commands) / len(chosen),
                cpu_s=sum(run.cpu_s for run in runs) * len(commands) / len(chosen),
                peak_mib=max(run.peak_mib for run in runs),
                failure=f"{refused} of {len(chosen)} refused" if refused else "",
            )
        )
        envlock.append(timed((*ours, "--offline"), folder, environment, LIMIT_S * len(PLACES)))
    return {"uv": median(uv), "envlock": median(envlock)}


def say(text: str) -> None:
    """Tell how far it is, and how busy the machine."""
    print(f"{text} (load {os.getloadavg()[0]:.0f})", file=sys.stderr, flush=True)


def main() -> None:
    """Run the cases and print a table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--repeat", type=int, default=5, help="runs of uv and envlock")
    parser.add_argument("--cold", action="store_true", help="with an empty cache each time")
    parser.add_argument("--fleet", action="store_true", help=f"{len(FLEET)} groups on {len(PLACES)} targets")
    parser.add_argument("--every", type=int, default=1, help="uv locks only every Nth of the fleet")
    parser.add_argument("--others", type=Path, help="also pip, pdm and poetry, installed into this folder")
    parser.add_argument("cases", nargs="*", help="names of cases; all if none is given")
    options = parser.parse_args()
    print("| case | distributions | tool | wall | CPU | wall / uv | CPU / uv | wall / envlock | peak |")
    print("|---|---|---|---:|---:|---:|---:|---:|---:|")
    if options.fleet:
        with tempfile.TemporaryDirectory() as name:
            found = measure_fleet(Path(name), options.repeat, options.every)
            print_case("fleet", f"{len(FLEET) * len(PLACES)} locks", found)
        return
    with tempfile.TemporaryDirectory() as name:
        for case in CASES:
            if options.cases and case.name not in options.cases:
                continue
            folder = Path(name) / case.name
            folder.mkdir()
            say(case.name)
            found = measure(tools(case, folder, options.others), folder, options.repeat, cold=options.cold)
            print_case(case.name + (" cold" if options.cold else " warm"), size_of(folder), found)


if __name__ == "__main__":
    main()
