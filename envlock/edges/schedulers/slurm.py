"""Slurm's ``sbatch --wait``; options as in sbatch(1)."""

from __future__ import annotations

from envlock.edges.schedulers.scheduler import Scheduler
from envlock.model.proving.batch import BatchJob


class Slurm(Scheduler):
    """``sbatch``."""

    cancel = ("scancel",)

    def submit(self, job: BatchJob) -> list[str]:
        """Return the command; with ``--wait`` it returns at the job's end with the job's exit status."""
        places = [f"--nodes={job.nodes}", f"--ntasks-per-node={job.per_node}"]
        places += [f"--gres=gpu:{job.gpus}"] if job.gpus else []
        optional = [f"--partition={job.queue}"] if job.queue else []
        optional += [f"--account={job.account}"] if job.account else []
        optional += [f"--time={job.minutes}"] if job.minutes else []
        log = str(job.log).replace("%", "%%")  # a lone one begins a replacement, as of %j by the job's number
        named = [f"--job-name={job.name}", f"--output={log}"]
        return ["sbatch", "--parsable", "--wait", *named, *places, *optional, *job.options, str(job.script)]

    def job_id(self, line: str) -> str:
        """Return the job from ``JOB`` or ``JOB;CLUSTER``, as ``--parsable`` prints it."""
        identifier = line.partition(";")[0]
        return identifier if identifier.isdecimal() else ""
