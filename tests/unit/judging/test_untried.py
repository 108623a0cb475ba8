"""Distributions that were published before others took names away."""

import datetime as dt

import pytest

from envlock.judging.untried import untried, untried_partners
from envlock.model.knowing.knowledge_codec import KnowledgeDecoder
from envlock.model.locked.pins import DistributionPin
from envlock.model.published.declaration import Declaration
from tests.memory import MemoryCatalogue

SOURCES = [{"title": "https://example.org/notes", "checked": dt.date(2026, 6, 1)}]
REMOVAL = {"component": "maths", "since": "2", "names": ["maths.old"], "sources": SOURCES}
KNOWN = KnowledgeDecoder().removals({"removal": [REMOVAL]}, "removals/all.toml").finish("digest")
INDEX = {
    "maths": {
        "1.9": {"uploaded": dt.date(2024, 1, 1)},
        "2.0rc1": {"uploaded": dt.date(2024, 5, 1)},
        "2.0": {"uploaded": dt.date(2024, 6, 1)},
        "2.1": {"uploaded": dt.date(2024, 9, 1)},
    },
    "elder": {"1.0": {"uploaded": dt.date(2024, 5, 31)}},
    "younger": {"1.0": {"uploaded": dt.date(2024, 6, 2)}},
    "undated": {"1.0": {}},
}
CATALOGUE = MemoryCatalogue(INDEX)


def pin(name: str, version: str, *dependencies: str) -> DistributionPin:
    (file,) = next(one.files for one in CATALOGUE.releases(name) if one.text == version)
    return DistributionPin(
        component=name, name=name, version=version, file=file, requires_python="", extras=(),
        dependencies=dependencies, asked_by=(), facts=(), build=None,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("reader", "needs", "maths", "named"),
    [
        ("elder", ("maths",), "2.1", True),
        ("elder", ("maths",), "1.9", False),
        ("elder", (), "2.1", False),
        ("younger", ("maths",), "2.1", False),
        ("undated", ("maths",), "2.1", False),
    ],
)
def test_who_was_published_before_a_dependency_took_names_away_cannot_have_tried_it(
    reader: str, needs: tuple[str, ...], maths: str, named: bool
) -> None:
    pins = [pin(reader, "1.0", *needs), pin("maths", maths)]
    assert untried(pins, CATALOGUE, KNOWN) == ((pins[0],) if named else ())


def declared(day: dt.date | None, *requires: str) -> Declaration:
    return Declaration(
        distribution="some", version="1", read=dt.date(2026, 6, 1), files=(), requires_dist=requires,
        versions=("1",), published=day,
    )  # fmt: skip


def test_who_asks_for_what_was_published_later_cannot_have_tried_that() -> None:
    said = {
        "younger": declared(dt.date(2024, 6, 2), "Maths>1; extra == 'all'", "helper", "undated"),
        "elder": declared(dt.date(2023, 1, 1), "maths"),
        "maths": declared(dt.date(2025, 1, 1), "elder", "maths[fast]"),
        "helper": declared(dt.date(2020, 1, 1)),
        "undated": declared(None, "maths"),
    }
    assert list(untried_partners(said, KNOWN, "").items()) == [
        ("elder", frozenset({"maths"})),
        ("younger", frozenset({"maths"})),
    ]


def test_nor_can_it_have_tried_a_python_that_came_later() -> None:
    row = {"series": "3.12", "released": dt.date(2023, 10, 2), "sources": SOURCES}
    known = KnowledgeDecoder().components({"interpreter": [row]}, "components.toml").finish("digest")
    said = {"elder": declared(dt.date(2023, 1, 1)), "younger": declared(dt.date(2024, 1, 1))}
    assert untried_partners(said, known, "3.12.1") == {"elder": frozenset({"python"})}
    assert untried_partners(said, known, "3.11") == {}
