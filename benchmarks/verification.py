"""How a verification grows: with its ranks, by the clock; and with its nodes, by the files that it makes.

    python -m benchmarks.verification ranks GROUP --ranks 2,4,8 --repeat 3 [--launcher srun] [--project DIR]
    python -m benchmarks.verification files --nodes 1000 --per-node 8

``ranks`` verifies a group that is solved, with ever more ranks, and prints the least and the median of the
whole time and of the ranks' part. ``files`` writes what so many ranks would tell into the files of their
nodes, and times what the supervisor does with them: a look at all that is new, on this machine's disk.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from envlock.edges.ranks.heartbeats import NodeLogs

_RESULT_BYTES = 18_000
_ENVLOCK = str(Path(sys.executable).with_name("envlock"))


def ranks(group: str, counts: Sequence[int], repeat: int, options: Sequence[str]) -> None:
    """Print one row for each number of ranks; turns go round, so that a busy moment is spread over all."""
    whole: dict[int, list[float]] = {count: [] for count in counts}
    part: dict[int, list[float]] = {count: [] for count in counts}
    for _ in range(repeat):
        for count in counts:
            command = [_ENVLOCK, "verify", group, "--ranks", str(count), *options, "--json"]
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            report = json.loads(done.stdout)["report"]
            whole[count].append(report["seconds"])
            part[count] += [check["seconds"] for check in report["checks"] if check["id"] == "W1"]
    print("| ranks | whole, least | median | ranks' part, least | median |")
    print("|---:|---:|---:|---:|---:|")
    for count in counts:
        cells = (f"{one:.1f} s" for found in (whole, part) for one in _told(found[count]))
        print(f"| {count} | {' | '.join(cells)} |")
    print(f"load {' '.join(f'{one:.1f}' for one in os.getloadavg())}, {os.cpu_count()} processors")


def _told(seconds: list[float]) -> tuple[float, float]:
    return min(seconds), statistics.median(seconds)


def files(nodes: int, per_node: int) -> None:
    """Print what reading takes: first everything, then one line more of each rank, then nothing new."""
    facts = json.dumps([["facts", "filled", "x" * _RESULT_BYTES]])
    with TemporaryDirectory(dir=".") as name:
        folder = Path(name)
        logs = NodeLogs(folder)
        for told in (facts, "[]"):
            begin = time.perf_counter()
            _write(folder, nodes, per_node, told)
            print(f"writing {nodes * per_node} lines: {time.perf_counter() - begin:.2f} s")
            begin = time.perf_counter()
            seen = logs.look()
            print(f"a look at {len(seen)} ranks: {time.perf_counter() - begin:.2f} s")
        begin = time.perf_counter()
        logs.look()
        print(f"a look at nothing new: {time.perf_counter() - begin:.3f} s")
        made = [path.stat().st_size for path in folder.iterdir()]
        print(f"{len(made)} files, {sum(made) / 1e6:.0f} MB")


def _write(folder: Path, nodes: int, per_node: int, told: str) -> None:
    for node in range(nodes):
        with (folder / f"node-n{node}-0.jsonl").open("a") as stream:
            for rank in range(per_node):
                head = f'{{"host": "n{node}", "pid": {rank + 1}, "step": 1, "phase": "p", "done": false'
                stream.write(f'\n{head}, "set": {told}}}\n')


def main() -> None:
    """Measure one of both."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("what", choices=["ranks", "files"])
    parser.add_argument("group", nargs="?", default="")
    parser.add_argument("--ranks", default="2,4,8")
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--nodes", type=int, default=1000)
    parser.add_argument("--per-node", type=int, default=8)
    arguments, options = parser.parse_known_args()
    if arguments.what == "files":
        files(arguments.nodes, arguments.per_node)
    else:
        ranks(arguments.group, [int(one) for one in arguments.ranks.split(",")], arguments.repeat, options)


if __name__ == "__main__":
    main()
