# ruff: noqa: INP001 - a script, no package
"""Find releases that import, while they are imported, what neither they nor their dependencies ask for.

usage: find_unstated_imports.py DISTRIBUTION ...

Read are the same statements as by find_removed_names.py: what runs on import of the distribution's
top-level modules, but for what stands in a ``try``, below an ``if``, or in a function. What is imported so
must be asked for by the release, or by the newest releases that its requirements let in: a dependency that
once brought it may do so no longer. Printed are proposals for needs, with file and line, for review; a module
may be of a distribution that is called otherwise and that the release does ask for.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from find_removed_names import Finder
from packaging.markers import Marker
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from envlock.analysis.imports.modules import roots_of
from envlock.analysis.imports.statements import reads_on_import
from envlock.edges.cache import Cache, default_root
from envlock.edges.decoded_knowledge import load_decoded
from envlock.edges.index.catalogue import IndexCatalogue
from envlock.edges.pip_configuration import read_pip_configuration
from envlock.model.errors import EnvlockError
from envlock.model.published.catalogue import Release

_SAMPLES = 8
_LINUX = {"sys_platform": "linux", "platform_system": "Linux", "os_name": "posix"}
_GONE = frozenset({"asyncore", "distutils", "imp"})
"""What older interpreters have of their own; facts about Python tell of it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Unstated:
    """A module of another distribution, and where it is imported."""

    distribution: str
    where: str


class ImportFinder(Finder):
    """Looks at releases of one distribution for imports that nobody asks for."""

    def __init__(self, catalogue: IndexCatalogue, distribution: str, modules: Mapping[str, tuple[str, ...]]):
        super().__init__(catalogue, distribution)
        self.modules = modules

    def unstated(self, release: Release) -> Mapping[str, Unstated]:
        """Top-level module -> where it is imported, for those that the release does not lead to."""
        file = self.file(release)
        if file is None:
            return {}
        sources = self.sources(file)
        own = {name.partition(".")[0] for name in sources}
        found: dict[str, Unstated] = {}
        for read, where in reads_on_import(sources, roots_of(sources, self.distribution)).items():
            top = read.partition(".")[0]
            if top in own or top in sys.stdlib_module_names or top in _GONE or not top.isidentifier():
                continue
            distribution = self.modules.get(top, (canonicalize_name(top),))[0]
            found.setdefault(top, Unstated(distribution=distribution, where=where))
        brought = self._brought(release) if found else set()
        return {top: one for top, one in found.items() if one.distribution not in brought}

    def _brought(self, release: Release) -> set[str]:
        """What the release asks for, and what the newest that it lets in ask for."""
        brought = {(canonicalize_name(self.distribution), frozenset[str]())}
        queue = list(self._asks(self.distribution, release, ()))
        while queue:
            wish = queue.pop()
            name = canonicalize_name(wish.name)
            if (name, frozenset(wish.extras)) in brought:
                continue
            brought.add((name, frozenset(wish.extras)))
            try:
                newest = max(
                    (one for one in self.catalogue.releases(name) if wish.specifier.contains(one.version)),
                    key=lambda one: one.version,
                    default=None,
                )
            except EnvlockError:
                continue
            if newest is not None:
                queue.extend(self._asks(name, newest, wish.extras))
        return {name for name, _ in brought}

    def _asks(self, name: str, release: Release, extras: Iterable[str]) -> Iterator[Requirement]:
        file = next(iter(sorted(release.files, key=lambda one: not one.is_wheel)), None)
        if file is None:
            return
        try:
            stated = self.catalogue.metadata(name, file).requires_dist
        except EnvlockError:
            return
        for one in stated:
            requirement = Requirement(str(one))
            if requirement.marker is None or _on_linux(requirement.marker, extras):
                yield requirement


def _on_linux(marker: Marker, extras: Iterable[str]) -> bool:
    """Whether some Python on Linux meets it, with one of the extras or with none."""
    return any(
        marker.evaluate({**_LINUX, "python_version": python, "extra": extra})
        for python in ("3.7", "3.9", "3.11")
        for extra in ("", *extras)
    )


def main() -> int:
    """Print proposals."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("distributions", nargs="+")
    arguments = parser.parse_args()
    cache = Cache(default_root())
    modules = load_decoded(cache).modules
    with IndexCatalogue(read_pip_configuration(), cache) as catalogue:
        for name in arguments.distributions:
            try:
                finder = ImportFinder(catalogue, name, modules)
                end = len(finder.releases) - 1
                samples = {round(end * step / _SAMPLES) for step in range(_SAMPLES + 1)}
                for release in [finder.releases[index] for index in sorted(samples) if end >= 0]:
                    for top, one in finder.unstated(release).items():
                        found = f"{top} ({one.distribution}) in {one.where}"
                        print(f"{name} {release.text} | {found}", flush=True)  # noqa: T201
            except EnvlockError as error:
                print(f"{name}: {error.message}", file=sys.stderr)  # noqa: T201
    return 0


if __name__ == "__main__":
    sys.exit(main())
