"""What comes along with distributions that are named."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping

from envlock.app.checking.dependency_check import newest_declarations
from envlock.model.knowing.finding import Chosen
from envlock.model.published.declaration import Declaration, Declared
from tests.shipped import KNOWLEDGE

DAY = dt.date(2026, 6, 1)


def says(name: str, version: str, *requires: str) -> Declaration:
    return Declaration(
        distribution=name, version=version, read=DAY, files=(), requires_dist=requires, versions=()
    )


def test_the_newest_that_is_asked_for_tells_what_it_brings() -> None:
    releases = {"middle": ("3.0", "2.1", "2.0"), "named": ("1.0",)}
    named = {"reader": says("reader", "1.0", "middle<3", "named"), "named": says("named", "1.0")}
    here = {name: (Chosen(version="1.0"),) for name in named} | {"python": (Chosen(version="3.12"),)}

    def declare(wanted: Mapping[str, tuple[str, str]], _python: str) -> Declared:
        told = {one: says(name, version, "setuptools") for one, (name, version) in wanted.items()}
        return Declared(declarations=told, unread={}, unlisted={})

    def listed(names: object) -> Mapping[str, tuple[str, ...]]:
        return {name: releases[name] for name in names}  # type: ignore[attr-defined]

    along = newest_declarations(here, named, KNOWLEDGE, declare, listed)
    assert {name: (one.version, one.requires_dist) for name, one in along.items()} == {
        "middle": ("2.1", ("setuptools",))
    }
