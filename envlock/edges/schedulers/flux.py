"""Flux's ``flux batch``; options as in flux-batch(1) and flux-job(1)."""

from __future__ import annotations

from envlock.edges.schedulers.scheduler import Scheduler
from envlock.model.proving.batch import BatchJob


class Flux(Scheduler):
    """``flux batch``, which gives the script an instance of its own."""

    wait = ("flux", "job", "status")
    cancel = ("flux", "cancel")

    def submit(self, job: BatchJob) -> list[str]:
        """Return the command, which returns at once; whole nodes come with their GPUs."""
        optional = [f"--queue={job.queue}"] if job.queue else []
        optional += [f"--bank={job.account}"] if job.account else []
        optional += [f"--time-limit={job.minutes}m"] if job.minutes else []
        named = [f"--job-name={job.name}", f"--output={job.log}"]
        places = [f"--nodes={job.nodes}", "--exclusive"]
        return ["flux", "batch", *named, *places, *optional, *job.options, str(job.script)]

    def job_id(self, line: str) -> str:
        """Return a line that is an identifier: ``ƒ`` or ``f`` and a number in base 58."""
        return line.strip() if line.startswith(("ƒ", "f")) and " " not in line.strip() else ""
