"""A Slurm allocation that lasts as long as a block, for launches that would otherwise queue one by one."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager

from envlock.edges.subprocesses import kept_open
from envlock.model.errors import SurroundingsError
from envlock.model.project.launch import Queue, RankJob

_GRANTED = "-- granted"
_HOLD = f"env | grep '^SLURM'; echo '{_GRANTED}'; exec cat"
"""Prints the allocation's variables, then waits for the end of standard input, which releases the nodes."""


@contextmanager
def granted(
    job: RankJob,
    queue: Queue,
    options: tuple[str, ...],
    *,
    environ: Mapping[str, str],
    note: Callable[[str], None],
) -> Iterator[dict[str, str]]:
    """Hold nodes for a job's ranks, from when Slurm grants them to the end of the block.

    Args:
        job: the ranks.
        queue: where to ask.
        options: the site's options, added to the command line.
        environ: the variables of ``salloc``.
        note: called with what ``salloc`` says while it waits.

    Yields:
        the allocation's variables.

    Raises:
        SurroundingsError: ``no-allocation``: Slurm refuses.
    """
    asked = [*command(job, queue, options), "/bin/sh", "-c", _HOLD]
    with ExitStack() as held:
        try:
            lines = held.enter_context(kept_open(asked, env=environ, until=_GRANTED, on_line=note))
        except SurroundingsError as error:
            if error.code != "tool-failed":
                raise
            raise SurroundingsError(
                "no-allocation",
                "Slurm gives no nodes for the ranks",
                why=error.why,
                hint="--partition, --account and --time say where to ask; or run inside an allocation",
            ) from error
        pairs = (line.partition("=") for line in lines if line.startswith("SLURM"))
        yield {name: value for name, _, value in pairs}


def command(job: RankJob, queue: Queue, options: tuple[str, ...]) -> list[str]:
    """Return the ``salloc`` command for a job's ranks; options as in salloc(1)."""
    nodes = [f"--ntasks={job.ranks}"]
    if job.spread:
        nodes = [f"--nodes={job.places}", f"--ntasks-per-node={job.each}"]
    hosts = [f"--nodelist={','.join(job.hosts)}"] if job.hosts else []
    gpus = [f"--gres=gpu:{job.gpus}"] if job.gpus else []
    optional = [f"--partition={queue.name}"] if queue.name else []
    optional += [f"--account={queue.account}"] if queue.account else []
    optional += [f"--time={queue.minutes}"] if queue.minutes else []
    return ["salloc", *nodes, *hosts, *gpus, *optional, *options]
