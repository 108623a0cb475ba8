"""L5: who differs, from whom, and in what."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from envlock.lifecycle.evidence.sameness import sameness_check
from envlock.model.proving.rank_result import RankResult
from envlock.model.proving.report import Outcome

VERIFIED, OTHER = "a" * 64, "b" * 64


def rank(number: int, environment: str = VERIFIED, **facts: object) -> RankResult:
    place: Mapping[str, object] = {"source": "slurm", "rank": number, "size": 3}
    return RankResult(
        host=f"n{number}",
        pid=number,
        phase="done",
        step=1,
        done=True,
        launcher=place,
        mpi={},
        facts={"environment": environment, "changed_files": [], **facts},
        libraries={},
        back_ends={},
    )


def test_the_node_that_differs_is_named() -> None:
    found = sameness_check((rank(0), rank(1, OTHER), rank(2)), {"environment": VERIFIED})
    assert found.outcome is Outcome.FAILED
    assert found.message == "environment of rank 1 on n1 is bbbbbbbbbbbb, and 2 others have aaaaaaaaaaaa"


def test_all_nodes_may_differ_from_the_one_that_verifies() -> None:
    """Ranks that are equal to each other prove nothing of the lock."""
    ranks = (rank(0, OTHER), rank(1, OTHER))
    assert sameness_check(ranks, None).outcome is Outcome.PASSED
    found = sameness_check(ranks, {"environment": VERIFIED})
    assert found.outcome is Outcome.FAILED
    assert found.message == (
        "environment of rank 0 on n0, rank 1 on n1 is bbbbbbbbbbbb, "
        "and the environment that was compared with the lock has aaaaaaaaaaaa"
    )


def test_a_changed_file_is_told_once_with_its_ranks() -> None:
    changed = ["a.py has 3 bytes instead of 2", "b.py is missing"]
    found = sameness_check((rank(0), rank(1, changed_files=changed)), None)
    assert found.outcome is Outcome.FAILED
    assert found.message == (
        "rank 1 on n1 loaded what is not as it was installed: a.py has 3 bytes instead of 2 and 1 more"
    )


def test_a_rank_that_ended_before_it_told_what_it_loaded_has_not_passed() -> None:
    ended = rank(1)
    ended = replace(ended, facts={name: told for name, told in ended.facts.items() if name == "environment"})
    found = sameness_check((rank(0), ended), None)
    assert found.outcome is Outcome.NOT_APPLICABLE
    assert found.message == "not reached: rank 1 on n1 ended before telling what was loaded there"
    found = sameness_check((rank(0, changed_files=["a.py is missing"]), ended), None)
    assert found.outcome is Outcome.FAILED


def test_nodes_of_several_generations_may_have_several_kernels() -> None:
    ranks = (rank(0, kernel="4.18"), rank(1, kernel="5.14"), rank(2, kernel="4.18"))
    found = sameness_check(ranks, None)
    assert found.outcome is Outcome.WARNED
    assert found.message == "kernel of rank 1 on n1 is 5.14, and 2 others have 4.18"
    drivers = [{"driver": version} for version in ("535", "550", "535")]
    ranks = tuple(rank(n, kernel=f"4.{n}", gpus=drivers[n]) for n in range(3))
    assert sameness_check(ranks, None).outcome is Outcome.FAILED
