"""The time of a group's pins: the cut-off of ``as-of = "auto"``, and of what is built for it."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator, Sequence

from packaging.specifiers import SpecifierSet

from envlock.model.knowing.knowledge import Knowledge
from envlock.model.project.group import Wish
from envlock.model.project.target import Interpreter
from envlock.model.published.catalogue import Catalogue, DistFile, Release
from envlock.solve.request import Request, applying, exact_version

PIN_MARGIN = dt.timedelta(days=30)
"""How long after the newest pinned release the cut-off of ``as-of = "auto"`` lies.

With thirty days, pins of 2019 to 2024 that were locked with a cut-off by hand gave 13 working environments of
20; without a cut-off they gave two.
"""

SOON = dt.timedelta(days=183)
"""A list is seldom written later than this after its newest pin; our own choice, as the month is."""

_SOON_BY_BOUND = dt.timedelta(days=365)
"""Likewise, where a lower bound tells that it was: ``tokenizers==0.12.1`` of April 2022 stands beside
``transformers>=4.26.1`` of February 2023 in a list of March 2023. Bounds beyond that were rather added."""

_WHEELS_AFTER = dt.timedelta(days=240)
"""How long after an interpreter's release most compiled distributions have wheels for it.

Numba's first came 5, 4, 7, 4 and 4 months after Python 3.9 to 3.13.
"""

_OF_SERIES = 2
"""Dots in ``1.15.*`` and in ``2.10.1``, the shortest versions that name a series."""

SERIES_LASTS = dt.timedelta(days=550)
"""How long the releases of a series tell its time; later ones say nothing about when it was pinned.

Of 1,312 series of 70 distributions one in 30 goes on for longer: SQLAlchemy 1.4 and Lightning 1.5 for more
than three years, umap-learn 0.5 for five, hdbscan 0.8 for ten. TensorFlow 1.15 lasted for 15 months.
"""

_BUILD_TOOLS_SINCE = dt.date(2019, 2, 5)
"""No cut-off of a build environment is earlier: setuptools 40.8.0, of that day, first had what PEP 517 has
front ends request where a source tree names no backend."""

_EDITABLE_BUILDS_SINCE = dt.date(2022, 8, 31)
"""Nor one for an editable folder: setuptools, the last of the usual backends, has had such builds (PEP 660)
since its 64.0.0 of 11 August 2022; 64.0.1 to 65.3.0, of that month, mend them."""


def build_cut_off(request: Request, file: DistFile) -> dt.date | None:
    """Return the cut-off for the build environment of a file that a request takes.

    A folder is of today, and no tool of the pins' time may be able to read its ``pyproject.toml``: only a day
    that the group itself names counts for its tools.
    """
    if request.as_of is None or (request.era_of_pins and (file.is_folder or file.editable)):
        return None
    return max(request.as_of, _EDITABLE_BUILDS_SINCE if file.editable else _BUILD_TOOLS_SINCE)


def era_of_pins(
    wishes: tuple[Wish, ...], interpreter: Interpreter, knowledge: Knowledge, catalogue: Catalogue
) -> dt.date | None:
    """Return the cut-off of ``as-of = "auto"``: the newest pinned release's first upload plus a margin.

    Of a pinned series, the last release counts that came within a year and a half of the first one. Without
    any pin, wishes count whose two bounds leave releases of no more time than that and keep out later ones.
    Distributions that carry a system component do not count: an MPI of today may serve a stack of yesterday.
    Nobody had the pins together with a wish that first came out within half a year after them (torch 1.1.0
    and pytorch-transformers), with a lower bound within a year, or after another such wish, nor with an
    interpreter that came out later: the time of those counts then.
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
    return max(dated, key=lambda pair: pair[0])[1] if dated else None


def _names_series(specifiers: SpecifierSet) -> bool:
    """Whether a specifier set names one series of releases (``==1.15.*``, ``~=2.10.1``), and so its time.

    A whole major version (``==1.*``, ``~=2.10``) goes on for years and implies no time.
    """
    return any(
        (
            specifier.operator == "=="
            and specifier.version.endswith(".*")
            and specifier.version.count(".") >= _OF_SERIES
        )
        or (specifier.operator == "~=" and specifier.version.count(".") >= _OF_SERIES)
        for specifier in specifiers
    )


def _names_stretch(specifiers: SpecifierSet) -> bool:
    """Whether a specifier set has a lower and an upper bound (``>=3.1,<3.4``)."""
    return {specifier.operator[0] for specifier in specifiers} >= {"<", ">"}


def _has_lower_bound(wish: Wish) -> bool:
    bounds = wish.requirement.specifier if wish.requirement is not None else ()
    return any(bound.operator in {">=", ">", "~="} for bound in bounds)


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
        if exact_version(specifiers) or _names_series(specifiers):
            pins.extend((day, wish) for day in _days_of_pin(wish, wish.requirement.name, catalogue))
        elif wish.direct is None and wish.component not in knowledge.kept_at:
            others.append(wish)
    if not pins:
        pins.extend((day, wish) for wish in others for day in _days_of_stretch(wish, catalogue))
    if not pins:
        return ()
    newest = max(day for day, _ in pins)
    first = [(day, wish) for wish in others if (day := _first_day(wish, catalogue))]
    for day, wish in sorted(first, key=lambda pair: pair[0]):
        if newest + PIN_MARGIN < day <= newest + (_SOON_BY_BOUND if _has_lower_bound(wish) else SOON):
            pins.append((day, wish))
            newest = day
    return pins


def _days_of_pin(wish: Wish, name: str, catalogue: Catalogue) -> Iterator[dt.date]:
    """Yield the one day that tells the time of a pin, if the index knows it."""
    releases = catalogue.releases(name)
    meant = [place for place, text in enumerate(releases.texts) if wish.range.contains(text)]
    days = [day for place in meant if (day := _published(releases[place], releases)) is not None]
    if days:
        yield max(day for day in days if day <= min(days) + SERIES_LASTS)


def _days_of_stretch(wish: Wish, catalogue: Catalogue) -> Iterator[dt.date]:
    """Yield the day of the last release between two bounds, if these are close and keep out later ones."""
    if wish.requirement is None or not _names_stretch(wish.requirement.specifier):
        return
    releases = catalogue.releases(wish.requirement.name)
    days = [day for text, day in zip(releases.texts, releases.days, strict=True) if wish.range.contains(text)]
    if days and all(days) and max(days) < max(releases.days):
        first, last = dt.date.fromisoformat(min(days)), dt.date.fromisoformat(max(days))
        if last <= first + SERIES_LASTS:
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
