"""Code that looks for names that others took away."""

import datetime as dt
from dataclasses import replace

import pytest

from envlock.judging.removed_names import (
    BUILD_TOOLS,
    REMOVED_NAMES,
    Missing,
    PastRemoval,
    as_finding,
    as_learned_conflict,
    missing_names,
    removals_met,
)
from envlock.model.errors import RequestError
from envlock.model.knowing.fact import Severity
from envlock.model.knowing.finding import Assignment, Chosen
from envlock.model.knowing.knowledge import Knowledge
from envlock.model.knowing.knowledge_codec import KnowledgeDecoder
from envlock.model.published.code_reads import USE_2TO3, CodeReads
from envlock.model.published.declaration import Declaration

DAY = dt.date(2026, 6, 1)
SOURCES = [{"title": "https://example.org/notes", "checked": DAY}]


def knowledge() -> Knowledge:
    decoder = KnowledgeDecoder()
    decoder.components(
        {"component": [{"name": "python", "title": "Python", "layer": "core"}]}, "components.toml"
    )
    rows = [
        {"component": "python", "since": "3.13", "names": ["cgi", "imp"], "sources": SOURCES},
        {"component": "maths", "since": "2", "names": ["maths.old"], "sources": SOURCES},
        {"component": "sums", "since": "1.24", "until": "2", "names": ["sums.flag"], "sources": SOURCES},
        {
            "component": "rows",
            "since": "2",
            "names": ["rows.A"],
            "sources": SOURCES,
            "warning": "counts wrong",
        },
        {"component": "rows", "since": "2", "names": ["rows.B"], "sources": SOURCES},
        {"component": "setuptools", "since": "58.0.2", "names": [USE_2TO3], "sources": SOURCES},
    ]
    return decoder.removals({"removal": rows}, "removals/all.toml").finish("digest")


KNOWN = knowledge()
READS = CodeReads(
    distribution="thing",
    version="1.0",
    read=DAY,
    on_import={"cgi": "thing/web.py:3", "maths.old": "thing/sums.py:1"},
    on_build={"imp": "setup.py:1", "maths.old": "setup.py:2"},
)


def combination(**versions: str) -> Assignment:
    return {name: (Chosen(version=version),) for name, version in versions.items()}


def said(name: str, *requires: str) -> Declaration:
    return Declaration(
        distribution=name, version="3.0", read=DAY, files=(), requires_dist=requires, versions=()
    )


def found(reads: CodeReads = READS, requires: tuple[str, ...] = (), **versions: str) -> list[str]:
    declaration = said("thing", *requires)
    assignment = combination(thing="1.0", **versions)
    findings = [
        as_finding(one) for one in missing_names(assignment, {"thing": reads}, {"thing": declaration}, KNOWN)
    ]
    assert {finding.fact for finding in findings} <= {REMOVED_NAMES}
    assert all(finding.severity is Severity.REFUSE and finding.sources for finding in findings)
    return [finding.message for finding in findings]


def test_what_is_read_on_import_and_gone_is_refused_with_its_place() -> None:
    (told,) = found(maths="2.1")
    assert told == (
        "thing 1.0 looks for maths.old when it is imported (thing/sums.py:1), which maths 2 no longer has"
    )


@pytest.mark.parametrize(("version", "gone"), [("1.9", False), ("2.0rc1", True), ("2", True), ("3", True)])
def test_it_is_gone_since_a_version(version: str, gone: bool) -> None:
    assert bool(found(maths=version)) is gone
    assert bool(removals_met(combination(maths=version), KNOWN)) is gone


@pytest.mark.parametrize(
    ("version", "gone"),
    [("1.23.5", False), ("1.24.0", True), ("1.26.4", True), ("2.0.0rc1", False), ("2.1", False)],
)
def test_what_came_back_is_gone_for_a_while(version: str, gone: bool) -> None:
    reading = replace(READS, on_import={"sums.flag": "thing/sums.py:1"}, on_build={})
    assert bool(found(reading, sums=version)) is gone
    if gone:
        (one,) = missing_names(combination(thing="1.0", sums=version), {"thing": reading}, {}, KNOWN)
        there = as_learned_conflict(one).when[1].range
        assert [there.contains(one) for one in ("1.23.5", "1.26.4", "2.0.0")] == [False, True, False]


def test_a_remedy_is_from_before_a_name_went_or_after_it_came_back() -> None:
    reads = replace(READS, on_import={"sums.flag": "thing/sums.py:1"})
    (one,) = missing_names(combination(thing="1.0", sums="1.25"), {"thing": reads}, {}, KNOWN)
    assert [fix.range for fix in as_finding(one).fixes] == ["<1.24 || >=2"]


def test_a_build_looks_for_what_python_had() -> None:
    building = replace(READS, on_import={})
    assert found(building, python="3.12") == []
    (told,) = found(building, python="3.13")
    assert "when it is built (setup.py:1)" in told
    assert found(building, maths="2") == []


def test_a_build_looks_for_what_a_tool_had_that_is_named_beside_it() -> None:
    reading = replace(READS, on_import={}, on_build={"maths.setup.old": "setup.py:2", USE_2TO3: "setup.py:3"})

    def told(**versions: str) -> list[str]:
        named = combination(thing="1.0", **versions)
        missing = missing_names(named, {"thing": reading}, {}, KNOWN, tools=BUILD_TOOLS)
        return [as_finding(one).message for one in missing]

    (message,) = told(setuptools="58.1")
    assert message == (
        "thing 1.0 looks for setuptools.setup.use_2to3 when it is built (setup.py:3), "
        "which setuptools 58.0.2 no longer has"
    )
    assert told(setuptools="57") == told() == told(maths="2") == found(reading, setuptools="58.1") == []


def test_what_brings_a_module_back_counts() -> None:
    web = replace(READS, on_build={})
    assert len(found(web, python="3.13")) == 1
    assert found(web, requires=('legacy-cgi>=2; python_version >= "3.13"',), python="3.13") == []
    assert found(web, python="3.13", **{"legacy-cgi": "2.6"}) == []


def test_what_brings_a_module_of_a_package_back_counts_too() -> None:
    clean = replace(READS, on_import={"maths.old": "thing/sums.py:1"}, on_build={})
    assert len(found(clean, maths="2")) == 1
    assert found(clean, maths="2", **{"maths-old": "1.0"}) == []
    assert found(clean, requires=("maths[old]",), maths="2") == []
    assert len(found(clean, requires=("maths[new]",), maths="2")) == 1


def test_what_a_reader_may_do_without_is_told_where_nothing_ends_it() -> None:
    def told(*names: str) -> list[tuple[Severity, str]]:
        reading = replace(READS, on_import=dict.fromkeys(names, "thing/rows.so"), on_build={})
        missing = missing_names(combination(thing="1.0", rows="2"), {"thing": reading}, {}, KNOWN)
        return [(finding.severity, finding.message) for finding in map(as_finding, missing)]

    assert told("rows.A") == [(Severity.WARN, "thing 1.0 counts wrong (thing/rows.so)")]
    assert [severity for severity, _ in told("rows.A", "rows.B")] == [Severity.REFUSE]


def test_a_removal_says_what_and_where_it_was_read() -> None:
    for broken in ({"names": []}, {"sources": []}, {"since": "new"}, {"until": "2"}):
        row = {"component": "maths", "since": "2", "names": ["maths.old"], "sources": SOURCES, **broken}
        with pytest.raises(RequestError):
            KnowledgeDecoder().removals({"removal": [row]}, "removals/all.toml")


def test_a_lesson_is_of_that_release_and_of_all_without_the_names() -> None:
    (missing,) = missing_names(combination(thing="1.0", maths="2.1"), {"thing": READS}, {}, KNOWN)
    learnt, finding = as_learned_conflict(missing), as_finding(missing)
    assert learnt.id == "removed-names:thing-1.0+maths-2"
    assert [str(condition) for condition in learnt.when] == ["thing ==1.0", "maths >=2.dev0"]
    assert (learnt.then, learnt.reason, learnt.sources) == ((), finding.message, finding.sources)


def test_what_another_distribution_would_bring_is_told_unless_it_is_there() -> None:
    bringing = {"module": [{"names": ["imp"], "brought-by": ["tools"], "sources": SOURCES}]}
    python = {"component": "python", "since": "3.12", "names": ["imp"], "sources": SOURCES}
    decoder = KnowledgeDecoder().components(
        {"component": [{"name": "python", "title": "Python", "layer": "core"}], **bringing}, "components.toml"
    )
    known = decoder.removals({"removal": [python]}, "removals/all.toml").finish("digest")
    reading = replace(READS, on_import={"imp": "thing/old.py:1"}, on_build={})

    def missing(reads: CodeReads, requires: tuple[str, ...] = (), **versions: str) -> tuple[Missing, ...]:
        says = Declaration(
            distribution="other", version="1", read=DAY, files=(), requires_dist=requires, versions=()
        )
        here = combination(thing="1.0", python="3.12", **versions)
        return missing_names(here, {"thing": reads}, {"other": says}, known)

    (one,) = missing(reading)
    told = as_finding(one)
    assert told.message.endswith("which python 3.12 no longer has, and tools would bring")
    assert [(fix.component, fix.range) for fix in told.fixes] == [("tools", "*"), ("python", "<3.12")]
    assert missing(reading, tools="1") == ()
    assert missing(reading, requires=("tools>=1",)) == ()
    assert len(missing(reading, requires=('tools; extra == "dev"',))) == 1
    assert missing(reading, requires=('tools; python_version > "3" or extra == "dev"',)) == ()
    (inside,) = missing(replace(reading, on_import={"imp.parts.one": "thing/old.py:1"}))
    assert as_finding(inside).message.startswith(
        "thing 1.0 looks for imp when it is imported (thing/old.py:1)"
    )
    building = replace(READS, on_import={}, on_build={"imp": "setup.py:1"})
    assert missing(building) == (), "whatever is built has tools"


@pytest.mark.parametrize("version", ["1.24rc1", "1.24", "1.26.4", "2.0rc1", "1.23.5"])
def test_a_lesson_speaks_of_all_that_lacks_the_name(version: str) -> None:
    read = replace(READS, on_import={"sums.flag": "thing/sums.py:1"})
    (removal,) = KNOWN.removals["sums"]
    one = Missing("thing", read, PastRemoval("sums", version, removal), "sums.flag", "thing/sums.py:1")
    assert as_learned_conflict(one).when[1].range.contains(version) is removal.has_happened(version)
