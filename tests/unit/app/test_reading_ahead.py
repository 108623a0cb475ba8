"""What is begun before the machine is known."""

from __future__ import annotations

import datetime as dt

import pytest
from packaging.requirements import Requirement

from envlock.app.reading_ahead import read_ahead
from envlock.edges.marker_environments import Platform
from envlock.model.component import Range
from envlock.model.group import Group
from envlock.model.manifest import Wish


class Noting:
    """Notes what is begun: names, and of guesses the series of Python."""

    def __init__(self) -> None:
        self.begun: list[tuple[list[str], str]] = []

    def prefetch(self, names: list[str]) -> None:
        self.begun.append((list(names), ""))

    def prefetch_likely(self, wanted: list[tuple[str, Range]], platform: Platform) -> None:
        self.begun.append(([name for name, _ in wanted], platform.markers["python_version"]))


def wish(text: str) -> Wish:
    requirement = Requirement(text)
    within = Range.versions(str(requirement.specifier))
    return Wish(component=requirement.name, range=within, requirement=requirement, text=text, group="g")


@pytest.mark.parametrize(
    ("python", "as_of", "wished", "guessing", "series"),
    [
        ("==3.11.*", "auto", ["torch", "numpy>=1"], True, "3.11"),
        ("==3.11.7", "none", ["torch==2.1.0"], True, "3.11"),
        ("==3.11.*", "auto", ["torch==2.1.0", "numpy"], True, ""),
        ("==3.11.*", dt.date(2024, 1, 1), ["torch"], True, ""),
        (">=3.11", "auto", ["torch"], True, ""),
        ("", "auto", ["torch"], True, ""),
        ("==3.11.*", "auto", ["torch"], False, ""),
    ],
    ids=["newest", "no time", "pinned", "of a time", "range", "any Python", "held"],
)
def test_the_newest_is_guessed_where_it_is_likely(python, as_of, wished, guessing, series):
    group = Group(
        name="g",
        python=Range.versions(python),
        wishes=tuple(map(wish, wished)),
        extends="",
        one_process=False,
        as_of=as_of,
        frozen=None,
    )
    noting = Noting()
    read_ahead(group, noting, guessing=guessing)
    assert noting.begun == [([Requirement(text).name for text in wished], series)]
