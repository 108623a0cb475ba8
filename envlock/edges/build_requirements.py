"""What sdists ask of the environment that they are built in: out of the cache, else from the files."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress

from envlock.edges.cache import Cache, Form
from envlock.edges.declarations import LARGEST_SDIST, Opened, meant_release
from envlock.model.catalogue import Catalogue
from envlock.model.errors import SurroundingsError

_KIND = "build-requirements-2"
_FORM: Form = [str]


def read_build_requirements(
    wanted: Mapping[str, tuple[str, str]], cache: Cache, opened: Opened | None
) -> Mapping[str, tuple[str, ...]]:
    """What sdists ask of their build environment (PEP 518); none of those that are large, or not to be had.

    Args:
        wanted: component -> the distribution's name on an index, and its version.
        cache: where answers are kept; the sdist of a release does not change.
        opened: opens the indexes; ``None`` where they may not be asked.
    """
    found: dict[str, tuple[str, ...]] = {}
    for component, (name, version) in wanted.items():
        kept = cache.read_as(_KIND, f"{name} {version}", _FORM)
        if kept is not None:
            found[component] = tuple(kept)
        elif opened is not None:
            with opened() as catalogue:
                asked = _asked(catalogue, name, version)
            if asked is not None:
                found[component] = asked
                with suppress(SurroundingsError):  # a judgement does not need a cache that can be written
                    cache.write(_KIND, f"{name} {version}", list(asked))
    return found


def _asked(catalogue: Catalogue, name: str, version: str) -> tuple[str, ...] | None:
    try:
        release = meant_release(version, catalogue.releases(name))
        sdists = [] if release is None else [one for one in release.files if not one.is_wheel]
        if not sdists or sdists[0].size > LARGEST_SDIST:
            return None
        return catalogue.build_requires(sdists[0])
    except SurroundingsError:
        return None
