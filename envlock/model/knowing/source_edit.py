"""A change to a source tree before it is built, as recipes request it and locks record it."""

from __future__ import annotations

from collections.abc import Iterable

from envlock.model.decode import Table
from envlock.model.frozen import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceEdit:
    """The replacement of one text in one file by another.

    Attributes:
        file: the file's path from the top of the tree, with ``/``.
        old: a text in the file; a tree without it is not the one that was meant, and is not built.
        new: what replaces it, at every occurrence.
    """

    file: str
    old: str
    new: str


def decode_edit(table: Table) -> SourceEdit:
    """Decode one edit of a recipe or a lock."""
    edit = SourceEdit(file=table.text("file"), old=table.text("old"), new=table.text("new"))
    table.done()
    return edit


def encode_edits(edits: Iterable[SourceEdit]) -> list[dict[str, str]]:
    """Encode edits for a lock and for a build's key."""
    return [{"file": edit.file, "old": edit.old, "new": edit.new} for edit in edits]
