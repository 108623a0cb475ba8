"""A change of a source tree before it is built, as recipes ask for it and locks keep it."""

from __future__ import annotations

from collections.abc import Iterable

from envlock.model.decode import Table
from envlock.model.frozen import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceEdit:
    """One text of one file that becomes another.

    Attributes:
        file: a file of the tree, from its top, with ``/``.
        old: a text that the file has; a tree without it is another one than was thought of, and not built.
        new: what takes its place, wherever it stands.
    """

    file: str
    old: str
    new: str


def decode_edit(table: Table) -> SourceEdit:
    """One edit of a recipe or of a lock."""
    edit = SourceEdit(file=table.text("file"), old=table.text("old"), new=table.text("new"))
    table.done()
    return edit


def encode_edits(edits: Iterable[SourceEdit]) -> list[dict[str, str]]:
    """Edits as a lock keeps them, and as a build's key has them."""
    return [{"file": edit.file, "old": edit.old, "new": edit.new} for edit in edits]
