"""What tells two knowledge bases apart: every kind of entry, and no other."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, replace
from itertools import islice
from typing import Any

import pytest

from envlock.lifecycle.knowledge_diff import diff_knowledge
from envlock.model.knowing.detection import Detection
from envlock.model.knowing.entries import entries
from envlock.model.knowing.facts import Facts
from envlock.model.knowing.knowledge import Knowledge
from envlock.model.knowing.running import Running
from tests.shipped import KNOWLEDGE

NO_ENTRIES = {"digest", "lapsed", "published", "_reserved", "detection", "running"}
"""Of the whole base, of a day, derived from others, or looked at field by field."""


def few(value: Any) -> Any:
    """The first entries of a kind: comparing all of the base takes a third of a second."""
    if isinstance(value, Facts):
        return Facts.listed(islice(value, 2))
    if isinstance(value, Mapping):
        return dict(islice(value.items(), 2))
    return value[:2] if isinstance(value, tuple) else value


SMALL = replace(
    KNOWLEDGE,
    **{
        one.name: few(getattr(KNOWLEDGE, one.name)) for one in fields(Knowledge) if one.name not in NO_ENTRIES
    },
)


def empty(value: object) -> Any:
    if isinstance(value, Facts):
        return Facts.listed(())
    return {} if isinstance(value, Mapping) else type(value)()


@pytest.mark.parametrize("name", sorted({one.name for one in fields(Knowledge)} - NO_ENTRIES))
def test_no_kind_of_entry_goes_unnoticed(name: str) -> None:
    without = replace(SMALL, **{name: empty(getattr(SMALL, name))})
    assert diff_knowledge(SMALL, without).removed
    assert diff_knowledge(without, SMALL).added


@pytest.mark.parametrize(
    ("part", "name"),
    [("detection", one.name) for one in fields(Detection)]
    + [("running", one.name) for one in fields(Running)],
)
def test_nor_does_what_is_known_of_nodes_and_of_running_environments(part: str, name: str) -> None:
    whole = getattr(KNOWLEDGE, part)
    without = replace(SMALL, **{part: replace(whole, **{name: empty(getattr(whole, name))})})
    assert diff_knowledge(SMALL, without).removed


def test_no_two_entries_share_a_key() -> None:
    running, detection = KNOWLEDGE.running, KNOWLEDGE.detection
    expected = sum(len(getattr(running, one.name)) for one in fields(Running))
    expected += sum(len(getattr(detection, one.name)) for one in fields(Detection))
    expected += len(KNOWLEDGE.carriers) + len(KNOWLEDGE.stand_ins) + len(KNOWLEDGE.facts)
    kinds = {"carrier", "stand-in", "fact", "library", "headers", "folder", "site-module", "without-screens"}
    kinds |= {"module-category", "module-qualifier", "toolchain"}
    kinds |= {"instructions", "plugin", "run-variable", "feature", "signature", "process-management"}
    kinds |= {"library-version"}
    assert sum(kind in kinds for kind, _ in entries(KNOWLEDGE)) == expected


def test_what_says_something_else_is_told_with_both() -> None:
    first, *rest = KNOWLEDGE.running.managements
    changed = replace(first, interfaces=("pmi2",))
    after = replace(SMALL, running=replace(KNOWLEDGE.running, managements=(changed, *rest)))
    (entry,) = diff_knowledge(SMALL, after).changed
    (field,) = entry.changes
    assert (entry.kind, field.name, field.old, field.new) == (
        "process-management",
        "interfaces",
        "; ".join(first.interfaces),
        "pmi2",
    )
    assert diff_knowledge(KNOWLEDGE, KNOWLEDGE).empty
