"""Names that a component no longer has since a release: what looks for one of them mostly ends there."""

from __future__ import annotations

from packaging.version import Version

from envlock.model.component import parse_version
from envlock.model.frozen import dataclass
from envlock.model.knowing.fact import Source


@dataclass(frozen=True, slots=True, kw_only=True)
class Removal:
    """What one release of a component took away.

    Attributes:
        component: what had the names: ``python``, or a distribution.
        since: the first version without them.
        until: the first version that has them again (``numpy.bool``, gone from 1.24 to 1.26); ``""`` where
            none has.
        listed: dotted names as they are imported or read (``scipy.integrate.simps``, ``imp``), with a space
            between two: thousands of texts would have to be made whenever the knowledge base is read.
        sources: where this was read.
        warning: what is told of a reader, where that may do without: nothing is refused then.
    """

    component: str
    since: str
    listed: str
    sources: tuple[Source, ...]
    until: str = ""
    warning: str = ""

    @property
    def names(self) -> frozenset[str]:
        """The names, each for itself."""
        return frozenset(self.listed.split())

    def has_happened(self, version: str) -> bool:
        """Whether a version is without the names; so are the pre-releases of the first such version."""
        here = parse_version(version)
        final = Version(here.base_version) if here.is_prerelease else here
        return final >= parse_version(self.since) and not (self.until and final >= parse_version(self.until))

    def versions(self) -> str:
        """The specifier of the versions without the names."""
        return f">={self.since},<{self.until}" if self.until else f">={self.since}"

    def versions_with(self) -> str:
        """The specifier of the versions with the names: from before they went, and since they are back."""
        return f"<{self.since} || >={self.until}" if self.until else f"<{self.since}"
