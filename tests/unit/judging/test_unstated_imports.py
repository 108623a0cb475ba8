"""Modules that code imports and nothing that is there brings."""

import datetime as dt

from envlock.judging.unstated_imports import fact_of, unstated_findings, unstated_imports
from envlock.model.knowing.fact import Severity
from envlock.model.knowing.finding import Chosen
from envlock.model.knowing.knowledge import Knowledge
from envlock.model.knowing.knowledge_codec import KnowledgeDecoder
from envlock.model.published.code_reads import CodeReads
from envlock.model.published.declaration import Declaration

DAY = dt.date(2026, 6, 1)


def knowledge() -> Knowledge:
    sources = [{"title": "https://example.org", "checked": DAY}]
    rows = {
        "module": [
            {"names": ["six", "more_tools"], "sources": sources},
            {"names": ["PIL"], "brought-by": ["pillow", "pillow-simd"], "sources": sources},
            {"names": ["frame"], "brought-by": ["frame"], "sources": sources},
        ],
        "flavour": [{"distribution": "frame-cpu", "of": "frame"}],
    }
    return KnowledgeDecoder().components(rows, "components.toml").finish("digest")


def code(*names: str, beside: dict[frozenset[str], dict[str, str]] | None = None) -> CodeReads:
    return CodeReads(
        distribution="thing",
        version="1.0",
        read=DAY,
        on_import={name: f"thing/a.py:{number}" for number, name in enumerate(names, 1)},
        on_build={},
        beside=beside or {},
    )


def needed(reads: CodeReads, present: list[str], modules: list[str]) -> list[str]:
    return [fact_of(one) for one in unstated_imports({"thing": reads}, present, modules, knowledge())]


def test_what_nothing_brings():
    (six, pillow) = unstated_imports(
        {"thing": code("PIL.Image", "PIL", "six.moves", "json", "nobody_knows")}, ["thing"], [], knowledge()
    )[::-1]
    assert (pillow.distribution, pillow.component) == ("thing", "pillow")
    assert pillow.range.contains("1.0")
    assert not pillow.range.contains("1.1")
    assert pillow.reason == "thing 1.0 imports PIL (thing/a.py:1), and does not ask for it"
    assert six.component == "six"


def test_a_module_is_called_otherwise_than_its_distribution():
    assert needed(code("more_tools"), ["thing"], []) == ["unstated-imports:thing+more-tools"]


def test_any_distribution_that_brings_it_will_do():
    assert needed(code("PIL"), ["thing", "pillow-simd"], []) == []
    assert needed(code("frame"), ["thing", "frame-cpu"], []) == []


def test_files_tell_what_is_brought_by_whom_nobody_knows():
    assert needed(code("PIL", "six"), ["thing", "other"], ["PIL"]) == ["unstated-imports:thing+six"]


def test_what_is_read_beside_another_counts_where_that_is_there():
    reads = code(beside={frozenset({"other"}): {"six": "thing/b.py:1"}})
    assert needed(reads, ["thing"], []) == []
    assert needed(reads, ["thing", "other"], []) == ["unstated-imports:thing+six"]


def declared(name: str, *requires: str) -> Declaration:
    return Declaration(
        distribution=name, version="1.0", read=DAY, files=(), requires_dist=requires, versions=("1.0",)
    )


def found(
    reads: CodeReads, *asking: Declaration, more: tuple[str, ...] = (), is_all: bool = True
) -> list[str]:
    """Severity and message of what is found beside ``thing`` 1.0 and others of that version."""
    said = {one.distribution: one for one in (*asking, *map(declared, more))}
    said.setdefault("thing", declared("thing"))
    there = {**{name: (Chosen(version="1.0"),) for name in said}, "python": (Chosen(version="3.9"),)}
    told = unstated_findings(there, said, {"thing": reads}, knowledge(), is_all=is_all)
    return [f"{one.severity.value}: {one.message}" for one in told]


SIX = "thing 1.0 imports six (thing/a.py:1), and does not ask for it; nothing that is named brings it"


def test_a_list_of_all_that_is_there_lacks_what_nobody_brings():
    assert found(code("six")) == [f"refuse: {SIX}"]
    assert found(code("six"), more=("six",)) == []


def test_who_names_the_half_of_it_is_warned():
    assert found(code("six"), is_all=False) == [f"warn: {SIX}"]


def test_where_something_is_asked_for_and_not_named_it_may_bring_more():
    assert found(code("six"), declared("thing", "helper")) == []
    assert found(code("six"), declared("thing", "helper"), more=("helper",)) == [f"refuse: {SIX}"]


def test_what_others_ask_for_and_do_not_import_may_never_be():
    assert found(code("six"), declared("other", "thing")) == [f"warn: {SIX}"]
    assert found(code("six"), declared("thing", "thing[more]")) == [f"refuse: {SIX}"]
    assert found(code("six"), declared("other", "thing; extra == 'all'")) == [f"refuse: {SIX}"]
    reads = {"thing": code("six"), "other": code("thing.inner")}
    said = {"thing": declared("thing"), "other": declared("other", "thing")}
    there = {name: (Chosen(version="1.0"),) for name in said}
    (told,) = unstated_findings(there, said, reads, knowledge(), is_all=True)
    assert told.severity is Severity.REFUSE


def test_of_whom_nobody_knows_what_it_asks_for_nothing_is_said():
    there = {name: (Chosen(version="1.0"),) for name in ("thing", "silent")}
    said = {"thing": declared("thing")}
    assert not list(unstated_findings(there, said, {"thing": code("six")}, knowledge(), is_all=True))
