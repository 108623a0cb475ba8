"""Facts by component: none is lost, none told twice, and what does not count is not there."""

from __future__ import annotations

from dataclasses import replace

from envlock.edges.decoded import packed, unpacked
from envlock.model.knowing.fact import Fact
from envlock.model.knowing.facts import Facts
from tests.shipped import KNOWLEDGE

SOME = tuple(KNOWLEDGE.facts)[:200]
FACTS = Facts.listed(SOME)


def named(identifier: str) -> Fact:
    return replace(SOME[0], id=identifier)


def test_all_are_there_in_their_order() -> None:
    assert tuple(FACTS) == SOME
    assert len(FACTS) == len(SOME)
    assert {fact.id for name in FACTS.components for fact in FACTS.of(name)} == {fact.id for fact in SOME}


def test_those_of_a_component_are_sorted_whatever_their_order() -> None:
    for name in FACTS.components:
        identifiers = [fact.id for fact in FACTS.of(name)]
        assert identifiers == sorted(identifiers)
        assert FACTS.of(name) == Facts.listed(reversed(SOME)).of(name)
    assert FACTS.of("nothing-known") == ()


def test_each_is_found_by_its_identifier() -> None:
    assert all(FACTS.named(fact.id) is fact for fact in SOME)
    assert FACTS.named("nothing") is None
    assert "nothing" not in FACTS


def test_added_ones_come_behind_and_are_told_apart() -> None:
    more = FACTS.plus([named("b")]).plus([named("a")])
    component = SOME[0].when[0].component
    assert [fact.id for fact in more.of(component)][-2:] == ["b", "a"]
    assert [fact.id for fact in more.added] == ["b", "a"]
    assert [fact.id for fact in more][-2:] == ["b", "a"]
    assert more.named("a") == named("a")
    assert "a" not in FACTS


def test_what_does_not_count_is_not_there() -> None:
    left_out = SOME[3].id
    some = FACTS.where(lambda fact: fact.id != left_out)
    assert left_out not in some
    assert len(some) == len(SOME) - 1
    fewer = some.plus([named("a")]).where(lambda fact: fact.id != "a")
    assert tuple(fewer) == tuple(some)


def test_packed_ones_are_the_same() -> None:
    again: Facts = unpacked(packed(FACTS))
    assert again == FACTS
    assert again.of(SOME[0].when[0].component) == FACTS.of(SOME[0].when[0].component)
