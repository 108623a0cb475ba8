"""What every scheduler does: run a script on its nodes, wait for the job's end, or cancel it."""

from __future__ import annotations

from abc import ABC, abstractmethod

from envlock.model.proving.batch import BatchJob


class Scheduler(ABC):
    """A scheduler, which runs jobs.

    Attributes:
        wait: the command that returns at a job's end, once the job's identifier is appended; empty if the
            submit command itself returns then.
        cancel: the command that ends a job, likewise.
    """

    wait: tuple[str, ...] = ()
    cancel: tuple[str, ...]

    @abstractmethod
    def submit(self, job: BatchJob) -> list[str]:
        """Return the command that submits a job and, if the scheduler can, returns only at the job's end."""

    @abstractmethod
    def job_id(self, line: str) -> str:
        """Return the job's identifier from a line that submitting printed; empty if that is not in it."""
