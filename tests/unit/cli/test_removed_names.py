"""What a solve does about names that were taken away before the answer is installed."""

from __future__ import annotations

import shutil
import tomllib
from collections.abc import Callable, Iterable
from dataclasses import replace

import pytest

from envlock.app.solving import removed_names
from envlock.model.locked.pins import DistributionPin
from tests.unit.cli.conftest import Said, Site

Envlock = Callable[..., Said]
SOLVE = ["solve", "tiny", "--target", "here", "--lock-only"]
REMOVAL = """
[[removal]]
component = "gamma"
since = "2"
names = ["gamma.old"]
sources = [{ title = "https://example.org/gamma", checked = 2026-06-01 }]
"""
READS = "beta 1.0 looks for gamma.old when it is imported (beta.py:2), which gamma 2 no longer has"


@pytest.fixture
def past(site: Site, monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Writes a group with a cut-off that asks for alpha, which depends on beta, which reads what gamma had.

    Such an index tells no sizes of files.
    """
    site.offer("beta", "1.0", ["gamma"], source="import gamma\nprint(gamma.old)\n")
    site.offer("gamma", "1.0")
    site.offer("gamma", "2.0")
    (site.project / "ours/removals").mkdir(parents=True)
    (site.project / "ours/removals/gamma.toml").write_text(REMOVAL.lstrip())
    read, untried = removed_names.read_pinned, removed_names.untried
    told = [1]

    def sized(pins: Iterable[DistributionPin]) -> list[DistributionPin]:
        return [replace(one, file=replace(one.file, size=told[-1])) for one in pins]

    monkeypatch.setattr(
        removed_names, "read_pinned", lambda pins, *rest, **more: read(sized(pins), *rest, **more)
    )
    monkeypatch.setattr(removed_names, "untried", lambda *given: sized(untried(*given)))

    def group(alpha: str, *requires: str, beta: str = "2024-01-10", size: int = 1) -> None:
        told.append(size)
        site.offer("alpha", "1.0", ["beta"], source=alpha)
        for file, day in (
            ("alpha-1.0", beta),
            ("beta-1.0", beta),
            ("gamma-1.0", "2024-01-01"),
            ("gamma-2.0", "2024-02-01"),
        ):
            page = site.index / file.partition("-")[0] / "index.html"
            href = f'href="{file}-py3-none-any.whl"'
            page.write_text(page.read_text().replace(href, f'{href} data-upload-time="{day}T00:00:00Z"'))
        wishes = ", ".join(f'"{one}"' for one in requires)
        site.manifest(
            f'[site]\nknowledge = ["ours"]\n[groups.tiny]\nas-of = 2024-06-01\nrequires = [{wishes}]\n'
        )

    return group


def pinned(site: Site) -> dict[str, str]:
    packages = tomllib.loads(site.lock.read_text())["packages"]
    return {one["name"]: one["version"] for one in packages}


def test_it_is_solved_around(site: Site, envlock: Envlock, past: Callable[..., None]):
    past("def use():\n    import beta\n", "alpha")
    assert envlock(*SOLVE, "--json").status == 0
    assert pinned(site) == {"alpha": "1.0", "beta": "1.0", "gamma": "1.0"}


def test_where_nothing_else_answers_what_is_imported_in_use_alone_is_told(
    site: Site, envlock: Envlock, past: Callable[..., None]
):
    past("def use():\n    import beta\n", "alpha", "gamma==2.0")
    said = envlock(*SOLVE)
    assert said.status == 0
    assert READS in " ".join(said.out.split())
    assert pinned(site)["gamma"] == "2.0"


@pytest.mark.parametrize(
    ("alpha", "requires"),
    [("import beta\n", ("alpha", "gamma==2.0")), ("", ("alpha", "beta", "gamma==2.0"))],
    ids=["imported at once", "asked for"],
)
def test_what_is_surely_imported_refuses(
    envlock: Envlock, past: Callable[..., None], alpha: str, requires: tuple[str, ...]
):
    past(alpha, *requires)
    said = envlock(*SOLVE)
    assert said.status == 1
    assert "removed-names:beta-1.0+gamma-2" in said.err


def test_what_the_interpreter_took_away_counts_as_well(envlock: Envlock, past: Callable[..., None]):
    """DGL 0.1.3 was locked for Python 3.12, where nothing newer goes with the group's PyTorch."""
    past("from collections import Iterable\n", "alpha")
    said = envlock(*SOLVE)
    assert said.status == 1
    assert "removed-names:alpha-1.0+python-3.10" in said.err


@pytest.mark.parametrize(
    ("wish", "beta", "size", "gamma"),
    [
        ("beta", "2024-01-10", 32 << 20, "1.0"),
        ("beta", "2024-01-10", 33 << 20, "2.0"),
        ("beta", "2024-03-01", 5 << 20, "2.0"),
        ("alpha", "2024-01-10", 5 << 20, "2.0"),
    ],
    ids=["old and asked for", "larger than a check reads", "not old", "not asked for"],
)
def test_large_files_are_looked_through_where_they_are_what_it_is_about(
    site: Site, envlock: Envlock, past: Callable[..., None], wish: str, beta: str, size: int, gamma: str
):
    past("", wish, beta=beta, size=size)
    assert envlock(*SOLVE).status == 0
    assert pinned(site)["gamma"] == gamma


def test_what_was_asked_for_is_looked_through_whenever_it_was_published(
    site: Site, envlock: Envlock, past: Callable[..., None]
):
    past("", "beta", beta="2024-03-01")
    assert envlock(*SOLVE).status == 0
    assert pinned(site) == {"beta": "1.0", "gamma": "1.0"}


USES = "import gamma\ndef use():\n    return gamma.old\n"


@pytest.mark.parametrize(("day", "gamma"), [("2024-01-10", "1.0"), ("2024-03-01", "2.0")])
def test_what_functions_of_before_use_is_preferred(
    site: Site, envlock: Envlock, past: Callable[..., None], day: str, gamma: str
):
    site.offer("beta", "1.0", ["gamma"], source=USES)
    past("", "beta", beta=day)
    assert envlock(*SOLVE).status == 0
    assert pinned(site) == {"beta": "1.0", "gamma": gamma}


@pytest.mark.parametrize("source", ["import gamma\nprint(gamma.old)\n", USES], ids=["on import", "in use"])
def test_a_lock_that_is_solved_again_still_says_what_led_to_it(
    site: Site, envlock: Envlock, past: Callable[..., None], source: str
):
    """Its pins are kept, so that nothing in the answer shows it: the lock changed with every second solve."""
    site.offer("beta", "1.0", ["gamma"], source=source)
    past("", "beta")
    assert envlock(*SOLVE).status == 0
    before = site.lock.read_bytes()
    assert b'"removed-names:beta-1.0+gamma-2"' in before
    assert envlock(*SOLVE).status == 0
    assert site.lock.read_bytes() == before
    site.offer("delta", "1.0")
    past("", "beta", "delta==1.0")
    assert envlock(*SOLVE).status == 0
    assert b'"removed-names:beta-1.0+gamma-2"' in site.lock.read_bytes()


def test_what_a_lock_has_learned_goes_with_what_it_is_about(
    site: Site, envlock: Envlock, past: Callable[..., None]
):
    site.offer("beta", "2.0", ["gamma"])
    site.offer("delta", "1.0", ["beta<2"])
    past("", "delta==1.0")
    assert envlock(*SOLVE).status == 0
    assert b"removed-names" in site.lock.read_bytes()
    past("", "beta==2.0")
    assert envlock(*SOLVE).status == 0
    assert b"removed-names" not in site.lock.read_bytes()


def test_what_is_preferred_is_looked_through_as_well(site: Site, envlock: Envlock, past: Callable[..., None]):
    """gamma 2 has one of the names again that 1.5 lacks, which the search for the other leads to."""
    uses = USES.replace("gamma.old", "gamma.old, gamma.back")
    site.offer("beta", "1.0", ["gamma"], source=uses)
    site.offer("gamma", "1.5")
    past("", "beta")
    page = site.index / "gamma/index.html"
    href = 'href="gamma-1.5-py3-none-any.whl"'
    page.write_text(page.read_text().replace(href, f'{href} data-upload-time="2024-01-20T00:00:00Z"'))
    back = REMOVAL.replace('"2"', '"1.5"\nuntil = "2"').replace("gamma.old", "gamma.back")
    (site.project / "ours/removals/gamma.toml").write_text(f"{REMOVAL.lstrip()}{back}")
    assert envlock(*SOLVE).status == 0
    assert pinned(site)["gamma"] == "1.0"


def test_and_told_where_it_cannot_be_had(site: Site, envlock: Envlock, past: Callable[..., None]):
    site.offer("beta", "1.0", ["gamma"], source=USES)
    past("", "beta==1.0", "gamma==2.0")
    said = envlock(*SOLVE)
    assert said.status == 0
    told = "beta 1.0 looks for gamma.old when use is called (beta.py:3), which gamma 2 no longer has"
    assert f"{told}: there is no answer without" in " ".join(said.out.split())


def test_what_would_have_to_be_built_is_not_preferred(
    site: Site, envlock: Envlock, past: Callable[..., None]
):
    site.offer("beta", "1.0", ["gamma"], source=USES)
    shutil.rmtree(site.index / "gamma")
    site.offer_source("gamma", "pass")
    site.offer("gamma", "2.0")
    past("", "beta")
    page = site.index / "gamma/index.html"
    source = '<a href="gamma-1.0.tar.gz" data-upload-time="2024-01-01T00:00:00Z">s</a></body>'
    page.write_text(page.read_text().replace("</body>", source))
    said = envlock(*SOLVE)
    assert said.status == 0
    assert "looks for gamma.old when use is called" in " ".join(said.out.split())
    assert pinned(site) == {"beta": "1.0", "gamma": "2.0"}
    assert "to avoid it takes building gamma 1.0" in " ".join(said.out.split())


def test_another_release_of_a_wish_is_told_in_place_of_its_price(
    site: Site, envlock: Envlock, past: Callable[..., None]
):
    site.offer("beta", "1.0", ["gamma"], source=USES)
    past("", "beta", "gamma>=0.5")
    said = envlock(*SOLVE)
    assert said.status == 0
    assert pinned(site) == {"beta": "1.0", "gamma": "2.0"}
    assert "to avoid it takes gamma 1.0, and nothing imports it" in " ".join(said.out.split())


@pytest.fixture
def fallen(site: Site, past: Callable[..., None]) -> Callable[..., None]:
    """Writes a group whose wish can only have releases of years ago, as the newest needs what is excluded."""

    def group(of_old: int, as_of: str, pythons: Iterable[str] = ("3.12.1",)) -> None:
        past("", "alpha")
        site.offer("brought", "1.0")
        for number in range(1, of_old + 1):
            site.offer("reader", f"0.{number}", source="from collections import Iterable\n")
        site.offer("reader", "1.0", ["brought"])
        for name in ("brought", "reader"):
            page = site.index / name / "index.html"
            for path in sorted(page.parent.glob("*.whl")):
                day = "2025-02-10" if "-1.0-" in path.name else "2023-12-10"
                href = f'href="{path.name}"'
                page.write_text(page.read_text().replace(href, f'{href} data-upload-time="{day}T00:00:00Z"'))
        site.manifest(
            f'[site]\nknowledge = ["ours"]\n[groups.tiny]\nas-of = {as_of}\n'
            'requires = ["reader"]\nexclude = ["brought"]\n',
            pythons,
        )

    return group


def test_what_fell_back_by_years_is_looked_through_without_a_cut_off(
    envlock: Envlock, fallen: Callable[..., None]
):
    """requests 2.15.1 was locked for Python 3.11, of which no import is possible there."""
    fallen(1, '"none"')
    said = envlock(*SOLVE)
    assert said.status == 1
    assert "removed-names:reader-0.1+python-3.10" in said.err


def test_after_more_releases_than_are_tried_the_refusal_says_what_keeps_newer_ones_out(
    envlock: Envlock, fallen: Callable[..., None]
):
    fallen(35, "2025-06-01")
    said = envlock(*SOLVE)
    shown = " ".join(said.err.split())
    assert said.status == 1
    assert "you exclude brought" in shown
    assert "the 32 releases tried, from 0.35 back, are alike" in shown
    assert "yours: do not exclude brought" in shown


def test_and_another_interpreter_is_tried_first(site: Site, envlock: Envlock, fallen: Callable[..., None]):
    fallen(35, '"none"', ["3.9.18", "3.12.1"])
    said = envlock(*SOLVE)
    assert said.status == 0, said.err
    assert pinned(site)["reader"] == "0.35"
    assert tomllib.loads(site.lock.read_text())["requires-python"] == "==3.9.*"
