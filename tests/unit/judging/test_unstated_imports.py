"""Modules that code imports and nothing that is there brings."""

import datetime as dt

from envlock.judging.unstated_imports import fact_of, unstated_imports
from envlock.model.knowing.knowledge import Knowledge
from envlock.model.knowing.knowledge_codec import KnowledgeDecoder
from envlock.model.published.code_reads import CodeReads

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
