"""The launchers of the probe itself, which start ranks as plain processes: on this host, or by ssh.

That by ssh is flat, with one connection for each node, and so meant for small numbers of nodes.
"""

from __future__ import annotations

from envlock.edges.launchers.visible import checked
from envlock.model.errors import RequestError
from envlock.model.project.launch import RankJob


def local(job: RankJob) -> list[str]:
    """Return the command line of the probe's own ``local``, with rank and size in the generic variables.

    Raises:
        RequestError: ranks on other hosts need a launcher.
    """
    if job.spread:
        where = ", ".join(job.hosts) or f"{job.nodes} nodes"
        raise RequestError(
            "no-launcher",
            f"ranks on {where} need a launcher, and 'local' starts processes on this host only",
            hint="--launcher ssh with --hosts, or srun, or an MPI in the group",
        )
    python, archive, *arguments = job.program
    return [python, archive, "local", "--ranks", str(job.ranks), "--", *arguments]


def ssh(job: RankJob) -> list[str]:
    """Return the command line of the probe's own ``ssh`` (its ``over_ssh.py``).

    Ranks find their rank and the size in the generic variables.

    Raises:
        RequestError: no hosts are named.
    """
    if not job.hosts:
        raise RequestError("no-hosts", "the launcher 'ssh' needs the hosts", hint="--hosts n1,n2")
    python, archive, *arguments = job.program
    places = ["--ranks", str(job.ranks), "--per-node", str(job.each), "--hosts", ",".join(job.hosts)]
    variables = [f"{name}={value}" for name, value in job.exported.items()]
    on_node = checked((python, archive, "local", "{place}", "--", *arguments))
    options = [f"--ssh-option={option}" for option in job.options]
    return [python, archive, "ssh", *places, *options, "--", "env", *variables, *on_node]
