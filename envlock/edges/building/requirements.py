"""What builds of sdists require and have to compile: from the cache, or else from the files."""

from __future__ import annotations

from collections.abc import Mapping

from envlock.edges.cache import Cache, Form
from envlock.edges.declarations import Opened, small_sdist, stated_metadata
from envlock.model.errors import SurroundingsError
from envlock.model.published.catalogue import Catalogue
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
        sdist = small_sdist(version, catalogue.releases(name))
        if sdist is None:
            return None
        requires = catalogue.build_requires(sdist)
        metadata = stated_metadata(catalogue, name, sdist)
        if metadata is None:
            return SourceBuild(requires=requires)
        return SourceBuild(requires=requires, translated=metadata.translated, translates=metadata.translates)
    except SurroundingsError:
        return None
