"""What does not work without another component, whatever its metadata says."""

from __future__ import annotations

import datetime as dt
from dataclasses import field

from envlock.model.component import Range, Via
from envlock.model.frozen import dataclass
from envlock.model.knowing.fact import Condition

EVERY_DISTRIBUTION = "*"
"""In place of a name: every distribution."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Need:
    """A distribution (or ``python`` itself, or a word) that does not work without another component.

    Attributes:
        distribution: what needs it; ``EVERY_DISTRIBUTION`` for all of them.
        range: the versions or words that do.
        component: what it needs.
        reason: why.
        unless: words, or distributions of any version, that a group may ask for instead, with which it works
            without the component.
        before: restricts it to files published before this day; ``None`` for all.
        python: the interpreters on which it is needed.
        via: restricts it to what came that way, such as a build from source; ``None`` for any way.
        beside: restricts it to where the group asks for one of these as well, or the node has it.
    """

    distribution: str
    range: Range
    component: str
    reason: str
    unless: tuple[Condition, ...] = ()
    before: dt.date | None = None
    python: Range = field(default_factory=lambda: Range.versions(""))
    via: Via | None = None
    beside: tuple[str, ...] = ()

    def is_of(
        self, component: str, version: str, published: dt.date | None, python: str, via: Via | None
    ) -> bool:
        """Whether a component has this need; a file whose day is unknown was published before no day."""
        if self.via is not None and via is not self.via:
            return False
        if self.before is not None and (published is None or published >= self.before):
            return False
        others = self.distribution == EVERY_DISTRIBUTION and component != self.component
        named = others or component == self.distribution
        return named and self.range.contains(version) and self.python.contains(python)
