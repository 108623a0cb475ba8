"""Releases from before an extra are no answer to a wish for it, whichever interpreter would have them."""

from __future__ import annotations

from dataclasses import replace

import pytest

from envlock.model.knowing.knowledge_codec import KnowledgeDecoder
from envlock.model.locked.pins import Solved, Unsolvable
from envlock.model.project.manifest import decode_manifest
from envlock.solve.offers.requested_extras import newest_with_extras
from envlock.solve.offers.shared import Shared
from envlock.solve.request import Request
from envlock.solve.resolve import resolve
from tests.memory import MemoryCatalogue, interpreter, machine

KNOWLEDGE = KnowledgeDecoder().finish("0" * 64)
PYTHONS = ("3.12.1", "3.9.18", "3.8.18")
INDEX = {
    "grown": {  # its extra came with Python 3.9, as TensorFlow's and-cuda did
        "1.0": {},
        "2.0": {"requires-python": ">=3.9", "extras": ["gpu"], "requires": ["lib; extra == 'gpu'"]},
    },
    "merged": {  # its extra became part of the rest
        "1.0": {"extras": ["gpu"]},
        "2.0": {"requires-python": ">=3.9"},
    },
    "lib": {"1.0": {"requires-python": ">=3.10"}},
}


def requests(wish: str) -> list[Request]:
    group = decode_manifest({"groups": {"g": {"requires": [wish]}}}, "envlock.toml", KNOWLEDGE).group("g")
    target = machine(PYTHONS[0])
    target = replace(target, interpreters=tuple(map(interpreter, PYTHONS)))
    return [Request(wishes=group.wishes, target=target, interpreter=one) for one in target.interpreters]


@pytest.mark.parametrize(
    ("wish", "newest"),
    [
        ("grown[gpu]", {"grown[gpu]": "2.0"}),
        ("grown[gpu]<2", {}),
        ("grown", {}),
        ("grown[other]", {}),
        ("merged[gpu]", {"merged[gpu]": "1.0"}),
    ],
)
def test_the_newest_of_the_best_releases_with_an_extra(wish: str, newest: dict[str, str]) -> None:
    assert newest_with_extras(requests(wish), KNOWLEDGE, MemoryCatalogue(INDEX), Shared()) == newest


@pytest.mark.parametrize(
    ("wish", "answers"),
    [
        ("grown[gpu]", ["2.0", "", ""]),  # the library of the extra is for 3.10 and newer
        ("grown[gpu]<2", ["1.0", "1.0", "1.0"]),
        ("merged[gpu]", ["2.0", "2.0", "1.0"]),
    ],
)
def test_an_older_interpreter_is_no_way_around_an_extra(wish: str, answers: list[str]) -> None:
    catalogue = MemoryCatalogue(INDEX)
    asked = requests(wish)
    extras = newest_with_extras(asked, KNOWLEDGE, catalogue, Shared())
    found = [resolve(replace(one, extras=extras), KNOWLEDGE, catalogue) for one in asked]
    assert [
        next(pin.version for pin in one.distributions if pin.name != "lib") if isinstance(one, Solved) else ""
        for one in found
    ] == answers


def test_nor_is_it_a_remedy() -> None:
    catalogue = MemoryCatalogue({**INDEX, "lib": {"1.0": {"requires-python": ">=3.13"}}})
    asked = requests("grown[gpu]")
    extras = newest_with_extras(asked, KNOWLEDGE, catalogue, Shared())
    refusal = resolve(replace(asked[0], extras=extras), KNOWLEDGE, catalogue)
    assert isinstance(refusal, Unsolvable)
    told = [[(one.of, one.after) for one in remedy.amendments] for remedy in refusal.remedies]
    assert told == [[("extras", "2.0")]]
