"""What locks of conda's packages hold for one platform: those of conda-lock and of pixi.

https://conda.github.io/conda-lock/output and https://pixi.prefix.dev/latest/workspace/lockfile
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from envlock.edges.listings.conda_packages import CondaPackages
from envlock.model.component import USUAL_MACHINE
from envlock.model.decode import Table
from envlock.model.errors import RequestError
from envlock.model.project.package_sources import is_url

_DEFAULT = "default"
"""pixi's environment for whoever names none."""
_ENDINGS = (".conda", ".tar.bz2")


class _Package(NamedTuple):
    """One package: for a platform, a spec of conda's or a line for pip, of which the other is empty."""

    platform: str
    spec: str = ""
    line: str = ""


def is_conda_lock(document: Mapping[str, object]) -> bool:
    """Whether a document is a lock of conda-lock's or of pixi's."""
    return isinstance(document.get("package"), list) or isinstance(document.get("environments"), Mapping)


def read_conda_lock(document: Mapping[str, object], path: Path, machine: str) -> CondaPackages:
    """Return what a lock holds for Linux on one architecture; of pixi's environments, the default one.

    Raises:
        RequestError: it has nothing for that (``no-environment``), or is malformed.
    """
    platform = "linux-64" if machine == USUAL_MACHINE else f"linux-{machine}"
    table = Table(document, file=str(path))
    everything = _of_conda_lock(table) if table.has("package") else _of_pixi(table)
    found = [package for package in everything if package.platform == platform]
    if not found:
        raise RequestError(
            "no-environment",
            f"the lock holds nothing for {platform}",
            where=str(path),
            why="" if table.has("package") else f"of pixi's environments {_DEFAULT!r} is read",
            hint="lock it for that platform, or name a target of one that it is for: --target NAME",
        )
    return CondaPackages(
        kind="a conda-lock.yml" if table.has("package") else "a pixi.lock",
        specs=tuple(package.spec for package in found if package.spec),
        pip=tuple((str(path), package.line) for package in found if package.line),
    )


def _of_conda_lock(table: Table) -> Iterator[_Package]:
    for package in table.tables("package"):
        if package.flag("optional", default=False):
            continue
        if package.text("manager", "conda") == "conda":
            yield _Package(package.text("platform"), spec=_spec(package.text("url")))
        else:
            yield _Package(
                package.text("platform"), line=f"{package.text('name')}=={package.text('version')}"
            )


def _of_pixi(table: Table) -> Iterator[_Package]:
    """Yield the packages of the default environment, which names each by its address; folders keep theirs."""
    pinned = {}
    for package in table.tables("packages"):
        address = package.text("pypi", "") or package.text("url", "")
        if is_url(address) and package.has("version"):
            pinned[address] = f"{package.text('name')}=={package.text('version')}"
    platforms = table.table("environments").table(_DEFAULT).table("packages")
    for platform in platforms.names():
        for package in platforms.tables(platform):
            if package.has("conda"):
                yield _Package(platform, spec=_spec(package.text("conda")))
            elif package.has("pypi"):
                address = package.text("pypi")
                yield _Package(platform, line=pinned.get(address, address))


def _spec(address: str) -> str:
    """Return the package in an archive's name, ``NAME-VERSION-BUILD``, as conda writes it elsewhere."""
    name = address.rpartition("/")[2]
    for ending in _ENDINGS:
        name = name.removesuffix(ending)
    return "=".join(name.rsplit("-", 2))
