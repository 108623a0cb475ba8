"""A job for a scheduler."""

from __future__ import annotations

from pathlib import Path

from envlock.model.frozen import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class BatchJob:
    """A script to run once, on the first of some nodes.

    Attributes:
        name: the name shown in the queue.
        script: the shell script, on a path that every node sees.
        log: the file for its output.
        nodes: how many nodes.
        per_node: how many ranks each node will run.
        gpus: how many GPUs to request on each node; 0 to request none.
        queue: the partition or queue; empty for the default one.
        account: the account to charge; likewise.
        minutes: how long it may run; 0 for the queue's own limit.
        options: the site's options, added after all others.
    """

    name: str
    script: Path
    log: Path
    nodes: int
    per_node: int
    gpus: int = 0
    queue: str = ""
    account: str = ""
    minutes: int = 0
    options: tuple[str, ...] = ()
