# ruff: noqa: INP001 - a script, no package
"""Find releases whose wheels were compiled against NumPy 1, and so end on import where NumPy 2 is.

usage: find_numpy_abi.py [--json FILE] DISTRIBUTION ...

The modules of a wheel tell without being run, as for ``check`` and ``solve``
(``envlock/edges/code/compiled.py``), here all of them: those that its root does not reach, and of large
wheels, need facts. Looked for is, by halving, the last release that is for NumPy 1. Printed are proposals for
facts, for review: releases whose metadata keeps NumPy 2 away are left out.
"""

from __future__ import annotations

import argparse
import json
import sys
import zipfile
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name

from envlock.edges.cache import Cache, default_root
from envlock.edges.code.compiled import NUMPY_1, reads_of_compiled
from envlock.edges.index.catalogue import IndexCatalogue
from envlock.edges.pip_configuration import read_pip_configuration
from envlock.model.errors import EnvlockError
from envlock.model.published.catalogue import DistFile, Release

SINCE, UNTIL = "2021-01-01", "2025-12-31"
"""NumPy 2.0.0 is of 2024-06-16; its headers were there some months before."""
LARGEST = 80 << 20
"""Bytes of a wheel that is still worth its download."""
NUMPY_2 = "2.0.0"
_SAMPLES = 6
_INTERPRETERS = ("cp312", "cp311", "cp310", "cp39", "abi3")


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposal:
    """A fact to review; ``mended`` is empty where no later release is for NumPy 2."""

    distribution: str
    last: str
    mended: str
    module: str


def module_for_numpy_1(wheel: Path) -> str:
    """The first module of a wheel that was compiled against NumPy 1; empty where there is none."""
    with zipfile.ZipFile(wheel) as archive:
        for name in archive.namelist():
            if name.endswith(".so") and NUMPY_1 in reads_of_compiled(archive.read(name)):
                return name
    return ""


class Finder:
    """Looks at wheels of one distribution."""

    def __init__(self, catalogue: IndexCatalogue, distribution: str) -> None:
        self._catalogue = catalogue
        self._distribution = distribution
        self._seen: dict[str, str] = {}
        self._releases = [
            release
            for release in reversed(catalogue.releases(distribution))
            if not release.version.is_prerelease
            and SINCE <= str(release.since or "") <= UNTIL
            and (wheel := _wheel(release)) is not None
            and wheel.size <= LARGEST
        ]

    def proposal(self) -> Proposal | None:
        """The fact that its releases ask for."""
        end = len(self._releases)
        samples = sorted({round((end - 1) * step / _SAMPLES) for step in range(_SAMPLES + 1)}) if end else []
        hits = [index for index in samples if self._module(index)]
        if not hits:
            return None
        old, new = hits[-1], next((index for index in samples if index > hits[-1]), end)
        while new - old > 1:
            middle = (old + new) // 2
            old, new = (middle, new) if self._module(middle) else (old, middle)
        if all(map(self._bounded, {*hits, old})):
            return None
        return Proposal(
            distribution=self._distribution,
            last=self._releases[old].text,
            mended=self._releases[new].text if new < end else "",
            module=self._module(old),
        )

    def _module(self, index: int) -> str:
        release = self._releases[index]
        if release.text not in self._seen:
            wheel = _wheel(release)
            assert wheel is not None  # noqa: S101 - those without were left out
            self._seen[release.text] = module_for_numpy_1(self._catalogue.local_file(wheel))
        return self._seen[release.text]

    def _bounded(self, index: int) -> bool:
        """Whether the metadata of a release keeps NumPy 2 away."""
        wheel = _wheel(self._releases[index])
        assert wheel is not None  # noqa: S101 - as above
        return any(
            canonicalize_name(one.name) == "numpy" and not SpecifierSet(one.specifier).contains(NUMPY_2)
            for one in self._catalogue.metadata(self._distribution, wheel).requires_dist
        )


def _wheel(release: Release) -> DistFile | None:
    """One with compiled modules for Linux, of the newest interpreter among those that had both NumPys.

    Who builds with NumPy 2 for some interpreters begins with the newest.
    """
    found = {
        interpreter: file
        for file in release.files
        for tag in file.tags
        if "linux" in tag.platform and tag.platform.endswith("x86_64")
        if (interpreter := "abi3" if tag.abi == "abi3" else tag.interpreter) in _INTERPRETERS
    }
    return next((found[interpreter] for interpreter in _INTERPRETERS if interpreter in found), None)


def find(distributions: Sequence[str]) -> list[Proposal]:
    """Print proposals as they are found."""
    found = []
    with IndexCatalogue(read_pip_configuration(), Cache(default_root())) as catalogue:
        for name in distributions:
            try:
                proposal = Finder(catalogue, name).proposal()
            except (EnvlockError, zipfile.BadZipFile) as error:
                print(f"{name}: {error}", file=sys.stderr)  # noqa: T201
                continue
            if proposal is not None:
                found.append(proposal)
                mended = proposal.mended or "never"
                print(f"{name} {proposal.last} | {proposal.module} | {mended}", flush=True)  # noqa: T201
    return found


def main() -> int:
    """Look at the distributions of the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("distributions", nargs="+")
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args()
    found = find(arguments.distributions)
    if arguments.json:
        arguments.json.write_text(json.dumps([asdict(one) for one in found], indent=1))
    return 0


if __name__ == "__main__":
    sys.exit(main())
