"""What a version of CPython on Linux reports about itself, for when none can be run."""

from __future__ import annotations

from functools import cache

from packaging.specifiers import SpecifierSet

from envlock.model.component import Range, parse_version

_WITH_PYMALLOC = (3, 7)
"""Up to this version of Python the ABI tag ends with ``m`` (PEP 425, and bpo-36707)."""


def usual_abi(release: tuple[int, ...]) -> str:
    """Return the usual ABI tag of CPython for a major and minor version: ``cp37m``."""
    major, minor = release
    if major == 2:  # noqa: PLR2004 - its Linux wheels are built with wide characters
        return f"cp{major}{minor}mu"
    return f"cp{major}{minor}{'m' if release <= _WITH_PYMALLOC else ''}"


@cache
def _as_requires_python_reads(version: str) -> str:
    """Return the version of an interpreter that ``Requires-Python`` is compared with: its release.

    Installers leave out that it is a pre-release (pip compares ``sys.version_info[:3]``), so that what is for
    3.14 or later can be tried with 3.14.0rc1.
    """
    return parse_version(version).base_version


@cache
def requires_python_admits(requires_python: str, version: str) -> bool:
    """Whether ``Requires-Python``, maybe empty, admits an interpreter."""
    return not requires_python or SpecifierSet(requires_python).contains(_as_requires_python_reads(version))


def admits_interpreter(versions: Range, version: str) -> bool:
    """Whether a range speaks of an interpreter: of its version, or of the release that it comes before.

    Otherwise ``>=3.14`` would not speak of 3.14.0rc1, which has everything that changed in 3.14.
    """
    return versions.contains(version) or versions.contains(_as_requires_python_reads(version))


def cpython_markers(version: str, release: tuple[int, ...], machine: str) -> dict[str, str]:
    """Return the markers (PEP 508) of a version of CPython on Linux; a node's kernel is not known.

    A marker left out would take the value of the machine that solves.
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
