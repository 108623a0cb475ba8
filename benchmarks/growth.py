"""How a solve grows: with ten times the facts, and with the tree; within one process, from a warm cache.

    python -m benchmarks.growth [--repeat 5]

Facts are multiplied by copies under other names of the shipped ones, which so meet the same components. The
trees are the first groups of the fleet and the cases; each is solved once before, so that what is measured is
the solve itself and not the first reading of its pages.
"""

from __future__ import annotations

import argparse
import datetime as dt
import statistics
import time
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.cases import CASES, FLEET, Case
from benchmarks.tools import tools
from envlock.app.project import Options, Project, open_project
from envlock.app.solving.answer import answer_group
from envlock.app.solving.refused import Refused
from envlock.edges.cache import Cache, default_root
from envlock.edges.index.catalogue import IndexCatalogue
from envlock.edges.pip_configuration import read_pip_configuration
from envlock.model.knowing.facts import Facts
from envlock.model.knowing.knowledge import Knowledge
from envlock.model.project.target import Target

TIMES = (1, 10)


def multiplied(knowledge: Knowledge, times: int) -> Knowledge:
    """A knowledge base in which each fact stands so often."""
    copies = [replace(fact, id=f"{fact.id}-{copy}") for copy in range(1, times) for fact in knowledge.facts]
    return replace(knowledge, facts=Facts.listed((*knowledge.facts, *copies)))


def seconds(project: Project, target: Target, catalogue: IndexCatalogue, repeat: int) -> tuple[float, int]:
    """The median time of a solve, and how many distributions it pins."""
    group = project.manifest.group("g")
    taken, pins = [], 0
    for turn in range(repeat + 1):
        begin = time.process_time()
        answer = answer_group(project, group, target, catalogue, {}, dt.datetime.now(dt.UTC).date())
        if turn:
            taken.append(time.process_time() - begin)
        pins = 0 if isinstance(answer, Refused) else len(answer.distributions)
    return statistics.median(taken), pins


def measure(case: Case, target: Target | None, repeat: int) -> Target:
    """Print one row; the machine is looked at once."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        tools(case, folder, None)
        project = open_project(Options(project=folder))
        target = target or project.target()
        found = []
        with IndexCatalogue(read_pip_configuration(), Cache(default_root())) as catalogue:
            for times in TIMES:
                known = replace(project, knowledge=multiplied(project.knowledge, times))
                found.append((len(known.knowledge.facts), *seconds(known, target, catalogue, repeat)))
    (facts, once, pins), (more, often, _) = found
    print(
        f"| {case.name} | {pins} | {once * 1000:.0f} ms with {facts} facts "
        f"| {often * 1000:.0f} ms with {more} facts | {often / once:.1f} | {once * 1000 / pins:.1f} ms |",
        flush=True,
    )
    return target


def main() -> None:
    """Print a table, the smallest trees first."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--repeat", type=int, default=5)
    repeat = parser.parse_args().repeat
    print("| case | distributions | CPU of a solve | with ten times the facts | ratio | per distribution |")
    print("|---|---:|---:|---:|---:|---:|")
    target = None
    for case in (FLEET[36], FLEET[0], FLEET[20], FLEET[8], *CASES):
        target = measure(case, target, repeat)


if __name__ == "__main__":
    main()
