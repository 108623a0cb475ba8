"""Sdists that do not state their dependencies: their build backend runs where nothing else answers.

Asking it means running a stranger's code, so a solve first does without such files, whatever a cache may have
of them; only after a refusal are they asked, in the order of meeting, and no more than it takes.
Those that were passed over for something worse have a module of their own (``passed_over_sdists``).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import field
from typing import Generic, NamedTuple, TypeVar

from packaging.requirements import InvalidRequirement
from packaging.utils import InvalidSdistFilename, canonicalize_name, parse_sdist_filename
from packaging.version import Version

from envlock.model.errors import SurroundingsError
from envlock.model.frozen import dataclass
from envlock.model.knowing.knowledge import Knowledge
from envlock.model.locked.pins import Resolution, Solved
from envlock.model.project.group import Wish
from envlock.model.project.package_sources import Direct
from envlock.model.project.target import Interpreter
from envlock.model.published.catalogue import NEEDS_BUILD, Catalogue, DistFile, Release, Releases
from envlock.model.published.metadata import Metadata
from envlock.solve.building.build_plans import build_wish, policy_of_build
from envlock.solve.era import build_cut_off
from envlock.solve.offers.shared import Unstated
from envlock.solve.request import Request

T = TypeVar("T")

ROUNDS = 12
"""How many build backends run at most before a refusal stands."""

_ENOUGH = 4
"""After how many releases of one distribution that could not be built here no older ones are tried."""


@dataclass(slots=True)
class RecordingCatalogue:
    """A catalogue that notes which files do not state their dependencies, and keeps what backends have said.

    Attributes:
        catalogue: the catalogue behind it.
        met: URL -> such a file, in the order of meeting.
        built: URL -> what the build backend said.
    """

    catalogue: Catalogue
    met: dict[str, Unstated]
    built: dict[str, Metadata] = field(default_factory=dict)

    def releases(self, distribution: str) -> Releases:
        """Do as the catalogue."""
        return self.catalogue.releases(distribution)

    def named(self, direct: Direct) -> Release:
        """Do as the catalogue."""
        return self.catalogue.named(direct)

    def metadata(self, distribution: str, file: DistFile) -> Metadata:
        """Return the catalogue's metadata, or what the build backend said."""
        if file.url in self.built:
            return self.built[file.url]
        try:
            return self.catalogue.metadata(distribution, file)
        except SurroundingsError as error:
            if error.code == NEEDS_BUILD:
                self.met.setdefault(file.url, Unstated(distribution, file))
            raise

    def build_requires(self, file: DistFile) -> tuple[str, ...]:
        """Do as the catalogue."""
        return self.catalogue.build_requires(file)

    def build_metadata(
        self, distribution: str, file: DistFile, interpreter: Interpreter, wheels: Sequence[DistFile]
    ) -> Metadata:
        """Do as the catalogue, and take what the backend says for the file's metadata from now on."""
        metadata = self.catalogue.build_metadata(distribution, file, interpreter, wheels)
        self.built[file.url] = metadata
        return metadata

    def prefetch(self, distributions: Iterable[str]) -> None:
        """Do as the catalogue."""
        self.catalogue.prefetch(distributions)

    def prefetch_metadata(
        self, distribution: str, file: DistFile, then: Callable[[Metadata], None] | None = None
    ) -> None:
        """Do as the catalogue."""
        if file.url not in self.built:
            self.catalogue.prefetch_metadata(distribution, file, then)


class Asked(NamedTuple, Generic[T]):
    """What a request came to with what build backends say.

    Attributes:
        answer: the answer, or the refusal that is left.
        failures: why those backends that ran did not help.
        catalogue: the catalogue, with what the others said.
    """

    answer: T
    failures: tuple[str, ...]
    catalogue: RecordingCatalogue


def asked_backends(
    request: Request,
    knowledge: Knowledge,
    catalogue: Catalogue,
    answer: Callable[[RecordingCatalogue], T],
    rests_on: Callable[[T, RecordingCatalogue], Mapping[str, Unstated]],
    resolve_build: Callable[[Request], Resolution],
) -> Asked[T]:
    """Answer a request with what build backends say, as long as that may end the refusal.

    Args:
        request: what nothing answered.
        knowledge: the knowledge base.
        catalogue: what the indexes offer.
        answer: solves the request over a catalogue, afresh.
        rests_on: returns the files on which a refusal over a catalogue rests, by their URLs.
        resolve_build: solves the environment of a build.
    """
    recording = RecordingCatalogue(catalogue, {})
    failures: dict[str, str] = {}
    names: dict[str, str] = {}
    failed: Counter[str] = Counter()
    last = answer(recording)
    met = rests_on(last, recording)
    for _ in range(ROUNDS):
        if isinstance(last, Solved):
            break
        left = (sdist for url, sdist in met.items() if url not in {*recording.built, *failures})
        sdist = next((sdist for sdist in left if failed[sdist.distribution] < _ENOUGH), None)
        if sdist is None:
            break
        why = ask_backend(sdist, request, knowledge, recording, resolve_build)
        if not why:
            last = answer(recording)  # what tells nothing leads to the same refusal
            met = rests_on(last, recording)
            continue
        name = sdist.file.filename
        failed[sdist.distribution] += 1
        failures[sdist.file.url] = why if name in why else f"{name}: {why}"
        names[sdist.file.url] = name
    return Asked(last, grouped_by_text((names[url], text) for url, text in failures.items()), recording)


def with_pins_asked(
    met: Iterable[Unstated],
    request: Request,
    knowledge: Knowledge,
    catalogue: Catalogue,
    resolve_build: Callable[[Request], Resolution],
) -> RecordingCatalogue:
    """Return the catalogue with what the backends of those files say that the group itself pins.

    A refusal for something else never meets them; whoever looks for its end would change those pins, too.
    """
    recording = RecordingCatalogue(catalogue, {})
    pins = {wish.component: wish.range for wish in request.applying if wish.range.pinned}
    for sdist in met:
        version = version_of(sdist.file)
        wanted = pins.get(canonicalize_name(sdist.distribution))
        if version is not None and wanted is not None and wanted.contains(str(version)):
            ask_backend(sdist, request, knowledge, recording, resolve_build)
    return recording


def grouped_by_text(failures: Iterable[tuple[str, str]]) -> tuple[str, ...]:
    """Return messages with the names of their files, one for all files with the same message."""
    files: dict[tuple[str, str], list[str]] = {}
    for name, text in failures:
        before, _, after = text.partition(name)
        files.setdefault((before, after), []).append(name)
    return tuple(
        f"{before}{names[0]}{f' and {len(names) - 1} more' if names[1:] else ''}{after}"
        for (before, after), names in files.items()
    )


def version_of(file: DistFile) -> Version | None:
    """Return the version in an sdist's name, if it has one."""
    try:
        return parse_sdist_filename(file.filename)[1]
    except InvalidSdistFilename:
        return None


def ask_backend(
    unstated: Unstated,
    request: Request,
    knowledge: Knowledge,
    recording: RecordingCatalogue,
    resolve_build: Callable[[Request], Resolution],
) -> str:
    """Ask one backend in an environment solved for it; return why that failed, or an empty string."""
    by = f"the metadata of {unstated.file.filename}"
    try:
        wishes = tuple(build_wish(text, by, knowledge) for text in recording.build_requires(unstated.file))
        environment = resolve_build(_build_request(request, wishes, unstated))
        if not isinstance(environment, Solved):
            return "its build environment cannot be had"
        files = [pin.file for pin in environment.distributions]
        if not all(file.is_wheel for file in files):
            return "its build environment would have to be built in turn"
        recording.build_metadata(unstated.distribution, unstated.file, request.interpreter, files)
    except SurroundingsError as error:
        return f"{error.message}: {error.why}" if error.why else error.message
    except InvalidRequirement as error:
        return str(error).splitlines()[0]
    return ""


def _build_request(request: Request, wishes: tuple[Wish, ...], unstated: Unstated) -> Request:
    return Request(
        wishes=wishes,
        target=request.target,
        interpreter=request.interpreter,
        as_of=build_cut_off(request, unstated.file),
        era_of_pins=request.era_of_pins,
        waived=request.waived,
        policy=policy_of_build(request),
        building=(*request.building, unstated.distribution),
        direct=request.direct,
    )
