"""What a list of requirements asks for without pinning it: it speaks as a release of what it requires."""

from __future__ import annotations

import datetime as dt
from collections.abc import Collection, Mapping

from packaging.requirements import Requirement

from envlock.model.knowing.knowledge import Knowledge
from envlock.model.published.declaration import Declaration, Published
from envlock.model.published.listing import Listing

THE_FILE = "the file"
"""Who asks, in place of a component; with the file's name in place of a version. No component has a blank."""


def file_asks(
    listing: Listing | None, named: Collection[str], knowledge: Knowledge, today: dt.date
) -> Mapping[str, Declaration]:
    """The ranges of a file as a declaration; nothing where it has none.

    Args:
        listing: what was read.
        named: the components that somebody named beside it, which come before what it asks for.
        knowledge: what the names mean.
        today: the day on which it was read.
    """
    if listing is None or not listing.ranges:
        return {}
    asked = [text for text in listing.ranges if knowledge.distribution(Requirement(text).name) not in named]
    files = (Published(filename=listing.name, requires_python=listing.requires_python),)
    return {
        THE_FILE: Declaration(
            distribution=THE_FILE,
            version=listing.name,
            read=today,
            files=files,
            requires_dist=tuple(asked),
            versions=(),
        )
    }
