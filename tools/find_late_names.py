# ruff: noqa: INP001 - a script, no package
"""Find releases that import names which the oldest dependencies that their metadata lets in do not have yet.

usage: find_late_names.py [--samples N] DISTRIBUTION[:MODULE,...] ...

Read are the same statements as by find_removed_names.py: what runs on import of the distribution's top-level
modules, or of the named ones (``transformers:transformers.trainer``), but for what stands in a ``try``, below
an ``if``, or in a function. A name counts as there where the dependency's module has the word at all, so that
what is printed is surely missing. Printed are proposals for facts, with file and line and the first release
that has the name, for review.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from find_removed_names import Finder
from packaging.requirements import InvalidRequirement, Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name

from envlock.analysis.imports.holdings import Holdings
from envlock.analysis.imports.modules import roots_of
from envlock.analysis.imports.statements import reads_on_import
from envlock.edges.cache import Cache, default_root
from envlock.edges.index.catalogue import IndexCatalogue
from envlock.edges.pip_configuration import read_pip_configuration
from envlock.model.errors import EnvlockError
from envlock.model.published.catalogue import Release

_LARGEST = 24 << 20
"""Bytes of a dependency's file that is still worth its download."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Late:
    """A name that a dependency has only from a release on that is newer than what metadata asks for."""

    dependency: str
    stated: str
    missing_in: str
    first: str
    name: str
    where: str


class Dependency(Finder):
    """A dependency's releases, each read once, and which names are in them."""

    def __init__(self, catalogue: IndexCatalogue, distribution: str) -> None:
        super().__init__(catalogue, distribution)
        self.releases = [
            one for one in self.releases if (file := self.file(one)) is not None and file.size <= _LARGEST
        ]
        self._holdings: dict[str, Holdings] = {}

    def has(self, release: Release, name: str) -> bool:
        """Whether the release has the name, as far as words of its modules tell."""
        return not self._of(release).lacks(name)

    def first_with(self, name: str, after: Release) -> Release | None:
        """The oldest release past one without the name that has it."""
        low, high = self.releases.index(after), len(self.releases) - 1
        if high <= low or not self.has(self.releases[high], name):
            return None
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (low, middle) if self.has(self.releases[middle], name) else (middle, high)
        return self.releases[high]

    def _of(self, release: Release) -> Holdings:
        if release.text not in self._holdings:
            file = self.file(release)
            assert file is not None  # noqa: S101 - those without were left out
            self._holdings[release.text] = Holdings(self.sources(file))
        return self._holdings[release.text]


class LateFinder(Finder):
    """Looks at releases of one distribution for names that their dependencies get later."""

    def __init__(
        self,
        catalogue: IndexCatalogue,
        distribution: str,
        modules: Sequence[str],
        dependencies: dict[str, Dependency],
    ) -> None:
        super().__init__(catalogue, distribution)
        self._roots = modules
        self._dependencies = dependencies
        self._kept: dict[int, list[Late]] = {}

    def late(self, samples: int) -> Iterator[tuple[Release, Release, Late]]:
        """The first and the last release in a row that look for a name, their ends found by halving."""
        end = len(self.releases) - 1
        indexes = sorted({round(end * step / samples) for step in range(samples + 1)}) if end >= 0 else []
        going_on: dict[tuple[str, str], tuple[int, int, Late]] = {}
        for at, index in enumerate(indexes):
            found = {(one.dependency, one.first): one for one in self._of_release(index)}
            for key, one in found.items():
                before = indexes[at - 1] if at else -1
                since = going_on[key][0] if key in going_on else self._end_of(key, index, before)
                going_on[key] = (since, index, one)
            for key in [key for key in going_on if key not in found]:
                since, last, one = going_on.pop(key)
                yield self.releases[since], self.releases[self._end_of(key, last, index)], one
        for since, last, one in going_on.values():
            yield self.releases[since], self.releases[last], one

    def _end_of(self, key: tuple[str, str], hit: int, other: int) -> int:
        """The release next to the other side of the edge of which it is still so."""
        while abs(other - hit) > 1:
            middle = (hit + other) // 2
            is_so = key in {(one.dependency, one.first) for one in self._of_release(middle)}
            hit, other = (middle, other) if is_so else (hit, middle)
        return hit

    def _of_release(self, index: int) -> list[Late]:
        if index not in self._kept:
            self._kept[index] = list(self._looks_in_vain(self.releases[index]))
        return self._kept[index]

    def _looks_in_vain(self, release: Release) -> Iterator[Late]:
        """What the release looks for in the oldest dependencies that it lets in, and what they lack."""
        file = self.file(release)
        if file is None:
            return
        sources = self.sources(file)
        reads = reads_on_import(sources, self._roots or roots_of(sources, self.distribution))
        for name, stated in self._stated(release).items():
            top = canonicalize_name(name).replace("-", "_")
            wanted = {read: where for read, where in reads.items() if read.partition(".")[0] == top}
            wanted = {read: where for read, where in wanted.items() if "." in read and "__" not in read}
            if wanted:
                yield from self._missing(name, stated, wanted)

    def _missing(self, name: str, stated: SpecifierSet, wanted: Mapping[str, str]) -> Iterator[Late]:
        dependency = self._dependencies.get(name)
        if dependency is None:
            dependency = self._dependencies[name] = Dependency(self.catalogue, name)
        oldest = next((one for one in dependency.releases if stated.contains(one.version)), None)
        if oldest is None:
            return
        latest: Release | None = None
        worst: Late | None = None
        for read, where in wanted.items():
            if dependency.has(oldest, read):
                continue
            first = dependency.first_with(read, oldest)
            if first is not None and (latest is None or first.version > latest.version):
                latest = first
                worst = Late(
                    dependency=name,
                    stated=str(stated),
                    missing_in=oldest.text,
                    first=first.text,
                    name=read,
                    where=where,
                )
        if worst is not None:
            yield worst

    def _stated(self, release: Release) -> dict[str, SpecifierSet]:
        file = self.file(release)
        assert file is not None  # noqa: S101 - its callers looked
        try:
            every = self.catalogue.metadata(self.distribution, file).requires_dist
        except EnvlockError:
            return {}
        found: dict[str, SpecifierSet] = {}
        for one in every:
            try:
                requirement = Requirement(str(one))
            except InvalidRequirement:
                continue
            name = canonicalize_name(requirement.name)
            if name == canonicalize_name(self.distribution):
                continue
            found[name] = found.get(name, SpecifierSet()) & requirement.specifier
        return found


def main() -> int:
    """Print proposals."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("distributions", nargs="+")
    parser.add_argument("--samples", type=int, default=8)
    arguments = parser.parse_args()
    dependencies: dict[str, Dependency] = {}
    with IndexCatalogue(read_pip_configuration(), Cache(default_root())) as catalogue:
        for wish in arguments.distributions:
            name, _, modules = wish.partition(":")
            try:
                finder = LateFinder(catalogue, name, modules.split(",") if modules else (), dependencies)
                for since, last, one in finder.late(max(arguments.samples, 1)):
                    print(  # noqa: T201
                        f"{name} {since.text} to {last.text} | {one.dependency}{one.stated} lets in "
                        f"{one.missing_in} | first {one.first} | {one.name} in {one.where}",
                        flush=True,
                    )
            except EnvlockError as error:
                print(f"{name}: {error.message}", file=sys.stderr)  # noqa: T201
    return 0


if __name__ == "__main__":
    sys.exit(main())
