"""Groups and places as a command line names them, so that what is told to be done next can be copied."""

from __future__ import annotations

import shlex
from pathlib import Path

LOCAL = "local"
"""The target that is the machine at hand, and meant where none is named."""


def on_target(group: str, target: str) -> str:
    """A group on a target: ``speech``, or ``speech --target v100``."""
    return group if target == LOCAL else f"{group} --target {target}"


def as_word(place: str | Path) -> str:
    """A place as one word of a shell, whatever is in its name."""
    return shlex.quote(str(place))
