"""Remedies of several changes: as few as will do, each in its nearest way."""

from __future__ import annotations

from collections.abc import Sequence

from envlock.model.locked.pins import YOU, Amendment, Reason, Remedy, Unsolvable
from envlock.solve.remedies.changes import Change
from envlock.solve.remedies.several_fixes import _Choice, _distinct, _Liking, _reduced
from envlock.solve.resolve import resolve
from tests.memory import MemoryCatalogue
from tests.unit.solve.test_remedies import _request
from tests.unit.solve.test_scenarios import knowledge_of


def _change(name: str) -> Change:
    amendment = Amendment(component=name, layer=None, before="", after="")
    return Change(apply=lambda request: request, describe=lambda _: amendment)


def test_what_a_nearer_way_makes_needless_goes_back():
    """A pin that moves to a release of another day brings the time of that; one that is let go does not."""
    pinned, free, cut_off = map(_change, ("pinned", "free", "cut-off"))
    choices = [_Choice(_Liking.BOUNDS, (pinned, free)), _Choice(_Liking.CUT_OFF, (cut_off,))]

    def remedy_of(changes: Sequence[Change]) -> Remedy | None:
        ends = pinned in changes or {*changes} == {free, cut_off}
        return Remedy(amendments=tuple(one.describe(None) for one in changes)) if ends else None

    found = _reduced(choices, remedy_of)
    assert found is not None
    assert [one.component for one in found.amendments] == ["pinned"]


def test_many_pins_that_no_index_has_move_together():
    """As pip lists Debian's own packages, some of which an index has in other versions, or has withdrawn."""
    names = [f"listed-{letter}" for letter in "abcdefgh"]
    index = {name: {"1.0": {}, "2.0": {}} for name in names} | {"gone": {"1.0": {"yanked": True}}}
    knowledge = knowledge_of({})
    wishes = [*(f"{name}==1.5" for name in names), "gone==1.4"]
    refusal = resolve(_request(knowledge, wishes), knowledge, MemoryCatalogue(index))
    assert isinstance(refusal, Unsolvable)
    (remedy,) = refusal.remedies
    assert sorted(one.component for one in remedy.amendments) == ["gone", *names]


def test_what_no_index_knows_goes_by_the_name_that_is_meant():
    """As Debian's pip lists ``pkg-resources==0.0.0``, a part of setuptools, beside what nobody offers."""
    index = {"base": {"1.0": {}}, "beside": {"1.0": {}}}
    knowledge = knowledge_of({"knowledge": {"flavour": [{"distribution": "part", "of": "base"}]}})
    wishes = ["part==0.0.0", "programs==2.0", "beside==2.0"]
    refusal = resolve(_request(knowledge, wishes), knowledge, MemoryCatalogue(index))
    assert isinstance(refusal, Unsolvable)
    changed = {one.component: one.after for one in refusal.remedies[0].amendments}
    assert changed == {"part": "base", "programs": "", "beside": "==1.0"}


def test_what_nothing_offers_is_told_once_with_bounds_and_without():
    def refusal(wants: str, excluded: str) -> Unsolvable:
        reason = Reason(asked_by=YOU, wants=wants, component="ops")
        return Unsolvable(component="ops", reasons=(reason,), facts=(), excluded=(excluded,))

    bounded, free = refusal("ops nccl", "nothing offers ops"), refusal("ops", "nothing offers ops")
    other = refusal("ops", "on offer: ops mpi")
    assert _distinct((bounded, free, other)) == (bounded, other)
