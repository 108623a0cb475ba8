"""Names that no release has which metadata admits of what nobody named."""

import pytest

from envlock.judging.bounded_removals import removals_bounded
from envlock.judging.removed_names import as_finding, missing_names
from envlock.model.knowing.finding import Finding
from envlock.model.published.code_reads import CodeReads
from tests.unit.judging.test_removed_names import DAY, KNOWN, combination, said

READS = CodeReads(
    distribution="thing",
    version="1.0",
    read=DAY,
    on_import={"maths.old": "thing/sums.py:1", "sums.flag": "thing/sums.py:2"},
    on_build={},
)


def found(*requires: str, reader: str = "thing", **versions: str) -> list[Finding]:
    declarations = {"thing": said("thing"), "asker": said("asker", *requires)}
    assignment = combination(python="3.11", thing="1.0", asker="3.0", **versions)
    bounded = removals_bounded(assignment, declarations, KNOWN)
    missing = missing_names(assignment, {reader: READS}, declarations, KNOWN, bounded)
    return [as_finding(one) for one in missing]


@pytest.mark.parametrize("bounds", [">=2", ">2.1,<3", "~=2.3", "==2.*", ">=1,>=2.0.1"])
def test_what_all_admitted_releases_lack_is_refused_beside_who_admits_them(bounds: str) -> None:
    (told,) = found(f"maths{bounds}")
    assert told.components == {"thing": "1.0", "asker": "3.0"}
    assert "which maths 2 no longer has; asker 3.0 requires maths " in told.message
    assert not told.fixes


@pytest.mark.parametrize(
    "requires", ["maths>=1.9", "maths<3", "maths", "maths!=1.0", "maths>=2; extra == 'x'"]
)
def test_what_an_admitted_release_has_is_not_gone(requires: str) -> None:
    assert not found(requires)


@pytest.mark.parametrize(("bounds", "gone"), [(">=1.24,<2", True), (">=1.24", False), (">=1.24,<2.1", False)])
def test_what_came_back_is_gone_from_all_that_lies_between(bounds: str, gone: bool) -> None:
    assert bool(found(f"sums{bounds}")) is gone


def test_who_asks_goes_with_what_it_asks_for() -> None:
    assert not found("maths>=2", reader="asker")


def test_what_is_named_counts_as_it_is() -> None:
    assert not found("maths>=2", maths="1.5")
