"""What a solve is sure to read, and what it will most likely, begun while the machine is looked at."""

from __future__ import annotations

import datetime as dt
import re

from envlock.edges.index.catalogue import IndexCatalogue
from envlock.edges.marker_environments import Reader
from envlock.model.group import Group

_SERIES = re.compile(r"==(3\.\d+)(?:\.|$)")
"""A range of interpreters of one series."""


def read_ahead(group: Group, catalogue: IndexCatalogue, *, guessing: bool) -> None:
    """Begin to read the pages of what a group asks for.

    With ``guessing`` also what they lead to, where the newest releases are likely to be taken: where no time
    is given, and no pin that tells one.
    """
    wished = [(one.requirement.name, one.range) for one in group.wishes if one.requirement is not None]
    series = _SERIES.match(group.python.text)
    of_another_time = isinstance(group.as_of, dt.date) or (
        group.as_of == "auto" and any(within.exact for _, within in wished)
    )
    if guessing and series and not of_another_time:
        catalogue.prefetch_likely(wished, Reader(python=series[1]).platform())
    else:
        catalogue.prefetch(name for name, _ in wished)
