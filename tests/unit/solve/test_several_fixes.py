"""Remedies of several changes: as few as will do, each in its nearest way."""

from __future__ import annotations

from collections.abc import Sequence

from envlock.model.locked.pins import Amendment, Remedy
from envlock.solve.remedies.changes import Change
from envlock.solve.remedies.several_fixes import _Choice, _Liking, _reduced


def _change(name: str) -> Change:
    amendment = Amendment(component=name, layer=None, before="", after="")
    return Change(apply=lambda request: request, told=lambda _: amendment)


def test_what_a_nearer_way_makes_needless_goes_back():
    """A pin that moves to a release of another day brings the time of that; one that is let go does not."""
    pinned, free, cut_off = map(_change, ("pinned", "free", "cut-off"))
    choices = [_Choice(_Liking.BOUNDS, (pinned, free)), _Choice(_Liking.CUT_OFF, (cut_off,))]

    def remedy_of(changes: Sequence[Change]) -> Remedy | None:
        ends = pinned in changes or {*changes} == {free, cut_off}
        return Remedy(amendments=tuple(one.told(None) for one in changes)) if ends else None

    found = _reduced(choices, remedy_of)
    assert found is not None
    assert [one.component for one in found.amendments] == ["pinned"]
