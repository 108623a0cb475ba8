"""Compare the files of an environment with the RECORDs of its distributions; nothing in it is run."""

from __future__ import annotations

import base64
import hashlib
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from io import BufferedReader, BytesIO
from pathlib import Path

from envlock.edges.environments.records import InstalledRecord, Recorded, installed_records, present_files
from envlock.edges.environments.virtual_environments import NewEnvironment, same_version
from envlock.edges.visible import is_file
from envlock.model.locked.integrity import Damage, Flaw, Inventory


def take_inventory(prefix: Path, made: NewEnvironment) -> Inventory:
    """Return what a newly made environment contains, according to its RECORDs.

    A moment ago everything was installed as it was published, so what differs from its RECORD was published
    so. Sizes are compared, and the hash of METADATA, which people edit in wheels; to hash all takes long.
    """
    owned: set[str] = set()
    digests, misrecorded = {}, {}
    for installed in made.records:
        digests[installed.name] = installed.sha256
        owned.update(file.path for file in installed.files)
        metadata = str(installed.path.with_name("METADATA"))
        for file in installed.files:
            found = _published_instead(file, hashed=file.path == metadata)
            if found is not None:
                misrecorded[file.path] = found
    if misrecorded:
        for path, others in _shared(made.records).items():
            if misrecorded.get(path) in others:
                del misrecorded[path]
    return Inventory(
        records=digests,
        unowned=_loose(prefix, made.files, owned),
        misrecorded={_relative(path, prefix): digest for path, digest in misrecorded.items()},
    )


def _published_instead(file: Recorded, *, hashed: bool) -> str | None:
    """Return the hash of what is there instead, empty for nothing; ``None`` if it is what is recorded."""
    try:
        size = os.stat(file.path).st_size  # noqa: PTH116 - paths are texts here
    except OSError:
        return ""
    differs = file.size.isdecimal() and int(file.size) != size
    if not differs and not (hashed and file.sha256):
        return None
    with open(file.path, "rb") as content:  # noqa: PTH123
        found = record_hash(content)
    return None if found == file.sha256.rstrip("=") else found


def examine(
    prefix: Path,
    expected: Mapping[str, str],
    inventory: Inventory,
    on_distribution: Callable[[str], None] = lambda _: None,
) -> tuple[Flaw, ...]:
    """Return how an environment's files differ from those that were installed.

    A file that several distributions install (``tests/__init__.py`` in many) is fine if it is that of one.

    Args:
        prefix: the environment.
        expected: canonical name -> version of the distributions that should be there.
        inventory: what it contained when it was made.
        on_distribution: called with each name before its files are read.
    """
    found = {installed.name: installed for installed in installed_records(prefix)}
    flaws = [
        Flaw(distribution=name, path="", damage=Damage.MISSING) for name in expected if name not in found
    ]
    owned: set[str] = set()
    shared = _shared(installed for name, installed in found.items() if name in expected)
    published = inventory.misrecorded

    def otherwise(path: str) -> tuple[str, ...]:
        owner = published.get(_relative(path, prefix))
        return (*shared.get(path, ()), *(() if owner is None else (owner,)))

    for name, installed in sorted(found.items()):
        on_distribution(name)
        owned.update(file.path for file in installed.files)
        if name not in expected or not same_version(installed.version, expected[name]):
            flaws.append(Flaw(distribution=name, path="", damage=Damage.FOREIGN))
            continue
        if inventory.records.get(name) != installed.sha256:
            path = _relative(str(installed.path), prefix)
            flaws.append(Flaw(distribution=name, path=path, damage=Damage.CHANGED))
        flaws += [
            Flaw(distribution=name, path=_relative(file.path, prefix), damage=damage)
            for file in installed.files
            if (damage := damage_of(file.path, file.sha256, otherwise(file.path))) is not None
            and not (damage is Damage.MISSING and published.get(_relative(file.path, prefix)) == "")
        ]
    if not is_file(prefix / "bin/python"):
        flaws.append(Flaw(distribution="", path="bin/python", damage=Damage.MISSING))
    foreign = _of_nobody(_loose(prefix, present_files(prefix), owned), inventory.unowned)
    return (*flaws, *foreign)


def _of_nobody(now: AbstractSet[str], before: AbstractSet[str]) -> Iterator[Flaw]:
    for path in sorted(now ^ before):
        yield Flaw(distribution="", path=path, damage=Damage.FOREIGN if path in now else Damage.MISSING)


def _loose(prefix: Path, present: AbstractSet[str], owned: AbstractSet[str]) -> frozenset[str]:
    """Return the files among the packages that no RECORD names, relative to the environment."""
    return frozenset(_relative(path, prefix) for path in present - owned)


def _shared(records: Iterable[InstalledRecord]) -> Mapping[str, tuple[str, ...]]:
    return shared_files([(file.path, file.sha256) for file in installed.files] for installed in records)


def shared_files(recorded: Iterable[Iterable[tuple[str, str]]]) -> Mapping[str, tuple[str, ...]]:
    """Map the files that several distributions record to their hashes there; the last installed one is there.

    Args:
        recorded: for each distribution, its files with their hashes.
    """
    first, shared = dict[str, str](), dict[str, tuple[str, ...]]()
    for files in recorded:
        for path, digest in files:
            if path in first:
                shared[path] = (*shared.get(path, (first[path],)), digest)
            first.setdefault(path, digest)
    return shared


def damage_of(path: str, wanted: str, instead: Iterable[str] = ()) -> Damage | None:
    """Return how a file differs from its hash in RECORD; without one, only whether the file is missing.

    Args:
        path: the file.
        wanted: the hash; empty for none.
        instead: hashes that would do as well; empty for any content.
    """
    fine = {digest.rstrip("=") for digest in (wanted, *instead)}
    try:
        with open(path, "rb") as content:  # noqa: PTH123 - paths are texts here
            return None if "" in fine or record_hash(content) in fine else Damage.CHANGED
    except OSError:
        return Damage.MISSING


def record_hash(content: BufferedReader | BytesIO) -> str:
    """Return a file's hash as a RECORD has it."""
    digest = hashlib.file_digest(content, "sha256").digest()
    return base64.urlsafe_b64encode(digest).rstrip(b"=").decode()


def _relative(path: str, prefix: Path) -> str:
    return path.removeprefix(f"{prefix}/")
