"""Unpack source archives, and edit the source trees."""

from __future__ import annotations

import configparser
import stat
import sys
import zipfile
from collections.abc import Iterable
from pathlib import Path

from envlock.edges.archive_damage import damage_raised_as
from envlock.model.knowing.source_edit import SourceEdit

if sys.version_info >= (3, 11, 4):
    import tarfile
else:  # Debian 12 has 3.11.2, whose tarfile has no filters
    from backports import tarfile  # type: ignore[no-redef]

_OF_SOURCES = ("pyproject.toml", "setup.py")
"""One of these a folder of sources has (PEP 517)."""
_UNWRITTEN = "$" + "Format:"
"""A placeholder that ``git archive`` would have replaced, and Versioneer's ``sdist`` with the version."""


def unpack_sdist(sdist: Path, into: Path) -> Path:
    """Unpack a source archive, and return its one top-level folder; itself, where the sources lie in none.

    Args:
        sdist: a zip archive, or a tar archive with any compression.
        into: a folder to create; nothing is written outside it.

    Raises:
        ValueError: it is no archive, tries to write elsewhere, or has no folder of sources.
    """
    into.mkdir()
    with damage_raised_as(lambda why: ValueError(f"it cannot be unpacked: {why}"), also=(tarfile.TarError,)):
        if sdist.suffix == ".zip":
            with zipfile.ZipFile(sdist) as archive:
                _unzip(archive, into)
        else:
            with tarfile.open(sdist) as archive:
                archive.extractall(into, filter="data")
    if any((into / name).is_file() for name in _OF_SOURCES):  # patch 1.16, which pip takes as well
        return into
    tops = [path for path in into.iterdir() if path.is_dir()]
    if len(tops) != 1:
        raise ValueError("it does not have exactly one folder at the top")
    return tops[0]


def _unzip(archive: zipfile.ZipFile, into: Path) -> None:
    """Unpack all into a folder, and keep files executable, which zipfile does not.

    Builds may run a ``configure`` script of their own.
    """
    for member in archive.infolist():
        path = Path(archive.extract(member, into))
        if not member.is_dir() and member.external_attr >> 16 & stat.S_IXUSR:
            path.chmod(path.stat().st_mode | stat.S_IXUSR)


def edit_sources(tree: Path, edits: Iterable[SourceEdit]) -> None:
    """Change files of a source tree, in place.

    Raises:
        ValueError: there is no such file in the tree, or it does not contain the text to replace.
    """
    for edit in edits:
        file = tree / edit.file
        inside = file.resolve().is_relative_to(tree.resolve()) and file.is_file()
        before = file.read_bytes() if inside else b""
        if edit.old.encode() not in before:
            raise ValueError(f"the recipe changes {edit.old!r} in {edit.file}, which is not there")
        file.write_bytes(before.replace(edit.old.encode(), edit.new.encode()))


def set_versioneer_prefix(tree: Path) -> None:
    """Make Versioneer read the version from the folder's name if the archive was packed without it.

    A ``setup.py`` that does not use Versioneer's own ``sdist`` packs the template of the version file, and
    the wheel gets version ``0+unknown``. The folder's name is the last place where Versioneer looks, if
    ``parentdir_prefix`` allows it (versioneer.py of numpy_groupies 0.9.10, which was packed that way).
    """
    file, parser = tree / "setup.cfg", configparser.ConfigParser(interpolation=None)
    # Names of packages are keys, too, and are written back as they are.
    parser.optionxform = str  # type: ignore[method-assign,assignment]
    try:
        text = file.read_text("utf-8")
        parser.read_string(text)
        stated = parser["versioneer"]
        template = (tree / stated["versionfile_source"]).read_text("utf-8")
    except (OSError, KeyError, ValueError, configparser.Error):
        return
    prefix = tree.name.rpartition("-")[0]
    if _UNWRITTEN in template and prefix and not stated.get("parentdir_prefix"):
        parser["versioneer"]["parentdir_prefix"] = f"{prefix}-"
        with file.open("w", encoding="utf-8") as opened:
            parser.write(opened)
