"""Groups as a command line names them, so that what is told to be done next can be copied."""

from __future__ import annotations

LOCAL = "local"
"""The target that is the machine at hand, and meant where none is named."""


def on_target(group: str, target: str) -> str:
    """A group on a target: ``speech``, or ``speech --target v100``."""
    return group if target == LOCAL else f"{group} --target {target}"
