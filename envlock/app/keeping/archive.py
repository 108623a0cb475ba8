"""Making an archive of a frozen group: all that its environment takes, and what describes it."""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Protocol
from uuid import NAMESPACE_URL, uuid5

from envlock import __version__
from envlock.app.making.create import wheel_maker
from envlock.app.making.keys import environment_key
from envlock.app.making.wheels import FileSource, Made, WheelMaker
from envlock.app.manifest_file import MANIFEST
from envlock.app.project import Project, need_open_store
from envlock.app.verifying.evidence import report_path
from envlock.edges.archive_files import examine_archive, made_aside, put_in_place, refuse_compressed
from envlock.edges.bags import BagWriter
from envlock.edges.claims import claim
from envlock.edges.digests import file_sha256
from envlock.edges.disk_usage import usage
from envlock.edges.files import read_bytes, straight
from envlock.edges.host.interpreter_origin import origin_of
from envlock.edges.knowledge_files import Document, collect
from envlock.edges.lock_files import LockFile
from envlock.edges.manifest_excerpt import excerpt
from envlock.lifecycle.publishing.archive_readme import readme
from envlock.lifecycle.publishing.citation import Cited, citation_file
from envlock.lifecycle.publishing.requirements import requirements_text
from envlock.lifecycle.publishing.ro_crate import CRATE, CrateFile, ro_crate
from envlock.lifecycle.publishing.sbom import sbom
from envlock.model.errors import RequestError
from envlock.model.frozen import dataclass
from envlock.model.locked.archive import RECORD, ArchiveRecord, encode_record
from envlock.model.locked.pins import DistributionPin
from envlock.model.progress import Progress
from envlock.model.project.group import Freeze
from envlock.model.project.target import Target, encode_target
from envlock.model.published.catalogue import DistFile
from envlock.model.published.file_summary import FileSummary

_ABOUT = {
    "wheels": "what the environment installs",
    "sdists": "the source of what was built",
    "build": "what its build needed",
}


class ArchiveSource(FileSource, Protocol):
    """Where files come from, and what is known of them."""

    def summaries(self, files: Iterable[DistFile]) -> list[FileSummary | None]:
        """Return what each file weighs, and its licence."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Archived:
    """An archive that holds a lock whole.

    Attributes:
        path: the folder or the tar file.
        made: whether it was made now; else an existing one was read through and left as it is.
        files: how many wheels and sdists it has.
        size: its size in bytes.
    """

    path: Path
    made: bool
    files: int
    size: int


def make_archive(
    project: Project, file: LockFile, frozen: Freeze, path: Path, source: ArchiveSource, progress: Progress
) -> Archived:
    """Make an archive of a lock aside and put it in place in one step.

    The lock's environment stays in the store as long as the archive is there. An existing archive of the same
    lock is read through, and made again if it is damaged.

    Raises:
        RequestError: ``archive-compressed``: it has the name of such a file; ``archive-exists``: something
            else is there; or the interpreter is gone.
        SurroundingsError: ``store-closed``: the store cannot note that the archive needs its
            environment; or a download, a build or the disk failed; what was at the place stays as it was.
    """
    need_open_store(project)
    refuse_compressed(path)
    path = straight(path).absolute()
    with claim(project.store.root / "locks" / f"archive-{uuid5(NAMESPACE_URL, path.as_uri())}", path):
        with made_aside(path) as aside:
            if (kept := _kept(file, path, progress)) is not None:
                project.store.keep(environment_key(file, project.folder), path)
                return kept
            target = project.target()
            maker = wheel_maker(project, file.lock, target, source, progress)
            parts = tuple(_parts(maker))
            with progress.task("writing the archive", total=len(parts)) as task:
                bag = BagWriter(aside)
                for part in parts:
                    task.note(part.path.name)
                    bag.copy(part.path, part.name, part.sha256)
                    task.advance()
                _describe(bag, project, file, frozen, target, maker, parts, source)
            put_in_place(aside, path)
        project.store.keep(environment_key(file, project.folder), path)
    return Archived(path=path, made=True, files=len(parts), size=_size(path))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Part:
    """A wheel or sdist: where it lies now, and where in the payload; ``key`` is that of its build."""

    path: Path
    name: str
    sha256: str
    component: str
    key: str = ""


def _kept(file: LockFile, path: Path, progress: Progress) -> Archived | None:
    """Return the existing archive if it is whole and of this lock; ``None`` where one must be made."""
    if not path.exists():
        return None
    with progress.task("reading the archive that is there"):
        try:
            record, _ = examine_archive(path, path.parent)
        except RequestError as error:
            if error.code == "archive-damaged":
                return None
            raise _occupied(path, str(error)) from error
    if record is None:
        return None
    if record.lock_sha256 != file.sha256:
        raise _occupied(path, f"it is an archive of {record.group!r}, lock sha256 {record.lock_sha256}")
    return Archived(path=path, made=False, files=len(record.files), size=_size(path))


def _size(path: Path) -> int:
    return usage(path).size if path.is_dir() else path.stat().st_size


def _occupied(path: Path, why: str) -> RequestError:
    return RequestError(
        "archive-exists",
        "there is something else at the archive's place",
        where=str(path),
        why=why,
        hint="name another place with --archive; nothing was written",
    )


def _parts(maker: WheelMaker) -> Iterator[_Part]:
    """Yield every wheel and sdist of a lock and of its builds, each once."""
    made = maker.make(maker.lock.distributions)
    seen: set[str] = set()
    for pin in maker.lock.distributions:
        part = _wheel(pin, made, "wheels")
        seen.add(part.sha256)
        yield part
    for part in _of_builds(maker, maker.lock.distributions, made):
        if part.sha256 not in seen:
            seen.add(part.sha256)
            yield part


def _of_builds(
    maker: WheelMaker, pins: Iterable[DistributionPin], made: Mapping[str, Made]
) -> Iterator[_Part]:
    for pin in pins:
        if pin.build is None:
            continue
        path = maker.source.local_file(pin.file)
        yield _Part(
            path=path, name=f"sdists/{pin.file.filename}", sha256=pin.file.sha256, component=pin.component
        )
        tools = maker.make(pin.build.requires)
        for tool in pin.build.requires:
            yield _wheel(tool, tools, f"build/{made[pin.component].key}")
        yield from _of_builds(maker, pin.build.requires, tools)


def _wheel(pin: DistributionPin, made: Mapping[str, Made], folder: str) -> _Part:
    one = made[pin.component]
    built = pin.build is not None
    return _Part(
        path=one.wheel,
        name=f"{folder}/{one.wheel.name}",
        sha256=file_sha256(one.wheel) if built else pin.file.sha256,
        component=pin.component,
        key=one.key if built else "",
    )


def _describe(
    bag: BagWriter,
    project: Project,
    file: LockFile,
    frozen: Freeze,
    target: Target,
    maker: WheelMaker,
    parts: tuple[_Part, ...],
    source: ArchiveSource,
) -> None:
    """Write everything in an archive besides wheels and sdists."""
    lock, now = file.lock, dt.datetime.now(dt.UTC).replace(microsecond=0)
    built = {part.component: part.sha256 for part in parts if part.key and part.name.startswith("wheels/")}
    record = ArchiveRecord(
        group=lock.group,
        target=lock.target,
        created=now,
        envlock=__version__,
        lock=file.path.name,
        lock_sha256=file.sha256,
        frozen=frozen,
        python=origin_of(maker.interpreter),
        files={part.sha256: part.name for part in parts},
        built={part.key: part.sha256 for part in parts if part.key},
    )
    licences = licences_of(lock.distributions, source)
    cited = Cited(
        lock=lock,
        lock_sha256=file.sha256,
        day=now.date(),
        reason=frozen.reason,
        maker=f"envlock {__version__}",
    )
    bag.write(file.path.name, read_bytes(file.path))
    if (evidence := report_path(file.path)).is_file():
        bag.write(evidence.name, read_bytes(evidence))
    bag.write(MANIFEST, excerpt(Path(project.manifest.file), lock.group, lock.target, frozen))
    bag.write("target.json", json.dumps(encode_target(target), indent=1, sort_keys=True) + "\n")
    for document, number in _numbered(collect(None, project.options.overlays)):
        bag.write(f"knowledge/{number}/{document.name}", document.content)
    bag.write("requirements.txt", requirements_text(lock, built))
    serial = str(uuid5(NAMESPACE_URL, f"sha256:{file.sha256}"))
    bag.write("sbom.cdx.json", sbom(lock, project.knowledge, licences, serial=serial, made=now, wheels=built))
    bag.write("CITATION.cff", citation_file(cited))
    bag.write("README.txt", readme(record, lock, cited))
    bag.write(RECORD, json.dumps(encode_record(record), indent=1) + "\n")
    bag.write(CRATE, ro_crate(cited, _crate_files(bag), licences))
    bag.finish(
        {
            "External-Description": cited.title,
            "External-Identifier": f"sha256:{file.sha256}",
            "Bagging-Date": now.date().isoformat(),
            "Bag-Software-Agent": cited.maker,
        }
    )


def _numbered(documents: Iterable[Document]) -> Iterator[tuple[Document, int]]:
    """Yield documents with the number of their knowledge base: 0 for the shipped one, then the overlays."""
    roots: dict[str, int] = {}
    for document in documents:
        root = document.file.removesuffix(document.name)
        yield document, roots.setdefault(root, len(roots))


def licences_of(pins: Iterable[DistributionPin], source: ArchiveSource) -> dict[str, str]:
    """Map each component to its licence, where its metadata tells one and can be had."""
    listed = list(pins)
    found = zip(listed, source.summaries(pin.file for pin in listed), strict=True)
    return {
        pin.component: summary.licence for pin, summary in found if summary is not None and summary.licence
    }


def _crate_files(bag: BagWriter) -> tuple[CrateFile, ...]:
    return tuple(
        CrateFile(path=name, sha256=digest, size=size, about=_ABOUT.get(name.partition("/")[0], ""))
        for name, (digest, size) in sorted(bag.payload.items())
    )
