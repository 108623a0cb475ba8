"""Reads what is installed in an environment from the metadata beside its packages; nothing is run."""

from __future__ import annotations

from collections.abc import Iterator
from email.parser import HeaderParser
from pathlib import Path

from packaging.utils import canonicalize_name

from envlock.model.component import PYTHON, Via
from envlock.model.errors import RequestError
from envlock.model.published.listing import Listed, Listing

_PACKAGES = (
    "lib64/python*/site-packages",
    "lib*/python*/site-packages",
    "lib*/python*/dist-packages",
    "Lib/site-packages",
)
"""Folders in the order in which they are on Python's path: ``site`` puts ``lib64`` before ``lib``."""
_METADATA = ("*.dist-info/METADATA", "*.egg-info/PKG-INFO", "*.egg-info")
_BUILT_HERE = "-linux_"
"""A wheel for plain ``linux`` cannot come from an index (PEP 513): it was compiled for one machine."""


def read_prefix(prefix: Path) -> Listing:
    """Return the distributions in the environment at a prefix, and its interpreter.

    Raises:
        RequestError: there is no environment.
    """
    folders = [folder for pattern in _PACKAGES for folder in sorted(prefix.glob(pattern)) if folder.is_dir()]
    if not folders:
        raise RequestError(
            "no-environment",
            "there is no Python environment here",
            where=str(prefix),
            hint="name its prefix, the folder with bin/ and lib/ in it",
        )
    found: dict[str, Listed] = {}
    for folder in dict.fromkeys(folder.resolve() for folder in folders):
        for distribution in _distributions(folder):
            found.setdefault(
                canonicalize_name(distribution.name), distribution
            )  # the first on the path hides the others
    python = _python(prefix, folders[0])
    return Listing(
        kind="an environment",
        distributions=tuple(found[name] for name in sorted(found)),
        systems=(Listed(name=PYTHON, version=python),) if python else (),
    )


def _distributions(folder: Path) -> Iterator[Listed]:
    for pattern in _METADATA:
        for file in sorted(folder.glob(pattern)):
            if not file.is_file():
                continue
            headers = HeaderParser().parsestr(file.read_text("utf-8", "replace"))
            name, version = headers["Name"], headers["Version"]
            if name and version:
                yield Listed(name=name, version=version, via=_way(file.parent))


def _way(folder: Path) -> Via | None:
    """Whether a distribution was compiled for this machine; ``None`` for an egg, which does not tell."""
    wheel = folder / "WHEEL"
    if not wheel.is_file():
        return None
    tags = HeaderParser().parsestr(wheel.read_text("utf-8", "replace")).get_all("Tag", [])
    return Via.BUILD if any(_BUILT_HERE in tag for tag in tags) else Via.WHEEL


def _python(prefix: Path, packages: Path) -> str:
    """Return the interpreter's version: in full from ``pyvenv.cfg``, else in part from the folder's name."""
    settings = prefix / "pyvenv.cfg"
    if settings.is_file():
        for line in settings.read_text("utf-8", "replace").splitlines():
            key, _, value = (part.strip() for part in line.partition("="))
            if key in {"version", "version_info"}:
                return ".".join(value.split(".")[:3])
    name = packages.parent.name.removeprefix("python")
    return name if name[:1].isdecimal() else ""
