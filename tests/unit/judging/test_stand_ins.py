"""One of several builds of a library takes the place of the others in what metadata asks."""

from __future__ import annotations

import datetime as dt
import tomllib
from functools import partial

import pytest

from envlock.judging.collisions import WheelContents, as_conflict, same_files
from envlock.judging.stand_ins import asked_for_instead, instead_of_colliding
from envlock.model.knowing.fact import Fact
from envlock.model.knowing.finding import Finding
from envlock.model.knowing.knowledge_codec import KnowledgeDecoder
from envlock.model.locked.installed import Installed
from envlock.model.locked.pins import Solved, Unsolvable
from envlock.model.project.group import Wish
from envlock.model.project.manifest import decode_manifest
from envlock.solve.request import Request
from envlock.solve.resolve import resolve
from tests.memory import MemoryCatalogue, machine

KNOWLEDGE = (
    KnowledgeDecoder()
    .components(
        tomllib.loads("""
[[stand-in]]
distribution = "vision"
replaces = ["vision-headless"]
reason = "the same module"
sources = [{ title = "https://example.org/vision", checked = 2026-11-21 }]

[[stand-in]]
distribution = "vision-headless"
replaces = ["vision"]
reason = "the same module"
sources = [{ title = "https://example.org/vision", checked = 2026-11-21 }]

[[need]]
distribution = "convert"
component = "vision"
reason = "it imports what it does not ask for"
"""),
        "components.toml",
    )
    .finish("")
)
INDEX = {
    "vision": {"4.1": {}, "4.2": {}},
    "vision-headless": {"4.1": {}, "4.2": {}},
    "augment": {"1": {"requires": ["vision-headless>=4.1"]}},
    "detect": {"1": {"requires": ["vision>=4.2"]}},
    "convert": {"1": {}},
}


def wishes(*requires: str) -> tuple[Wish, ...]:
    group = {"requires": list(requires), "as-of": "none"}
    return decode_manifest({"groups": {"g": group}}, "envlock.toml", KNOWLEDGE).group("g").wishes


def pins(asked: tuple[Wish, ...], instead: dict[str, str]) -> dict[str, str] | None:
    node = machine("3.11.7")
    request = Request(wishes=asked, target=node, interpreter=node.interpreters[0], stand_ins=instead)
    answer = resolve(request, KNOWLEDGE, MemoryCatalogue(INDEX))
    return {pin.name: pin.version for pin in answer.distributions} if isinstance(answer, Solved) else None


def found(*names: str) -> tuple[Finding, ...]:
    wheels = [
        WheelContents(
            component=name,
            version="4.1",
            filename=f"{name}-4.1.whl",
            installed=Installed(["vision"], partial(dict, {"vision/core.so": name})),
        )
        for name in names
    ]
    return same_files(wheels, dt.date(2026, 11, 21))


def collisions(*names: str) -> list[dict[str, str]]:
    return [dict(one.components) for one in found(*names)]


@pytest.mark.parametrize(
    ("requires", "expected"),
    [
        (("vision==4.1", "augment"), {"vision": "4.1", "augment": "1"}),
        (("vision-headless", "detect"), {"vision-headless": "4.2", "detect": "1"}),
        (("vision==4.1", "detect"), None),
        (("vision-headless==4.1", "detect"), None),
        (("vision-headless==4.1", "convert"), {"vision-headless": "4.1", "convert": "1"}),
        (
            ("vision", "vision-headless", "augment"),
            {"vision": "4.2", "vision-headless": "4.2", "augment": "1"},
        ),
    ],
)
def test_what_the_group_asks_for_takes_the_place_of_what_metadata_asks(
    requires: tuple[str, ...], expected: dict[str, str] | None
) -> None:
    asked = wishes(*requires)
    assert pins(asked, asked_for_instead(asked, KNOWLEDGE)) == expected


def test_of_two_that_only_metadata_asks_for_the_one_that_is_named_first_stays() -> None:
    asked = wishes("augment", "detect")
    assert asked_for_instead(asked, KNOWLEDGE) == {}
    instead = instead_of_colliding(collisions("vision", "vision-headless"), asked, {}, KNOWLEDGE)
    assert instead == {"vision-headless": "vision"}
    assert pins(asked, instead) == {"vision": "4.2", "augment": "1", "detect": "1"}


def test_nothing_takes_the_place_of_what_the_group_asks_for_nor_of_what_is_no_build_of_it() -> None:
    met = collisions("vision", "vision-headless")
    assert instead_of_colliding(met, wishes("vision", "vision-headless"), {}, KNOWLEDGE) == {}
    assert instead_of_colliding(collisions("vision", "other"), wishes("augment"), {}, KNOWLEDGE) == {}
    assert instead_of_colliding(met, (), {"vision-headless": "vision"}, KNOWLEDGE) == {}


def test_one_of_two_that_only_metadata_asks_for_stays_where_a_remedy_is_tried() -> None:
    def objections(answer: Solved) -> tuple[Fact, ...]:
        builds = {pin.name for pin in answer.distributions} & {"vision", "vision-headless"}
        return tuple(as_conflict(one, KNOWLEDGE) for one in found(*sorted(builds)))

    target = machine("3.11.7")
    asked = wishes("augment", "detect", "convert==0.9")
    request = Request(wishes=asked, target=target, interpreter=target.interpreters[0])
    refusal = resolve(request, KNOWLEDGE, MemoryCatalogue(INDEX), objections=objections)
    assert isinstance(refusal, Unsolvable)
    changes = [[(one.component, one.after) for one in remedy.amendments] for remedy in refusal.remedies]
    assert changes == [[("convert", "==1")]]
