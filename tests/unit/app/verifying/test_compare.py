"""What a comparison refuses to begin, and what it finds wrong with a timeline that was not recorded."""

from __future__ import annotations

import pytest

from envlock.app.verifying.compare import need_back_ends, unrecorded
from envlock.model.errors import RefusedError
from envlock.model.proving.probing import Plan
from envlock.model.proving.report import Outcome
from tests.unit.lifecycle.evidence.test_evidence import rank

HOROVOD = "horovod-torch"


@pytest.mark.parametrize(
    ("back_ends", "timeline", "code"),
    [((), False, "nothing-to-compare"), (("mpi4py",), True, "nothing-to-record")],
)
def test_what_would_leave_a_wish_unheeded_is_refused(
    back_ends: tuple[str, ...], timeline: bool, code: str
) -> None:
    with pytest.raises(RefusedError) as raised:
        need_back_ends(Plan(distributions=(), back_ends=back_ends), "stack", "lock", timeline=timeline)
    assert raised.value.code == code


def test_what_can_be_compared_and_recorded() -> None:
    for back_ends, timeline in ((("mpi4py",), False), (("mpi4py", HOROVOD), True)):
        need_back_ends(Plan(distributions=(), back_ends=back_ends), "stack", "lock", timeline=timeline)


def test_a_timeline_that_was_not_recorded_is_told() -> None:
    (check,) = unrecorded(HOROVOD, (rank(0), rank(1)))
    assert (check.outcome, check.message) == (
        Outcome.FAILED,
        "horovod-torch left no timeline with a reduction in it",
    )
    assert unrecorded(HOROVOD, (rank(0, back_ends={}),)) == ()  # why it did not run is told elsewhere
