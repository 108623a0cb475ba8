# ruff: noqa: INP001 - a script, no package
"""Compare what published wheels pin with ``knowledge/builds/``, and print the difference for review.

usage: refresh_builds.py [--write] [DISTRIBUTION ...]

Reads, through the package index of pip's configuration, the metadata of the newest wheel of every release
series of torch, tensorflow and jaxlib, and derives what it brings along from the NVIDIA distributions that
it pins exactly. What metadata does not tell (GPU generations, builds of other indexes, releases from before
such pins) stays as it is. With --write the files are written; without it only the difference is printed.
Exit status 1: something differs.
"""

from __future__ import annotations

import argparse
import datetime as dt
import difflib
import sys
import tomllib
from collections.abc import Iterator, Mapping
from itertools import groupby

from packaging.requirements import Requirement

from envlock.edges.cache import Cache, default_root
from envlock.edges.files import write_text
from envlock.edges.index.catalogue import IndexCatalogue
from envlock.edges.knowledge_files import load_knowledge, shipped_knowledge
from envlock.edges.knowledge_toml import canonical_text, header_of
from envlock.edges.pip_configuration import read_pip_configuration
from envlock.judging.implied import carried_components
from envlock.model.component import USUAL_MACHINE
from envlock.model.knowing.knowledge import Knowledge
from envlock.model.published.catalogue import Catalogue, DistFile, Release

DISTRIBUTIONS = ("torch", "tensorflow", "jaxlib")
ENVIRONMENT = {
    "sys_platform": "linux",
    "platform_system": "Linux",
    "platform_machine": USUAL_MACHINE,
    "os_name": "posix",
}
EXTRAS = ("", "and-cuda", "cuda12", "cuda13")

Series = tuple[int, int]


def main() -> int:
    """Run the comparison; the result is the exit status."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("distributions", nargs="*", default=DISTRIBUTIONS)
    parser.add_argument("--write", action="store_true", help="write the files")
    arguments = parser.parse_args()
    knowledge = load_knowledge()
    differs = False
    with IndexCatalogue(read_pip_configuration(), Cache(default_root())) as catalogue:
        for name in arguments.distributions:
            path = shipped_knowledge() / "builds" / f"{name}.toml"
            old = path.read_text() if path.is_file() else f"# What {name}'s published wheels carry.\n"
            found = dict(derived(name, catalogue, knowledge))
            new = merged(old, name, found, knowledge)
            difference = list(
                difflib.unified_diff(
                    old.splitlines(keepends=True), new.splitlines(keepends=True), str(path), "index"
                )
            )
            sys.stdout.writelines(difference)
            sys.stdout.write(f"# {name}: {len(found)} release series tell, {len(difference)} lines differ\n")
            differs |= bool(difference)
            if arguments.write and difference:
                write_text(path, new)
    return int(differs)


def derived(
    name: str, catalogue: Catalogue, knowledge: Knowledge
) -> Iterator[tuple[Series, Mapping[str, str]]]:
    """What the newest release of each series brings along, where its metadata pins it."""
    final = [r for r in catalogue.releases(name) if not r.version.is_prerelease]
    for series, releases in groupby(final, key=lambda release: release.version.release[:2]):
        wheel = _wheel(next(releases))
        if wheel is None:
            continue
        found: dict[str, str] = {}
        for dependency in catalogue.metadata(name, wheel).requires_dist:
            requirement = Requirement(dependency.text)
            if version := _pinned(requirement):
                component = knowledge.distribution(requirement.name)
                found |= carried_components(component, version, knowledge)
        if "cuda" in found:
            yield (series[0], (*series, 0)[1]), dict(sorted(found.items()))


def _wheel(release: Release) -> DistFile | None:
    fitting = [
        file
        for file in release.files
        if any(USUAL_MACHINE in tag.platform and "linux" in tag.platform for tag in file.tags)
    ]
    return fitting[-1] if fitting else None


def _pinned(requirement: Requirement) -> str:
    """The exact version that a requirement pins on Linux, with some extra; empty if it pins none."""
    marker = requirement.marker
    if marker is not None and not any(marker.evaluate({**ENVIRONMENT, "extra": extra}) for extra in EXTRAS):
        return ""
    return next((one.version for one in requirement.specifier if one.operator == "=="), "")


def merged(text: str, name: str, found: Mapping[Series, Mapping[str, str]], knowledge: Knowledge) -> str:
    """The document with what was found, in canonical form; series that it lacks come at the end."""
    document = tomllib.loads(text) or {"build": []}
    told: dict[Series, Mapping[str, str]] = {}
    for series, components in sorted(found.items()):
        version = f"{series[0]}.{series[1]}.0"
        bundle = knowledge.bundle(name, version, USUAL_MACHINE)
        if bundle is None:
            told[series] = components
            continue
        for table in document["build"]:
            same = table["distribution"] == name and not table.get("label") and not table.get("machine")
            if same and table["versions"] == bundle.range.text:
                table["bundles"] = {**table.get("bundles", {}), **_more(table, components)}
    today = dt.datetime.now(dt.UTC).date()
    source = {"title": f"file list and metadata of {name} on the package index", "checked": today}
    for series, components in told.items():
        versions = f">={series[0]}.{series[1]},<{series[0]}.{series[1] + 1}"
        document["build"].append(
            {"distribution": name, "versions": versions, "bundles": dict(components), "sources": [source]}
        )
    return canonical_text(document, header_of(text))


def _more(table: Mapping[str, Mapping[str, str]], components: Mapping[str, str]) -> Mapping[str, str]:
    """What differs from the table; one that tells fewer numbers of the same version is right as it is.

    What the table leaves out stays out: extras pin more than the wheel itself was compiled for.
    """
    return {
        name: components[name]
        for name, old in table.get("bundles", {}).items()
        if name in components and not f"{components[name]}.".startswith(f"{old}.")
    }


if __name__ == "__main__":
    sys.exit(main())
