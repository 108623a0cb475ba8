"""Who is waited for, told from stacks as faulthandler writes them."""

from __future__ import annotations

from envlock.lifecycle.evidence.hanging import absent
from envlock.model.proving.probing import Unfinished

CALL = 'File "probe.pyz/probe/back_ends/mpi4py.py", line {line} in barrier\n'
REST = (
    '  File "probe.pyz/probe/communication.py", line 52 in attempt\n'
    '  File "probe.pyz/probe/rank.py", line 48 in run_rank\n'
)
HELPER = 'Thread 0x02 (most recent call first):\n  File "/lib/threading.py", line 324 in wait\n\n'
MAIN = "Thread 0x01 (most recent call first):\n  "


def rank(number: int, seconds: float = 20) -> Unfinished:
    phase = "mpi4py: barrier storm"
    return Unfinished(rank=number, host="n1", pid=number, phase=phase, step=7, seconds=seconds)


def stack(line: int) -> str:
    return "Timeout (0:00:16)!\n" + HELPER + MAIN + CALL.format(line=line) + REST


def test_a_rank_that_is_not_in_the_library() -> None:
    elsewhere = "Timeout (0:00:16)!\n" + MAIN + 'File "/env/loader.py", line 9 in read\n' + REST
    found = absent([rank(0), rank(1)], {"n1-0": stack(30), "n1-1": elsewhere})
    assert found == {rank(1): "it is in /env/loader.py, line 9, read"}


def test_a_rank_without_a_stack_is_stopped() -> None:
    found = absent([rank(0), rank(1)], {"n1-0": stack(30)})
    assert found == {rank(1): "it left no stack: the process is stopped, or its node is"}
    assert absent([rank(0), rank(1, seconds=9)], {"n1-0": stack(30)}) == {}


def test_nobody_is_blamed_where_stacks_do_not_tell() -> None:
    assert absent([rank(0), rank(1)], {}) == {}
    assert absent([rank(0), rank(1)], {"n1-0": stack(30), "n1-1": stack(30)}) == {}
    assert absent([rank(0), rank(1)], {"n1-0": stack(30), "n1-1": stack(44)}) == {}


def test_the_last_of_several_dumps_counts() -> None:
    first = "Timeout (0:00:16)!\n" + MAIN + 'File "/env/loader.py", line 9 in read\n' + REST
    assert absent([rank(0), rank(1)], {"n1-0": stack(30), "n1-1": first + stack(30)}) == {}
