"""What one of the projects that share a store keeps in it."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from pathlib import Path

from envlock.model.frozen import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Holding:
    """What a project keeps in a store.

    Attributes:
        name: the project's name in the store.
        manifest: where its manifest was when it last switched to an environment; ``None`` where it has not
            since stores began to record it.
        gone: whether the manifest no longer exists; one in a folder that may not be read counts as existing.
        current: ``TARGET/GROUP`` -> the key of its current environment.
        promised: group -> the last day of a promise that is still in force.
    """

    name: str
    manifest: Path | None
    gone: bool
    current: Mapping[str, str]
    promised: Mapping[str, dt.date]
