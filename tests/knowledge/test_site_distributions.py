"""Distributions that a site's modules bring: taken when asked for, judged, locked, and missed when gone."""

from __future__ import annotations

from dataclasses import replace

from envlock.lifecycle.drift import mismatches
from envlock.model.component import Via
from envlock.model.knowing.finding import Chosen
from envlock.model.locked.lock import Lock, decode_lock, encode_lock
from envlock.model.locked.pins import Origin, Solved
from envlock.model.project.manifest import decode_manifest
from envlock.solve.assignment import assignment_of
from envlock.solve.offers.candidates import Candidates
from envlock.solve.offers.shared import Shared
from envlock.solve.request import Request
from tests.field import INDEX, refused, solve, target, versions
from tests.memory import MemoryCatalogue
from tests.shipped import KNOWLEDGE


def test_thetas_horovod_comes_from_its_modules() -> None:
    answer = solve("theta", "horovod==0.15.2", system=("launcher==aprun",), python="3.6.15")
    assert isinstance(answer, Solved), answer
    (pin,) = [pin for pin in answer.systems if pin.component == "horovod"]
    assert (pin.origin, pin.modules) == (Origin.SITE, ("datascience/horovod-0.15.2",))
    assert versions(answer)["cray-mpich"] == "7.7.10"
    assert "horovod" not in {one.component for one in answer.distributions}
    request = Request(wishes=(), target=target("theta"), interpreter=answer.interpreter)
    judged = assignment_of(answer, request, KNOWLEDGE)
    assert judged["horovod"] == (Chosen(version="0.15.2", via=Via.SITE),)


def test_a_module_for_another_python_is_refused() -> None:
    told = refused(solve("theta", "horovod==0.13.11", system=("cray-mpich",), python="3.11.7"))
    assert "horovod 0.13.11: python ==3.6.*" in told


def test_nlpls_horovod_brings_the_tensorflow_that_it_was_built_for() -> None:
    answer = solve("nlpl-2020", "horovod==0.18.2", python="3.7.16")
    assert isinstance(answer, Solved), answer
    assert {pin.name for pin in answer.distributions} == {"setuptools"}
    found = {pin.component: (pin.version, pin.origin) for pin in answer.systems}
    assert found["tensorflow"] == ("1.15.2", Origin.SITE)
    assert found["openmpi"] == ("3.1.4", Origin.SITE)


def test_what_the_site_brings_is_no_reason_for_an_older_release() -> None:
    newest, brought = ("2.1.0", Via.WHEEL), ("1.15.2", Via.SITE)
    assert candidates("nlpl-2020") == [newest, brought]  # the wheel of 1.15.2 sees no GPU
    assert candidates("nlpl-2020", "tensorflow==1.15.2") == [brought, newest, ("1.15.2", Via.WHEEL)]


def candidates(name: str, *requires: str) -> list[tuple[str, Via | None]]:
    machine = target(name, "3.7.16")
    group = {"requires": list(requires), "as-of": "none"}
    wishes = decode_manifest({"groups": {"g": group}}, "envlock.toml", KNOWLEDGE).group("g").wishes
    request = Request(wishes=wishes, target=machine, interpreter=machine.interpreters[0])
    tensorflow = {
        version: {"files": [f"tensorflow-{version}-cp37-cp37m-manylinux2010_x86_64.whl"]}
        for version in ("1.15.2", "2.1.0")
    }
    catalogue = MemoryCatalogue({**INDEX, "tensorflow": tensorflow})
    found = Candidates(request, KNOWLEDGE, catalogue, Shared()).of("tensorflow")
    return [(one.version, one.via) for one in found]


def test_a_lock_tells_what_the_site_brings_and_drift_when_it_is_gone() -> None:
    answer = solve("theta", "horovod==0.15.2", system=("launcher==aprun",), python="3.6.15")
    assert isinstance(answer, Solved), answer
    lock = Lock(
        group="g",
        target="theta",
        python="3.6.15",
        requires_python="==3.6.*",
        environment="",
        distributions=answer.distributions,
        systems=answer.systems,
        facts={},
        as_of=None,
        knowledge="",
        inputs="",
        created_by="test",
    )
    again = decode_lock(encode_lock(lock), "pylock.g.toml")
    assert again.systems == lock.systems
    there = target("theta", "3.6.15")
    assert list(mismatches(again, there, ())) == []
    gone = replace(there, distributions=there.distributions[:1])
    assert [type(one).__name__ for one in mismatches(again, gone, ())] == ["OfferGone"]
