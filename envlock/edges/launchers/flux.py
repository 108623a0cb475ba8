"""Flux's ``flux run``."""

from __future__ import annotations

from envlock.edges.launchers.visible import checked
from envlock.model.launch import RankJob


class Flux:
    """``flux run`` inside an instance; options as in flux-run(1), which passes the environment on."""

    def command(self, job: RankJob) -> list[str]:
        """The command line; by total number of tasks where no nodes are asked for, else by node."""
        hosts = [f"--requires=host:{','.join(job.hosts)}"] if job.hosts else []
        exported = [f"--env={name}={value}" for name, value in job.exported.items()]
        places = ["-n", str(job.ranks)]
        if job.spread:
            places = ["-N", str(job.nodes or len(job.hosts)), f"--tasks-per-node={job.each}"]
        return ["flux", "run", *places, *hosts, *exported, *job.options, *checked(job.program)]

    def environment(self) -> dict[str, str]:
        """Nothing is needed."""
        return {}
