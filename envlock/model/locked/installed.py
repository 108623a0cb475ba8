"""What a wheel puts into an environment: paths and digests, read when they are looked at."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping


class Installed:
    """What a wheel installs.

    Attributes:
        tops: the first parts of its paths, by which most wheels are told apart without their files.
    """

    __slots__ = ("_known", "_read", "tops")

    def __init__(self, tops: Collection[str], read: Callable[[], Mapping[str, str]]) -> None:
        """What is installed below some top folders and files; ``read`` gives all files."""
        self.tops = frozenset(tops)
        self._read = read
        self._known: Mapping[str, str] | None = None

    @property
    def files(self) -> Mapping[str, str]:
        """The path of each file, seen from the folder of the packages -> the digest of its content.

        It is as RECORD writes it (``sha256=...``), empty where RECORD does not tell.
        """
        if self._known is None:
            self._known = self._read()
        return self._known


def tops_of(paths: Iterable[str]) -> set[str]:
    """The first parts of paths."""
    return {path.partition("/")[0] for path in paths}
