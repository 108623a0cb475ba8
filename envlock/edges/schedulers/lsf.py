"""LSF's ``bsub -K``; options as in IBM's reference of bsub, ``-nnodes`` as on CORAL systems."""

from __future__ import annotations

import re

from envlock.model.batch import BatchJob

_SUBMITTED = re.compile(r"Job <(\d+)> is submitted")


class Lsf:
    """``bsub``."""

    wait: tuple[str, ...] = ()
    cancel: tuple[str, ...] = ("bkill",)

    def submit(self, job: BatchJob) -> list[str]:
        """The command; ``-K`` comes back at the job's end with its exit status."""
        optional = ["-q", job.queue] if job.queue else []
        optional += ["-P", job.account] if job.account else []
        optional += ["-W", str(job.minutes)] if job.minutes else []
        named = ["-J", job.name, "-o", str(job.log)]
        return ["bsub", "-K", *named, "-nnodes", str(job.nodes), *optional, str(job.script)]

    def job_id(self, line: str) -> str:
        """``bsub`` prints a sentence with ``Job <NUMBER>``."""
        found = _SUBMITTED.search(line)
        return found[1] if found else ""
