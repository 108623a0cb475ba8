"""The modules in the file of a wheel or an sdist, Python and compiled, and which of them are its commands."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from envlock.analysis.imports.modules import Module, compiled_in, has_more, modules_in
from envlock.analysis.sdists.tool_asks import asked_of_tools
from envlock.edges.archive_damage import damage_raised_as
from envlock.edges.archive_members import member_names, read_members
from envlock.edges.code.compiled import promised_glibc, reads_of_c_library, reads_of_compiled
from envlock.edges.index.sdist_archive import read_metadata_files

_SOURCES = (".pyx", ".pxd", ".c", ".cc", ".cpp", ".cu", ".rs", ".f", ".f90", ".proto", ".py.in")
"""Suffixes of files from which modules are made."""
_ENTRY_POINTS = re.compile(r"[^/]+\.dist-info/entry_points\.txt|(?:.+/)?[^/]+\.egg-info/entry_points\.txt")
_SECTION = re.compile(r"^\[(?P<section>[^]]+)\]")
_COMMAND = re.compile(r"^[^=#;]+=\s*(?P<module>[\w.]+)\s*(?::\s*[\w.]+)?\s*$")
"""A command's name, module and function; one that needs an extra, in brackets, is not everybody's."""
_COMMANDS = ("console_scripts", "gui_scripts")


def modules_of(path: Path) -> Mapping[str, Module]:
    """Map dotted names to the modules of a file, packages by their own name.

    Raises:
        OSError, DamagedError: the file cannot be read.
    """
    sources: dict[str, str] = {}
    found: dict[str, Module] = {}
    promised = promised_glibc(path.name)
    for name, content in _members(path):
        if ".data/" in name:
            continue
        if name.endswith(".py"):
            sources[name] = content.decode("utf-8", "replace")
        for dotted, module in compiled_in([name]).items():
            reads = (*reads_of_compiled(content), *reads_of_c_library(content, promised))
            found[dotted] = module._replace(reads=reads)
    return found | modules_in(sources)


def tells_all(path: Path) -> bool:
    """Whether a file shows all modules that are installed from it, as an sdist does if it generates none.

    Raises:
        OSError, DamagedError: the file cannot be read.
    """
    if path.suffix == ".zip":
        return False
    with damage_raised_as():
        names = member_names(path)
    return (
        not has_more(names) if path.suffix == ".whl" else not any(name.endswith(_SOURCES) for name in names)
    )


def asked_by_build(path: Path) -> dict[str, str]:
    """Return what the build of an sdist asks of its tools, with file and line; nothing for a wheel.

    Raises:
        SurroundingsError: the file is not a whole archive.
    """
    return {} if path.suffix == ".whl" else asked_of_tools(read_metadata_files(path))


def commands_of(path: Path) -> frozenset[str]:
    """Return the modules that a wheel's or an sdist's commands run, by its entry points.

    An sdist names them where its maker had setuptools write its metadata.

    Raises:
        OSError, DamagedError: the file cannot be read.
    """
    with damage_raised_as():
        files = read_members(path, lambda name, _size: _ENTRY_POINTS.fullmatch(name) is not None)
        texts = [content.read().decode("utf-8", "replace") for _, content in files]
    return frozenset(module for text in texts for module in _commands(text))


def _members(path: Path) -> Iterator[tuple[str, bytes]]:
    """Yield paths and contents; an sdist's paths start below its top folder, and below ``src`` or ``lib``."""
    is_wheel = path.suffix == ".whl"
    endings = (".py", ".so") if is_wheel else (".py",)
    with damage_raised_as():
        for name, content in read_members(path, lambda name, _size: name.endswith(endings)):
            yield name if is_wheel else _inside(name), content.read()


def _inside(name: str) -> str:
    return name.partition("/")[2].removeprefix("src/").removeprefix("lib/")


def _commands(text: str) -> Iterator[str]:
    section = ""
    for line in map(str.strip, text.splitlines()):
        if found := _SECTION.match(line):
            section = found["section"].strip()
        elif section in _COMMANDS and (command := _COMMAND.match(line)):
            yield command["module"]
