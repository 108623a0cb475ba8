"""What ranks found around them: the launcher's variables, limits, shared memory, processors."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping

from envlock.lifecycle.evidence.gpus import gpus_verdict
from envlock.lifecycle.evidence.machines import crowded, machines
from envlock.model.counting import first_of, number_of
from envlock.model.proving.probing import Plan
from envlock.model.proving.rank_result import RankResult, texts
from envlock.model.proving.report import Check, Outcome

_DOCKERS_SHARED_MEMORY = 64 << 20
_LEAST_STACK = 8 << 20
_LEAST_FILES = 1024
_TOO_LITTLE_LOCKED = 1 << 30
"""A limit of locked memory below this ends what registers memory at once; kernels set 64 KiB or 8 MiB."""


def rank_facts_checks(ranks: tuple[RankResult, ...], plan: Plan) -> Iterator[Check]:
    """Yield L3, L4, L6, L7, L8 and L10, for the ranks that reported what is around them."""
    reporting = tuple(rank for rank in ranks if "affinity" in rank.facts)
    for identifier, name, judge in (
        ("L3", "process manager", _process_manager),
        ("L4", "rank variables", _rank_variables),
        ("L6", "limits", _limits),
        ("L7", "shared memory", _shared_memory),
        ("L7", "temporary files", _temporary_files),
        ("L8", "GPUs", gpus_verdict),
        ("L10", "processors", _processors),
    ):
        if reporting:
            outcome, message = judge(reporting, plan)
        else:
            outcome, message = Outcome.NOT_APPLICABLE, "not reached: no rank reported its surroundings"
        yield Check(id=identifier, name=name, outcome=outcome, message=message)


def _process_manager(ranks: tuple[RankResult, ...], plan: Plan) -> tuple[Outcome, str]:
    """Compare launcher's and library's PMIx; releases from 2.1 on interoperate (openpmix, cross-version).

    Ranks that ended before MPI told its size say nothing about it.
    """
    first = ranks[0]
    client = str(first.facts.get("process_manager_client", ""))
    server = str(_table(first, "process_manager").get("PMIX_VERSION", ""))
    if not server:
        reason = "not applicable: the launcher offers no PMIx"
        return Outcome.NOT_APPLICABLE, f"{reason}, the library has {client}" if client else reason
    if plan.ranks == 1:
        return Outcome.NOT_APPLICABLE, f"one rank sees no other; the launcher's PMIx is {server}"
    sizes = {size for rank in ranks if (size := rank.mpi.get("size")) is not None}
    if not sizes:
        return Outcome.NOT_APPLICABLE, f"not reached: no MPI told its size; the launcher's PMIx is {server}"
    agreed = sizes == {plan.ranks}
    versions = f"the launcher's PMIx is {server}" + (f", the library's {client}" if client else "")
    if not agreed:
        return Outcome.FAILED, f"{versions}, and ranks do not see each other"
    return Outcome.PASSED, f"{versions}; {len(ranks)} ranks see each other"


def _rank_variables(ranks: tuple[RankResult, ...], _plan: Plan) -> tuple[Outcome, str]:
    """Find variables that tell a wrong rank: code that reads them first takes every rank for the same one."""
    wrong: dict[str, set[str]] = defaultdict(set)
    for rank in ranks:
        for source, number in _table(rank, "told").items():
            if rank.rank is not None and number != rank.rank:
                wrong[source].add(str(number))
    # A job's shell, and the daemons by which MPIs start ranks, have Slurm's variables for themselves.
    if set(wrong) == {"slurm"}:
        numbers = ", ".join(sorted(wrong["slurm"]))
        shown = f"SLURM_PROCID ({numbers}) is that of the job's shell or of a daemon of the launcher"
        return (
            Outcome.PASSED,
            f"{shown}, as always where srun does not start the ranks; code must not take its rank from it",
        )
    if wrong:
        shown = "; ".join(f"{source}'s say {', '.join(sorted(numbers))}" for source, numbers in wrong.items())
        return Outcome.WARNED, f"variables that contradict the true ranks are set as well: {shown}"
    sources = sorted({source for rank in ranks for source in _table(rank, "told")})
    if not sources:
        return Outcome.NOT_APPLICABLE, "not applicable: no variable tells a rank, MPI alone does"
    return Outcome.PASSED, f"all variables agree: {', '.join(sources)}"


def _limits(ranks: tuple[RankResult, ...], _plan: Plan) -> tuple[Outcome, str]:
    """Check limits: locked memory matters if a fabric registers memory, stack and open files everywhere."""
    problems: list[tuple[str, str]] = []
    differing = []
    failed = False
    for name in ("memlock", "stack", "nofile", "addresses"):
        values = {str(rank.facts.get(name)) for rank in ranks}
        if len(values) > 1:
            differing.append(f"{name} differs among ranks: {first_of(sorted(values))}")
    for rank in ranks:
        memlock = rank.facts.get("memlock")
        if rank.facts.get("fabric") and isinstance(memlock, int) and memlock < _memory(rank):
            failed = failed or memlock < _TOO_LITTLE_LOCKED
            problems.append((rank.label, f"may lock {memlock} bytes, and the fabric there needs unlimited"))
        if isinstance(space := rank.facts.get("addresses"), int):
            limit = f"may map {_mib(space)} of addresses: threads and GPUs reserve more than they use"
            problems.append((rank.label, f"{limit} (ulimit -v unlimited)"))
        problems += [
            (rank.label, f"has {name} {value}, below {least}")
            for name, least in (("stack", _LEAST_STACK), ("nofile", _LEAST_FILES))
            if isinstance(value := rank.facts.get(name), int) and value < least
        ]
    if problems or differing:
        outcome = Outcome.FAILED if failed else Outcome.WARNED
        return outcome, "; ".join([*differing, *_together(problems)])
    first = ranks[0].facts
    fabric = "" if first.get("fabric") else ", and no fabric that needs locked memory"
    values_ = ", ".join(f"{name} {first.get(name)}" for name in ("memlock", "stack", "nofile"))
    return Outcome.PASSED, values_ + fabric


def _together(problems: Iterable[tuple[str, str]], what: str = "ranks") -> list[str]:
    """Report what several ranks, or nodes, have in common once, with the first of them."""
    found: dict[str, list[str]] = {}
    for label, problem in problems:
        found.setdefault(problem, []).append(label)
    return [
        f"{labels[0]} {problem}" + (f" ({len(labels)} {what} in all)" if labels[1:] else "")
        for problem, labels in found.items()
    ]


def _memory(rank: RankResult) -> float:
    """Return the bytes of memory of a rank's node; infinite if it told none, as no limit is enough then."""
    return _whole(rank.facts.get("memory")) or math.inf


def _shared_memory(ranks: tuple[RankResult, ...], _plan: Plan) -> tuple[Outcome, str]:
    failed = [(rank, error) for rank in ranks if (error := _table(rank, "shm").get("error"))]
    if failed:
        rank, error = failed[0]
        size = _mib(_table(rank, "shm").get("size"))
        return Outcome.FAILED, f"{len(failed)} of {len(ranks)} ranks; {rank.label}: {error}, of {size}"
    small = [rank for rank in ranks if _whole(_table(rank, "shm").get("size")) <= _DOCKERS_SHARED_MEMORY]
    if small:
        size = _mib(_table(small[0], "shm").get("size"))
        return (
            Outcome.WARNED,
            f"{small[0].label} has {size} of /dev/shm, which data loaders and NCCL soon fill",
        )
    least = min(_whole(_table(rank, "shm").get("free")) for rank in ranks)
    return Outcome.PASSED, f"can be written to, {_mib(least)} free where it is least"


def _temporary_files(ranks: tuple[RankResult, ...], _plan: Plan) -> tuple[Outcome, str]:
    reported = [(rank, one) for rank in ranks if (one := _table(rank, "temporary"))]
    failed = [(rank, str(one["error"])) for rank, one in reported if one.get("error")]
    if failed:
        rank, error = failed[0]
        return Outcome.FAILED, (
            f"{len(failed)} of {len(ranks)} ranks; {rank.label}: {error}: MPIs keep their session there; "
            "make room, or set TMPDIR to a folder that every node can write to"
        )
    if not reported:
        return Outcome.NOT_APPLICABLE, "not reached"
    folders = sorted({str(one.get("folder")) for _, one in reported})
    return Outcome.PASSED, f"can be written to: {first_of(folders)}"


def _processors(ranks: tuple[RankResult, ...], _plan: Plan) -> tuple[Outcome, str]:
    of_nodes: list[tuple[str, str]] = []
    of_ranks: list[tuple[str, str]] = []
    for machine in machines(ranks):
        local, there = machine.ranks, machine.processors
        share = there // len(local)
        bound = [rank for rank in local if _cores(rank) == 1]
        own = max((_whole(rank.facts.get("cpus")) for rank in bound), default=0)
        together = {str(rank.facts.get("affinity")) for rank in bound}
        if len(bound) > 1 and len(together) < len(bound) and there > own:
            problem = f"share {len(together)} of {there} processors"
            of_nodes.append((f"{len(bound)} ranks on {machine.name}", problem))
        elif bound and share > own:
            what = "processor" if own == 1 else "core"
            problem = (
                f"are bound to one {what} each, of {there} processors: threads of frameworks and of Horovod "
                "share it (mpirun --bind-to none, srun --cpus-per-task)"
            )
            of_nodes.append((f"{len(bound)} ranks on {machine.name}", problem))
        for rank in local:
            of_ranks += [(rank.label, problem) for problem in (*_short_of_time(rank), *_threads(rank))]
    problems = [*_together(of_nodes, "nodes"), *_together(of_ranks)]
    lacking = [(rank, problem) for rank in ranks for problem in texts(rank.facts.get("lacking_instructions"))]
    if lacking:
        where = sorted({rank.label for rank, _ in lacking})
        message = f"{lacking[0][0].label} has a processor that lacks what builds use: {lacking[0][1]}"
        more = f" ({len(where)} ranks in all)" if len(where) > 1 else ""
        return Outcome.FAILED, "; ".join([message + more, *problems])
    if problems:
        return Outcome.WARNED, "; ".join(problems)
    fewest = min(_whole(rank.facts.get("cpus")) for rank in ranks)
    return Outcome.PASSED, crowded(ranks) or f"each rank may use {number_of(fewest, 'processor')} or more"


def _cores(rank: RankResult) -> int:
    """Return on how many cores a rank may run; hardware threads of one core are one."""
    cores = rank.facts.get("cores", rank.facts.get("cpus"))
    return _whole(cores)


def _short_of_time(rank: RankResult) -> Iterator[str]:
    """Warn of processors that a rank sees but whose time its control group does not grant."""
    worth, shown = rank.facts.get("cpu_time"), _whole(rank.facts.get("cpus"))
    if isinstance(worth, int | float) and worth < shown:
        yield (
            f"is shown {shown} processors, and its control group gives the time of {worth:g} "
            "to all in it: ask scheduler or container for as many, or set OMP_NUM_THREADS"
        )


def _threads(rank: RankResult) -> Iterator[str]:
    """Warn of thread numbers that are invalid or exceed the processors; OpenMP may list one per level."""
    for name, value in _table(rank, "threads").items():
        numbers = [part.strip() for part in str(value).split(",")] if name.startswith("OMP") else [str(value)]
        if not all(number.isdecimal() and int(number) for number in numbers):
            yield f"has {name}={value}, which is not a number of threads, and is ignored"
        elif name.startswith("OMP") and int(numbers[0]) > _whole(rank.facts.get("cpus")):
            yield f"has {name}={value} on {rank.facts.get('cpus')} processors"


def _table(rank: RankResult, key: str) -> Mapping[str, object]:
    value = rank.facts.get(key)
    return value if isinstance(value, Mapping) else {}


def _whole(value: object) -> int:
    return value if isinstance(value, int) else 0


def _mib(value: object) -> str:
    return f"{_whole(value) / (1 << 20):.0f} MiB"
