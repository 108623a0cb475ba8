"""Which modules of a distribution are its commands, by its entry points."""

from __future__ import annotations

import re
import tarfile
import zipfile
from collections.abc import Iterator
from pathlib import Path

from envlock.edges.archive_damage import damage_told_by

_FILE = re.compile(r"[^/]+\.dist-info/entry_points\.txt|(?:.+/)?[^/]+\.egg-info/entry_points\.txt")
_SECTION = re.compile(r"^\[(?P<section>[^]]+)\]")
_COMMAND = re.compile(r"^[^=#;]+=\s*(?P<module>[\w.]+)\s*(?::\s*[\w.]+)?\s*$")
"""A command's name, module and function; one that needs an extra, in brackets, is not everybody's."""
_COMMANDS = ("console_scripts", "gui_scripts")


def commands_of(path: Path) -> frozenset[str]:
    """Return the modules that a wheel's or an sdist's commands run.

    An sdist names them where its maker had setuptools write its metadata.

    Raises:
        OSError, DamagedError: the file cannot be read.
    """
    return frozenset(module for text in _texts(path) for module in _modules(text))


def _texts(path: Path) -> Iterator[str]:
    if path.name.endswith((".whl", ".zip")):
        with damage_told_by(), zipfile.ZipFile(path) as archive:
            for name in filter(_FILE.fullmatch, archive.namelist()):
                yield archive.read(name).decode("utf-8", "replace")
        return
    with damage_told_by(), tarfile.open(path) as opened:
        for member in opened:
            if member.isfile() and _FILE.fullmatch(member.name):
                extracted = opened.extractfile(member)
                yield extracted.read().decode("utf-8", "replace") if extracted else ""


def _modules(text: str) -> Iterator[str]:
    section = ""
    for line in map(str.strip, text.splitlines()):
        if found := _SECTION.match(line):
            section = found["section"].strip()
        elif section in _COMMANDS and (command := _COMMAND.match(line)):
            yield command["module"]
