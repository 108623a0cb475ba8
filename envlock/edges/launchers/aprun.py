"""Cray's aprun, on XC systems with ALPS such as Theta."""

from __future__ import annotations

from envlock.edges.launchers.launcher import Launcher
from envlock.edges.launchers.visible import checked
from envlock.model.project.launch import RankJob


class Aprun(Launcher):
    """``aprun`` inside an allocation.

    Options as in the user guide of ALCF's Theta (running-jobs-xc40) and HPE's "Run Applications Using the
    aprun Command"; it passes on the caller's environment, and ``-e`` overrides it.
    """

    def command(self, job: RankJob) -> list[str]:
        """Return the command line; ``-b`` leaves the interpreter in place instead of copying it to nodes."""
        hosts = ["-L", ",".join(job.hosts)] if job.hosts else []
        exported = [word for name, value in job.exported.items() for word in ("-e", f"{name}={value}")]
        places = ["-n", str(job.ranks), "-N", str(job.each), *hosts]
        return ["aprun", "-b", *places, *exported, *job.options, *checked(job.program)]
