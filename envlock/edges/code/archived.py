"""The Python and compiled modules in the file of a wheel or an sdist."""

from __future__ import annotations

import tarfile
import zipfile
from collections.abc import Iterator, Mapping
from pathlib import Path

from envlock.analysis.imports.modules import Module, compiled_in, has_more, modules_in
from envlock.edges.archive_damage import damage_told_by
from envlock.edges.code.c_library import promised_glibc, reads_of_c_library
from envlock.edges.code.compiled import reads_of_compiled

_SOURCES = (".pyx", ".pxd", ".c", ".cc", ".cpp", ".cu", ".rs", ".f", ".f90", ".proto", ".py.in")
"""Suffixes of files from which modules are made."""


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
    if path.name.endswith(".whl"):
        with damage_told_by(), zipfile.ZipFile(path) as archive:
            return not has_more(archive.namelist())
    if path.name.endswith(".zip"):
        return False
    with damage_told_by(), tarfile.open(path) as opened:
        return not any(name.endswith(_SOURCES) for name in opened.getnames())


def _members(path: Path) -> Iterator[tuple[str, bytes]]:
    """Yield paths and contents; an sdist's paths start below its top folder, and below ``src`` or ``lib``."""
    if path.name.endswith((".whl", ".zip")):
        is_wheel = path.name.endswith(".whl")
        with damage_told_by(), zipfile.ZipFile(path) as archive:
            for name in archive.namelist():
                if name.endswith((".py", ".so") if is_wheel else ".py"):
                    yield name if is_wheel else _inside(name), archive.read(name)
        return
    with damage_told_by(), tarfile.open(path) as opened:
        for member in opened:
            if member.isfile() and member.name.endswith(".py"):
                extracted = opened.extractfile(member)
                yield _inside(member.name), extracted.read() if extracted else b""


def _inside(name: str) -> str:
    return name.partition("/")[2].removeprefix("src/").removeprefix("lib/")
