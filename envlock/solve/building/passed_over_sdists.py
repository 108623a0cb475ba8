"""Sdists that state no dependencies and were passed over for something worse: their build backends run, too.

That is older sources from before the interpreter, which these cannot know, or a release from after the time
of the group's pins, which was seldom tried with them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace

from packaging.utils import canonicalize_name
from packaging.version import Version

from envlock.model.knowing.knowledge import Knowledge
from envlock.model.locked.pins import Resolution, Solved
from envlock.model.published.catalogue import Catalogue, DistFile
from envlock.solve.building.backend_metadata import ROUNDS, RecordingCatalogue, ask_backend, version_of
from envlock.solve.offers.shared import Unstated
from envlock.solve.request import Request


def of_their_time(request: Request, met: Iterable[Unstated]) -> Request:
    """Return the request without what was reopened because those files of its time were passed over."""
    passed = {canonicalize_name(sdist.distribution) for sdist in met if not _is_late(sdist.file, request)}
    return replace(request, reopened=request.reopened - passed) if passed & request.reopened else request


def with_newer_sources(
    solved: Solved,
    met: Iterable[Unstated],
    request: Request,
    knowledge: Knowledge,
    catalogue: Catalogue,
    answer: Callable[[RecordingCatalogue], object],
    resolve_build: Callable[[Request], Resolution],
) -> Solved:
    """Replace sources older than the interpreter, and what is of a later time, by what was passed over.

    Args:
        solved: the answer found without asking any backend.
        met: the files that do not state their dependencies, whenever they were met.
        request: what it answers.
        knowledge: the knowledge base.
        catalogue: what the indexes offer.
        answer: solves the request over a catalogue, afresh.
        resolve_build: solves the environment of a build.
    """
    wanted = _passed_by(solved, met, request, knowledge)
    recording = RecordingCatalogue(catalogue, {})
    for sdist in wanted[:ROUNDS]:
        ask_backend(sdist, request, knowledge, recording, resolve_build)
    again = answer(recording) if recording.built else solved
    return again if isinstance(again, Solved) else solved


def _passed_by(
    solved: Solved, met: Iterable[Unstated], request: Request, knowledge: Knowledge
) -> list[Unstated]:
    """Return the newest files of distributions whose chosen sources are older and predate the interpreter.

    And those of the group's time, of distributions that it has a later release of only for want of these.
    """
    old = _older_than_the_interpreter(solved, request, knowledge)
    late = {canonicalize_name(pin.name) for pin in solved.distributions if _is_late(pin.file, request)}
    newest: dict[str, tuple[Version, Unstated]] = {}
    for sdist in met:
        name, version = canonicalize_name(sdist.distribution), version_of(sdist.file)
        if version is None or _is_late(sdist.file, request):
            continue
        if name in late or (name in old and version > old[name]):
            newest[name] = max(
                newest.get(name, (version, sdist)), (version, sdist), key=lambda found: found[0]
            )
    return [sdist for _, sdist in newest.values()]


def _older_than_the_interpreter(solved: Solved, request: Request, knowledge: Knowledge) -> dict[str, Version]:
    """Return the versions of chosen sources that were published before the interpreter, by name."""
    released = knowledge.interpreters.get("{}.{}".format(*request.interpreter.release[:2]))
    return {
        canonicalize_name(pin.name): Version(pin.version)
        for pin in solved.distributions
        if released is not None
        and not pin.file.is_wheel
        and pin.file.upload_time is not None
        and pin.file.upload_time.date() < released
    }


def _is_late(file: DistFile, request: Request) -> bool:
    """Whether a file was published after the time of the group's pins."""
    if request.as_of is None or not request.era_of_pins or file.upload_time is None:
        return False
    return file.upload_time.date() > request.as_of
