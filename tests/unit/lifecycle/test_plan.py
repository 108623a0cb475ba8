"""What the probe is asked to import."""

from __future__ import annotations

import pytest

from envlock.lifecycle.plan import plan_verification
from envlock.model.locked.pins import YOU
from tests.locks import distribution, lock
from tests.shipped import KNOWLEDGE

PLUGIN = "tensorflow-io-gcs-filesystem"


@pytest.mark.parametrize("asked_by", [("tensorflow",), (YOU, "tensorflow")])
def test_a_plug_in_is_left_to_who_loads_it_also_where_a_list_of_everything_names_it(
    asked_by: tuple[str, ...],
) -> None:
    pins = [distribution("tensorflow", "2.9.3"), distribution(PLUGIN, "0.32.0", asked_by=asked_by)]
    plan = plan_verification(lock(*pins), KNOWLEDGE, ranks=2, max_bytes=8)
    found = {one.name: (one.imports, one.wanted) for one in plan.distributions}
    assert found == {"tensorflow": (None, True), PLUGIN: ((), YOU in asked_by)}


def test_messages_that_grow_however_long_that_takes_are_not_cut_off_after_minutes() -> None:
    """On slow networks --max-bytes ended as a run that hangs; a phase that does is found by its own limit."""
    usual, grown = (plan_verification(lock(), KNOWLEDGE, ranks=2, max_bytes=most) for most in (None, 1 << 30))
    assert (usual.deadlines.ranks, grown.patience_s) == (900.0, 0.0)
    assert grown.deadlines.ranks >= 6 * 3600
    assert grown.deadlines.phase == usual.deadlines.phase
