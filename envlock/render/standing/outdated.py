"""A note to people who use an environment whose group's lock has moved on."""

from __future__ import annotations

import sys

from envlock.app.making.environment import Current
from envlock.model.command_line import on_target


def note_if_outdated(found: Current, group: str) -> None:
    """Say on standard error that an environment was made from another lock than the group has now."""
    if not found.matches:
        sys.stderr.write(
            f"note: the environment of {group!r} was made from another lock than {found.file.path} is now; "
            f"next: envlock solve {on_target(group, found.file.lock.target)}\n"
        )
