"""PBS Professional and OpenPBS: ``qsub -W block=true``; options as in qsub(1B) of OpenPBS."""

from __future__ import annotations

import re

from envlock.edges.schedulers.scheduler import Scheduler
from envlock.model.proving.batch import BatchJob

_IDENTIFIER = re.compile(r"\d+(\.\S+)?")


class Pbs(Scheduler):
    """``qsub``."""

    cancel = ("qdel",)

    def submit(self, job: BatchJob) -> list[str]:
        """Return the command; with ``block`` it returns at the job's end with the job's exit status."""
        chunk = f"ncpus={job.per_node}:mpiprocs={job.per_node}" + (f":ngpus={job.gpus}" if job.gpus else "")
        limits = ["-l", f"select={job.nodes}:{chunk}", "-l", "place=scatter"]
        if job.minutes:
            limits += ["-l", f"walltime={job.minutes // 60:02d}:{job.minutes % 60:02d}:00"]
        optional = ["-q", job.queue] if job.queue else []
        optional += ["-A", job.account] if job.account else []
        named = ["-N", job.name, "-j", "oe", "-o", str(job.log)]
        return ["qsub", "-W", "block=true", "-V", *named, *limits, *optional, *job.options, str(job.script)]

    def job_id(self, line: str) -> str:
        """Return a line of the form ``NUMBER.SERVER``, as ``qsub`` prints it."""
        return line.strip() if _IDENTIFIER.fullmatch(line.strip()) else ""
