"""Groups and paths as they are written on a command line, so that suggested commands can be copied."""

from __future__ import annotations

import shlex
from pathlib import Path

LOCAL = "local"
"""The target that is this machine, and the default where none is named."""


def on_target(group: str, target: str) -> str:
    """A group on a target, as arguments: ``speech``, or ``speech --target v100``."""
    return group if target == LOCAL else f"{group} --target {target}"


def as_word(place: str | Path) -> str:
    """A path quoted as one word for a shell, whatever characters it has."""
    return shlex.quote(str(place))
