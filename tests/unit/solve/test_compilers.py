"""The compiler of builds: the node's own, a module's where that suits better, or an MPI's."""

from __future__ import annotations

from dataclasses import replace

import pytest

from envlock.model.knowing.knowledge import Knowledge
from envlock.model.locked.pinned import modules_of
from envlock.model.locked.pins import Solved
from envlock.model.project.manifest import decode_manifest
from envlock.model.project.target import Offer
from envlock.model.project.toolchains import with_toolchains
from envlock.solve.building.compilers import of_other_generations
from envlock.solve.request import Request
from envlock.solve.resolve import resolve
from tests.memory import MemoryCatalogue, machine
from tests.unit.solve.test_scenarios import knowledge_of

SOURCES = [{"title": "https://example.org", "checked": "2026-11-30"}]
OLD, NEW = (
    Offer(component="gcc", version="4.8.5", prefix="/usr"),
    Offer(component="gcc", version="10.2.0", modules=("gcc/10.2.0",), prefix="/opt/gcc"),
)
INDEX = {
    "app": {"1.0": {"files": ["app-1.0.tar.gz"]}, "2.0": {"files": ["app-2.0.tar.gz"]}},
    "wheel": {"1.0": {"files": ["wheel-1.0-py3-none-any.whl"]}},
}


def fact(name: str, versions: str, gcc: str, severity: str = "refuse") -> dict:
    return {
        "id": name,
        "when": {"app": {"versions": versions, "via": "build"}},
        "then": {"gcc": gcc},
        "severity": severity,
        "evidence": "documented",
        "reason": "its authors say so",
        "sources": SOURCES,
    }


KNOWLEDGE: Knowledge = knowledge_of(
    {
        "knowledge": {
            "component": [
                {"name": name, "title": name, "layer": "core"}
                for name in ("gcc", "openmpi", "nccl", "cuda", "toolchain")
            ],
            "need": [{"distribution": "app", "versions": ">=2", "component": "openmpi", "reason": "MPI"}],
            "fact": [fact("app-gcc-5", "*", ">=5"), fact("app-gcc-13", ">=2", "<13")],
        }
    }
)


def asked(requires: list[str], offers: list[Offer], system: tuple[str, ...] = ()) -> Request:
    group = {"requires": requires, "system": list(system)}
    wishes = decode_manifest({"groups": {"g": group}}, "envlock.toml", KNOWLEDGE).group("g").wishes
    target = with_toolchains(replace(machine(), offers=tuple(offers)), {})
    return Request(wishes=wishes, target=target, interpreter=target.interpreters[0])


def solved(*args, **more) -> Solved:
    answer = resolve(asked(*args, **more), KNOWLEDGE, MemoryCatalogue(INDEX))
    assert isinstance(answer, Solved), answer
    return answer


def compiler(answer: Solved) -> str:
    (plan,) = [pin.build for pin in answer.distributions if pin.build]
    return plan.systems.get("gcc", "")


def loaded(answer: Solved) -> list[tuple[str, tuple[str, ...]]]:
    return [(pin.version, pin.modules) for pin in answer.systems if pin.component == "gcc"]


@pytest.mark.parametrize(
    ("offers", "version", "pins"),
    [
        ([OLD, NEW], "10.2.0", [("10.2.0", ("gcc/10.2.0",))]),
        ([NEW, replace(OLD, version="7.5.0")], "7.5.0", []),  # the node's own suits as well
        ([OLD], "4.8.5", []),  # nothing better: a recipe may get along
        ([NEW], "10.2.0", [("10.2.0", ("gcc/10.2.0",))]),
        ([], "", []),
    ],
)
def test_a_module_is_loaded_where_the_nodes_own_does_not_suit(offers, version, pins) -> None:
    answer = solved(["app==1.0"], offers)
    assert compiler(answer) == version
    assert loaded(answer) == pins


def test_what_the_module_brings_is_in_front_and_asked_for_by_what_is_built() -> None:
    answer = solved(["app==1.0"], [OLD, NEW])
    (pin,) = [pin for pin in answer.systems if pin.component == "gcc"]
    assert pin.asked_by == ("app 1.0",)
    (plan,) = [pin.build for pin in answer.distributions if pin.build]
    assert plan.variables["PATH"] == "/opt/gcc/bin"
    assert plan.variables["LD_LIBRARY_PATH"] == "/opt/gcc/lib"


def test_it_is_loaded_before_an_mpi_that_a_hierarchy_shows_beside_it_alone() -> None:
    mpi = Offer(component="openmpi", version="4.1.4", modules=("openmpi4/4.1.4",))
    answer = solved(["app==2.0"], [OLD, NEW, mpi])
    assert modules_of(answer.systems) == ("gcc/10.2.0", "openmpi4/4.1.4")


def test_where_nothing_is_built_no_compiler_is_loaded() -> None:
    assert loaded(solved(["wheel"], [OLD, NEW])) == []


def test_who_asks_for_a_compiler_gets_it() -> None:
    answer = solved(["app==1.0"], [replace(OLD, version="7.5.0"), NEW], system=("gcc>=9",))
    assert compiler(answer) == "10.2.0"
    assert loaded(answer) == [("10.2.0", ("gcc/10.2.0",))]


MPIS = [
    Offer(component="openmpi", version=version, modules=(f"OpenMPI/{version}-GCC-{gcc}",))
    for version, gcc in (("4.0.5", "10.2.0"), ("4.1.4", "12.2.0"), ("5.0.3", "13.3.0"))
]


def test_the_compiler_that_the_modules_of_an_mpi_load_is_that_of_the_build() -> None:
    answer = solved(["app==2.0"], [OLD, NEW, *MPIS])
    assert [pin.version for pin in answer.systems if pin.component == "openmpi"] == ["5.0.3"]
    assert (compiler(answer), loaded(answer)) == ("13.3.0", [])


def test_a_compiler_that_does_not_suit_leads_to_another_generation() -> None:
    request = asked(["app==2.0"], [OLD, *MPIS])
    answer = resolve(request, KNOWLEDGE, MemoryCatalogue(INDEX))
    assert isinstance(answer, Solved)
    (learned_conflict,) = of_other_generations(answer, request, KNOWLEDGE)
    assert learned_conflict.id == "warned-of:app-gcc-13"
    assert {str(one) for one in learned_conflict.when} == {"app ==2.0", "openmpi ==5.0.3"}
    around = replace(KNOWLEDGE, facts=KNOWLEDGE.facts.plus([learned_conflict]))
    better = resolve(request, around, MemoryCatalogue(INDEX))
    assert isinstance(better, Solved)
    assert compiler(better) == "12.2.0"
    assert list(of_other_generations(better, request, around)) == []


def test_modules_of_two_generations_are_not_taken_together() -> None:
    nccls = [
        Offer(component="nccl", version=version, modules=(f"NCCL/{version}-GCCcore-{gcc}-CUDA-{cuda}",))
        for version, gcc, cuda in (("2.8.3", "10.2.0", "11.1.1"), ("2.16.2", "12.2.0", "12.0.0"))
    ]
    cudas = [
        Offer(component="cuda", version=version, modules=(f"CUDA/{version}",))
        for version in ("11.1.1", "12.0.0")
    ]
    asked_for = ("openmpi", "nccl", "cuda<12")
    answer = solved(["wheel"], [*MPIS, *nccls, *cudas], system=asked_for)
    assert [(pin.component, pin.version) for pin in answer.systems] == [
        ("cuda", "11.1.1"),
        ("nccl", "2.8.3"),
        ("openmpi", "4.0.5"),
    ]
