"""Folders as a manifest states them: for a whole site, of which each user may have one of their own."""

from __future__ import annotations

import os
import re
from pathlib import Path

from envlock.edges.files import personal_path
from envlock.model.errors import RequestError

_VARIABLE = re.compile(r"\$(?:(\w+)|\{(\w+)\})", re.ASCII)


def stated_folder(text: str, where: str) -> Path:
    """Return the path of a folder, with ``~``, ``~user``, ``$NAME`` and ``${NAME}`` in it replaced.

    Args:
        text: as it is written.
        where: where it is written, for an error.

    Raises:
        RequestError: ``unset-variable``, also for an empty one, or ``unknown-user``.
    """

    def value(match: re.Match[str]) -> str:
        name = match[1] or match[2]
        if found := os.environ.get(name):
            return found
        raise RequestError(
            "unset-variable",
            f"the folder {text!r} depends on ${name}, which is not set here",
            where=where,
            hint=f"set it, as on the nodes: export {name}=...; or write the folder without it",
        )

    whole = _VARIABLE.sub(value, text)
    path = personal_path(whole)
    if whole.startswith("~") and str(path).startswith("~"):
        user = whole.partition("/")[0]
        raise RequestError(
            "unknown-user",
            f"the folder {text!r} is in the home of {user[1:] or 'this user'}, which nobody here knows",
            where=where,
            hint=f"correct the name; a folder of that name is written ./{user}",
        )
    return path
