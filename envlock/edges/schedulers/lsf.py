"""LSF's ``bsub -K``; options as in IBM's bsub reference, ``-nnodes`` as on CORAL systems.

These have Cluster System Management (CSM), which allocates whole nodes, and jsrun; elsewhere slots are
requested.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable

from envlock.edges.schedulers.scheduler import Scheduler
from envlock.model.proving.batch import BatchJob

_SUBMITTED = re.compile(r"Job <(\d+)> is submitted")


class Lsf(Scheduler):
    """``bsub``.

    Args:
        whole_nodes: whether this system allocates whole nodes and not slots.
    """

    def __init__(self, whole_nodes: Callable[[], bool] = lambda: shutil.which("jsrun") is not None) -> None:
        self._whole_nodes = whole_nodes

    cancel = ("bkill",)

    def submit(self, job: BatchJob) -> list[str]:
        """Return the command; with ``-K`` it returns at the job's end with the job's exit status.

        LSF runs a command, and the shell does not need an executable script.
        """
        optional = ["-q", job.queue] if job.queue else []
        optional += ["-P", job.account] if job.account else []
        optional += ["-W", str(job.minutes)] if job.minutes else []
        named = ["-J", job.name, "-o", str(job.log)]
        places = ["-nnodes", str(job.nodes)]
        if not self._whole_nodes():
            places = ["-n", str(job.nodes * job.per_node), "-R", f"span[ptile={job.per_node}]"]
            places += ["-gpu", f"num={job.gpus}"] if job.gpus else []
        return ["bsub", "-K", *named, *places, *optional, *job.options, "/bin/sh", str(job.script)]

    def job_id(self, line: str) -> str:
        """Find the number in the sentence with ``Job <NUMBER>`` that ``bsub`` prints."""
        found = _SUBMITTED.search(line)
        return found[1] if found else ""
