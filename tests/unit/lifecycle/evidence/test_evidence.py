from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from envlock.lifecycle.evidence.checks import assemble
from envlock.model.proving.probing import Ending, OneProcess, Plan, Supervision, Unfinished, encode_plan
from envlock.model.proving.rank_result import BackEndResult, RankResult
from envlock.model.proving.report import Check, Outcome
from envlock.model.proving.wrong_sum import WrongSum
from tests.shipped import KNOWLEDGE

PLAN = Plan(distributions=(), back_ends=("mpi4py", "horovod-torch"), ranks=2)
ELSEWHERE = "where this was checked; n1 has some"
GOOD_P1 = {"id": "P1", "name": "imports", "outcome": "passed", "message": "", "details": {}, "seconds": 1.5}


def rank(number: int, **changes: Any) -> RankResult:
    passed = BackEndResult(outcome="passed", rank=number, size=2, reductions=40, max_bytes=1 << 20)
    parts: dict[str, Any] = {
        "host": "n1",
        "pid": 100 + number,
        "phase": "done",
        "step": 9,
        "done": True,
        "launcher": {"source": "openmpi", "rank": number, "size": 2},
        "mpi": {"rank": number, "size": 2, "library": "Open MPI v4.1.4"},
        "facts": {"python": "3.7.16", "prefix": "/env", "changed_files": []},
        "libraries": {"outcome": "passed", "message": "one copy of each", "families": {}},
        "back_ends": {"mpi4py": passed, "horovod-torch": passed},
    }
    return RankResult(**{**parts, **changes})


def supervision(**changes: Any) -> Supervision:
    parts: dict[str, Any] = {
        "command": ("mpirun", "-np", "2"),
        "ending": Ending.EXITED,
        "status": 0,
        "seconds": 3.0,
        "expected": 2,
        "reported": 2,
        "unfinished": (),
        "stacks": {},
        "output": "",
    }
    return Supervision(**{**parts, **changes})


def checks(*ranks: RankResult, seen: Supervision | None = None, plan: Plan = PLAN) -> dict[str, Check]:
    """Checks by name."""
    signatures = KNOWLEDGE.running.signatures
    found = assemble(
        OneProcess(document={"checks": [GOOD_P1]}), ranks, seen or supervision(), plan, signatures=signatures
    )
    return {check.name: check for check in found}


def test_all_good() -> None:
    found = checks(rank(0), rank(1))
    assert {check.outcome for check in found.values()} == {Outcome.PASSED, Outcome.NOT_APPLICABLE}
    passed = [check.id for check in found.values() if check.outcome is Outcome.PASSED]
    assert passed == ["L1", "L2", "L5", "P1", "P3", "C2", "C11", "W1"]
    assert found["mpi4py allreduce"].message == "40 sums of up to 1 MiB exact on each of 2 ranks"


def test_no_result_of_one_process_is_a_crash() -> None:
    found = {check.id: check for check in assemble(OneProcess(trouble="it did not end"), (), None, PLAN)}
    assert found["P1"].outcome is Outcome.CRASHED
    assert found["P1"].message == "the probe left no result: it did not end"


@pytest.mark.parametrize(
    ("printed", "message"),
    [
        (
            "envlock: n1 does not see /e/python\nsrun: error: exit code 127",
            "is not there on n1: no /e/python",
        ),
        (
            "ssh: Could not resolve hostname n9: Name or service not known\n---\nPlease\ntry again.\n---\n",
            "exit status 127; ssh: Could not resolve hostname n9: Name or service not known; ",
        ),
        ("Host key verification failed.\n", "ssh between the hosts does not work without questions: set up"),
    ],
)
def test_why_one_process_could_not_be_started_on_a_node(printed: str, message: str) -> None:
    alone = OneProcess(command=("srun",), trouble="srun ended with exit status 127", output=printed)
    (found, _) = assemble(alone, (), None, PLAN, signatures=KNOWLEDGE.running.signatures)[::-1]
    assert (found.id, found.outcome) == ("P1", Outcome.CRASHED)
    assert message in found.message


def test_nothing_to_launch() -> None:
    found = assemble(OneProcess(document={"checks": []}), (), None, Plan(distributions=(), back_ends=()))
    assert [(check.id, check.outcome) for check in found] == [("L1", Outcome.NOT_APPLICABLE)]


def test_worlds_of_one_belong_to_another_launcher() -> None:
    alone: Mapping[str, object] = {"rank": 0, "size": 1, "library": "Open MPI v5.0.11, package: x"}
    launchers = [{"source": "pmi", "rank": number, "size": 2} for number in range(2)]
    found = checks(*(rank(n, mpi=alone, launcher=launchers[n]) for n in range(2)))["launch"]
    assert found.outcome is Outcome.FAILED
    assert found.message == (
        "2 worlds of size 1 instead of one of 2: the launcher, which speaks as pmi, belongs to another MPI "
        "than the library that the ranks load (Open MPI v5.0.11); take the launcher of the MPI that mpi4py "
        "and Horovod were built with: envlock run GROUP -- which mpirun"
    )


def test_a_missing_rank_is_named() -> None:
    late = supervision(ending=Ending.PHASE_DEADLINE, status=None, reported=1)
    found = checks(rank(0), seen=late)
    assert found["launch"].outcome is Outcome.TIMED_OUT
    assert found["launch"].message == "no sign of rank 1 of 2; there are rank 0 on n1"
    assert "1 of 2 ranks never appeared" in found["supervision"].message


def test_a_rank_that_is_there_twice() -> None:
    message = checks(rank(0), rank(0))["launch"].message
    assert message == "rank 0 exists more than once among 2 processes"


def test_ranks_that_all_run_on_one_of_two_nodes_prove_nothing_of_what_lies_between() -> None:
    two = replace(PLAN, nodes=2)
    found = checks(rank(0), rank(1), plan=two)["launch"]
    assert found.outcome is Outcome.FAILED
    assert found.message.startswith("2 nodes were asked for, and all 2 ranks run on n1, so that")
    assert checks(rank(0), rank(1, host="n2"), plan=two)["launch"].outcome is Outcome.PASSED
    one_name = rank(0, facts={"boot": "a"}), rank(1, facts={"boot": "b"})
    assert checks(*one_name, plan=two)["launch"].outcome is Outcome.PASSED


def test_worlds_that_are_smaller_than_the_plan_are_no_agreement_of_launcher_and_library() -> None:
    halves = [rank(number, mpi={"rank": 0, "size": 2}) for number in range(4)]
    plan = replace(PLAN, ranks=4)
    found = checks(*halves, seen=supervision(expected=4, reported=4), plan=plan)["launcher and library"]
    assert found.outcome is Outcome.FAILED
    assert found.message == "mpirun and the library make worlds of 2 of 4 ranks"


@pytest.mark.parametrize(("part", "who"), [("mpi", "MPI"), ("launcher", "the launcher")])
def test_sizes_must_agree(part: str, who: str) -> None:
    other = {"source": "slurm", "rank": 1, "size": 8}
    found = checks(rank(0), rank(1, **{part: other}))["launch"]
    assert (found.outcome, f"{who} counts 8 (rank 1 on n1)" in found.message) == (Outcome.FAILED, True)


@pytest.mark.parametrize(("elements", "many"), [(1, ""), (2, "; 2 elements are wrong")])
def test_a_wrong_sum_tells_rank_size_expected_and_got(elements: int, many: str) -> None:
    wrong = WrongSum(case="float32, 8 bytes, in place", index=1, expected=6, got=7, elements=elements)
    bad = BackEndResult(outcome="failed", rank=1, size=2, reductions=40, wrong=(wrong,))
    found = checks(rank(0), rank(1, back_ends={**rank(1).back_ends, "mpi4py": bad}))
    assert found["mpi4py allreduce"].outcome is Outcome.FAILED
    assert found["mpi4py allreduce"].message == (
        "wrong sums on 1 of 2 ranks; rank 1 on n1 of 2: float32, 8 bytes, in place, element 1: "
        f"expected 6, got 7{many}"
    )
    assert found["horovod-torch allreduce"].outcome is Outcome.PASSED


def test_an_error_tells_the_rank_and_keeps_the_traceback() -> None:
    bad = BackEndResult(outcome="raised", error="ImportError: libmpi.so.12", traceback="Traceback ...")
    ends = {**rank(1).back_ends, "horovod-torch": bad}
    found = checks(rank(0), rank(1, back_ends=ends))["horovod-torch allreduce"]
    assert found.message == "1 of 2 ranks raised; rank 1 on n1: ImportError: libmpi.so.12"
    assert found.details["tracebacks"] == {"rank 1 on n1": "Traceback ..."}


def test_a_back_end_with_a_world_of_its_own() -> None:
    alone = BackEndResult(outcome="passed", rank=0, size=1, reductions=40)
    ranks = [rank(n, back_ends={**rank(n).back_ends, "horovod-torch": alone}) for n in range(2)]
    found = checks(*ranks)["horovod-torch allreduce"]
    assert (found.outcome, found.message) == (
        Outcome.FAILED,
        "summed over worlds of size 1, not over all 2 ranks",
    )


def test_who_fell_behind_is_named_before_who_waits() -> None:
    left = tuple(
        Unfinished(rank=n, host=f"n{n}", pid=n, phase=phase, step=step, seconds=60)
        for n, phase, step in ((1, "mpi4py: initialise", 3), (0, "mpi4py: allreduce of 8 bytes", 4))
    )
    late = supervision(ending=Ending.PHASE_DEADLINE, status=None, unfinished=left)
    ranks = [rank(one.rank or 0, phase=one.phase, done=False, back_ends={}) for one in left]
    found = checks(*ranks, seen=late)
    assert found["supervision"].message == (
        "the deadline of one phase passed: rank 1 on n1 was last in 'mpi4py: initialise'; "
        "1 of its peers had come to 'mpi4py: allreduce of 8 bytes'"
    )
    assert found["mpi4py allreduce"].outcome is Outcome.TIMED_OUT
    assert found["horovod-torch allreduce"].outcome is Outcome.NOT_APPLICABLE


@pytest.mark.parametrize("its_step", [5, 6, 7])
def test_a_rank_that_is_stopped_is_named_whatever_phase_its_peers_came_to(its_step: int) -> None:
    """One allreduce ended for ranks 2 and 3, which wait in the next, and did not for rank 0."""
    steps = {0: 6, 1: its_step, 2: 7, 3: 7}
    left = tuple(
        Unfinished(rank=n, host=f"n{n}", pid=n, phase=f"allreduce {step}", step=step, seconds=60)
        for n, step in sorted(steps.items(), key=lambda one: one[1])
    )
    waits = (
        "Thread 0x01 (most recent call first):\n"
        '  File "probe.pyz/probe/back_ends/mpi4py.py", line 9 in allreduce\n'
        '  File "probe.pyz/probe/rank.py", line 48 in run_rank\n'
    )
    stacks = {f"n{n}-{n}": waits for n in steps if n != 1}
    late = supervision(ending=Ending.PHASE_DEADLINE, status=None, unfinished=left, stacks=stacks)
    ranks = [rank(one.rank or 0, phase=one.phase, done=False, back_ends={}) for one in left]
    assert checks(*ranks, seen=late)["supervision"].message == (
        f"the deadline of one phase passed: rank 1 on n1 was last in 'allreduce {its_step}', "
        "where it left no stack: the process is stopped, or its node is; "
        "3 of its peers wait for it in 'allreduce 6' and 'allreduce 7'"
    )


def test_where_who_is_behind_waits_as_well_those_ahead_are_named() -> None:
    """The link of n3 went down after it had sent all that the others needed, but for what rank 0 needed."""
    steps = {0: 6, 1: 7, 2: 7, 3: 7}
    left = tuple(
        Unfinished(rank=n, host=f"n{n + 1}", pid=n, phase=f"allreduce {step}", step=step, seconds=60)
        for n, step in steps.items()
    )
    waits = (
        "Thread 0x01 (most recent call first):\n"
        '  File "probe.pyz/probe/back_ends/mpi4py.py", line 9 in allreduce\n'
        '  File "probe.pyz/probe/rank.py", line 48 in run_rank\n'
    )
    stacks = {f"n{n + 1}-{n}": waits for n in steps}
    late = supervision(ending=Ending.PHASE_DEADLINE, status=None, unfinished=left, stacks=stacks)
    ranks = [rank(one.rank or 0, phase=one.phase, done=False, back_ends={}) for one in left]
    assert checks(*ranks, seen=late)["supervision"].message == (
        "the deadline of one phase passed: rank 0 on n1 was last in 'allreduce 6'; "
        "rank 1 on n2, rank 2 on n3, rank 3 on n4 had come to 'allreduce 7'; "
        "it waits for a message from one of these"
    )


def test_a_launcher_that_fails_after_all_ranks_ended() -> None:
    found = checks(rank(0), rank(1), seen=supervision(status=139))["supervision"]
    assert (found.outcome, "status 139" in found.message) == (Outcome.CRASHED, True)


def test_a_launcher_that_starts_too_few_and_ends_well() -> None:
    found = checks(rank(0), seen=supervision(reported=1))
    assert found["supervision"].outcome is Outcome.FAILED
    assert found["supervision"].message == "1 of 2 ranks never appeared; 1 rank ended by themselves"


@pytest.mark.parametrize(
    ("launcher", "mpi", "message"),
    [
        ({"source": "openmpi", "size": 2}, {"size": 2}, "2 ranks on n1, as MPI, launcher and plan agree"),
        ({"source": "generic", "size": 2}, {}, "2 ranks on n1, as launcher and plan agree"),
        ({"source": "alps"}, {}, "2 ranks on n1, one of each number; nobody but the plan counts them"),
    ],
)
def test_only_who_counts_ranks_agrees_on_their_number(
    launcher: dict[str, Any], mpi: dict[str, Any], message: str
) -> None:
    ranks = [
        rank(number, launcher={**launcher, "rank": number}, mpi=mpi and {**mpi, "rank": number})
        for number in range(2)
    ]
    check = checks(*ranks)["launch"]
    assert (check.outcome, check.message) == (Outcome.PASSED, message)


def test_ranks_that_nobody_numbers() -> None:
    check = checks(*(rank(number, launcher={}, mpi={}) for number in range(2)))["launch"]
    assert (check.outcome, check.message) == (
        Outcome.FAILED,
        "neither launcher nor MPI tells any of 2 processes its rank",
    )


def test_a_crash_is_told_with_what_it_is_a_sign_of() -> None:
    signature = next(one for one in KNOWLEDGE.running.signatures if not one.observed and one.examples)
    crashed = {**GOOD_P1, "outcome": "crashed", "message": f"SIGABRT: importing x: {signature.examples[0]}"}
    one = OneProcess(document={"checks": [crashed]})
    found = {check.id: check for check in assemble(one, (), None, PLAN, signatures=(signature,))}
    told: Any = found["P1"].details["signature"]
    assert told["id"] == signature.id


def test_a_launcher_that_starts_nobody() -> None:
    refused = supervision(status=213, reported=0, output="no such option\n\n")
    found = checks(seen=refused)["launch"]
    assert found.outcome is Outcome.FAILED
    assert found.message == ("the launcher ended with status 213 before any rank began: no such option")
    assert found.details["output"] == refused.output


def test_known_signs_of_launchers_are_explained() -> None:
    slots = supervision(status=1, reported=0, output="There are not enough slots available in the system")
    assert "fewer slots than ranks" in checks(seen=slots)["launch"].message
    left = Unfinished(rank=0, host="n1", pid=1, phase="mpi4py: import", step=2, seconds=1)
    output = 'The application appears to have been direct launched using "srun",\nbut OMPI was not built'
    direct = supervision(status=1, unfinished=(left,), output=output)
    found = checks(rank(0, done=False, back_ends={}, mpi={}), seen=direct)["supervision"]
    assert "use mpirun inside the allocation" in found.message


def test_of_several_signs_the_first_that_was_printed_is_told() -> None:
    output = (
        "ssh: Could not resolve hostname nosuch: Name or service not known\n"
        "ORTE was unable to reliably start one or more daemons.\n--------\n\n"
    )
    found = checks(seen=supervision(status=255, reported=0, output=output))
    assert "nosuch: Name or service not known: a host's name means nothing" in found["launch"].message
    assert found["supervision"].outcome is Outcome.NOT_APPLICABLE


@pytest.mark.parametrize(("multiple", "outcome"), [(True, Outcome.PASSED), (False, Outcome.FAILED)])
def test_horovod_needs_mpi_with_threads(multiple: bool, outcome: Outcome) -> None:
    mpi = {"rank": 0, "size": 2, "thread_multiple": multiple}
    assert checks(rank(0, mpi=mpi), rank(1))["MPI threads"].outcome is outcome
    without = Plan(distributions=(), back_ends=("mpi4py",), ranks=2)
    assert "MPI threads" not in checks(rank(0, mpi=mpi), rank(1), plan=without)


def test_ranks_must_be_the_same_and_the_worst_audit_counts() -> None:
    other = rank(
        1,
        facts={"python": "3.8.1", "prefix": "/env"},
        libraries={"outcome": "failed", "message": "loaded twice: mpi", "families": {"mpi": ["a", "b"]}},
    )
    found = checks(rank(0), other)
    assert found["sameness"].outcome is Outcome.FAILED
    assert "python of rank 1 on n1 is 3.8.1, and 1 others have 3.7.16" in found["sameness"].message
    assert found["native libraries of ranks"].message == "rank 1 on n1: loaded twice: mpi"


def test_the_plan_document() -> None:
    assert encode_plan(PLAN) == {
        "distributions": [],
        "back_ends": ["mpi4py", "horovod-torch"],
        "ranks": 2,
        "nodes": 1,
        "max_bytes": 1048576,
        "patience_s": 0.0,
        "correctness": True,
        "timing": True,
        "compare": False,
        "steps": 20,
        "timeline": False,
        "deadlines": {"imports": 300.0, "exercise": 300.0, "check": 120.0, "phase": 120.0},
        "expect": {},
        "calls": {},
        "sweeps": 1,
        "stack_tools": [],
        "variables": [],
        "inherited": {},
        "sabotage": {},
    }


def test_a_node_that_does_not_see_the_environment_is_named() -> None:
    told = "envlock: n3 does not see /my env/bin/python\nsrun: error: n3: task 2: Exited with exit code 127\n"
    found = checks(rank(0), seen=supervision(output=told, reported=1))["launch"]
    assert found.outcome is Outcome.FAILED
    assert found.message.startswith("the environment is not there on n3: no /my env/bin/python")


@pytest.mark.parametrize(
    ("host", "visible", "message"),
    [
        (
            "login",
            None,
            f"not applicable: no GPU on login, {ELSEWHERE}",
        ),
        ("login", "-1", "not applicable: no GPU"),
        ("n1", None, "not applicable: no GPU"),
    ],
)
def test_no_gpu_where_no_rank_was_is_told_as_that(host: str, visible: str | None, message: str) -> None:
    there = rank(0, facts={"gpus": {"reachable": 4, "visible": visible}})
    code = {"id": "S4", "name": "GPU code", "outcome": "not-applicable", "message": "not applicable: no GPU"}
    alone = OneProcess(document={"host": host, "checks": [{**code, "details": {}, "seconds": 0.0}]})
    (found,) = [one for one in assemble(alone, (there,), supervision(), PLAN) if one.id == "S4"]
    assert (found.outcome, found.message) == (Outcome.NOT_APPLICABLE, message)


@pytest.mark.parametrize(
    ("outcome", "message", "told"),
    [
        ("failed", "not found on this node: libGL.so.1, which cv2.so needs", "apt-file search libGL.so.1 "),
        ("failed", "cv2: ImportError: libGL.so.1: cannot open shared object file: No", "'*/libGL.so.1'"),
        ("passed", "every library that 3 files need is found on this node", ""),
        ("warned", "not found on this node: libGL.so.1, which cv2.so needs", ""),
        ("failed", "cv2: ImportError: no such name", ""),
    ],
)
def test_who_lacks_a_library_is_told_whom_to_ask(outcome: str, message: str, told: str) -> None:
    check = {**GOOD_P1, "outcome": outcome, "message": message}
    (found,) = [
        one
        for one in assemble(
            OneProcess(document={"checks": [check]}), (), None, PLAN, signatures=KNOWLEDGE.running.signatures
        )
        if one.id == "P1"
    ]
    assert ("ask the administrators" in found.message) is bool(told)
    assert told in found.message
    assert (found.details.get("signature") is not None) is bool(told)
