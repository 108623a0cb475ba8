"""What indexes offer, without the large sdists that a search for remedies would fetch one after the other."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import field
from types import MappingProxyType
from typing import Self

from packaging.utils import InvalidSdistFilename, parse_sdist_filename

from envlock.model.component import Range
from envlock.model.errors import SurroundingsError
from envlock.model.frozen import dataclass
from envlock.model.knowing.knowledge import index_name
from envlock.model.published.catalogue import LARGEST_SDIST, NEEDS_BUILD, Catalogue, DistFile
from envlock.model.published.metadata import Metadata
from envlock.solve.building.backend_metadata import RecordingCatalogue
from envlock.solve.offers.shared import Shared
from envlock.solve.request import Request


@dataclass(slots=True)
class SparingCatalogue(RecordingCatalogue):
    """A catalogue in which sdists beyond ``LARGEST_SDIST`` state nothing unless they were read before.

    A change of a wish leads a solve from release to release of what it is about, and some projects have
    dozens of old sdists of a hundred megabytes. A remedy that needs one of these is not worth them all. What
    a wish pins is read: whoever asked for it would have it fetched anyway.

    Attributes:
        read: the URLs of the files that were read before.
        pinned: distribution -> the one version of it that is asked for.
    """

    read: frozenset[str] = field(default_factory=frozenset)
    pinned: Mapping[str, Range] = field(default_factory=lambda: MappingProxyType({}))

    @classmethod
    def beside(cls, catalogue: Catalogue, request: Request, shared: Shared) -> Self:
        """Return a catalogue for changes of a request, beside that of solves that share what they read."""
        pinned = {index_name(wish.component): wish.range for wish in request.applying if wish.range.pinned}
        return cls(catalogue, shared.unstated, read=shared.files_read(), pinned=pinned)

    def metadata(self, distribution: str, file: DistFile) -> Metadata:
        """Return the catalogue's metadata, or what the build backend said.

        Raises:
            SurroundingsError: it cannot be had; ``metadata-needs-build`` where the sdist is too large.
        """
        if self._is_too_large(distribution, file):
            raise SurroundingsError(NEEDS_BUILD, f"{file.filename} is too large to be read for a remedy")
        return RecordingCatalogue.metadata(self, distribution, file)

    def prefetch_metadata(
        self, distribution: str, file: DistFile, then: Callable[[Metadata], None] | None = None
    ) -> None:
        """Do as the catalogue, unless the sdist is too large."""
        if not self._is_too_large(distribution, file):
            RecordingCatalogue.prefetch_metadata(self, distribution, file, then)

    def _is_too_large(self, distribution: str, file: DistFile) -> bool:
        if file.is_wheel or file.size <= LARGEST_SDIST or file.url in self.read:
            return False
        asked = self.pinned.get(distribution)
        try:
            return asked is None or not asked.contains(str(parse_sdist_filename(file.filename)[1]))
        except InvalidSdistFilename:
            return True
