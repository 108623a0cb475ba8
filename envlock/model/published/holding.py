"""What one of the projects that share a store holds in it."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from pathlib import Path

from envlock.model.frozen import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Holding:
    """What a project holds in a store.

    Attributes:
        name: the project's name in the store.
        manifest: where its manifest was when it last switched to an environment; ``None`` where it has not
            since stores note it.
        gone: whether no manifest is there any more; one in a folder that may not be looked into is there.
        current: ``TARGET/GROUP`` -> the key of its current environment.
        promised: group -> the last day of a promise that has not passed.
    """

    name: str
    manifest: Path | None
    gone: bool
    current: Mapping[str, str]
    promised: Mapping[str, dt.date]
