"""The launchers of systems: Cray's aprun, HPE's PALS, IBM's jsrun, and Flux; each inside an allocation."""

from __future__ import annotations

from envlock.edges.launchers.visible import checked
from envlock.model.errors import RequestError
from envlock.model.project.launch import RankJob


def aprun(job: RankJob) -> list[str]:
    """Return the command line of ``aprun`` inside an allocation.

    Options as in the user guide of ALCF's Theta (running-jobs-xc40) and HPE's "Run Applications Using the
    aprun Command"; it passes on the caller's environment, and ``-e`` overrides it. ``-b`` leaves the
    interpreter in place instead of copying it to nodes.
    """
    hosts = ["-L", ",".join(job.hosts)] if job.hosts else []
    exported = [word for name, value in job.exported.items() for word in ("-e", f"{name}={value}")]
    places = ["-n", str(job.ranks), "-N", str(job.each), *hosts]
    return ["aprun", "-b", *places, *exported, *job.options, *checked(job.program)]


def pals(job: RankJob) -> list[str]:
    """Return the command line of ``mpiexec`` inside an allocation.

    Options as in ALCF's user guide for Polaris, running jobs.
    """
    hosts = ["--hosts", ",".join(job.hosts)] if job.hosts else []
    exported = [word for name, value in job.exported.items() for word in ("--env", f"{name}={value}")]
    places = ["-n", str(job.ranks), "--ppn", str(job.each), *hosts]
    return ["mpiexec", *places, *exported, *job.options, *checked(job.program)]


def jsrun(job: RankJob) -> list[str]:
    """Return the command line of ``jsrun`` inside an allocation.

    It makes one resource set per node, with everything on it. A set has no GPUs unless it is given some, and
    its ranks see no others. Options as in OLCF's user guide for Summit (running jobs) and LLNL's "Slurm srun
    versus IBM CSM jsrun"; sets of whole nodes as in Flux's guide to starting it on CORAL systems.

    Raises:
        RequestError: hosts are named, though it takes only those of the allocation, or the nodes would
            not all get the same number of ranks.
    """
    if job.hosts:
        raise RequestError(
            "hosts-not-chosen", "jsrun takes the hosts of its allocation", hint="leave --hosts out"
        )
    if job.places * job.each != job.ranks:
        raise RequestError(
            "uneven-ranks",
            f"jsrun cannot share out {job.ranks} ranks among {job.places} nodes equally",
            hint=f"--ranks {job.places * job.each}, or other --nodes",
        )
    exported = [word for name, value in job.exported.items() for word in ("--env", f"{name}={value}")]
    sets = ["--nrs", str(job.places), "--rs_per_host", "1", "--tasks_per_rs", str(job.each)]
    contents = ["--cpu_per_rs", "ALL_CPUS", "--gpu_per_rs", "ALL_GPUS", "--bind", "none"]
    return ["jsrun", *sets, *contents, *exported, *job.options, *checked(job.program)]


def flux(job: RankJob) -> list[str]:
    """Return the command line of ``flux run`` inside an instance; tasks are spread evenly over nodes.

    Options as in flux-run(1); it passes on the environment, and hides GPUs from tasks that ask for none
    (CUDA_VISIBLE_DEVICES=-1, the shell's gpubind.c).

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
