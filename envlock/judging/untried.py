"""Which distributions of a combination nobody can have tried together, by their dates."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping, Sequence

from packaging.requirements import Requirement
from packaging.version import Version

from envlock.model.component import PYTHON, parse_version
from envlock.model.knowing.knowledge import Knowledge, index_name
from envlock.model.locked.pins import DistributionPin
from envlock.model.markers import is_of_extras
from envlock.model.published.catalogue import Catalogue
from envlock.model.published.declaration import Declaration


def untried(
    pins: Sequence[DistributionPin], catalogue: Catalogue, knowledge: Knowledge
) -> tuple[DistributionPin, ...]:
    """Return the pins published before a dependency removed names: nobody can have tried them together.

    A pin without a date is taken to have been tried.

    Args:
        pins: an answer.
        catalogue: what indexes list of the dependencies, with dates.
        knowledge: the removals.
    """
    last = {}
    for pin in pins:
        removals = knowledge.removals.get(knowledge.flavour_of(pin.component), ())
        if happened := [
            parse_version(removal.since) for removal in removals if removal.has_happened(pin.version)
        ]:
            last[pin.component] = max(happened)
    return tuple(pin for pin in pins if _is_untried(pin, last, catalogue))


def _is_untried(pin: DistributionPin, last: Mapping[str, Version], catalogue: Catalogue) -> bool:
    if pin.file.upload_time is None:
        return False
    day = pin.file.upload_time.date()
    return any(
        (tried := newest_on(day, name, catalogue)) is not None and tried < last[name]
        for name in pin.dependencies
        if name in last
    )


def newest_on(day: dt.date, component: str, catalogue: Catalogue) -> Version | None:
    """The newest final release that existed on a day."""
    releases = catalogue.releases(index_name(component))
    there = (release.version for release in releases if release.since is not None and release.since <= day)
    return next((version for version in there if not version.is_prerelease), None)


def untried_partners(
    declarations: Mapping[str, Declaration], knowledge: Knowledge, python: str
) -> dict[str, frozenset[str]]:
    """Map distributions to those that they require, with any extra, and that were published after them.

    The oldest come first. Python counts as such a partner too, where it is named.

    Args:
        declarations: component -> its declaration.
        knowledge: the meaning of names, and the release days of interpreters.
        python: the interpreter that is named; empty for none.
    """
    days = {component: one.published for component, one in declarations.items() if one.published is not None}
    of_python = knowledge.interpreters.get(".".join(python.split(".")[:2]))
    days_of_all = days if of_python is None else {**days, PYTHON: of_python}
    found: dict[str, frozenset[str]] = {}
    for component, day in sorted(days.items(), key=lambda item: item[1]):
        asked = required_components(component, declarations[component], knowledge, in_extras=True) | {PYTHON}
        later = frozenset(partner for partner in asked & days_of_all.keys() if days_of_all[partner] > day)
        if later:
            found[component] = later
    return found


def required_components(
    component: str, declaration: Declaration, knowledge: Knowledge, *, in_extras: bool = False
) -> frozenset[str]:
    """The other components that a release requires on some node; with any extra, if these count."""
    asked = map(Requirement, declaration.requires_dist)
    names = (
        requirement.name
        for requirement in asked
        if in_extras or requirement.marker is None or not is_of_extras(requirement.marker)
    )
    return frozenset(map(knowledge.distribution, names)) - {component}
