"""Code that looks for names that others took away."""

import datetime as dt
from dataclasses import replace

import pytest

from envlock.model.code_reads import CodeReads
from envlock.model.declaration import Declaration
from envlock.model.errors import RequestError
from envlock.model.fact import Severity
from envlock.model.finding import Assignment, Chosen
from envlock.model.knowledge import Knowledge
from envlock.model.knowledge_codec import KnowledgeDecoder
from envlock.solve.removed_names import REMOVED_NAMES, removals_met, removed_name_findings

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


def found(reads: CodeReads = READS, requires: tuple[str, ...] = (), **versions: str) -> list[str]:
    declaration = Declaration(
        distribution="thing", version="1.0", read=DAY, files=(), requires_dist=requires, versions=()
    )
    assignment = combination(thing="1.0", **versions)
    findings = removed_name_findings(assignment, {"thing": reads}, {"thing": declaration}, KNOWN)
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


def test_a_build_looks_for_what_python_had() -> None:
    building = replace(READS, on_import={})
    assert found(building, python="3.12") == []
    (told,) = found(building, python="3.13")
    assert "when it is built (setup.py:1)" in told
    assert found(building, maths="2") == []


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


def test_a_removal_says_what_and_where_it_was_read() -> None:
    for broken in ({"names": []}, {"sources": []}, {"since": "new"}):
        row = {"component": "maths", "since": "2", "names": ["maths.old"], "sources": SOURCES, **broken}
        with pytest.raises(RequestError):
            KnowledgeDecoder().removals({"removal": [row]}, "removals/all.toml")
