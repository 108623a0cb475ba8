"""How a component came into a lock."""

from __future__ import annotations

import datetime as dt
from dataclasses import replace

import pytest

from envlock.lifecycle.origin import chain_to, needed_for
from envlock.model.errors import RequestError
from envlock.model.knowing.knowledge import Knowledge
from envlock.model.knowing.knowledge_codec import KnowledgeDecoder
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


def knowledge(**need: object) -> Knowledge:
    told = {"component": "setuptools", "reason": "they import it"}
    return KnowledgeDecoder().components({"need": [told | need]}, "components.toml").finish("0" * 64)


def test_what_is_needed_by_all_that_came_before_a_day():
    noon = dt.datetime(2023, 10, 1, 12, tzinfo=dt.UTC)
    pins = [distribution(name, "1") for name in ("setuptools", "old", "new", "unknown")]
    for place, days in ((0, 0), (1, 0), (2, 1)):
        file = replace(pins[place].file, upload_time=noon + dt.timedelta(days=days))
        pins[place] = replace(pins[place], file=file)
    one = replace(lock(*pins), python="3.12.1")
    known = knowledge(distribution="*", before=dt.date(2023, 10, 2), python=">=3.12")
    assert needed_for("setuptools", one, known) == {"they import it": ("old 1",)}
    assert needed_for("setuptools", replace(one, python="3.11.7"), known) == {}
    assert needed_for("new", one, known) == {}


def test_what_every_distribution_needs_has_a_day():
    with pytest.raises(RequestError, match="needs a day"):
        knowledge(distribution="*")
