"""The cut-off that pinned requirements imply."""

from __future__ import annotations

import datetime as dt

import pytest
from packaging.requirements import Requirement

from envlock.model.component import Range
from envlock.model.knowledge_codec import KnowledgeDecoder
from envlock.model.manifest import Wish
from envlock.solve.request import PIN_MARGIN, era_of_pins
from tests.memory import MemoryCatalogue

INDEX = {
    "jaxlib": {
        "0.4.13": {"uploaded": dt.date(2025, 12, 5)},
        "0.4.18": {"uploaded": dt.date(2023, 10, 6)},
        "0.5.0": {"uploaded": dt.date(2025, 1, 17)},
    },
    "mended": {"2.2.28": {"uploaded": dt.date(2022, 4, 11)}, "3.0": {"uploaded": dt.date(2019, 12, 2)}},
    "plain": {"1.0": {"uploaded": dt.date(2020, 1, 15)}, "1.1": {}},
}


def era(*texts):
    wishes = tuple(
        Wish(
            component=(requirement := Requirement(text)).name,
            range=Range.versions(str(requirement.specifier)),
            requirement=requirement,
            text=text,
            group="g",
        )
        for text in texts
    )
    return era_of_pins(wishes, KnowledgeDecoder().finish("0" * 64), MemoryCatalogue(INDEX))


@pytest.mark.parametrize(
    ("texts", "day"),
    [
        (["plain==1.0"], dt.date(2020, 1, 15)),
        (["plain==1.0", "mended==2.2.28"], dt.date(2022, 4, 11)),
        (["jaxlib==0.5.0", "plain==1.0"], dt.date(2025, 1, 17)),
    ],
)
def test_the_newest_pin_counts(texts, day):
    assert era(*texts) == day + PIN_MARGIN


def test_a_release_uploaded_again_is_as_old_as_a_later_one_of_its_series():
    assert era("jaxlib==0.4.13") == dt.date(2023, 10, 6) + PIN_MARGIN


@pytest.mark.parametrize("texts", [["plain>=1.0"], ["plain==1.1"], ["plain==9"], []])
def test_without_a_dated_pin_there_is_no_cut_off(texts):
    assert era(*texts) is None
