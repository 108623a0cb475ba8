"""What pixi's manifest asks for, in ``pixi.toml`` or below ``[tool.pixi]`` of a ``pyproject.toml``.

https://pixi.prefix.dev/latest/reference/pixi_manifest
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from envlock.edges.listings.conda_packages import CondaPackages
from envlock.edges.listings.pip_options import requirement_line
from envlock.model.decode import Table

PIXI_MANIFEST = "pixi.toml"
_DEFAULT = "default"
_PLATFORMS = ("unix", "linux", "linux-64")
"""Platforms of a usual node, which may have dependencies of their own."""
_ANY = "*"


def read_pixi_manifest(document: Mapping[str, object], path: Path, place: str = "") -> CondaPackages:
    """Return what the default environment takes, and what environments that add to it take besides.

    Args:
        document: the manifest.
        path: the file, for errors.
        place: where in the file's document the manifest is.

    Raises:
        RequestError: it has not the form that pixi accepts.
    """
    root = Table(document, file=str(path), path=place)
    features = root.table("feature")
    environments = dict(_environments(root.table("environments")))
    mine = environments.pop(_DEFAULT, None) or frozenset()
    further, apart = {}, []
    for name, theirs in environments.items():
        if theirs is None or not mine <= theirs:
            apart.append(name)
        elif theirs != mine:
            further[name] = _together([features.table(feature) for feature in sorted(theirs - mine)], path)
    default = _together([root, *(features.table(feature) for feature in sorted(mine))], path)
    apart_text = f"environments without all of {_DEFAULT!r} ({', '.join(apart)}): groups of their own"
    return replace(default, further=further, left_out=(*default.left_out, *((apart_text,) if apart else ())))


def _environments(table: Table) -> Iterator[tuple[str, frozenset[str] | None]]:
    """Yield the features of each environment; ``None`` for one without what is outside of all features."""
    for name in table.names():
        if isinstance(table.raw(name), list):
            yield name, frozenset(table.texts(name))
        else:
            one = table.table(name)
            bare = one.flag("no-default-feature", default=False)
            yield name, None if bare else frozenset(one.texts("features"))


def _together(features: Sequence[Table], path: Path) -> CondaPackages:
    specs: list[str] = []
    pip: list[tuple[str, str]] = []
    variables: list[str] = []
    left_out: list[str] = []
    for feature in features:
        variables += feature.table("activation").table("env").names()
        machine = feature.table("system-requirements")
        left_out += [
            f"{name} {machine.raw(name)} of system-requirements: of the target" for name in machine.names()
        ]
        options = feature.table("pypi-options")
        pip += [
            (f"{path}, pypi-options", f"--extra-index-url {text}")
            for text in options.texts("extra-index-urls")
        ]
        targets = feature.table("target")
        for part in (feature, *(targets.table(platform) for platform in _PLATFORMS)):
            specs += _specs(part.table("dependencies"))
            pip += _requirements(part.table("pypi-dependencies"), path)
    return CondaPackages(
        kind="a manifest of pixi's",
        specs=tuple(specs),
        pip=tuple(pip),
        variables=tuple(variables),
        left_out=tuple(left_out),
    )


def _specs(table: Table) -> Iterator[str]:
    """Yield packages as conda writes them; sources, which pixi builds itself, by their names."""
    for name in table.names():
        if isinstance(table.raw(name), str):
            yield f"{name} {table.text(name)}"
        else:
            one = table.table(name)
            yield " ".join([name, one.text("version", _ANY), one.text("build", "")]).rstrip()


def _requirements(table: Table, path: Path) -> Iterator[tuple[str, str]]:
    """Yield distributions as lines for pip, each with its place."""
    for name in table.names():
        bare = isinstance(table.raw(name), str)
        entry = Table({"version": table.text(name)}, file="", path="") if bare else table.table(name)
        yield f"{path}, {table.path(name)}", requirement_line(name, entry, "url")
