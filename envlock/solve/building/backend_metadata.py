"""Sdists that do not state their dependencies: their build backend runs where nothing else answers.

Asking it means running a stranger's code, so a solve first does without such files, whatever a cache may have
of them; only after a refusal are they asked, in the order of meeting, and no more than it takes.
Those that were passed over for something worse have a module of their own (``passed_over_sdists``).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import field, replace
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
from envlock.model.published.catalogue import NEEDS_BUILD, UNASKED, Catalogue, DistFile, Release, Releases
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
        failed: URL -> why the build backend said nothing.
    """

    catalogue: Catalogue
    met: dict[str, Unstated]
    built: dict[str, Metadata] = field(default_factory=dict)
    failed: dict[str, str] = field(default_factory=dict)

    @property
    def asked(self) -> dict[str, Unstated]:
        """URL -> a file whose build backend was asked."""
        return {url: self.met[url] for url in (*self.built, *self.failed)}

    @property
    def failures(self) -> tuple[str, ...]:
        """Why backends said nothing, once for all files with the same message."""
        return grouped_by_text((self.met[url].file.filename, why) for url, why in self.failed.items())

    def supposed(self, solved: Solved) -> Unstated | None:
        """Return the first file in an answer that does not state its dependencies."""
        files = (pin.file.url for pin in solved.distributions)
        return next((self.met[url] for url in files if url in self.met and url not in self.built), None)

    def may_be_asked(self, distribution: str, file: DistFile) -> bool:
        """Whether the build backend of a file is still worth running."""
        failures = sum(self.met[url].distribution == distribution for url in self.failed)
        asked = len(self.built) + len(self.failed)
        return file.url not in self.failed and failures < _ENOUGH and asked < ROUNDS

    def releases(self, distribution: str) -> Releases:
        """Do as the catalogue."""
        return self.catalogue.releases(distribution)

    def named(self, direct: Direct) -> Release:
        """Do as the catalogue."""
        return self.catalogue.named(direct)

    def metadata(self, distribution: str, file: DistFile) -> Metadata:
        """Return the catalogue's metadata, or what the build backend said.

        Raises:
            SurroundingsError: it cannot be had; ``metadata-needs-build`` where the backend may be asked, and
                ``metadata-unasked`` where it may not.
        """
        if file.url in self.built:
            return self.built[file.url]
        try:
            return self.catalogue.metadata(distribution, file)
        except SurroundingsError as error:
            if error.code != NEEDS_BUILD:
                raise
            self.met.setdefault(file.url, Unstated(distribution, file))
            if self.may_be_asked(distribution, file):
                raise
            raise SurroundingsError(UNASKED, error.message, where=error.where, why=error.why) from error

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
        catalogue: the catalogue, with what backends said, and why others did not.
    """

    answer: T
    catalogue: RecordingCatalogue


def asked_backends(
    request: Request,
    knowledge: Knowledge,
    catalogue: Catalogue,
    answer: Callable[[Request, RecordingCatalogue], T],
    resolve_build: Callable[[Request], Resolution],
) -> Asked[T]:
    """Answer a request with what build backends say, as long as that may end the refusal.

    First the files are supposed to need nothing. No backend can say less: what is refused even so is refused
    whatever they say, and an answer shows which of them matter.

    Args:
        request: what nothing answered.
        knowledge: the knowledge base.
        catalogue: what the indexes offer.
        answer: solves a request over a catalogue, afresh.
        resolve_build: solves the environment of a build.
    """
    supposing = replace(request, supposing=True)
    recording = RecordingCatalogue(catalogue, {})
    while isinstance(last := answer(supposing, recording), Solved):
        if (sdist := recording.supposed(last)) is None:
            break
        ask_backend(sdist, request, knowledge, recording, resolve_build)
    return Asked(last, recording)


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
) -> None:
    """Ask one backend in an environment solved for it; the catalogue keeps what it says, or why not."""
    recording.met.setdefault(unstated.file.url, unstated)
    if why := _silence(unstated, request, knowledge, recording, resolve_build):
        name = unstated.file.filename
        recording.failed[unstated.file.url] = why if name in why else f"{name}: {why}"


def _silence(
    unstated: Unstated,
    request: Request,
    knowledge: Knowledge,
    recording: RecordingCatalogue,
    resolve_build: Callable[[Request], Resolution],
) -> str:
    """Ask one backend; return why that failed, or an empty string."""
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
