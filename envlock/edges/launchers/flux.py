"""Flux's ``flux run``."""

from __future__ import annotations

from envlock.edges.launchers.visible import checked
from envlock.model.project.launch import RankJob


class Flux:
    """``flux run`` inside an instance; options as in flux-run(1); it passes on the environment.

    It hides GPUs from tasks that ask for none (CUDA_VISIBLE_DEVICES=-1, the shell's gpubind.c).
    """

    def command(self, job: RankJob) -> list[str]:
        """Return the command line; tasks are spread evenly over the nodes, if nodes are asked for."""
        hosts = [f"--requires=host:{','.join(job.hosts)}"] if job.hosts else []
        exported = [f"--env={name}={value}" for name, value in job.exported.items()]
        places = ["-n", str(job.ranks)]
        if job.spread:
            places += ["-N", str(job.places)]
        gpus = ["-g", str(max(1, job.gpus // job.each))] if job.gpus else []
        return ["flux", "run", *places, *gpus, *hosts, *exported, *job.options, *checked(job.program)]

    def environment(self) -> dict[str, str]:
        """Return no variables: none are needed."""
        return {}
