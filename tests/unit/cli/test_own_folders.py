"""The pins in a group's own folder of sources tell its time, as those of the manifest do."""

from __future__ import annotations

import tomllib
from collections.abc import Callable

import pytest

from tests.unit.cli.conftest import Said, Site

Envlock = Callable[..., Said]
SOLVE = ["solve", "tiny", "--target", "here", "--lock-only"]
PROJECT = """
[build-system]
requires = []
build-backend = "backend"
backend-path = ["."]
[project]
name = "ours"
version = "1.0"
{dependencies}
[project.optional-dependencies]
all = {extra}
"""
SOURCES = '[sources]\nours = { path = ".", editable = true }\n'


@pytest.fixture
def dated(site: Site) -> None:
    """Offers a pin of 2024, and releases of what it needs from then and from later."""
    days = {"pinned": {"1.0": "2024-08-01"}, "needed": {"1.0": "2024-07-01", "2.0": "2026-01-01"}}
    site.offer("pinned", "1.0", ["needed"])
    for version in days["needed"]:
        site.offer("needed", version)
    for name, releases in days.items():
        page = site.index / name / "index.html"
        for version, day in releases.items():
            href = f'href="{name}-{version}-py3-none-any.whl"'
            page.write_text(page.read_text().replace(href, f'{href} data-upload-time="{day}T00:00:00Z"'))


def locked(site: Site) -> dict[str, str]:
    packages = tomllib.loads(site.lock.read_text())["packages"]
    return {one["name"]: one["version"] for one in packages if "version" in one}


@pytest.mark.parametrize(
    ("wish", "dependencies", "extra", "needed"),
    [
        ("ours", ["pinned==1.0"], [], "1.0"),
        ("ours", ["pinned"], [], "2.0"),
        ("ours[all]", ["needed"], ["pinned==1.0"], "1.0"),
        ("ours", ["needed"], ["pinned==1.0"], "2.0"),
        ("ours", ["needed", "pinned==1.0; python_version < '3'"], [], "2.0"),
    ],
)
def test_the_pins_of_a_folder_tell_the_time(
    site: Site,
    envlock: Envlock,
    dated: None,
    wish: str,
    dependencies: list[str],
    extra: list[str],
    needed: str,
):
    text = PROJECT.format(dependencies=f"dependencies = {dependencies}", extra=extra)
    (site.project / "pyproject.toml").write_text(text)
    site.manifest(f'[groups.tiny]\nas-of = "auto"\nrequires = ["{wish}"]\n{SOURCES}')
    said = envlock(*SOLVE)
    assert said.status == 0, said.golden
    assert locked(site)["needed"] == needed


def test_what_only_code_tells_dates_nothing(site: Site, envlock: Envlock, dated: None):
    text = PROJECT.format(dependencies='dynamic = ["dependencies"]', extra=[])
    (site.project / "pyproject.toml").write_text(text)
    site.manifest(f'[groups.tiny]\nas-of = "auto"\nrequires = ["ours", "pinned"]\n{SOURCES}')
    said = envlock(*SOLVE)
    assert said.status == 1
    assert "does not state its dependencies" in " ".join(said.err.split())
