"""``diff``: what changes between two locks, wherever they are, and what it breaks in a program."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from envlock.analysis.program.reading import read_programs
from envlock.analysis.program.uses import Program, in_cells
from envlock.app.api_changes import MovedFiles, compare_apis
from envlock.app.named_locks import find_lock
from envlock.app.project import Project
from envlock.edges.cache import Cache
from envlock.edges.code_files import read_code
from envlock.edges.index.catalogue import IndexCatalogue
from envlock.judging.minimums import minimums
from envlock.lifecycle.code_breaks import CodeBreak, Moved, find_code_breaks
from envlock.lifecycle.diff import Diff, diff_locks
from envlock.lifecycle.gone_names import GoneName, gone_names
from envlock.lifecycle.minimum_changes import MinimumChange, minimum_changes, mpi_family
from envlock.lifecycle.weight import Licence, Summaries, Weight, licences, new_parts, old_parts, weigh
from envlock.model.counting import number_of
from envlock.model.frozen import dataclass
from envlock.model.locked.lock import Lock
from envlock.model.progress import Progress
from envlock.model.published.api import Api


@dataclass(frozen=True, slots=True, kw_only=True)
class FileChanges:
    """What the files of two locks tell.

    Attributes:
        weight: bytes of what differs.
        licences: licences of what differs.
        apis: component -> the comparison of its interfaces, for those whose version moved.
    """

    weight: Weight
    licences: tuple[Licence, ...]
    apis: dict[str, Api]


@dataclass(frozen=True, slots=True, kw_only=True)
class ProgramBreaks:
    """A program compared with what moved.

    Attributes:
        files: how many files were looked at.
        unread: files, or cells of them, that are not valid Python of today, with why.
        breaks: the uses that fail.
    """

    files: int
    unread: tuple[tuple[str, str], ...]
    breaks: tuple[CodeBreak, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Examined:
    """The difference of two locks with all that is known about it.

    Attributes:
        diff: what differs between the locks themselves.
        minimums: what the locks ask of the node, differences first.
        mpi: the MPI of each lock, with its version; empty for none.
        files: what their files tell; ``None`` where the files were not to be looked at.
        code: the program; ``None`` where none was given.
        asked: the old and the new lock as they were asked for.
    """

    diff: Diff
    minimums: tuple[MinimumChange, ...]
    mpi: tuple[str, str]
    files: FileChanges | None
    code: ProgramBreaks | None
    asked: tuple[str, str] = ("", "")


@dataclass(frozen=True, slots=True)
class FileAccess:
    """What reading the locks' files needs: the indexes that serve them, the cache, and a progress display."""

    catalogue: IndexCatalogue
    cache: Cache
    progress: Progress


def examine(
    old: str, new: str, project: Project, access: FileAccess | None, code: Sequence[Path] = ()
) -> Examined:
    """Compare two locks, and find what of a program the move breaks.

    Args:
        old: a lock as ``find_lock`` takes it.
        new: likewise.
        project: whose groups, target, knowledge and repository are meant.
        access: serves their files; with ``None`` only the locks are compared.
        code: files and folders of a program to look through.

    Raises:
        RequestError: one of the locks or files is missing or invalid.
    """
    before, after = find_lock(old, project), find_lock(new, project)
    programs, unread = _programs(code)
    difference = diff_locks(before, after, project.knowledge)
    knowledge = project.knowledge
    files = _file_changes(before, after, difference, access) if access is not None else None
    held = None
    if code:
        gone = gone_names(difference, {pin.component for pin in after.distributions}, knowledge)
        moved = _moved(difference, files.apis if files is not None else {}, gone)
        held = ProgramBreaks(
            files=len(
                {program.file for program in programs} | {name.partition(", cell ")[0] for name, _ in unread}
            ),
            unread=unread,
            breaks=find_code_breaks(programs, moved),
        )
    return Examined(
        diff=difference,
        minimums=minimum_changes(minimums(before, knowledge), minimums(after, knowledge)),
        mpi=(mpi_family(before, knowledge), mpi_family(after, knowledge)),
        files=files,
        code=held,
        asked=(old, new),
    )


def _programs(code: Sequence[Path]) -> tuple[list[Program], tuple[tuple[str, str], ...]]:
    files = {file.name: file for file in read_code(code)}
    unread = [part for file in files.values() for part in file.unread]
    whole = {name: file.text for name, file in files.items() if file.cells or not file.unread}
    reading = read_programs(whole)
    unread += [(name, str(error)) for name, error in reading.unread.items()]
    return [in_cells(program, files[name].cells) for name, program in reading.programs.items()], tuple(unread)


def _file_changes(old: Lock, new: Lock, difference: Diff, access: FileAccess) -> FileChanges:
    before = {pin.component: pin.file for pin in old.distributions}
    after = {pin.component: pin.file for pin in new.distributions}
    wanted = [
        *(before[part.component] for part in old_parts(difference)),
        *(after[part.component] for part in new_parts(difference)),
    ]
    with access.progress.task(f"weighing {number_of(len(wanted), 'file')}"):
        found = access.catalogue.summaries(wanted)
    pairs = zip(wanted, found, strict=True)
    summaries: Summaries = {file.sha256: summary for file, summary in pairs if summary is not None}
    moved = [
        MovedFiles(
            component=move.new.component, old=before[move.old.component], new=after[move.new.component]
        )
        for move in difference.distributions.moved
        if move.old.version != move.new.version
    ]
    apis = compare_apis(moved, summaries, access.catalogue, access.cache, access.progress)
    return FileChanges(
        weight=weigh(difference, summaries), licences=licences(difference, summaries), apis=dict(apis)
    )


def _moved(
    difference: Diff, apis: dict[str, Api], gone: Mapping[str, Mapping[str, GoneName]]
) -> Iterable[Moved]:
    """Yield what moved and is known to change interfaces, by the knowledge base or by its files."""
    renames = {
        broken.component: tuple(rename for rename in broken.renames if not broken.backwards)
        for broken in difference.breaks
    }
    for name in sorted(renames.keys() | apis.keys() | gone.keys()):
        yield Moved(
            component=name, api=apis.get(name), renames=renames.get(name, ()), gone=gone.get(name, {})
        )
