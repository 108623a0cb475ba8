"""Which file of a release a target can use, and releases in the order in which they should be tried."""

from __future__ import annotations

import datetime as dt
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from packaging.specifiers import SpecifierSet

from envlock.judging.tags import SupportedTags
from envlock.model.component import Range, Via, parse_version
from envlock.model.cpython import requires_python_admits
from envlock.model.frozen import dataclass
from envlock.model.gpu import NodeGpu
from envlock.model.knowing.knowledge import Knowledge
from envlock.model.published.catalogue import DistFile, Fits, Release, Releases
from envlock.solve.offers.gpu_choice import suits, why_unsuited
from envlock.solve.offers.sdist_only import SdistOnly
from envlock.solve.offers.tiers import tiers
from envlock.solve.requirements import Candidate, Level, Requirement

PUBLISHED_AFTER = "published after"
"""How a message says that a release came after the cut-off."""
_NO_SDIST = "no sdist, and your no-binary allows no wheel"
_NO_WHEEL = "and your only-binary allows no build"


def published_after(release: Release, day: dt.date) -> bool:
    """Whether the first file of a release came later than a day."""
    return release.since is not None and release.since > day


def later_last(releases: Releases, day: dt.date) -> Releases:
    """Return releases with those from after a day moved to the end, oldest first.

    Where an index tells days, what another place lists without one counts as later (a folder of wheels,
    where somebody keeps the build of last month).
    """
    has_days = any(releases.days)
    later = [
        release
        for release in releases[::-1]
        if published_after(release, day) or (has_days and release.since is None)
    ]
    return Releases.of((*(release for release in releases if release not in later), *later))


def withdrawn(release: Release) -> bool:
    """Whether all files of a release were withdrawn (PEP 592)."""
    return all(file.yanked is not None for file in release.files)


def has_wheel(release: Release, fit: Fits, python: str) -> bool:
    """Whether a release has a wheel with tags that fit, for an interpreter of that version."""
    return any(
        file.is_wheel and fit(file.tags) and requires_python_admits(file.requires_python, python)
        for file in release.files_for(fit)
    )


def is_for(release: Release, fit: Fits, python: str) -> bool:
    """Whether a release has sources, or a wheel with tags that fit, for an interpreter of that version."""
    return any(
        (not file.is_wheel or fit(file.tags)) and requires_python_admits(file.requires_python, python)
        for file in release.files_for(fit)
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection:
    """What a request admits of one distribution.

    Attributes:
        name: the distribution, as an identifier.
        pinned: the versions that the request names exactly, which neither date nor withdrawal keeps out.
        withdrawn: whether releases that were withdrawn count.
        as_of: the last day of publication that counts; ``None`` for no cut-off.
        time: the day after which releases come last, where they count at all; ``None`` for no such day.
        python: version of the interpreter.
        place: the interpreter's ABI and the machine, for messages.
        supported: the tags of wheels that can be used.
        gpus: the GPUs' generations; none for a target without GPUs.
        form: the one form in which it may come; ``None`` for any.
    """

    name: str
    pinned: SpecifierSet | None
    withdrawn: bool = False
    as_of: dt.date | None
    time: dt.date | None = None
    python: str
    place: str
    supported: SupportedTags
    gpus: tuple[NodeGpu, ...]
    form: Via | None = None


class Ranked:
    """The usable candidates of one distribution, best first; releases are examined lazily.

    Builds that suit the GPUs come first, then wheels before sdists, then the newest. Where a project has
    published only sources for years, they come before its last wheel.
    """

    def __init__(self, selection: Selection, releases: Releases, knowledge: Knowledge) -> None:
        self._selection = selection
        self._knowledge = knowledge
        self._left_out: dict[str, Mapping[str, str]] = {}
        self._candidates: dict[str, Candidate | None] = {}
        self._sdist_only = SdistOnly(selection.as_of)
        self._passed: dict[tuple[Releases, frozenset[tuple[str, bool]]], int] = {}
        self._tiers = tiers(releases, selection.gpus, selection.time)
        self._timely = self._tiers if selection.as_of is None else tuple(map(self._in_time, self._tiers))

    def answering(self, requirements: Collection[Requirement]) -> Iterator[Candidate]:
        """Yield candidates that satisfy every requirement."""
        by_version = [
            (requirement.range, requirement.level is Level.MUST_NOT)
            for requirement in requirements
            if requirement.via is None
        ]
        by_way = [requirement for requirement in requirements if requirement.via is not None]
        for tier in self._timely:
            builds: list[tuple[Release, Candidate]] = []
            for release in self._within(tier, by_version):
                if self._too_new(release):
                    continue
                candidate = self._candidate(release)
                if candidate is None or not candidate.satisfies(by_way):
                    continue
                if candidate.via is Via.BUILD:
                    builds.append((release, candidate))
                    continue
                before = [build for build in builds if self._sdist_only.for_years(release, build[0])]
                yield from (build for _, build in before)
                builds = [build for build in builds if build not in before]
                yield candidate
            yield from (build for _, build in builds)

    def left_out(self, ranges: Collection[Range]) -> Mapping[str, Mapping[str, str]]:
        """Return why releases in all ranges, or their files, are no candidates: reason -> version -> details.

        Where the ranges have no release in common, those of each range without any candidate count.
        """
        releases = [release for tier in self._tiers for release in tier]
        meant = [
            release for release in releases if all(versions.contains(release.text) for versions in ranges)
        ]
        if not meant:
            within = [
                [release for release in releases if versions.contains(release.text)] for versions in ranges
            ]
            empty = [some for some in within if not any(map(self._candidate, some))]
            meant = list({release.text: release for some in empty for release in some}.values())
        found: dict[str, dict[str, str]] = defaultdict(dict)
        for release in meant:
            for why, more in self._reasons(release).items():
                found[why][release.text] = more
        return found

    def versions(self) -> tuple[str, ...]:
        """Return every version that was published, usable or not, oldest first."""
        releases = sorted(
            (release for tier in self._tiers for release in tier), key=lambda release: release.version
        )
        return tuple(release.text for release in releases)

    def _within(self, tier: Releases, ranges: Collection[tuple[Range, bool]]) -> Iterator[Release]:
        """Yield releases in all ranges, remembering where they begin: they are asked for again and again."""
        key = tier, frozenset((versions.text, excluded) for versions, excluded in ranges)
        for place in range(self._passed.get(key, 0), len(tier)):
            if not _outside(tier.texts[place], ranges):
                self._passed.setdefault(key, place)
                yield tier[place]
        self._passed.setdefault(key, len(tier))

    def _in_time(self, tier: Releases) -> Releases:
        """Return a tier without its first releases that are too new, as most are that an old pin meets."""
        last = str(self._selection.as_of)
        for place, day in enumerate(tier.days):
            if "" < day <= last or self._exact(tier.texts[place]):
                return tier[place:]
        return tier[len(tier) :]

    def _exact(self, version: str) -> bool:
        pinned = self._selection.pinned
        return pinned is not None and pinned.contains(parse_version(version), prereleases=True)

    def _too_new(self, release: Release) -> bool:
        """Whether the date alone keeps all files out, so that none need be decoded."""
        as_of = self._selection.as_of
        if as_of is None or (release.since is not None and release.since <= as_of):
            return False
        return not self._exact(release.text)

    def _candidate(self, release: Release) -> Candidate | None:
        version = release.text
        if version not in self._candidates:
            fitting = release.files_for(self._selection.supported.fit)
            self._candidates[version] = self._look_at(release, fitting, None)
        return self._candidates[version]

    def _reasons(self, release: Release) -> Mapping[str, str]:
        if release.text not in self._left_out:
            left_out: dict[str, str] = {}
            self._look_at(release, release.files, left_out)
            self._left_out[release.text] = left_out
        return self._left_out[release.text]

    def _look_at(
        self, release: Release, files: Sequence[DistFile], left_out: dict[str, str] | None
    ) -> Candidate | None:
        """Return the candidate that files of a release make; add to ``left_out`` why others make none."""
        exact, name = self._exact(release.text), self._selection.name
        published = [file for file in files if self._published(file, left_out, exact=exact)]
        file = self._best_file(published, left_out)
        if file is None:
            return None
        if file.is_wheel and not self._suits_gpus(release.text, left_out, exact=exact):
            return None
        via = Via.WHEEL if file.is_wheel else Via.BUILD
        return Candidate(
            identifier=name, versions=(release.text,), via=via, file=file, parsed=release.version
        )

    def _suits_gpus(self, version: str, left_out: dict[str, str] | None, *, exact: bool) -> bool:
        """Whether what is known of the published build suggests that it runs on all GPUs of the nodes."""
        gpus, machine = self._selection.gpus, self._selection.supported.machine
        bundle = self._knowledge.bundle(self._selection.name, version, machine) if gpus else None
        if bundle is None or suits(gpus, bundle, version, self._knowledge, pinned=exact):
            return True
        if left_out is not None:
            why, more = why_unsuited(gpus, bundle, version, self._knowledge)
            left_out[why] = more
        return False

    def _published(self, file: DistFile, left_out: dict[str, str] | None, *, exact: bool) -> bool:
        if file.yanked is not None and not exact and not self._selection.withdrawn:
            if left_out is not None:
                left_out["yanked"] = file.yanked
            return False
        if exact or self._of_the_time(file):
            return True
        if left_out is not None:
            as_of = self._selection.as_of
            left_out[f"{PUBLISHED_AFTER} {as_of}" if file.upload_time else "of unknown date"] = ""
        return False

    def _of_the_time(self, file: DistFile) -> bool:
        as_of = self._selection.as_of
        return as_of is None or (file.upload_time is not None and file.upload_time.date() <= as_of)

    def _best_file(self, files: list[DistFile], left_out: dict[str, str] | None) -> DistFile | None:
        """Return the wheel with the best tag, then highest build number, or the sdist; in the form allowed.

        Later wheels of an exact pin come after those of the time: what joined a release years later was
        compiled against what was new then.
        """
        selection = self._selection
        allowed = [file for file in files if requires_python_admits(file.requires_python, selection.python)]
        if files and not allowed and left_out is not None:
            asked = ", ".join(dict.fromkeys(file.requires_python for file in files))
            left_out[f"not for Python {selection.python}"] = f"it wants {asked}"
        best: tuple[tuple[bool, int, tuple[int, str] | tuple[()]], DistFile] | None = None
        for file in allowed:
            ranks = [rank for tag in file.tags if (rank := selection.supported.rank(tag)) is not None]
            order = (self._of_the_time(file), -min(ranks), file.build) if ranks else None
            if order is not None and (best is None or order > best[0]):
                best = order, file
        if best is not None and selection.form is not Via.BUILD:
            return best[1]
        sdist = next((file for file in allowed if not file.is_wheel), None)
        if sdist is not None and selection.form is not Via.WHEEL:
            return sdist
        if allowed and left_out is not None:
            missed = selection.supported.missed(tag for file in allowed for tag in file.tags)
            if best is not None:
                left_out[_NO_SDIST] = ""
            elif sdist is not None:
                left_out[f"no wheel for {selection.place}, {_NO_WHEEL}"] = missed
            else:
                left_out[f"no wheel for {selection.place} and no sdist"] = missed
        return None


def _outside(version: str, ranges: Iterable[tuple[Range, bool]]) -> bool:
    """Whether one of the ranges is not met; answers not yet known are computed last, as that takes long."""
    rest = []
    for versions, excluded in ranges:
        before = versions.answered.get(version)
        if before is None:
            rest.append((versions, excluded))
        elif before is excluded:
            return True
    for versions, excluded in rest:  # noqa: SIM110 - any() with a generator takes twice as long
        if versions.contains(version) is excluded:
            return True
    return False
