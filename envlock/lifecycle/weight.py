"""The size of the files that differ between two locks, and how their licences differ."""

from __future__ import annotations

import re
from collections.abc import Mapping

from envlock.lifecycle.diff import Diff
from envlock.lifecycle.steps import Part
from envlock.model.frozen import dataclass
from envlock.model.published.file_summary import FileSummary


@dataclass(frozen=True, slots=True, kw_only=True)
class Weight:
    """Bytes of the distributions that differ; unchanged ones count on neither side.

    Attributes:
        download: bytes to download for the new lock.
        downloads: the number of files to download.
        installed_old: bytes that the old ones install.
        installed_new: bytes that the new ones install.
        unknown: how many files have an unknown size: their index is not available, or they are built.
    """

    download: int
    downloads: int
    installed_old: int
    installed_new: int
    unknown: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Licence:
    """The licences of a distribution that differs.

    Attributes:
        component: its identifier.
        old: the licence before; empty if there was none, or none is stated.
        new: the licence after; likewise.
        changed: whether both are stated and differ in more than wording.
    """

    component: str
    old: str
    new: str
    changed: bool


Summaries = Mapping[str, FileSummary]
"""Hash of a file -> its summary, for files where one is known."""


def weigh(diff: Diff, summaries: Summaries) -> Weight:
    """Sum the sizes of the files that differ."""
    come, gone = new_parts(diff), old_parts(diff)
    found = [summaries[part.digest] for part in come if part.digest in summaries]
    before = [summaries[part.digest] for part in gone if part.digest in summaries]
    return Weight(
        download=sum(one.download for one in found),
        downloads=len(found),
        installed_old=sum(one.installed for one in before),
        installed_new=sum(one.installed for one in found),
        unknown=len(come) - len(found) + sum(not one.files for one in found),
    )


def licences(diff: Diff, summaries: Summaries) -> tuple[Licence, ...]:
    """Return the licences that changed, then those of added distributions; all others are left out."""
    pairs = [(move.old, move.new) for move in diff.distributions.moved]
    found = []
    for old, new in [*pairs, *((None, part) for part in diff.distributions.added)]:
        before = summaries[old.digest].licence if old is not None and old.digest in summaries else ""
        after = summaries[new.digest].licence if new.digest in summaries else ""
        changed = bool(before and after) and _family(before) != _family(after)
        if changed or (old is None and after):
            found.append(Licence(component=new.component, old=before, new=after, changed=changed))
    return tuple(sorted(found, key=lambda one: (not one.changed, one.component)))


def new_parts(diff: Diff) -> list[Part]:
    """Return the distributions of the new lock that are absent from the old one, or different there."""
    return [*diff.distributions.added, *(move.new for move in diff.distributions.moved)]


def old_parts(diff: Diff) -> list[Part]:
    """Return the distributions of the old lock that are absent from the new one, or different there."""
    return [*diff.distributions.removed, *(move.old for move in diff.distributions.moved)]


_LESSER = re.compile(r"lgpl|lesser general public")
_WORD = re.compile(r"[a-z]+")
_WORDINGS = {
    "gnu": "gpl",
    "gplv": "gpl",
    "mozilla": "mpl",
    "python": "psf",
    "simplified": "bsd",
    "new": "bsd",
}


def _family(text: str) -> frozenset[str]:
    """Return the first word of each licence named: ``MIT License`` and ``MIT`` are one, as are all BSDs."""
    found = set()
    for part in re.split(r",| or | and |/", text.lower()):
        if _LESSER.search(part):
            found.add("lgpl")
        elif (word := _WORD.search(part.replace("the ", ""))) is not None:
            found.add(_WORDINGS.get(word[0], word[0]))
    return frozenset(found)
