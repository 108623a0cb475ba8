"""Unpinned requirements in a list, treated as the dependencies of a release."""

from __future__ import annotations

import datetime as dt
from collections.abc import Collection, Mapping

from packaging.requirements import Requirement

from envlock.model.knowing.knowledge import Knowledge
from envlock.model.published.declaration import Declaration, Published
from envlock.model.published.listing import Listing

THE_FILE = "the file"
"""The requirer, in place of a component, with the file's name as version. No component's name has a blank."""


def unpinned_requirements(
    listing: Listing | None, named: Collection[str], knowledge: Knowledge, today: dt.date
) -> Mapping[str, Declaration]:
    """Return a file's unpinned requirements as the declaration of a release; empty where it has none.

    Args:
        listing: what was read.
        named: the components that somebody named in addition, which take precedence over its requirements.
        knowledge: the meaning of names.
        today: the day on which it was read.
    """
    if listing is None or not listing.ranges:
        return {}
    unpinned = [
        text for text in listing.ranges if knowledge.distribution(Requirement(text).name) not in named
    ]
    files = (Published(filename=listing.name, requires_python=listing.requires_python),)
    return {
        THE_FILE: Declaration(
            distribution=THE_FILE,
            version=listing.name,
            read=today,
            files=files,
            requires_dist=tuple(unpinned),
            versions=(),
        )
    }
