"""How a component came into a lock."""

from __future__ import annotations

from dataclasses import replace

from envlock.lifecycle.origin import chain_to
from tests.locks import distribution, lock


def test_shortest_way_down():
    pins = (
        replace(distribution("a", "1"), dependencies=("b", "c")),
        replace(distribution("b", "2", asked_by=("a 1",)), dependencies=("d",)),
        replace(distribution("c", "3", asked_by=("a 1",)), dependencies=("e",)),
        replace(distribution("d", "4", asked_by=("b 2",)), dependencies=("f",)),
        replace(distribution("e", "5", asked_by=("c 3",)), dependencies=()),
        replace(distribution("f", "6", asked_by=("d 4", "c 3")), dependencies=("a",)),
    )
    one = lock(*pins)
    assert chain_to("f", one) == ("a 1", "b 2", "d 4", "f 6")
    assert chain_to("a", one) == ("a 1",)


def test_what_nothing_leads_to():
    assert chain_to("setuptools", lock(distribution("a", "1"))) == ("setuptools",)
