"""What a scheduler is asked: to run a script on nodes of its own, to wait for its end, or to cancel it."""

from __future__ import annotations

from typing import Protocol

from envlock.model.proving.batch import BatchJob


class Scheduler(Protocol):
    """Runs jobs.

    Attributes:
        wait: the command that comes back at a job's end, before the job's identifier; empty where submitting
            does that.
        cancel: the command that ends a job, likewise.
    """

    wait: tuple[str, ...]
    cancel: tuple[str, ...]

    def submit(self, job: BatchJob) -> list[str]:
        """The command that submits a job, and where the scheduler can, comes back at the job's end."""

    def job_id(self, line: str) -> str:
        """The job's identifier in a line that submitting printed; empty if it is in another one."""
