"""What builds of sdists require and have to compile: from the cache, or else from the files."""

from __future__ import annotations

from collections.abc import Mapping

from envlock.edges.cache import Cache, Form
from envlock.edges.declarations import Opened, release_of_version
from envlock.model.errors import SurroundingsError
from envlock.model.published.catalogue import LARGEST_SDIST, NEEDS_BUILD, Catalogue, DistFile
from envlock.model.published.metadata import Metadata
from envlock.model.published.source_build import SourceBuild

_KIND = "build-requirements-6"
_FORM: Form = ([str], [str], bool)


def read_build_requirements(
    wanted: Mapping[str, tuple[str, str]], cache: Cache, opened: Opened | None
) -> Mapping[str, SourceBuild]:
    """Return what builds of sdists require (PEP 518); large or unavailable sdists are left out.

    Args:
        wanted: component -> the distribution's name on an index, and its version.
        cache: where answers are kept; the sdist of a release does not change.
        opened: opens the indexes; ``None`` if they may not be asked.
    """
    found: dict[str, SourceBuild] = {}
    for component, (name, version) in wanted.items():
        kept = cache.read_as(_KIND, f"{name} {version}", _FORM)
        if kept is not None:
            requires, translated, translates = kept
            found[component] = SourceBuild(
                requires=tuple(requires), translated=tuple(translated), translates=translates
            )
        elif opened is not None:
            with opened() as catalogue:
                asked = _asked(catalogue, name, version)
            if asked is not None:
                found[component] = asked
                document = (list(asked.requires), list(asked.translated), asked.translates)
                cache.keep(_KIND, f"{name} {version}", document)
    return found


def _asked(catalogue: Catalogue, name: str, version: str) -> SourceBuild | None:
    try:
        release = release_of_version(version, catalogue.releases(name))
        sdists = [] if release is None else [file for file in release.files if not file.is_wheel]
        if not sdists or sdists[0].size > LARGEST_SDIST:
            return None
        requires = catalogue.build_requires(sdists[0])
        metadata = _metadata(catalogue, name, sdists[0])
        if metadata is None:
            return SourceBuild(requires=requires)
        return SourceBuild(requires=requires, translated=metadata.translated, translates=metadata.translates)
    except SurroundingsError:
        return None


def _metadata(catalogue: Catalogue, name: str, sdist: DistFile) -> Metadata | None:
    """Return the metadata of an sdist; ``None`` if only a backend knows it."""
    try:
        return catalogue.metadata(name, sdist)
    except SurroundingsError as error:
        if error.code != NEEDS_BUILD:
            raise
        return None
