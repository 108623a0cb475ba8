"""Cobalt, on Argonne's machines up to Theta: its own ``qsub``, and ``cqwait``; options as in its manual."""

from __future__ import annotations

from envlock.edges.schedulers.scheduler import Scheduler
from envlock.model.proving.batch import BatchJob


class Cobalt(Scheduler):
    """Cobalt's ``qsub``; the number of ranks per node is left to the launcher inside the job."""

    wait = ("cqwait",)
    cancel = ("qdel",)

    def submit(self, job: BatchJob) -> list[str]:
        """Return the command, which returns at once; it must run an executable, as the shell always is."""
        optional = ["-t", str(job.minutes)] if job.minutes else []
        optional += ["-q", job.queue] if job.queue else []
        optional += ["-A", job.account] if job.account else []
        named = ["--jobname", job.name, "-o", str(job.log), "-e", str(job.log)]
        return [
            "qsub",
            "--mode",
            "script",
            "-n",
            str(job.nodes),
            *named,
            *optional,
            *job.options,
            "/bin/sh",
            str(job.script),
        ]

    def job_id(self, line: str) -> str:
        """Return a line that is a number: other messages, such as about reservations, are words."""
        return line.strip() if line.strip().isdecimal() else ""
