"""What of a group's own leaves a release out."""

from __future__ import annotations

import datetime as dt

from envlock.app.solving.bounds import leaving_out
from envlock.model.project.manifest import decode_manifest
from tests.locks import distribution, lock
from tests.memory import MemoryCatalogue, interpreter
from tests.unit.solve.test_scenarios import knowledge_of

DAY = dt.date(2024, 6, 1)


def test_wishes_that_are_meant_and_the_time_leave_a_release_out() -> None:
    requires = ["deep<2", "deep>=1", "deep==1; python_version < '3'", "side<2"]
    manifest = decode_manifest({"groups": {"g": {"requires": requires}}}, "envlock.toml", knowledge_of({}))
    group = manifest.group("g")
    index = {"deep": {"2.0": {"uploaded": DAY + dt.timedelta(days=1)}, "1.5": {"uploaded": DAY}}}
    late, timely = MemoryCatalogue(index).releases("deep")
    pin, python = distribution("deep", "1.0"), interpreter()
    dated = lock(pin, as_of=DAY)
    assert [*leaving_out(late, "deep", group, dated, python)] == ["deep<2", "as-of 2024-06-01"]
    assert [*leaving_out(timely, "deep", group, dated, python)] == []
    assert [*leaving_out(late, "deep", group, lock(pin), python)] == ["deep<2"]
