"""What a wheel installs: paths and digests, read on first access."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping


class Installed:
    """What a wheel installs.

    Attributes:
        tops: the first parts of its paths, which tell most wheels apart without reading their files.
    """

    __slots__ = ("_known", "_read", "tops")

    def __init__(self, tops: Collection[str], read: Callable[[], Mapping[str, str]]) -> None:
        """Take the top folders and files that it installs; ``read`` returns all files."""
        self.tops = frozenset(tops)
        self._read = read
        self._known: Mapping[str, str] | None = None

    @property
    def files(self) -> Mapping[str, str]:
        """Path of each file, relative to site-packages -> the digest of its content.

        The digest is as RECORD writes it (``sha256=...``), empty where RECORD has none.
        """
        if self._known is None:
            self._known = self._read()
        return self._known


def tops_of(paths: Iterable[str]) -> set[str]:
    """Return the first parts of paths."""
    return {path.partition("/")[0] for path in paths}
