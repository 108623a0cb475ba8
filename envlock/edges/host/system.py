"""The operating system, the C library, compilers and the batch system."""

from __future__ import annotations

import os
import platform
import re
from collections.abc import Callable, Mapping
from pathlib import Path

from envlock.edges.host.tools import Ask, ask, find_tool, tool_folders
from envlock.model.project.target import Offer

_CALLED = {"Darwin": "macOS"}
"""The kernel's name -> the system's."""
_GCC = r"(?m)^\S+ \(.*\) (\d+(?:\.\d+)+)"
_CMAKE = r"(?m)^cmake version (\d+(?:\.\d+)+)"
_BAZEL = r"(?m)^bazel (\d+(?:\.\d+)+)"
_SLURM = r"(?m)^slurm(?:-wlm)? (\d[\w.-]*)"


def other_system() -> str:
    """Return the common name of this machine's operating system; empty on Linux."""
    system = platform.system()
    return "" if system == "Linux" else _CALLED.get(system, system)


def os_name() -> str:
    """Return the operating system's name and release, for people."""
    try:
        return platform.freedesktop_os_release()["PRETTY_NAME"]
    except (OSError, KeyError):
        release = platform.mac_ver()[0] or platform.release()
        return f"{other_system() or platform.system()} {release}"


def find_glibc() -> tuple[Offer, ...]:
    """Return the C library if it is glibc."""
    try:
        text = os.confstr("CS_GNU_LIBC_VERSION") or ""
    except (ValueError, OSError):
        return ()
    name, _, version = text.partition(" ")
    return (Offer(component="glibc", version=version, note="confstr"),) if name == "glibc" else ()


def find_system_tools(environ: Mapping[str, str], ask: Ask = ask) -> tuple[Offer, ...]:
    """Return the C compiler, CMake, Bazel and Slurm that come first on ``PATH``."""
    folders = tool_folders(environ)
    found = (
        _first("gcc", ("gcc",), parse_gcc, folders, ask),
        _first("cmake", ("cmake",), parse_cmake, folders, ask),
        _first("bazel", ("bazel",), _parse_bazel, folders, ask),
        _first("slurm", ("sinfo", "srun"), parse_slurm, folders, ask),
    )
    return tuple(offer for offer in found if offer is not None)


def parse_gcc(text: str) -> str:
    """Return the version from ``gcc --version``; empty for another compiler of that name."""
    return _first_group(_GCC, text)


def parse_cmake(text: str) -> str:
    """Return the version from ``cmake --version``."""
    return _first_group(_CMAKE, text)


def _parse_bazel(text: str) -> str:
    """Return the version from ``bazel --version``."""
    return _first_group(_BAZEL, text)


def parse_slurm(text: str) -> str:
    """Return the version from ``sinfo --version``."""
    return _first_group(_SLURM, text)


def _first_group(pattern: str, text: str) -> str:
    match = re.search(pattern, text)
    return match[1] if match else ""


def _first(
    component: str,
    names: tuple[str, ...],
    parse: Callable[[str], str],
    folders: tuple[Path, ...],
    ask: Ask,
) -> Offer | None:
    for name in names:
        tool = find_tool(name, folders)
        if tool is not None and (version := parse(ask([str(tool), "--version"]))):
            return Offer(
                component=component, version=version, prefix=str(tool.parent.parent), note=f"{name} --version"
            )
    return None
