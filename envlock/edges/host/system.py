"""The operating system, the C library, compilers and the batch system."""

from __future__ import annotations

import os
import platform
import re
from collections.abc import Mapping
from pathlib import Path

from envlock.edges.host.tools import Ask, ask, find_tool, tool_folders
from envlock.model.project.target import Offer

_CALLED = {"Darwin": "macOS"}
"""The kernel's name -> the system's."""
_TOOLS = {
    "gcc": (("gcc",), r"(?m)^\S+ \(.*\) (\d+(?:\.\d+)+)"),
    "cmake": (("cmake",), r"(?m)^cmake version (\d+(?:\.\d+)+)"),
    "bazel": (("bazel",), r"(?m)^bazel (\d+(?:\.\d+)+)"),
    "slurm": (("sinfo", "srun"), r"(?m)^slurm(?:-wlm)? (\d[\w.-]*)"),
}
"""Component -> the programs that tell its version, the first one there, and where the version is in what they
print."""


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
    return tuple(offer for component in _TOOLS if (offer := _offer(component, folders, ask)) is not None)


def version_in(component: str, text: str) -> str:
    """Return the version in what a tool prints of itself; empty for another program of that name."""
    match = re.search(_TOOLS[component][1], text)
    return match[1] if match else ""


def _offer(component: str, folders: tuple[Path, ...], ask: Ask) -> Offer | None:
    for name in _TOOLS[component][0]:
        tool = find_tool(name, folders)
        if tool is not None and (version := version_in(component, ask([str(tool), "--version"]))):
            return Offer(
                component=component, version=version, prefix=str(tool.parent.parent), note=f"{name} --version"
            )
    return None
