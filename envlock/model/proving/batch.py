"""A job for a scheduler."""

from __future__ import annotations

from pathlib import Path

from envlock.model.frozen import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class BatchJob:
    """A script to run once, on the first of some nodes.

    Attributes:
        name: for people, in the queue.
        script: the shell script; every node sees it.
        log: the file that its output goes to.
        nodes: how many nodes.
        per_node: how many ranks each of them will bear.
        gpus: how many GPUs of each; 0 for none that are asked for.
        queue: the partition or queue; empty for the default one.
        account: who pays; empty likewise.
        minutes: how long it may run; 0 for the queue's own limit.
        options: the site's, added after all others.
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
