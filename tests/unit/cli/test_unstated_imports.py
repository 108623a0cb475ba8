"""What a group's distributions import and do not ask for joins groups of another time."""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from dataclasses import replace

import pytest

from envlock.app.solving import unstated_imports
from tests.unit.cli.conftest import Said, Site

Envlock = Callable[..., Said]
SOLVE = ["solve", "tiny", "--target", "here", "--lock-only"]
MODULE = """
[[module]]
names = ["gamma"]
sources = [{ title = "https://example.org/gamma", checked = 2026-06-01 }]
"""
WHERE = "alpha 2.0 imports gamma (alpha.py:1), and does not ask for it"


@pytest.fixture
def past(site: Site, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Writes a group with a cut-off, alpha of which imports gamma; such an index tells no sizes of files."""
    site.offer("alpha", "2.0", source="import gamma\n")
    site.offer("gamma", "1.0")
    (site.project / "ours").mkdir()
    (site.project / "ours/components.toml").write_text(MODULE.lstrip())
    read = unstated_imports.read_pinned
    monkeypatch.setattr(
        unstated_imports,
        "read_pinned",
        lambda pins, *rest, **more: read(
            [replace(one, file=replace(one.file, size=1)) for one in pins], *rest, **more
        ),
    )

    def group(more: str) -> None:
        site.manifest(
            f'[site]\nknowledge = ["ours"]\n'
            f'[groups.tiny]\nas-of = 2024-06-01\nrequires = ["alpha==2.0"]\n{more}\n'
        )

    return group


def test_it_is_added_and_told(site: Site, envlock: Envlock, past: Callable[[str], None]):
    past('constraints = ["gamma==1.0"]')
    said = envlock(*SOLVE)
    assert said.status == 0
    assert f"{WHERE}: gamma was added" in said.out
    lock = tomllib.loads(site.lock.read_text())
    assert [one["name"] for one in lock["packages"]] == ["alpha", "gamma"]
    assert lock["tool"]["envlock"]["facts"] == {"unstated-imports:alpha+gamma": WHERE}
    assert (
        f"fact       unstated-imports:alpha+gamma: {WHERE}" in envlock("why", "gamma", "--target", "here").out
    )


@pytest.mark.parametrize("more", ["", 'constraints = ["gamma==1.0"]\nexclude = ["gamma"]'])
def test_what_cannot_be_had_refuses_nothing(
    site: Site, envlock: Envlock, past: Callable[[str], None], more: str
):
    past(more)
    said = envlock(*SOLVE)
    assert said.status == 0
    assert f"{WHERE}: gamma cannot be had, so that the import will fail" in said.out
    assert [one["name"] for one in tomllib.loads(site.lock.read_text())["packages"]] == ["alpha"]


def test_one_that_cannot_be_had_leaves_out_no_other(
    site: Site, envlock: Envlock, past: Callable[[str], None]
):
    past('constraints = ["gamma==1.0"]')
    site.offer("alpha", "2.0", source="import beta\nimport gamma\nimport zeta\n")
    modules = [MODULE.replace("gamma", name) for name in ("beta", "zeta")]
    with (site.project / "ours/components.toml").open("a") as file:
        file.writelines(modules)
    said = envlock(*SOLVE)
    assert said.status == 0
    assert "imports gamma (alpha.py:2), and does not ask for it: gamma was added" in said.out
    for name in ("beta", "zeta"):
        assert f"{name} cannot be had, so that the import will fail" in said.out
    assert [one["name"] for one in tomllib.loads(site.lock.read_text())["packages"]] == ["alpha", "gamma"]


def test_a_waiver_lets_it_be(site: Site, envlock: Envlock, past: Callable[[str], None]):
    past(
        'constraints = ["gamma==1.0"]\n[[waivers]]\nfact = "unstated-imports:alpha+gamma"\n'
        'owner = "us"\nreason = "only for plots"\nexpires = 2999-01-01\n'
    )
    said = envlock(*SOLVE)
    assert said.status == 0
    assert "gamma" not in said.out
    assert [one["name"] for one in tomllib.loads(site.lock.read_text())["packages"]] == ["alpha"]
