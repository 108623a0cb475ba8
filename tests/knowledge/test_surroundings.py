"""Facts on processors, networks, containers and launchers: they bind a node that names them, and no other."""

from __future__ import annotations

import pytest

from envlock.judging.judge import judge
from envlock.model.component import PROCESSOR, USUAL_MACHINE
from envlock.model.decode import Table
from envlock.model.knowing.fact import Fact, pins_of
from envlock.model.knowing.finding import Chosen, Verdict
from envlock.model.locked.pins import Solved, Unsolvable
from envlock.model.project.manifest import decode_manifest
from envlock.model.project.target import decode_target
from envlock.solve.request import Request
from envlock.solve.resolve import resolve
from tests.memory import MemoryCatalogue, interpreter
from tests.shipped import KNOWLEDGE

NUMPY = {
    version: {"files": [f"numpy-{version}-cp311-cp311-manylinux_2_17_x86_64.whl"]}
    for version in ("2.3.5", "2.4.0")
}


def numpy_on(components: dict[str, str]) -> Solved | Unsolvable:
    node = Table({"components": {"glibc": "2.35", **components}}, file="targets.toml")
    target = decode_target(node, "node", (interpreter("3.11.7"),))
    document = {"groups": {"g": {"requires": ["numpy"], "as-of": "none"}}}
    wishes = decode_manifest(document, "envlock.toml", KNOWLEDGE).group("g").wishes
    request = Request(wishes=wishes, target=target, interpreter=target.interpreters[0])
    return resolve(request, KNOWLEDGE, MemoryCatalogue({"numpy": NUMPY, "setuptools": {"80.9.0": {}}}))


@pytest.mark.parametrize(
    ("components", "version"),
    [({"cpu-simd": "sse3"}, "2.3.5"), ({"cpu-simd": "avx2"}, "2.4.0"), ({}, "2.4.0")],
)
def test_a_processor_decides_which_release_is_taken(components: dict[str, str], version: str) -> None:
    answer = numpy_on(components)
    assert isinstance(answer, Solved)
    assert {pin.component: pin.version for pin in answer.distributions}["numpy"] == version


def without(example: str, component: str) -> dict[str, tuple[Chosen, ...]]:
    return {
        name: (Chosen(version=version),)
        for name, version in pins_of(example).items()
        if component not in KNOWLEDGE.names_in_facts(name)
    }


def speaks(fact: Fact, pins: dict[str, tuple[Chosen, ...]]) -> bool:
    return any(finding.fact == fact.id for finding in judge(pins, KNOWLEDGE).findings)


def test_a_fact_is_silent_where_one_of_its_components_is_absent() -> None:
    """One test for all of them: a test for each took longer to be counted than to be run."""
    loud = {
        f"{fact.id}: {example} without {condition.component}"
        for fact in KNOWLEDGE.facts
        for example in fact.refuses
        for condition in fact.when + fact.then
        # Nodes of which nothing is said are of the usual architecture.
        if not (condition.component == PROCESSOR and condition.range.contains(USUAL_MACHINE))
        and speaks(fact, without(example, condition.component))
    }
    assert loud == set()


@pytest.mark.parametrize(
    ("beside", "verdict"), [({}, Verdict.INCOMPATIBLE), ({"torch": "2.0.1"}, Verdict.COMPATIBLE)]
)
def test_a_toolkit_is_numbas_where_nothing_else_uses_it(beside: dict[str, str], verdict: Verdict) -> None:
    pins = {"numba": "0.56.4", "cuda": "12.0", **beside}
    stack = {name: (Chosen(version=version),) for name, version in pins.items()}
    assert judge(stack, KNOWLEDGE).verdict is verdict
