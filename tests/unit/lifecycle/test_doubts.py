"""When evidence no longer counts: one control for each thing that it rests on."""

from __future__ import annotations

from dataclasses import replace

import pytest

from envlock.lifecycle.doubts import (
    EnvironmentMissing,
    EnvironmentOfAnotherLock,
    EvidenceExpired,
    EvidenceFailed,
    EvidenceMissing,
    EvidenceOfAnotherLock,
    doubts,
)
from envlock.lifecycle.surroundings import mpi_libraries, systems_now
from envlock.model.locked.pins import Origin
from envlock.model.project.target import Offer, Target
from envlock.model.proving.report import Outcome
from envlock.model.proving.surroundings import Surroundings
from tests.locks import lock, system
from tests.shipped import KNOWLEDGE
from tests.unit.model.proving.test_report import CHECK, RANK, REPORT

LIBRARY = "/sw/ompi/lib/libmpi.so.40"
THEN = Surroundings(
    host="n1",
    kernel="6.1",
    systems={"driver": "525.60", "openmpi": "4.1.4, module load OpenMPI/4.1.4, /sw/ompi"},
    libraries={LIBRARY: "ab" * 32},
)
GOOD = replace(
    REPORT,
    checks=(replace(CHECK, outcome=Outcome.PASSED),),
    ranks=(replace(RANK, host="n1"), replace(RANK, host="n2", facts={"kernel": "6.1"})),
    surroundings=THEN,
)
LOCK = GOOD.lock_sha256


def found(now: Surroundings | None) -> list[object]:
    return list(doubts(LOCK, "key", "key", GOOD, now))


def test_evidence_of_this_very_node_counts() -> None:
    assert found(THEN) == []
    assert found(None) == []


@pytest.mark.parametrize(
    ("now", "expected"),
    [
        ({"systems": {**THEN.systems, "driver": "580.65"}}, ("driver", "525.60", "580.65")),
        ({"systems": {"openmpi": THEN.systems["openmpi"]}}, ("driver", "525.60", "none")),
        ({"systems": {**THEN.systems, "slurm": "22.05"}}, ("slurm", "none", "22.05")),
        (
            {"systems": {**THEN.systems, "openmpi": "4.1.4, module load OpenMPI/4.1.4-b, /sw/ompi-b"}},
            ("openmpi", THEN.systems["openmpi"], "4.1.4, module load OpenMPI/4.1.4-b, /sw/ompi-b"),
        ),
        ({"kernel": "6.2"}, ("kernel", "6.1", "6.2")),
        ({"host": "n2", "kernel": "6.2"}, ("kernel", "6.1", "6.2")),
        ({"libraries": {LIBRARY: "cd" * 32}}, (LIBRARY, "sha256 abababababab", "sha256 cdcdcdcdcdcd")),
        ({"libraries": {LIBRARY: ""}}, (LIBRARY, "sha256 abababababab", "none")),
    ],
)
def test_what_it_rests_on_changed(now: dict[str, object], expected: tuple[str, str, str]) -> None:
    what, verified, today = expected
    assert found(replace(THEN, **now)) == [EvidenceExpired(what=what, verified=verified, found=today)]  # type: ignore[arg-type]


def test_a_host_that_took_no_part_says_nothing_of_kernels_and_files() -> None:
    assert found(replace(THEN, host="login", kernel="5.4", libraries={LIBRARY: ""})) == []


def test_the_lock_and_the_environment_come_first() -> None:
    other = replace(THEN, kernel="6.2")
    assert list(doubts("ff" * 32, "key", "key", GOOD, other)) == [EvidenceOfAnotherLock()]
    assert list(doubts(LOCK, "key", "key", None, other)) == [EvidenceMissing()]
    assert list(doubts(LOCK, "key", "", GOOD, other)) == [EnvironmentMissing()]
    assert list(doubts(LOCK, "key", "old", GOOD, other)) == [EnvironmentOfAnotherLock(key="old")]
    failed = replace(GOOD, checks=(replace(CHECK, name="imports", outcome=Outcome.CRASHED),))
    assert list(doubts(LOCK, "key", "key", failed, other)) == [EvidenceFailed(checks=("imports",))]


def test_what_evidence_rests_on() -> None:
    pinned = lock(
        system("openmpi", "4.1.4", prefix="/sw/ompi"),
        system("driver", "525.60", Origin.NODE),
        system("mpich", "4.2", Origin.INDEX, carried_by="pypi:mpich"),
    )
    offers = (
        Offer(component="openmpi", version="5.0.8", prefix="/sw/ompi5"),
        Offer(component="openmpi", version="4.1.4", prefix="/sw/ompi"),
        Offer(component="driver", version="580.65"),
        Offer(component="gpu_cc", version="8.0"),
        Offer(component="gpu_cc", version="9.0"),
        Offer(component="gcc", version="12.2.0"),
    )
    target = Target(name="local", os="", machine="x86_64", interpreters=(), offers=offers)
    assert systems_now(pinned, target, KNOWLEDGE) == {
        "driver": "580.65",
        "gpu_cc": "8.0, 9.0",
        "openmpi": "4.1.4, /sw/ompi",
    }
    bare = replace(target, offers=offers[:1])
    assert systems_now(pinned, bare, KNOWLEDGE) == {"openmpi": "not offered"}


def test_libraries_of_the_environment_are_vouched_for_by_its_lock() -> None:
    families = {
        "mpi": ["/env/lib/libmpi.so.12", "/usr/lib/libmpi.so.40"],
        "cudart": ["/usr/lib/libcudart.so"],
    }
    assert list(mpi_libraries(families, "/env")) == ["/usr/lib/libmpi.so.40"]
