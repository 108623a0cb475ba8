"""Cobalt, of Argonne's machines up to Theta: another ``qsub``, and ``cqwait``; options as in its manual."""

from __future__ import annotations

from envlock.model.proving.batch import BatchJob


class Cobalt:
    """Cobalt's ``qsub``; ranks of each node are the business of the launcher inside the job."""

    wait: tuple[str, ...] = ("cqwait",)
    cancel: tuple[str, ...] = ("qdel",)

    def submit(self, job: BatchJob) -> list[str]:
        """The command; it comes back at once. A script must be executable, which the shell always is."""
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
        """Standard output is the number alone; what else is said, as of reservations, is words."""
        return line.strip() if line.strip().isdecimal() else ""
