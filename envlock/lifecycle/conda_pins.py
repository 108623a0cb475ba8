"""Exact versions in a conda environment file, under the names of the package index and of components."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace

from packaging.utils import canonicalize_name
from packaging.version import Version

from envlock.lifecycle.from_conda import Wish, wishes_of
from envlock.model.component import Via
from envlock.model.knowing.knowledge import Knowledge
from envlock.model.published.listing import Listed, Listing

_NAME = re.compile(r"[=<>!~\s\[]")
"""Ends a package's name."""
_CUDA = "cuda"
_OF_A_RELEASE = 3
"""How many numbers name a release: conda's ``=1.18.1`` matches any version with that prefix; there is one."""


def conda_listing(kind: str, specs: Iterable[str], pip: Listing, knowledge: Knowledge) -> Listing:
    """Return the pins of an environment file's packages, together with those of its pip section.

    Conda packages come as their channels built them: they do not hold what published wheels bundle, and conda
    has already resolved their requirements among each other. Libraries of theirs that only builds would look
    at, such as HDF5, are no component of the node. Where no CUDA is listed, it is the one that builds name.

    Args:
        kind: what they were read from, for people.
        specs: the packages, as written.
        pip: the listing of its lines for pip.
        knowledge: what the names mean.
    """
    distributions, systems, passed_over, libraries = [], [], [], []
    builds = dict.fromkeys(wish.cuda for wish in wishes_of(specs, knowledge) if wish.cuda)
    own = {name for name, one in knowledge.systems.items() if not one.words and not knowledge.covered(name)}
    # pip installs after conda, over what conda has installed.
    over = {canonicalize_name(distribution.name) for distribution in pip.distributions}
    for wish in wishes_of(specs, knowledge):
        version = _exact(wish)
        if wish.distribution in over:
            passed_over.append(f"{wish.text} (pip installs another over it)")
        elif wish.is_library or wish.component in own:
            libraries.append(_NAME.split(wish.text)[0])
        elif version and wish.component:
            systems.append(Listed(name=wish.component, version=version, via=Via.SITE))
        elif version and wish.distribution:
            distributions.append(Listed(name=wish.distribution, version=version, via=Via.SITE))
        elif wish.distribution or wish.component:
            passed_over.append(f"{wish.text} (a range)")
        else:
            passed_over.append(f"{wish.text} ({wish.reason})")
    if all(system.name != _CUDA for system in systems):
        systems += [Listed(name=_CUDA, version=series, via=Via.SITE) for series in builds]
    if libraries:
        passed_over.append(f"{', '.join(libraries)} (no Python packages)")
    return replace(
        pip,
        kind=kind,
        distributions=(*dict.fromkeys(distributions), *pip.distributions),
        systems=tuple(systems),
        passed_over=(*passed_over, *pip.passed_over),
    )


def _exact(wish: Wish) -> str:
    """Return the one version that is asked for, or ""; for a component or Python, a series counts as one."""
    operator, version = wish.specifier[:2], wish.specifier[2:]
    if operator != "==" or "," in version:
        return ""
    series = version.removesuffix(".*")
    is_series = series != version
    if is_series and wish.distribution and len(Version(series).release) < _OF_A_RELEASE:
        return ""
    return series
