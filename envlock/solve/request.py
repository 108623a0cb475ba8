"""What a solve is asked: a group's wishes against one target, with the policy that applies."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet

from envlock.model.catalogue import Catalogue, Release
from envlock.model.errors import RequestError
from envlock.model.knowledge import Knowledge
from envlock.model.manifest import Wish
from envlock.model.target import Interpreter, Target

PIN_MARGIN = dt.timedelta(days=30)
"""How long after the newest pinned release ``as-of = "auto"`` still looks.

With thirty days, pins of 2019 to 2024 that were locked with a cut-off by hand gave 13 working environments of
20; without a cut-off they gave two.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """One question to the solver.

    Attributes:
        wishes: what the group wants.
        target: where the environment will run.
        interpreter: its Python.
        as_of: only releases published up to the end of this day are candidates, except exactly pinned ones
            and those that carry a system component; ``None`` for no cut-off.
        preferred: identifier -> version to keep where nothing speaks against it.
        held: identifier -> the only version allowed, if it is there at all.
        waived: facts that do not count.
        building: for the build environment of a distribution, what is being built, outermost first.
    """

    wishes: tuple[Wish, ...]
    target: Target
    interpreter: Interpreter
    as_of: dt.date | None = None
    preferred: Mapping[str, str] = field(default_factory=dict)
    held: Mapping[str, str] = field(default_factory=dict)
    waived: frozenset[str] = frozenset()
    building: tuple[str, ...] = ()


def exact_version(specifiers: SpecifierSet) -> str:
    """The one version that a specifier set pins (``==1.4.0``), or nothing."""
    for specifier in specifiers:
        if specifier.operator in {"==", "==="} and not specifier.version.endswith(".*"):
            return specifier.version
    return ""


def applies(requirement: Requirement, interpreter: Interpreter, extra: str = "") -> bool:
    """Whether a requirement's marker holds for the target's interpreter."""
    return requirement.marker is None or requirement.marker.evaluate({**interpreter.markers, "extra": extra})


def era_of_pins(wishes: tuple[Wish, ...], knowledge: Knowledge, catalogue: Catalogue) -> dt.date | None:
    """The cut-off that ``as-of = "auto"`` means: the newest pinned release's first upload plus a margin.

    Distributions that carry a system component do not count: an MPI of today may serve a stack of yesterday.
    """
    carriers = {provider.distribution for provider in knowledge.providers}
    days: list[dt.date] = []
    for wish in wishes:
        pinned = exact_version(wish.requirement.specifier) if wish.requirement else ""
        if wish.requirement is None or not pinned or wish.component in carriers:
            continue
        releases = catalogue.releases(wish.requirement.name)
        pins = [
            release
            for release in releases
            if wish.requirement.specifier.contains(release.version, prereleases=True)
        ]
        days += [day for pin in pins if (day := _published(pin, releases)) is not None]
    return max(days) + PIN_MARGIN if days else None


def _published(pin: Release, releases: Sequence[Release]) -> dt.date | None:
    """The day of a release's first file, or of an older day of a later version of its series.

    Files are taken away and others uploaded years later (jaxlib 0.4.13: 2023 and 2025). Within a series, as
    0.4 is, versions follow one another in time; between series they need not, for old ones are still mended.
    """
    times = [
        file.upload_time
        for release in releases
        for file in release.files
        if file.upload_time
        and (
            release is pin
            or (release.version.release[:2] == pin.version.release[:2] and release.version > pin.version)
        )
    ]
    has_date = any(file.upload_time for file in pin.files)
    return min(times).date() if times and has_date else None


def refuse_direct_urls(wishes: tuple[Wish, ...]) -> None:
    """Refuse ``name @ url`` requirements, which no index can answer.

    Raises:
        RequestError: one wish is a direct reference.
    """
    for wish in wishes:
        if wish.requirement is not None and wish.requirement.url:
            raise RequestError(
                "direct-reference",
                f"{wish.text!r} is a direct reference",
                where=f"group {wish.group!r}",
                hint="put the file into a folder of pip's find-links and require it by name and version",
            )
