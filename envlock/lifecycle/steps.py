"""How one component moves from one lock to another: what it was, what it is, how far apart they are."""

from __future__ import annotations

from enum import StrEnum

from packaging.version import InvalidVersion, Version

from envlock.model.component import PYTHON, Via, parse_version
from envlock.model.frozen import dataclass
from envlock.model.locked.pins import Origin

_FIRST_YEAR = 1990


class StepKind(StrEnum):
    """The largest part of a version that a step changes.

    ``CALENDAR`` is a step between versions that begin with different years (``2019.7`` -> ``2021.1``): a date
    says nothing about compatibility. ``BUILD`` is another build of the same release: another local label,
    build or post-release number, file or installation. ``OTHER`` is a step between words: they have no order.
    """

    MAJOR = "major"
    MINOR = "minor"
    PATCH = "patch"
    BUILD = "build"
    CALENDAR = "calendar"
    DOWNGRADE = "downgrade"
    OTHER = "other"


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """A step between two versions.

    Attributes:
        kind: the largest part that changes, or ``DOWNGRADE``.
        may_break: whether the version numbers alone announce that code may break: a major step, a minor one
            below 1.0 (semver.org, clause 4), or one of those backwards.
    """

    kind: StepKind
    may_break: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """One component as a lock has it.

    Attributes:
        component: its identifier.
        version: its version or word.
        how: the kind of a distribution's file (wheel or build), or a system component's origin; ``None`` for
            the interpreter.
        place: the file's name, the modules to load, or the prefix; empty if there is none.
        digest: the hash of a distribution's file; empty for others.
    """

    component: str
    version: str
    how: Via | Origin | None = None
    place: str = ""
    digest: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Move:
    """A component that differs between two locks; ``old`` may be another flavour of the same distribution."""

    old: Part
    new: Part
    step: Step


def move(old: Part, new: Part) -> Move:
    """Return the move between two parts that differ."""
    # Python itself removes things in minor releases, after two of them with a warning (PEP 387).
    step = step_between(old.version, new.version, minor_may_break=new.component == PYTHON)
    return Move(old=old, new=new, step=step)


def step_between(old: str, new: str, *, minor_may_break: bool) -> Step:
    """Return the step from one version to another; epochs count before everything else (PEP 440).

    Args:
        old: the version before.
        new: the version after.
        minor_may_break: whether minor steps may break code even at 1.0 and above.
    """
    try:
        before, after = parse_version(old), parse_version(new)
    except InvalidVersion:
        return Step(kind=StepKind.BUILD if old == new else StepKind.OTHER, may_break=False)
    low, high = sorted((before, after))
    kind = _upwards(low, high)
    may_break = kind is StepKind.MAJOR or (kind is StepKind.MINOR and (minor_may_break or low.major == 0))
    if after < before and kind is not StepKind.BUILD:
        kind = StepKind.DOWNGRADE
    return Step(kind=kind, may_break=may_break)


def _upwards(low: Version, high: Version) -> StepKind:
    if low.epoch != high.epoch:
        return StepKind.MAJOR
    if low.major != high.major:
        return StepKind.CALENDAR if low.major >= _FIRST_YEAR else StepKind.MAJOR
    if low.minor != high.minor:
        return StepKind.MINOR
    return StepKind.BUILD if _software(low) == _software(high) else StepKind.PATCH


def _software(version: Version) -> Version:
    """The version of the software itself: a post-release only corrects its packaging (PEP 440)."""
    return version.__replace__(post=None, local=None)
