# ruff: noqa: INP001 - a script, no package
"""Find releases that look, while they are imported, for names that Python, NumPy and others took away.

usage: find_removed_names.py [--json FILE] DISTRIBUTION ...

For each distribution and each removal of ``knowledge/removals/`` the first and the last release are looked
for that read such a name when they are imported. ``check`` reads the code of what is named, and ``solve``
what is older than its dependencies, both only small files; a fact tells of the others, and costs no download.
Printed are proposals for facts, with file and line, for review.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name
from packaging.version import Version

from envlock.analysis.imports.modules import Module, roots_of
from envlock.analysis.imports.statements import reads_on_import
from envlock.edges.cache import Cache, default_root
from envlock.edges.code.archived import modules_of
from envlock.edges.index.catalogue import IndexCatalogue
from envlock.edges.knowledge_files import load_knowledge
from envlock.edges.pip_configuration import read_pip_configuration
from envlock.model.errors import EnvlockError
from envlock.model.knowing.removal import Removal
from envlock.model.published.catalogue import DistFile, Release

SINCE, UNTIL = "2018-01-01", "2026-12-31"
_SAMPLES = 14
LARGEST = 48 << 20
"""Bytes of an archive that is still worth its download."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposal:
    """A fact to review; ``mended`` is empty where the last release that was read still looks for the name."""

    distribution: str
    component: str
    since: str
    first: str
    last: str
    mended: str
    where: str
    name: str
    source: str


class Finder:
    """Looks at releases of one distribution, each once."""

    def __init__(self, catalogue: IndexCatalogue, distribution: str) -> None:
        self.catalogue = catalogue
        self.distribution = distribution
        self._read: dict[str, dict[str, str] | None] = {}
        self.releases = [
            release
            for release in reversed(catalogue.releases(distribution))
            if not release.version.is_prerelease
            and release.files
            and SINCE <= str(release.since or "") <= UNTIL
            and (file := self.file(release)) is not None
            and file.size <= LARGEST
        ]

    def proposals(self, every: Sequence[Removal]) -> Iterator[Proposal]:
        """The facts that its releases ask for."""
        for removal in every:
            if canonicalize_name(removal.component) == canonicalize_name(self.distribution):
                continue
            found = self._found(removal)
            if found is not None:
                yield found

    def _found(self, removal: Removal) -> Proposal | None:
        """Releases in a row that look for what was removed, their ends found between samples by halving."""
        end = len(self.releases) - 1
        samples = sorted({round(end * step / _SAMPLES) for step in range(_SAMPLES + 1)}) if end > 0 else []
        hits = [index for index in samples if self._hit(index, removal)]
        if not hits:
            return None
        unmended = hits[-1] == end
        last = end if unmended else self._edge(hits[-1], samples[samples.index(hits[-1]) + 1], removal)
        first = hits[0] if not hits[0] else self._edge(hits[0], samples[samples.index(hits[0]) - 1], removal)
        hit = self._hit(last, removal)
        if hit is None or self._excluded(self.releases[last], removal):
            return None
        return Proposal(
            distribution=self.distribution,
            component=removal.component,
            since=removal.since,
            first=self.releases[first].text,
            last=self.releases[last].text,
            mended="" if unmended else self.releases[last + 1].text,
            name=hit[0],
            where=hit[1],
            source=removal.sources[0].title,
        )

    def _edge(self, hit: int, other: int, removal: Removal) -> int:
        """The release next to the other side of the edge that still looks for it."""
        while abs(other - hit) > 1:
            middle = (hit + other) // 2
            hit, other = (middle, other) if self._hit(middle, removal) else (hit, middle)
        return hit

    def _hit(self, index: int, removal: Removal) -> tuple[str, str] | None:
        reads = self._reads(self.releases[index])
        return next(((name, reads[name]) for name in sorted(removal.names) if name in reads), None)

    def _reads(self, release: Release) -> dict[str, str]:
        if release.text not in self._read:
            file = self.file(release)
            assert file is not None  # noqa: S101 - those without were left out
            sources = self.sources(file)
            roots = roots_of(sources, self.distribution)
            self._read[release.text] = reads_on_import(sources, roots)
        return self._read[release.text] or {}

    def sources(self, file: DistFile) -> Mapping[str, Module]:
        """The modules of a file of the index."""
        return modules_of(self.catalogue.local_file(file))

    def file(self, release: Release) -> DistFile | None:
        """A wheel, for it holds what is imported; the sdist where there is none."""
        wheels = [file for file in release.files if file.is_wheel]
        linux = [file for file in wheels if "none-any" in file.filename or "manylinux" in file.filename]
        return next(iter(linux or [file for file in release.files if not file.is_wheel]), None)

    def _excluded(self, release: Release, removal: Removal) -> bool:
        """Whether the release's metadata keeps it from what it cannot work with already."""
        file = self.file(release)
        assert file is not None  # noqa: S101 - as above
        if removal.component == "python":
            return bool(file.requires_python) and not SpecifierSet(file.requires_python).contains(
                removal.since
            )
        try:
            metadata = self.catalogue.metadata(self.distribution, file)
        except EnvlockError:
            return False
        probe = Version(f"{removal.since}.999" if removal.since.count(".") else f"{removal.since}.0.999")
        return any(
            canonicalize_name(one.name) == removal.component
            and not SpecifierSet(one.specifier).contains(probe, prereleases=True)
            for one in metadata.requires_dist
        )


def main() -> int:
    """Print proposals."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("distributions", nargs="+")
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args()
    every = [removal for removals in load_knowledge().removals.values() for removal in removals]
    found = []
    with IndexCatalogue(read_pip_configuration(), Cache(default_root())) as catalogue:
        for name in arguments.distributions:
            try:
                for proposal in Finder(catalogue, name).proposals(every):
                    found.append(asdict(proposal))
                    print(  # noqa: T201
                        f"{name} {proposal.first} to {proposal.last} | {proposal.component} {proposal.since} "
                        f"| {proposal.name} in {proposal.where} | mended {proposal.mended or 'never'}",
                        flush=True,
                    )
            except EnvlockError as error:
                print(f"{name}: {error.message}", file=sys.stderr)  # noqa: T201
    if arguments.json:
        arguments.json.write_text(json.dumps(found, indent=1))
    return 0


if __name__ == "__main__":
    sys.exit(main())
