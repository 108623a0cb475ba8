"""Flux's ``flux run``."""

from __future__ import annotations

from envlock.edges.launchers.launcher import Launcher
from envlock.edges.launchers.visible import checked
from envlock.model.errors import RequestError
from envlock.model.project.launch import RankJob


class Flux(Launcher):
    """``flux run`` inside an instance; options as in flux-run(1); it passes on the environment.

    It hides GPUs from tasks that ask for none (CUDA_VISIBLE_DEVICES=-1, the shell's gpubind.c).
    """

    def command(self, job: RankJob) -> list[str]:
        """Return the command line; tasks are spread evenly over the nodes, if nodes are asked for.

        Raises:
            RequestError: ranks share GPUs, and the nodes would not all get the same number of ranks.
        """
        hosts = [f"--requires=host:{','.join(job.hosts)}"] if job.hosts else []
        exported = [f"--env={name}={_literal(value)}" for name, value in job.exported.items()]
        return ["flux", "run", *_places(job), *hosts, *exported, *job.options, *checked(job.program)]


def _literal(value: str) -> str:
    """Return a value that Flux puts nothing into: in one, ``$NAME`` is a variable, and an error if not set.

    ``$$`` is a dollar sign (flux-run(1), environment; flux-core, doc/man1/common/job-env-rules.rst).
    """
    return value.replace("$", "$$")


def _places(job: RankJob) -> list[str]:
    """Return the options for tasks, nodes and GPUs.

    A task cannot be given a part of a GPU. Where ranks share GPUs, the nodes are therefore described instead
    of the tasks, which Flux does not allow together. It also refuses more nodes than tasks.
    """
    nodes = min(job.places, job.ranks)
    if job.gpus and job.gpus < job.each:
        if nodes * job.each != job.ranks:
            raise RequestError(
                "uneven-ranks",
                f"flux run cannot let {job.ranks} ranks on {nodes} nodes share {job.gpus} GPUs of each",
                hint=f"--ranks {nodes * job.each}, or --gpus-per-node {job.each}",
            )
        return ["-N", str(nodes), f"--tasks-per-node={job.each}", f"--gpus-per-node={job.gpus}"]
    places = ["-n", str(job.ranks), *(["-N", str(nodes)] if job.spread else [])]
    return places + (["-g", str(job.gpus // job.each)] if job.gpus else [])
