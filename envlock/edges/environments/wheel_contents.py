"""Compare the files that a wheel installs with those that were installed from it.

The reference is the wheel's own RECORD (Binary distribution format specification), not the one in the
environment, which the installer wrote.
"""

from __future__ import annotations

import csv
import io
import os
import re
import zipfile
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, NamedTuple, cast

from packaging.utils import canonicalize_name, parse_wheel_filename

from envlock.edges.archive_damage import damage_raised_as
from envlock.edges.environments.installed_files import damage_of, record_hash, shared_files
from envlock.edges.environments.records import BYTECODE, PACKAGES, installed_records
from envlock.model.errors import SurroundingsError
from envlock.model.locked.integrity import Damage, Flaw

if TYPE_CHECKING:
    from io import BufferedReader

_OF_THE_INSTALLER = frozenset({"INSTALLER", "REQUESTED", "RECORD", "direct_url.json", "uv_cache.json"})
_SHA256 = "sha256="
_RECORD = re.compile(r"[^/]+\.dist-info/RECORD")
_SCRIPT = b"#!python"
"""A script with this beginning gets the environment's own interpreter written into its first line."""
_LAUNCHER = re.compile(
    rb"#!(?:[^\n]*python[^\n]*|/bin/sh\n(?:#[^\n]*coding[^\n]*\n)?'''exec' [^\n]*\n' ''')\n"
)
"""What is written there: the interpreter, or, if its path is too long for a first line, a detour through a
shell, after any encoding declaration, which has to be on one of the first two lines."""


class _Content(NamedTuple):
    """What a file should contain: its hash as in RECORD, empty for none, or a script without its launcher.

    ``member`` is its name in the wheel.
    """

    member: str
    sha256: str = ""
    script: bytes | None = None


def compare_with_wheels(prefix: Path, wheels: Iterable[Path]) -> tuple[int, tuple[Flaw, ...]]:
    """Return how many installed files were compared with wheels, and those missing, changed or foreign.

    Entry points' generated launchers and the files that installers add to the metadata are in no wheel: they
    do not count as foreign, as others do, but must be there. Scripts are compared without their first line.
    A file that several wheels contain is fine if it is that of one.
    Bytecode, which some wheels contain (NumPy 2.3.0's does), is left out: the interpreter has made its own.

    Raises:
        SurroundingsError: ``wheel-unreadable``.
    """
    packages = next(iter(prefix.glob(PACKAGES)))
    installed = {
        record.name: {str(record.path), *(file.path for file in record.files)}
        for record in installed_records(prefix)
    }
    count, flaws = 0, list[Flaw]()
    by_name = {canonicalize_name(parse_wheel_filename(wheel.name)[0]): wheel for wheel in wheels}
    contents = {name: dict(_expected(wheel, prefix, packages)) for name, wheel in by_name.items()}
    shared = shared_files(
        [(path, content.sha256) for path, content in expected.items()] for expected in contents.values()
    )
    for name, expected in contents.items():
        count += len(expected)
        found = {path: _damage(path, content, shared.get(path, ())) for path, content in expected.items()}
        others = sorted(installed.get(name, set()) - expected.keys())
        for path in others:
            there = os.path.lexists(path)
            if there != _of_the_installer(path, prefix):
                found[path] = Damage.FOREIGN if there else Damage.MISSING
        flaws += [
            Flaw(distribution=name, path=path.removeprefix(f"{prefix}/"), damage=damage)
            for path, damage in found.items()
            if damage is not None
            and not (damage is Damage.CHANGED and _is_in(by_name[name], expected[path].member, path))
        ]
    return count, tuple(flaws)


def _is_in(wheel: Path, member: str, path: str) -> bool:
    """Whether a file is what the wheel has under that name, whatever the wheel's RECORD lists."""
    with zipfile.ZipFile(wheel) as archive, archive.open(member) as published:
        return damage_of(path, record_hash(cast("BufferedReader", published))) is None


def _damage(path: str, content: _Content, instead: Iterable[str]) -> Damage | None:
    if content.script is None:
        return damage_of(path, content.sha256, instead)
    try:
        found = Path(path).read_bytes()
    except OSError:
        return Damage.MISSING
    launcher = found[: len(found) - len(content.script)]
    whole = found.endswith(content.script) and _LAUNCHER.fullmatch(launcher)
    return None if whole else Damage.CHANGED


def _expected(wheel: Path, prefix: Path, packages: Path) -> Iterator[tuple[str, _Content]]:
    """Yield where each file of a wheel lies in an environment, with its expected content."""

    def unreadable(why: str) -> SurroundingsError:
        return SurroundingsError("wheel-unreadable", "a wheel cannot be read", where=str(wheel), why=why)

    with damage_raised_as(unreadable), zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        record = next((name for name in names if _RECORD.fullmatch(name)), "")
        if not record:
            raise unreadable("it has no RECORD")
        try:
            with io.TextIOWrapper(archive.open(record), encoding="utf-8") as text:
                digests = {
                    row[0]: row[1][len(_SHA256) :]
                    for row in csv.reader(text)
                    if row[1:] and row[1].startswith(_SHA256)
                }
        except csv.Error as error:
            raise unreadable(f"its RECORD is no table: {error}") from error
        for name in names:
            if name == record or name.endswith("/") or BYTECODE in name:
                continue
            place, script = _place(name, prefix, packages)
            if place is not None:
                first, _, rest = archive.read(name).partition(b"\n") if script else (b"", b"", b"")
                rewritten = first.startswith(_SCRIPT)
                yield str(place), _Content(name, digests.get(name, ""), rest if rewritten else None)


def _place(name: str, prefix: Path, packages: Path) -> tuple[Path | None, bool]:
    """Return where a wheel's file goes, and whether it is a script; headers go where the installer likes."""
    parts = PurePosixPath(name).parts
    if not parts[0].endswith(".data"):
        return packages / name, False
    rest = Path(*parts[2:])
    folders: Mapping[str, Path] = {
        "purelib": packages,
        "platlib": packages,
        "scripts": prefix / "bin",
        "data": prefix,
    }
    folder = folders.get(parts[1])
    return (folder / rest if folder else None), parts[1] == "scripts"


def _of_the_installer(path: str, prefix: Path) -> bool:
    place = Path(path)
    metadata = place.parent.name.endswith(".dist-info") and place.name in _OF_THE_INSTALLER
    return metadata or place.is_relative_to(prefix / "include") or place.parent == prefix / "bin"
