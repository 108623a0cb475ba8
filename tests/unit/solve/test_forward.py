"""The straight way leads where resolvelib gets, goes back where that is plain, or gives up."""

from __future__ import annotations

from collections.abc import Iterable
from random import Random

import pytest
from resolvelib.resolvers import Resolution

from envlock.model.errors import RefusedError
from envlock.model.knowing.facts import Facts
from envlock.model.locked.pins import Solved
from envlock.model.published.catalogue import DistFile
from envlock.model.published.metadata import Metadata
from envlock.solve.effort import Effort
from envlock.solve.offers.shared import Shared
from envlock.solve.requirements import Requirement
from envlock.solve.resolve import resolve
from envlock.solve.searching.by_resolvelib import TOO_DEEP
from envlock.solve.searching.confirmed import confirmed
from envlock.solve.searching.forward import Forward
from envlock.solve.searching.outcomes import Found, Refuted
from envlock.solve.searching.provider import Provider, Rejections
from envlock.solve.searching.solver import Solver
from tests.property.universes import COMPONENTS, Universe, universe

PASSED_BY = {
    "app": {"1.0": ["tools>=2", "old<4"], "3.0": ["tools>=2", "base<2"]},
    "base": {"1.0": ["core"]},
    "core": {"1.0": [], "2.0": [], "3.0": ["base>=3"]},
    "old": {"2.0": []},
    "tools": {"3.0": [], "4.0": ["core>=3"]},
}
"""An index in which tools 4.0 looks best, goes with nothing of app 3.0's, and makes app look to blame."""


def test_answers_are_those_of_resolvelib_where_nothing_is_taken_back() -> None:
    answered = 0
    for seed in range(150):
        solver, straight, way = straight_on(universe(Random(seed)))
        found = way.run(solver.requirements())
        if found is None or way.taken_back:
            continue
        provider = solver.provider(solver.facts)
        reporter = Rejections(provider, most_looks=10**6)
        pins = Resolution(provider, reporter).resolve(solver.requirements(), max_rounds=1000).mapping
        ours = confirmed(found, solver.requirements(), straight)
        theirs = confirmed(pins, solver.requirements(), provider)
        assert (ours and ours.mapping) == (theirs and theirs.mapping), seed
        answered += 1
    assert answered > 50


def test_what_is_taken_back_leads_to_answers() -> None:
    found = 0
    for seed in range(300):
        solver, provider, way = straight_on(universe(Random(seed)))
        pins = way.run(solver.requirements())
        if pins is not None and way.taken_back:
            found += 1
            assert confirmed(pins, solver.requirements(), provider) is not None, seed
    assert found > 30


def test_a_parent_gives_way_whose_child_cannot_be_had() -> None:
    """The newest b wants a c that wants a newer a than the user does."""
    index = {
        "a": {"1.0": [], "2.0": []},
        "b": {"1.0": ["c<2"], "2.0": ["c>=2"]},
        "c": {"1.0": ["a"], "2.0": ["a>=2"]},
    }
    assert way_through(index, ["a<2", "b"]) == ({"a": "1.0", "b": "1.0", "c": "1.0"}, 1)


def test_a_version_gives_way_to_what_a_later_component_wants() -> None:
    index = {"a": {"1.0": [], "2.0": []}, "b": {"1.0": ["a<2"]}}
    assert way_through(index, ["a", "b"]) == ({"a": "1.0", "b": "1.0"}, 1)


def test_what_was_passed_over_for_an_ask_that_is_gone_is_still_there() -> None:
    """b gives way to 2.0, which c alone wants; when nothing wants c any more, 1.0 is as good as any."""
    index = {
        "a": {"1.0": ["b==2.0", "b==3.0"]},
        "b": {"1.0": [], "2.0": ["a==1.0"], "3.0": ["c<3"]},
        "c": {"1.0": ["a"]},
    }
    assert way_through(index, ["b"]) == ({"b": "1.0"}, 2)


@pytest.mark.parametrize("effort", [Effort.TRY, Effort.REMEDY])
def test_a_wish_that_a_guess_passes_by_is_found_in_tries_for_something_better_too(effort: Effort) -> None:
    one = plain(PASSED_BY, ["app"])
    answer = resolve(one.request, one.knowledge, one.catalogue, effort=effort)
    assert isinstance(answer, Solved)
    assert {pin.component: pin.version for pin in answer.distributions}["app"] == "3.0"


def test_where_the_search_for_something_nearer_reaches_no_end_the_first_answer_stands(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    attempt = Solver.attempt

    def ending(
        self: Solver, requirements: Iterable[Requirement], *args: Facts, **options: bool
    ) -> Found | Refuted:
        if not options.get("nearest"):
            raise RefusedError(TOO_DEEP, "no answer after many rounds")
        return attempt(self, requirements, *args, **options)

    monkeypatch.setattr(Solver, "attempt", ending)
    one = plain(PASSED_BY, ["app"])
    answer = resolve(one.request, one.knowledge, one.catalogue)
    assert isinstance(answer, Solved)
    assert {pin.component: pin.version for pin in answer.distributions}["app"] == "1.0"


def test_what_metadata_leads_to_is_begun_before_anyone_decides_on_it() -> None:
    index = {
        "a": {"1.0": ["b", "c[x]"]},
        "b": {"1.0": ["d", "old; python_version < '3'", "e; extra == 'y'"]},
        "c": {"1.0": ["f; extra == 'x'"]},
        **{name: {"1.0": []} for name in ("d", "e", "f", "old")},
    }
    solver, _, way = straight_on(plain(index, ["a"]))
    begun: list[str] = []
    known: dict[str, set[str]] = {}
    prefetch, metadata = solver.catalogue.prefetch, solver.catalogue.metadata

    def noted(names: Iterable[str]) -> None:
        begun.extend(names := list(names))
        prefetch(names)

    def read(distribution: str, file: DistFile) -> Metadata:
        known.setdefault(distribution, set(begun))
        return metadata(distribution, file)

    solver.catalogue.prefetch, solver.catalogue.metadata = noted, read  # type: ignore[method-assign]
    assert way.run(solver.requirements()) is not None
    assert {"d", "f"} <= known["b"]
    assert "b" in known["b"]
    assert not {"e", "old"} & set(begun)


def way_through(index: dict[str, dict[str, list[str]]], requires: list[str]) -> tuple[dict[str, str], int]:
    """The versions that are found, and how many decisions were taken back on the way."""
    solver, provider, way = straight_on(plain(index, requires))
    pins = way.run(solver.requirements())
    assert pins is not None
    assert confirmed(pins, solver.requirements(), provider) is not None
    return {name: one.version for name, one in pins.items() if one.file}, way.taken_back


def straight_on(one: Universe) -> tuple[Solver, Provider, Forward]:
    """A way forward through a universe, not yet gone."""
    solver = Solver(one.request, one.knowledge, one.catalogue, Shared())
    provider = solver.provider(solver.facts)
    return solver, provider, Forward(provider)


def plain(index: dict[str, dict[str, list[str]]], requires: list[str]) -> Universe:
    """A universe without facts."""
    releases = {
        name: {version: {"requires": requirements} for version, requirements in one.items()}
        for name, one in index.items()
    }
    nothing = {"provider": [], "need": [], "flavour": [], "fact": [], "build": []}
    knowledge = {"component": COMPONENTS, **nothing}
    return Universe.of(
        {"index": releases, "target": {}, "group": {"requires": requires}, "knowledge": knowledge}
    )
