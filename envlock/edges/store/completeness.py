"""What makes an environment in a store a complete one, and one that can be used from here."""

from __future__ import annotations

import json
from pathlib import Path

from envlock.edges.environments.interpreter_links import lost_interpreter

MARKER = "envlock.json"
"""The file that is written last in an environment, and thereby marks it as complete."""


def is_complete(prefix: Path) -> bool:
    """Whether an environment was finished, and lies where it was made.

    Its programs and its ``activate`` name the place where it was made: in one that was moved, or copied
    with its store, they would run another environment, or whatever comes next on ``PATH``.
    """
    return (prefix / MARKER).is_file() and _stayed(prefix)


def is_usable(prefix: Path) -> bool:
    """Whether a complete environment has its interpreter, too, as seen from here."""
    return is_complete(prefix) and lost_interpreter(prefix) is None


def _stayed(prefix: Path) -> bool:
    """Whether an environment is where it was made, by whatever path; a damaged marker does not say."""
    try:
        made = json.loads((prefix / MARKER).read_bytes())["prefix"]
        return made == str(prefix) or prefix.samefile(made)
    except OSError:  # nothing is left there
        return False
    except (ValueError, TypeError, KeyError):
        return True
