"""Conflicts that a lock has learned, written and read again."""

from __future__ import annotations

import pytest

from envlock.model.component import Range, Via
from envlock.model.decode import Table
from envlock.model.errors import RequestError
from envlock.model.knowing.fact import Condition
from envlock.model.locked.learned_codec import decode_learned, encode_learned

LEARNED = {
    "removed-names:beta-1.0+gamma-2": (
        Condition(component="beta", range=Range.only("1.0")),
        Condition(component="gamma", range=Range.versions(">=2.dev0")),
    ),
    "broken-wheel:alpha-1.0": (Condition(component="alpha", range=Range.only("1.0"), via=Via.WHEEL),),
}


def _tables(learned: list[dict[str, object]]) -> list[Table]:
    return [*Table({"learned": learned}, file="pylock.toml").tables("learned")]


def test_what_is_written_is_read_again():
    assert decode_learned(_tables(encode_learned(LEARNED))) == LEARNED


def test_what_is_no_range_is_refused():
    when = [{"component": "beta", "versions": "new"}]
    with pytest.raises(RequestError) as caught:
        decode_learned(_tables([{"fact": "removed-names:x", "when": when}]))
    assert caught.value.where == "pylock.toml, learned[0].when[0].versions"
