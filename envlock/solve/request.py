"""What a solve is asked: a group's wishes for one target, with the policy that applies."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import field
from functools import cache

from packaging.markers import Marker
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name

from envlock.model.frozen import dataclass
from envlock.model.knowing.fact import Condition
from envlock.model.knowing.knowledge import Knowledge
from envlock.model.markers import marker_holds
from envlock.model.project.group import Wish
from envlock.model.project.package_sources import Direct
from envlock.model.project.policy import NO_POLICY, Policy
from envlock.model.project.target import Interpreter, Target
from envlock.model.published.catalogue import Catalogue, Release

PIN_MARGIN = dt.timedelta(days=30)
"""How long after the newest pinned release the cut-off of ``as-of = "auto"`` lies.

With thirty days, pins of 2019 to 2024 that were locked with a cut-off by hand gave 13 working environments of
20; without a cut-off they gave two.
"""

SOON = dt.timedelta(days=183)
"""A list is seldom written later than this after its newest pin; our own choice, as the month is."""

_WHEELS_AFTER = dt.timedelta(days=240)
"""How long after an interpreter's release most compiled distributions have wheels for it.

Numba's first came 5, 4, 7, 4 and 4 months after Python 3.9 to 3.13.
"""

_OF_SERIES = 2
"""Dots in ``1.15.*`` and in ``2.10.1``, the shortest versions that name a series."""

_SERIES_LASTS = dt.timedelta(days=550)
"""How long the releases of a series tell its time; later ones say nothing about when it was pinned.

Of 1,312 series of 70 distributions one in 30 goes on for longer: SQLAlchemy 1.4 and Lightning 1.5 for more
than three years, umap-learn 0.5 for five, hdbscan 0.8 for ten. TensorFlow 1.15 lasted for 15 months.
"""

_BUILD_TOOLS_SINCE = dt.date(2019, 2, 5)
"""No cut-off of a build environment is earlier: setuptools 40.8.0, of that day, first had what PEP 517 has
front ends request where a source tree names no backend."""


EVERYTHING = "*"
"""In place of a name: every distribution."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """One question to the solver.

    Attributes:
        wishes: what the group wants.
        target: where the environment will run.
        interpreter: its Python.
        as_of: only releases published up to the end of this day are candidates, except exactly pinned ones,
            owned ones and those that carry a system component; ``None`` for no cut-off.
        preferred: identifier -> version to keep where nothing speaks against it.
        raised: identifier -> the version that an upgrade of it alone takes, whatever has to move for that.
        held: identifier -> the only version allowed, if it is there at all.
        owned: identifier -> the version that the extended group has of what others own, which counts
            whatever its day, as pins do.
        waived: facts that do not count.
        policy: what the group says of components beyond its wishes.
        era_of_pins: whether ``as_of`` is the time of the pins, and so moves with them.
        withdrawn: distributions whose withdrawn releases count, after all others.
        reopened: distributions whose later releases count as well, where ``as_of`` is the time of the pins;
            ``EVERYTHING`` for all of them.
        building: for the build environment of a distribution, what is being built, outermost first.
        direct: identifier -> the file or folder that replaces all releases on indexes.
        stand_ins: identifier -> what replaces it where metadata asks for it.
    """

    wishes: tuple[Wish, ...]
    target: Target
    interpreter: Interpreter
    as_of: dt.date | None = None
    preferred: Mapping[str, str] = field(default_factory=dict)
    raised: Mapping[str, str] = field(default_factory=dict)
    held: Mapping[str, str] = field(default_factory=dict)
    owned: Mapping[str, str] = field(default_factory=dict)
    waived: frozenset[str] = frozenset()
    policy: Policy = NO_POLICY
    era_of_pins: bool = False
    withdrawn: frozenset[str] = frozenset()
    reopened: frozenset[str] = frozenset()
    building: tuple[str, ...] = ()
    direct: Mapping[str, Direct] = field(default_factory=dict)
    stand_ins: Mapping[str, str] = field(default_factory=dict)

    @property
    def applying(self) -> tuple[Wish, ...]:
        """The wishes whose markers hold for the interpreter; the others ask, pin and date nothing."""
        return applying(self.wishes, self.interpreter)

    def is_about(self, component: str, knowledge: Knowledge) -> bool:
        """Whether the group itself asks for a component or a flavour of it, or the node has it."""
        asked = {wish.component for wish in self.applying}
        asked.update(knowledge.flavour_of(name) for name in tuple(asked))
        return component in asked or bool(self.target.offered(component))

    def settled(self, condition: Condition) -> bool:
        """Whether the group itself asks for words that all meet it, or for what may be of any version."""
        asked = [wish.range.listed for wish in self.applying if wish.component == condition.component]
        if condition.range.text == "*":
            return bool(asked)
        return any(words and words <= condition.range.listed for words in asked)


def exact_version(specifiers: SpecifierSet) -> str:
    """Return the one version that a specifier set pins (``==1.4.0``), or an empty string."""
    for specifier in specifiers:
        if specifier.operator in {"==", "==="} and not specifier.version.endswith(".*"):
            return specifier.version
    return ""


def names_series(specifiers: SpecifierSet) -> bool:
    """Whether a specifier set names one series of releases (``==1.15.*``, ``~=2.10.1``), and so its time.

    A whole major version (``==1.*``, ``~=2.10``) goes on for years and implies no time.
    """
    return any(
        (one.operator == "==" and one.version.endswith(".*") and one.version.count(".") >= _OF_SERIES)
        or (one.operator == "~=" and one.version.count(".") >= _OF_SERIES)
        for one in specifiers
    )


def names_stretch(specifiers: SpecifierSet) -> bool:
    """Whether a specifier set has a lower and an upper bound (``>=3.1,<3.4``)."""
    return {one.operator[0] for one in specifiers} >= {"<", ">"}


def applies(requirement: Requirement, interpreter: Interpreter) -> bool:
    """Whether a requirement's marker holds for the target's interpreter, with no extra asked for."""
    environment = {**interpreter.markers, "extra": ""}
    return requirement.marker is None or marker_holds(requirement.marker, environment)


def applying(wishes: Iterable[Wish], interpreter: Interpreter) -> tuple[Wish, ...]:
    """Return the wishes whose markers hold for an interpreter."""
    return tuple(one for one in wishes if one.requirement is None or applies(one.requirement, interpreter))


def holds(marker: str, interpreter: Interpreter, extra: str = "") -> bool:
    """Whether a marker holds for the target's interpreter; an empty one always does."""
    if not marker:
        return True
    if _of_another_extra(marker, extra):
        return False
    return marker_holds(_marker(marker), {**interpreter.markers, "extra": extra})


def _of_another_extra(marker: str, extra: str) -> bool:
    """Whether a marker is about an extra that is not asked for, as most are; it need not be parsed then."""
    _, found, rest = marker.rpartition('extra == "')
    if not found or " or " in marker:
        return False
    return canonicalize_name(rest.partition('"')[0]) != canonicalize_name(extra)


@cache
def _marker(text: str) -> Marker:
    return Marker(text)


def build_cut_off(as_of: dt.date | None) -> dt.date | None:
    """Return the cut-off for a build environment of a request with this cut-off."""
    return None if as_of is None else max(as_of, _BUILD_TOOLS_SINCE)


def era_of_pins(
    wishes: tuple[Wish, ...], interpreter: Interpreter, knowledge: Knowledge, catalogue: Catalogue
) -> dt.date | None:
    """Return the cut-off of ``as-of = "auto"``: the newest pinned release's first upload plus a margin.

    Of a pinned series, the last release counts that came within a year and a half of the first one. Without
    any pin, wishes count whose two bounds leave releases of no more time than that and keep out later ones.
    Distributions that carry a system component do not count: an MPI of today may serve a stack of yesterday.
    Nobody had the pins together with a wish that first came out within half a year after them (torch 1.1.0
    and pytorch-transformers), or after another such wish, nor with an interpreter that came out later: the
    time of those counts then.
    """
    newest = day_of_newest_pin(wishes, interpreter, knowledge, catalogue)
    if newest is None:
        return None
    era = newest + PIN_MARGIN
    its_era = era_of_interpreter(interpreter, knowledge)
    return its_era if its_era is not None and era < its_era - _WHEELS_AFTER else era


def day_of_newest_pin(
    wishes: tuple[Wish, ...], interpreter: Interpreter, knowledge: Knowledge, catalogue: Catalogue
) -> dt.date | None:
    """Return when the newest pinned release was published, or a younger wish first could be had."""
    return max((day for day, _ in _dated(wishes, interpreter, knowledge, catalogue)), default=None)


def era_of_interpreter(interpreter: Interpreter, knowledge: Knowledge) -> dt.date | None:
    """Return the cut-off for pins that are older than the interpreter."""
    released = knowledge.interpreters.get("{}.{}".format(*interpreter.release[:2]))
    return None if released is None else released + _WHEELS_AFTER


def newest_pin(
    wishes: tuple[Wish, ...], interpreter: Interpreter, knowledge: Knowledge, catalogue: Catalogue
) -> Wish | None:
    """Return the wish that decides the cut-off of ``as-of = "auto"``, mostly a pin; the first of several."""
    dated = tuple(_dated(wishes, interpreter, knowledge, catalogue))
    return max(dated, key=lambda one: one[0])[1] if dated else None


def _dated(
    wishes: tuple[Wish, ...], interpreter: Interpreter, knowledge: Knowledge, catalogue: Catalogue
) -> Sequence[tuple[dt.date, Wish]]:
    """Return the days of the pins, and of the wishes that could not be had yet within a month after those.

    Carriers of system components are left out, as are distributions whose first releases left the index.
    Without pins, ranges with two bounds tell the time; beside pins, a bound may have been added years later.
    """
    carriers = {provider.distribution for provider in knowledge.providers}
    pins: list[tuple[dt.date, Wish]] = []
    others: list[Wish] = []
    for wish in applying(wishes, interpreter):
        if wish.requirement is None or wish.component in carriers:
            continue
        specifiers = wish.requirement.specifier
        if exact_version(specifiers) or names_series(specifiers):
            pins.extend((day, wish) for day in _days_of_pin(wish, wish.requirement.name, catalogue))
        elif wish.direct is None and wish.component not in knowledge.kept_at:
            others.append(wish)
    if not pins:
        pins.extend((day, wish) for wish in others for day in _days_of_stretch(wish, catalogue))
    if not pins:
        return ()
    newest = max(day for day, _ in pins)
    first = [(day, wish) for wish in others if (day := _first_day(wish, catalogue))]
    for day, wish in sorted(first, key=lambda one: one[0]):
        if newest + PIN_MARGIN < day <= newest + SOON:
            pins.append((day, wish))
            newest = day
    return pins


def _days_of_pin(wish: Wish, name: str, catalogue: Catalogue) -> Iterator[dt.date]:
    """Yield the one day that tells the time of a pin, if the index knows it."""
    releases = catalogue.releases(name)
    meant = [place for place, text in enumerate(releases.texts) if wish.range.contains(text)]
    days = [day for place in meant if (day := _published(releases[place], releases)) is not None]
    if days:
        yield max(day for day in days if day <= min(days) + _SERIES_LASTS)


def _days_of_stretch(wish: Wish, catalogue: Catalogue) -> Iterator[dt.date]:
    """Yield the day of the last release between two bounds, if these are close and keep out later ones."""
    if wish.requirement is None or not names_stretch(wish.requirement.specifier):
        return
    releases = catalogue.releases(wish.requirement.name)
    days = [day for text, day in zip(releases.texts, releases.days, strict=True) if wish.range.contains(text)]
    if days and all(days) and max(days) < max(releases.days):
        first, last = dt.date.fromisoformat(min(days)), dt.date.fromisoformat(max(days))
        if last <= first + _SERIES_LASTS:
            yield last


def _first_day(wish: Wish, catalogue: Catalogue) -> dt.date | None:
    """Return the day of the first release that satisfies a wish; ``None`` where a release has no day."""
    if wish.requirement is None:
        return None
    releases = catalogue.releases(wish.requirement.name)
    days = [day for text, day in zip(releases.texts, releases.days, strict=True) if wish.range.contains(text)]
    return dt.date.fromisoformat(min(days)) if days and all(days) else None


def _published(pin: Release, releases: Sequence[Release]) -> dt.date | None:
    """Return the day of a release's first file, or an earlier day of a later version of its series.

    Files are taken away and others uploaded years later (jaxlib 0.4.13: 2023 and 2025). Within a series, as
    0.4 is, versions follow one another in time; between series they need not: old ones still get fixes.
    """
    if pin.since is None:
        return None
    series = pin.version.release[:2]
    later = (
        release.since
        for release in releases
        if release.since and release.version.release[:2] == series and release.version > pin.version
    )
    return min([pin.since, *later])
