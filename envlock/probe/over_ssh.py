"""Ranks on other hosts without MPI or scheduler: one ssh per host, which starts its share as local ranks."""

import shlex
import subprocess
from typing import List, Tuple

from .local import Share, wait_for_all

PLACE = "{place}"
"""The word in the command to replace by each host's share."""


def shared_out(hosts: List[str], ranks: int, per_node: int) -> List[Tuple[str, Share]]:
    """Return the hosts with their ranks: as many as fit on each, in the order of the hosts."""
    shares = []
    for number, host in enumerate(hosts):
        first = number * per_node
        count = max(0, min(per_node, ranks - first))
        if count:
            shares.append((host, Share(count, first, ranks, True)))
    return shares


def run_over_ssh(shares: List[Tuple[str, Share]], options: List[str], command: List[str]) -> int:
    """Start a command on every host and wait; return the first exit status that is not 0.

    ssh joins its arguments into one line for a shell, so they are quoted. Its standard input is a pipe to
    which nobody writes: when this process ends, so does the pipe, and with it the ranks.
    """
    children = []
    for host, share in shares:
        line = " ".join(word for part in command for word in _filled(part, share))
        ssh = ["ssh", "-x", "-o", "BatchMode=yes"] + options + [host, line]
        children.append(subprocess.Popen(ssh, stdin=subprocess.PIPE))
    return wait_for_all(children)


def _filled(word: str, share: Share) -> List[str]:
    if word != PLACE:
        return [shlex.quote(word)]
    return ["--ranks", str(share.ranks), "--first", str(share.first), "--size", str(share.size), "--tethered"]
