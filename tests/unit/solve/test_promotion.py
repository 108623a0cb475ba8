"""Who asks for a fact that meets conflicts is decided early, whatever crowd lies between."""

from __future__ import annotations

from resolvelib.resolvers import Resolution

from envlock.model.project.manifest import decode_manifest
from envlock.solve.offers.shared import Shared
from envlock.solve.request import Request
from envlock.solve.searching.provider import Rejections
from envlock.solve.searching.solver import Solver
from tests.memory import MemoryCatalogue, machine
from tests.unit.solve.test_scenarios import knowledge_of

CROWD = [f"crowd{number:02}" for number in range(25)]
VERSIONS = [f"1.{number}" for number in range(8)]
FACT = {
    "id": "old-zeta-new-ext",
    "when": {"zeta": "<9", "ext": ">=4.6", "other": ">=1"},
    "then": {},
    "evidence": "reported",
    "reason": "r",
}
INDEX = {
    "alpha": {"2.0": {"requires": ["ext>=4.6"]}, "1.0": {"requires": ["ext"]}},
    "ext": {"4.5": {}, "4.6": {}},
    "other": {"1.0": {}},
    **{name: {version: {"requires": ["ext"]} for version in VERSIONS} for name in CROWD},
    "top": {"1.0": {"requires": ["alpha", *CROWD, "other", "zeta"]}},
    "zeta": {version: {"requires": ["ext"]} for version in VERSIONS},
}


def test_an_early_choice_is_gone_back_on_soon():
    knowledge, target = knowledge_of({"knowledge": {"fact": [FACT]}}), machine("3.11.7")
    group = decode_manifest({"groups": {"g": {"requires": ["top"]}}}, "m", knowledge).group("g")
    request = Request(wishes=group.wishes, target=target, interpreter=target.interpreters[0])
    solver = Solver(request, knowledge, MemoryCatalogue(INDEX), Shared())
    provider = solver.provider(solver.facts)
    # 528 rounds; without the asker's promotion none of 20,000 ends
    reporter = Rejections(provider, most_looks=10**6)
    pins = Resolution(provider, reporter).resolve(solver.requirements(), max_rounds=1000).mapping
    assert [pins[name].version for name in ("alpha", "ext", "zeta")] == ["1.0", "4.5", "1.7"]
