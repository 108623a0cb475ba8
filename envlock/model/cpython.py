"""What CPython of a version is on Linux, where nobody can ask it."""

from __future__ import annotations

_WITH_PYMALLOC = (3, 7)
"""Up to this version of Python the ABI's name ends with ``m`` (PEP 425, and bpo-36707)."""


def usual_abi(release: tuple[int, ...]) -> str:
    """The ABI tag of CPython as it is mostly built, from major and minor version: ``cp37m``."""
    major, minor = release
    if major == 2:  # noqa: PLR2004 - its wheels for Linux are built with wide characters
        return f"cp{major}{minor}mu"
    return f"cp{major}{minor}{'m' if release <= _WITH_PYMALLOC else ''}"


def cpython_markers(version: str, release: tuple[int, ...], machine: str) -> dict[str, str]:
    """What CPython of a version says of itself on Linux (PEP 508); the kernel of a node nobody knows.

    A marker left open would be that of the machine that solves.
    """
    return {
        "implementation_name": "cpython",
        "implementation_version": version,
        "os_name": "posix",
        "platform_machine": machine,
        "platform_python_implementation": "CPython",
        "platform_release": "",
        "platform_system": "Linux",
        "platform_version": "",
        "python_full_version": version,
        "python_version": f"{release[0]}.{release[1]}",
        "sys_platform": "linux",
    }
