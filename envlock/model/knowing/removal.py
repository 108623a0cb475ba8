"""Names that a component no longer has since a release; code that looks for one of them mostly fails."""

from __future__ import annotations

from packaging.version import Version

from envlock.model.component import parse_version
from envlock.model.frozen import dataclass
from envlock.model.knowing.fact import Source


@dataclass(frozen=True, slots=True, kw_only=True)
class Removal:
    """Names that one release of a component removed.

    Attributes:
        component: what had the names: ``python`` or a distribution.
        since: the first version without them.
        until: the first version that has them again (``numpy.bool`` is gone from 1.24 to 1.26); ``""`` if
            none has.
        listed: dotted names as they are imported or read (``scipy.integrate.simps``, ``imp``), separated by
            spaces, since thousands of texts would have to be made whenever the knowledge base is read.
        sources: where this was read.
        warning: what to say about a reader that may do without the names; then nothing is refused.
    """

    component: str
    since: str
    listed: str
    sources: tuple[Source, ...]
    until: str = ""
    warning: str = ""

    @property
    def names(self) -> frozenset[str]:
        """The names as a set."""
        return frozenset(self.listed.split())

    def has_happened(self, version: str) -> bool:
        """Whether a version lacks the names; pre-releases of the first such version lack them too."""
        here = parse_version(version)
        final = Version(here.base_version) if here.is_prerelease else here
        return final >= parse_version(self.since) and not (self.until and final >= parse_version(self.until))

    def versions(self) -> str:
        """The specifier for the versions without the names, pre-releases of the first one among them."""
        first = f">={parse_version(self.since)}.dev0"
        return f"{first},<{self.until}" if self.until else first

    def versions_with(self) -> str:
        """The specifier for the versions with the names: before they went, and since they are back."""
        return f"<{self.since} || >={self.until}" if self.until else f"<{self.since}"
