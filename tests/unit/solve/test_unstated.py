"""What build backends say of themselves is told once for all files of which it is the same."""

from __future__ import annotations

from envlock.model.locked.pins import Unsolvable
from envlock.solve.building.unstated import told_once
from envlock.solve.resolve import resolve
from tests.memory import MemoryCatalogue
from tests.unit.solve.test_remedies import _request
from tests.unit.solve.test_scenarios import knowledge_of


def test_the_same_failure_of_several_files_is_told_once():
    failures = [(f"a-{n}.tar.gz", f"the build backend of a-{n}.tar.gz is silent: no folder") for n in "321"]
    failures.insert(1, ("b-1.tar.gz", "b-1.tar.gz: no compiler"))
    assert told_once(failures) == (
        "the build backend of a-3.tar.gz and 2 more is silent: no folder",
        "b-1.tar.gz: no compiler",
    )


def test_a_pin_whose_backend_alone_tells_its_needs_stays_where_another_pin_is_in_the_way():
    """Refused is what was never published; whoever would end that meets the other pin only then."""
    index = {
        "reads": {"1.0": {"files": ["reads-1.0-py3-none-any.whl"]}},
        "beds": {
            "0.8": {"files": ["beds-0.8.tar.gz"], "requires": ["reads"], "unstated": True},
            "0.9": {"files": ["beds-0.9-py3-none-any.whl"]},
        },
        "calls": {"0.30": {"files": ["calls-0.30-py3-none-any.whl"]}},
    }
    knowledge = knowledge_of({})
    request = _request(knowledge, ["calls==0.31", "beds==0.8"])
    refusal = resolve(request, knowledge, MemoryCatalogue(index))
    assert isinstance(refusal, Unsolvable)
    changes = [[one.component for one in remedy.amendments] for remedy in refusal.remedies]
    assert changes == [["calls"]]
