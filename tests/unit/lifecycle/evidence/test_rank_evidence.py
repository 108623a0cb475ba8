"""What ranks tell of their surroundings: each check passes on a good rank and names what is planted."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from envlock.lifecycle.evidence.network import network_checks
from envlock.lifecycle.evidence.process import process_checks
from envlock.lifecycle.evidence.rank_facts import rank_facts_checks
from envlock.lifecycle.evidence.sameness import sameness_check
from envlock.lifecycle.evidence.signatures import diagnose
from envlock.model.proving.probing import Plan
from envlock.model.proving.rank_result import RankResult
from envlock.model.proving.report import Check, Outcome
from tests.shipped import KNOWLEDGE
from tests.unit.lifecycle.evidence.test_evidence import rank as bare_rank
from tests.unit.lifecycle.evidence.test_evidence import supervision

PLAN = Plan(
    distributions=(),
    back_ends=("mpi4py",),
    ranks=2,
    expect={
        "mpi": {
            "component": "openmpi",
            "version": "4.1.4",
            "prefix": "/usr",
            "told-by": KNOWLEDGE.running.library_version("openmpi"),
        }
    },
)
GOOD: dict[str, Any] = {
    "affinity": [0, 1],
    "cpus": 2,
    "cpu_time": None,
    "lacking_instructions": [],
    "addresses": "unlimited",
    "host_cpus": 2,
    "memlock": 65536,
    "stack": "unlimited",
    "nofile": 20000,
    "fabric": [],
    "threads": {},
    "shm": {"size": 1 << 30, "free": 1 << 29, "error": ""},
    "temporary": {"folder": "/tmp", "error": ""},
    "gpus": {"reachable": 0, "visible": None, "uuids": [], "driver": ""},
    "process_manager": {"PMIX_VERSION": "4.2.2"},
    "process_manager_client": "OpenPMIx 4.2.2",
    "components": 33,
    "workers": {"what": "a forked child", "problem": ""},
    "network": {
        "expected": 2,
        "tried": 1,
        "failed": [],
        "address": "10.0.0.1",
        "interface": "eth0",
        "chosen_by": "the host's name",
        "master": {"name": "n0", "address": "10.0.0.1", "problem": "", "given": False},
        "clock": {"of": "rank 0 on n0", "ahead": 0.0},
    },
}


def rank(number: int, host: str = "n1", **facts: Any) -> RankResult:
    return bare_rank(number, host=host, facts={**GOOD, "told": {"openmpi": number}, **facts})


def checks(*ranks: RankResult, output: str = "") -> dict[str, Check]:
    seen = supervision(output=output)
    found = [*rank_facts_checks(ranks, PLAN), *network_checks(ranks), *process_checks(ranks, seen, PLAN)]
    return {check.id: check for check in reversed(found)}  # of two with one id, the first


def test_good_ranks_pass_and_what_is_not_there_is_not_applicable() -> None:
    found = {name: check.outcome for name, check in checks(rank(0), rank(1)).items()}
    assert {name for name, outcome in found.items() if outcome is Outcome.NOT_APPLICABLE} == {"L8", "P11"}
    assert set(found.values()) == {Outcome.PASSED, Outcome.NOT_APPLICABLE}


def test_nothing_passes_that_was_not_reached() -> None:
    lost = bare_rank(0, facts={}, mpi={}, back_ends={})
    assert {check.outcome for check in checks(lost).values()} == {Outcome.NOT_APPLICABLE}


NETWORK = GOOD["network"]


@pytest.mark.parametrize(
    ("facts", "identifier", "outcome", "message"),
    [
        ({"told": {"openmpi": 0, "slurm": 7}}, "L4", Outcome.PASSED, "SLURM_PROCID (7) is that of the job's"),
        ({"told": {"openmpi": 0, "slurm": 7, "generic": 3}}, "L4", Outcome.WARNED, "generic's say 3"),
        ({"told": {"openmpi": 0, "pmi": 7}}, "L4", Outcome.WARNED, "pmi's say 7"),
        ({"fabric": ["mlx5_0"]}, "L6", Outcome.FAILED, "may lock 65536 bytes, and the fabric"),
        ({"fabric": ["mlx5_0"], "memory": 65536}, "L6", Outcome.PASSED, "memlock 65536"),
        ({"fabric": ["mlx5_0"], "memory": 1 << 38}, "L6", Outcome.FAILED, "may lock 65536 bytes, and the"),
        (
            {"fabric": ["mlx5_0"], "memory": 1 << 38, "memlock": 1 << 36},
            "L6",
            Outcome.WARNED,
            "may lock 68719476736 bytes, and the fabric",
        ),
        ({"nofile": 256}, "L6", Outcome.WARNED, "nofile 256, below 1024"),
        ({"addresses": 1 << 30}, "L6", Outcome.WARNED, "rank 0 on n1 may map 1024 MiB of addresses"),
        (
            {"shm": {"size": 1 << 20, "free": 0, "error": "/dev/shm: No space left on device"}},
            "L7",
            Outcome.FAILED,
            "No space left on device, of 1 MiB",
        ),
        ({"shm": {"size": 64 << 20, "free": 1 << 20, "error": ""}}, "L7", Outcome.WARNED, "has 64 MiB"),
        ({"threads": {"OMP_NUM_THREADS": "64"}}, "L10", Outcome.WARNED, "OMP_NUM_THREADS=64 on 2"),
        ({"threads": {"OMP_NUM_THREADS": "2,1"}}, "L10", Outcome.PASSED, "each rank may use 2"),
        (
            {"threads": {"OMP_NUM_THREADS": "0"}},
            "L10",
            Outcome.WARNED,
            "OMP_NUM_THREADS=0, which is not a number",
        ),
        ({"threads": {"OMP_NUM_THREADS": "\u00b2"}}, "L10", Outcome.WARNED, "which is not a number"),
        ({"threads": {"MKL_NUM_THREADS": "all"}}, "L10", Outcome.WARNED, "MKL_NUM_THREADS=all, which is no"),
        (
            {"cpu_time": 1.0},
            "L10",
            Outcome.WARNED,
            "is shown 2 processors, and its control group gives the time of 1",
        ),
        (
            {"lacking_instructions": ["tensorflow 1.15.2 needs avx (its wheel)"]},
            "L10",
            Outcome.FAILED,
            "rank 0 on n1 has a processor that lacks what builds use: tensorflow 1.15.2 needs avx",
        ),
        (
            {"network": {**NETWORK, "clock": {"of": "rank 1 on n2", "ahead": -86.04}}},
            "L13",
            Outcome.WARNED,
            "the clock of rank 1 on n2 is 86.0 s behind that of rank 0 on n1",
        ),
        (
            {"network": {**NETWORK, "failed": ["rank 1 on n2 at 10.0.0.2: timed out"]}},
            "L12",
            Outcome.FAILED,
            "rank 1 on n2 at 10.0.0.2: timed out",
        ),
        (
            {"network": {**NETWORK, "master": {"name": "gone", "problem": "gone does not resolve"}}},
            "L11",
            Outcome.FAILED,
            "gone does not resolve",
        ),
        (
            {"workers": {"what": "a forked child", "problem": "a forked child died of SIGSEGV"}},
            "P12",
            Outcome.FAILED,
            "died of SIGSEGV",
        ),
    ],
)
def test_what_is_planted_is_named(
    facts: dict[str, Any], identifier: str, outcome: Outcome, message: str
) -> None:
    found = checks(rank(0, **facts), rank(1))[identifier]
    assert found.outcome is outcome
    assert message in found.message


def test_a_rank_that_can_import_from_outside_is_named() -> None:
    hooks = ["/opt/hooks (PYTHONPATH)", "/opt/hooks/sitecustomize.py, which ran when Python started"]
    check = sameness_check((rank(0, from_outside=[]), rank(1, "n2", from_outside=hooks)), None)
    told = "rank 1 on n2 can import from outside of the environment: /opt/hooks (PYTHONPATH) and 1 more"
    assert (check.outcome, check.message) == (Outcome.FAILED, told)


def test_ranks_that_ended_before_mpi_began_say_nothing_of_the_process_manager() -> None:
    assert checks(rank(0), rank(1))["L3"].outcome is Outcome.PASSED
    ended = (replace(rank(0), mpi={}), replace(rank(1), mpi={}))
    assert checks(*ended)["L3"].outcome is Outcome.NOT_APPLICABLE
    assert checks(rank(0), ended[1])["L3"].outcome is Outcome.PASSED
    alone = (replace(rank(0), mpi={"size": 1}), replace(rank(1), mpi={"size": 1}))
    assert checks(*alone)["L3"].outcome is Outcome.FAILED


def test_one_rank_sees_no_other_and_variables_that_are_not_set_do_not_agree() -> None:
    alone = replace(PLAN, ranks=1)
    found = {check.id: check for check in rank_facts_checks((rank(0, told={}),), alone)}
    assert (found["L3"].outcome, found["L3"].message) == (
        Outcome.NOT_APPLICABLE,
        "one rank sees no other; the launcher's PMIx is 4.2.2",
    )
    assert (found["L4"].outcome, found["L4"].message) == (
        Outcome.NOT_APPLICABLE,
        "not applicable: no variable tells a rank, MPI alone does",
    )


def test_a_node_without_room_for_temporary_files_is_named() -> None:
    full = rank(1, "n2", temporary={"folder": "/scratch", "error": "/scratch: No space left on device"})
    found = {check.name: check for check in rank_facts_checks((rank(0), full), PLAN)}["temporary files"]
    assert found.outcome is Outcome.FAILED
    assert found.message.startswith(
        "1 of 2 ranks; rank 1 on n2: /scratch: No space left on device: MPIs keep"
    )
    printed = supervision(output="[n2:1] PMIX ERROR: ERROR in file gds_ds12_lock_pthread.c at line 169")
    signs = diagnose((rank(0), full), printed, PLAN, KNOWLEDGE.running.signatures)
    assert [sign.signature for sign in signs] == ["temporary-files-without-room"]


def test_a_full_folder_for_temporary_files_is_not_taken_for_a_network_that_is_down() -> None:
    """Open MPI 5 ends with the same words where it cannot write down at which port it listens."""
    output = (
        "[n1:01245] PMIX ERROR: PMIX_ERR_FILE_WRITE_FAILURE in file ptl_base_listener.c at line 258\n"
        "The PMIx server's listener thread failed to start. We cannot\ncontinue.\n"
    )
    found = diagnose((), supervision(status=213, output=output), PLAN, KNOWLEDGE.running.signatures)
    assert found[0].signature == "openmpi-session-folder"


def test_a_vague_sign_is_told_only_where_no_other_is() -> None:
    """Open MPI prints that it failed before it prints why."""
    vague = "*** An error occurred in MPI_Init_thread\n"
    for output, expected in (
        (vague, ["mpi-init-without-a-word"]),
        (vague + "No components were able to be opened in the pml framework.", ["openmpi-component-missing"]),
    ):
        seen = supervision(status=1, reported=2, output=output)
        found = diagnose((rank(0), rank(1)), seen, PLAN, KNOWLEDGE.running.signatures)
        assert [one.signature for one in found] == expected


def test_loopback_is_flagged_only_among_several_hosts() -> None:
    local = {**NETWORK, "address": "127.0.1.1", "interface": "lo"}
    assert checks(rank(0, network=local), rank(1, network=local))["L12"].outcome is Outcome.PASSED
    found = checks(rank(0, "n1", network=local), rank(1, "n2", network=local))["L12"]
    assert found.outcome is Outcome.FAILED
    assert "n[1-2] would give the others its loopback address" in found.message


def test_why_a_rank_has_no_address_is_told_before_what_follows_from_it() -> None:
    why = "GLOO_SOCKET_IFNAME=ib9 names no interface with an address here (lo, eth0)"
    lost = {**NETWORK, "address": "127.0.0.1", "interface": "", "chosen_by": "GLOO_SOCKET_IFNAME"}
    found = checks(rank(0, "n1"), rank(1, "n2", network={**lost, "problem": why, "failed": ["no way"]}))[
        "L12"
    ]
    assert (found.outcome, found.message) == (Outcome.FAILED, f"1 of 2 ranks; rank 1 on n2: {why}")


def test_the_reason_for_a_loopback_address_is_that_of_who_has_it() -> None:
    local = {**NETWORK, "address": "127.0.1.1", "interface": "", "chosen_by": "the host's name"}
    other = {**NETWORK, "chosen_by": "GLOO_SOCKET_IFNAME"}
    found = checks(rank(0, "n1", network=other), rank(1, "n2", network=local))["L12"]
    assert "n2 would give the others its loopback address, by the host's name" in found.message


def test_a_rank_that_met_only_some_of_the_others_does_not_pass_for_all() -> None:
    late = {**NETWORK, "expected": 4, "appeared": 2}
    found = checks(rank(0, network=late), rank(1, network=late))["L12"]
    assert found.outcome is Outcome.WARNED
    assert "only 2 of 4 had come when a rank stopped waiting" in found.message


def test_rank_0_may_know_its_own_host_by_the_loopback_address() -> None:
    """All others reach it by its name; Debian's own name is 127.0.1.1 there."""
    own = {**NETWORK, "master": {"name": "n1", "address": "127.0.1.1", "problem": "", "given": False}}
    found = checks(rank(0, "n1", network=own), rank(1, "n2"))["L11"]
    assert found.outcome is Outcome.PASSED


def test_who_meets_nobody_on_the_only_node_has_not_failed() -> None:
    """Beyond a few dozen ranks one of each node meets the others, and here is no other."""
    alone = {**NETWORK, "expected": 1, "tried": 0}
    assert checks(rank(0, network=alone))["L12"].outcome is Outcome.NOT_APPLICABLE
    lost = checks(rank(0, network={**alone, "expected": 2}))["L12"]
    assert lost.message == "none of 2 ranks found another to connect to"
    untold = {name: value for name, value in alone.items() if name != "expected"}
    assert checks(rank(0, network=untold), rank(1, network=untold))["L12"].outcome is Outcome.FAILED


def test_ranks_bound_together_and_ranks_shown_one_gpu() -> None:
    bound = {"affinity": [0], "cpus": 1, "host_cpus": 8}
    assert "share 1 of 8" in checks(rank(0, **bound), rank(1, **bound))["L10"].message
    files = [f"nvidia{number}" for number in range(4)]
    gpu = {"reachable": 4, "files": files, "visible": "0", "uuids": [], "driver": ""}
    assert checks(rank(0, gpus=gpu), rank(1, gpus=gpu))["L8"].outcome is Outcome.FAILED
    assert checks(rank(0, gpus=gpu), rank(1, gpus={**gpu, "visible": "1"}))["L8"].outcome is Outcome.PASSED
    confined = [rank(number, gpus={**gpu, "files": [f"nvidia{number}"]}) for number in range(2)]
    assert checks(*confined)["L8"].outcome is Outcome.PASSED
    one = {**gpu, "files": ["nvidia0"]}
    found = checks(rank(0, gpus=one), rank(1, gpus=one))["L8"]
    assert (found.outcome, found.message) == (
        Outcome.WARNED,
        "2 ranks on n1 are shown the same GPU 0, of 1 that they reach",
    )
    found = checks(rank(0, gpus=gpu), rank(1, "n2", gpus={**gpu, "reachable": 3}))["L8"]
    assert "4 on n1; 3 on n2" in found.message
    found = checks(rank(0, gpus=gpu), rank(1, gpus={**gpu, "reachable": 0}))["L8"]
    assert (found.outcome, found.message) == (
        Outcome.FAILED,
        "ranks differ in how many GPUs they reach: 0 or 4 on n1",
    )


def test_ranks_bound_to_a_core_of_two_hardware_threads() -> None:
    """Open MPI binds two ranks so; each has two processors, and threads share one core all the same."""
    bound = [rank(n, affinity=[n, 64 + n], cpus=2, cores=1, host_cpus=128) for n in range(2)]
    found = checks(*bound)["L10"]
    assert found.outcome is Outcome.WARNED
    assert found.message.startswith("2 ranks on n1 are bound to one core each, of 128 processors")
    small = [rank(n, affinity=[0, 1], cpus=2, cores=1, host_cpus=2) for n in range(2)]
    assert checks(*small)["L10"].outcome is Outcome.PASSED
    one = [rank(n, affinity=[n], cpus=1, cores=1, host_cpus=128) for n in range(2)]
    assert "are bound to one processor each, of 128" in checks(*one)["L10"].message


def test_a_lock_for_gpus_is_not_shown_on_one_where_ranks_reach_none() -> None:
    hidden = rank(0, gpus={"reachable": 4, "visible": "-1", "uuids": [], "driver": ""})
    assert checks(hidden)["L8"].message == "not applicable: no GPU, with CUDA_VISIBLE_DEVICES=-1"
    made_for = {"systems": {"gpu_cc": {"version": "8.0", "prefix": ""}}}
    (alone,) = [
        one for one in rank_facts_checks((rank(0),), replace(PLAN, expect=made_for)) if one.id == "L8"
    ]
    assert alone.outcome is Outcome.NOT_APPLICABLE
    for_gpus = replace(PLAN, back_ends=("torch-gloo",), expect=made_for)
    for ranks, expected in (((rank(0),), "no rank reaches"), ((hidden,), "with CUDA_VISIBLE_DEVICES=-1 no")):
        found = next(check for check in rank_facts_checks(ranks, for_gpus) if check.id == "L8")
        assert found.outcome is Outcome.WARNED
        assert found.message.startswith(expected)
        assert found.message.endswith("the lock was made for GPUs of compute capability 8.0")


def test_amds_gpus_count_where_the_lock_is_for_them() -> None:
    """They were none to L8, which passed over a node with half of them and over ranks that share one."""
    plan = replace(
        PLAN, back_ends=("torch-gloo",), expect={"systems": {"gpu_gfx": {"version": "gfx90a", "prefix": ""}}}
    )
    four = {"reachable": 4, "files": ["renderD128"] * 4, "visible": None, "uuids": [], "driver": "6.2"}

    def told(*ranks: RankResult) -> Check:
        (found,) = [one for one in rank_facts_checks(ranks, plan) if one.id == "L8"]
        return found

    found = told(rank(0, amd_gpus=four), rank(1, "n2", amd_gpus=four))
    assert (found.outcome, found.message) == (Outcome.PASSED, "4 GPUs on each of 2 hosts")
    found = told(rank(0, amd_gpus=four), rank(1, "n2", amd_gpus={**four, "reachable": 2}))
    assert (found.outcome, found.message[-16:]) == (Outcome.FAILED, "4 on n1; 2 on n2")
    one = {**four, "files": ["renderD128", "renderD129"], "visible": "0"}
    assert told(rank(0, amd_gpus=one), rank(1, amd_gpus=one)).outcome is Outcome.FAILED
    found = told(rank(0))
    assert found.outcome is Outcome.WARNED
    assert found.message == "no rank reaches a GPU, and the lock was made for GPUs of AMD's kind gfx90a"


def test_the_library_that_runs_must_be_the_locks() -> None:
    other = bare_rank(0, facts=GOOD, mpi={"rank": 0, "size": 2, "library": "Open MPI v5.0.8, package: x"})
    found = checks(other, rank(1))["P6"]
    assert found.outcome is Outcome.FAILED
    assert found.message == "rank 0 on n1 runs with Open MPI v5.0.8; the lock built against openmpi 4.1.4"


@pytest.mark.parametrize(
    ("mpi", "version", "said"),
    [
        ("openmpi", "5.0.8", "Open MPI v5.0.8rc1, package: Open MPI me@here Distribution, ident: 5.0.8"),
        ("mpich", "4.2.0", "MPICH Version:      4.2.0\nMPICH Release date: Fri Feb  9 2024\n"),
        ("intelmpi", "2019.8", "Intel(R) MPI Library 2019 Update 8 for Linux* OS\n"),
        ("mvapich2", "2.3.7", "MVAPICH2 Version      :\t2.3.7\nMVAPICH2 Release date : Wed March 02\n"),
        ("cray-mpich", "8.1.28", "MPI VERSION    : CRAY MPICH version 8.1.28.15 (ANL base 3.4a2)\n"),
    ],
)
def test_each_mpi_tells_its_version_in_its_own_words(mpi: str, version: str, said: str) -> None:
    """As printed in public logs of the five."""
    told_by = KNOWLEDGE.running.library_version(mpi)
    expected = {"component": mpi, "version": version, "prefix": "", "told-by": told_by}
    plan = replace(PLAN, expect={"mpi": expected})
    told = bare_rank(0, facts=GOOD, mpi={"rank": 0, "size": 1, "library": said})
    outcomes = {one.id: one.outcome for one in process_checks((told,), supervision(), plan)}
    assert outcomes["P6"] is Outcome.PASSED


def test_an_mpi_of_which_nothing_is_known_is_not_judged() -> None:
    plan = replace(PLAN, expect={"mpi": {"component": "x", "version": "1", "prefix": "", "told-by": ""}})
    found = {one.id: one for one in process_checks((rank(0),), supervision(), plan)}
    assert found["P6"].message == "how x reports its version is not known"


def test_a_plugin_that_does_not_find_its_symbols_is_named() -> None:
    output = (
        "[n1:1] mca_base_component_repository_open: unable to open mca_btl_tcp: "
        "/opt/lib/openmpi/mca_btl_tcp.so: undefined symbol: opal_process_info (ignored)\n"
    )
    found = checks(rank(0), rank(1), output=output)["P13"]
    assert found.outcome is Outcome.FAILED
    assert "mca_btl_tcp" in found.message


@pytest.mark.parametrize("signature", KNOWLEDGE.running.signatures, ids=lambda one: one.id)
def test_every_signature_is_recognised_in_its_examples(signature: Any) -> None:
    for example in signature.examples:
        seen = supervision(status=1, reported=2, output=example)
        found = diagnose((rank(0), rank(1)), seen, PLAN, KNOWLEDGE.running.signatures)
        assert signature.id in [one.signature for one in found]
    assert signature.examples or signature.observed


def test_a_clean_run_is_a_sign_of_nothing() -> None:
    assert diagnose((rank(0), rank(1)), supervision(), PLAN, KNOWLEDGE.running.signatures) == ()
