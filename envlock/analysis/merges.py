"""Files that git merged and could not: it leaves both sides in them, between marks."""

from __future__ import annotations

import re

from envlock.model.errors import RequestError

_MARK = "<<<<<<< "
"""Begins the line before our side; after theirs comes one that begins with ``>>>>>>> `` (git-merge(1))."""


def refuse_both_sides(text: str, where: str, hint: str) -> None:
    """Refuse a text in which git left both sides of a merge: TOML's complaint would not say so.

    Args:
        text: the text of a file.
        where: the file, for the message.
        hint: what else to do about a file that nobody writes by hand; empty for others.

    Raises:
        RequestError: ``merge-conflict``, with the line of the first mark.
    """
    if _MARK not in text:  # sooner told than by a search through each line of a lock
        return
    mark = re.search(rf"^{_MARK}", text, re.MULTILINE)
    if mark is None:
        return
    by_hand = "leave what is right, and delete the lines of <<<<<<<, ======= and >>>>>>>"
    raise RequestError(
        "merge-conflict",
        "git left both sides of a merge in the file",
        where=f"{where}, line {text.count(chr(10), 0, mark.start()) + 1}",
        why="they stand between <<<<<<< and >>>>>>>",
        hint=f"git checkout --ours or --theirs takes one of them; or {hint}" if hint else by_hand,
    )
