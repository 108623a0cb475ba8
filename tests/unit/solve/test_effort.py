"""How far a solve goes in refusing: reasons take most of the time, and are found only where asked for."""

from __future__ import annotations

import pytest

from envlock.model.errors import RefusedError
from envlock.model.locked.pins import Unsolvable
from envlock.solve.effort import Effort
from envlock.solve.refusing import refusal as refusing
from envlock.solve.requirements import Level
from envlock.solve.resolve import resolve
from envlock.solve.searching.solver import Solver
from tests.memory import MemoryCatalogue
from tests.unit.solve.test_remedies import CLASH, _request
from tests.unit.solve.test_scenarios import knowledge_of

FILES = {name: {"1.0": {}, "1.1": {}} for name in ("one", "two")}


@pytest.fixture
def explained(monkeypatch) -> list[object]:
    """The refusals that were reduced to what conflicts."""
    found: list[object] = []
    core_of = refusing.core_of

    def counted(*arguments: object) -> object:
        found.append(arguments)
        return core_of(*arguments)

    monkeypatch.setattr(refusing, "core_of", counted)
    return found


@pytest.mark.parametrize("effort", Effort)
def test_a_refusal_says_as_much_as_was_asked_for(effort: Effort, explained) -> None:
    knowledge = knowledge_of({"knowledge": {"fact": [CLASH]}})
    request = _request(knowledge, ["one<1.1", "two<1.1"])
    refusal = resolve(request, knowledge, MemoryCatalogue(FILES), effort=effort)
    assert isinstance(refusal, Unsolvable)
    assert bool(refusal.reasons) is (effort >= Effort.EXPLAIN) is bool(explained)
    assert bool(refusal.remedies) is (effort is Effort.REMEDY)


def test_a_refusal_is_explained_as_it_was_where_no_better_explanation_reaches_an_end(monkeypatch) -> None:
    lacking = {"requires": ['lacking; extra == "x"'], "extras": ["x"]}
    releases = {"1.0": lacking, "2.0": {"extras": ["x"]}}
    files = {"one": releases, "two": {"1.0": {"requires": ["one[x]"]}}}
    refutation = Solver.refutation

    def bounded(solver: Solver, requirements, facts):
        wanted = tuple(requirements)
        if any(one.level is Level.MAY and one.identifier == "one[x]" for one in wanted):
            raise RefusedError("too-deep", "no answer was found")
        return refutation(solver, wanted, facts)

    monkeypatch.setattr(Solver, "refutation", bounded)
    request = _request(knowledge_of({}), ["one==1.0", "two"])
    refusal = resolve(request, knowledge_of({}), MemoryCatalogue(files))
    assert isinstance(refusal, Unsolvable)
    assert "one ==1.0" in {reason.wants for reason in refusal.reasons}
