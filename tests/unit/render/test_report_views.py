"""A report as JUnit XML and as a page: well-formed, escaped, complete, and nothing from elsewhere."""

from __future__ import annotations

import re
from dataclasses import replace
from html.parser import HTMLParser
from io import StringIO
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from rich.console import Console

from envlock.app.verifying.reports import LockedVersion, Shown
from envlock.app.verifying.verify import Verified
from envlock.lifecycle.doubts import EvidenceExpired
from envlock.lifecycle.evidence.news import News, Turned
from envlock.model.proving.report import Outcome, Report
from envlock.render.reports.families import counted, families
from envlock.render.reports.junit import junit_text
from envlock.render.reports.page import report_page
from envlock.render.reports.text import verified_text
from tests.reports import check, four_nodes, later

LOST = four_nodes(lost=True)


def cases(report: Report) -> dict[str, ET.Element]:
    root = ET.fromstring(junit_text(report))
    return {case.attrib["name"]: case for case in root.iter("testcase")}


def test_checks_that_turned_alike_are_told_together() -> None:
    """Where no rank began, nearly all of them are not there any more."""
    gone = tuple(
        Turned(id=f"C{number}", name="sums", before=Outcome.PASSED, now=None) for number in range(20)
    )
    broken = Turned(id="L1", name="launch", before=Outcome.PASSED, now=Outcome.FAILED)
    found = News(since=LOST.started, other_lock=False, surroundings=(), turned=(*gone, broken))
    console = Console(file=StringIO(), width=200)
    verified_text(Verified(report=LOST, path=None, prefix=Path("/env"), news=found), console)
    printed = console.file.getvalue()  # type: ignore[attr-defined]
    told = ", ".join(f"C{number} sums" for number in range(8))
    assert f"  passed -> not there: {told} and 12 more\n" in printed
    assert "  passed -> failed: L1 launch\n" in printed


def test_junit_has_one_case_for_each_check() -> None:
    root = ET.fromstring(junit_text(LOST))
    [suite] = root
    assert (root.tag, suite.tag, suite.attrib["name"]) == (
        "testsuites",
        "testsuite",
        "envlock verify stack on cluster",
    )
    assert set(root.attrib) == {"name", "time", "tests", "failures", "errors"}  # by junit-10.xsd
    numbers = {key: suite.attrib[key] for key in ("tests", "failures", "errors", "skipped", "time")}
    assert numbers == {"tests": "7", "failures": "1", "errors": "1", "skipped": "1", "time": "61.250"}
    assert len(suite.findall("testcase")) == len(LOST.checks)
    assert {one.attrib["name"]: one.attrib["value"] for one in suite.iter("property")}[
        "lock_sha256"
    ] == "ab" * 32


def test_junit_says_why() -> None:
    found = cases(LOST)
    failure = found["L1 launch"].find("failure")
    assert failure is not None
    assert failure.attrib["message"] == "no sign of rank 7 of 8\ufffd[0m; there are rank 0 on n1, ..."
    error = found["W1 supervision"].find("error")
    assert error is not None
    assert error.attrib["type"] == "timed-out"
    skipped = found["S4 GPU code"].find("skipped")
    assert skipped is not None
    assert skipped.attrib["message"] == "not applicable: no GPU"
    warned = found["P1 imports"]
    assert [child.tag for child in warned] == ["system-out"]
    assert warned[0].text == "warned: secondary modules cannot be imported: <plac_tk>"
    assert list(found["C2 mpi4py allreduce"]) == []


class Page(HTMLParser):
    """What a browser would see: texts, what would be fetched, and whether every element is closed."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.texts: list[str] = []
        self.fetched: list[str] = []
        self.open: list[str] = []
        self.ids: list[str] = []
        self.links: list[str] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        self.fetched += [f"{tag} {name}" for name in ("src", "action", "data", "srcset") if name in given]
        if tag == "link":
            self.fetched.append("link")
        if tag == "a":
            self.links.append(given["href"] or "")
        if "id" in given:
            self.ids.append(given["id"] or "")
        if tag not in ("meta", "input", "br"):
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.texts.append(data)

    @property
    def text(self) -> str:
        return " ".join(" ".join(self.texts).split())


@pytest.fixture
def page() -> Page:
    history = tuple(later(four_nodes(factor=1 + 0.1 * hour), hours=-hour) for hour in range(4))
    versions = (LockedVersion(component="torch", version="1.4.0", origin="wheel, asked for"),)
    return Page(report_page(Shown(report=LOST, path=Path("x"), history=history, versions=versions)))


def test_the_page_needs_nothing_else(page: Page) -> None:
    text = report_page(Shown(report=LOST, path=Path("x")))
    assert page.fetched == []
    assert page.open == []
    assert not re.search(r"https?://|url\(|@import", text)
    assert [link.removeprefix("#") for link in page.links] == page.ids
    assert page.ids == ["checks", "nodes", "communication", "pairs", "environment", "history"]


def test_the_page_tells_everything(page: Page) -> None:
    for one in LOST.checks:
        assert f"{one.id} {one.name}" in page.text or one.name in page.text
    assert "not verified" in page.text
    assert "What failed L1 launch:" in page.text
    assert "secondary modules cannot be imported: <plac_tk>" in page.text  # escaped, or it would be a tag
    assert "7 ranks of 8 asked for, on 4 nodes." in page.text
    assert "no sign of 7 missing" in page.text
    assert "mpi4py: 1 MiB in 265 µs" in page.text
    assert "0.35 slow" in page.text
    assert "4.1.4, module load OpenMPI/4.1.4, /sw/ompi" in page.text
    assert "torch 1.4.0 wheel, asked for" in page.text
    assert "4 runs" in page.text


def test_a_short_report_has_only_what_it_has() -> None:
    alone = replace(LOST, ranks=(), ranks_asked=0, checks=LOST.checks[:1])
    page = Page(report_page(Shown(report=alone, path=Path("x"))))
    assert page.ids == ["checks", "environment"]


def test_an_expired_report_says_so() -> None:
    doubt = EvidenceExpired(what="driver", verified="525.60", found="580.65")
    page = Page(report_page(Shown(report=four_nodes(), path=Path("x"), doubts=(doubt,))))
    assert "verified expired" in page.text
    assert "driver was 525.60 when it was verified, now it is 580.65" in page.text


def test_many_ranks_are_listed_not_drawn() -> None:
    few = four_nodes().ranks
    one = few[0]
    pairs = one.back_ends["mpi4py"].pairs
    many = tuple(replace(pairs[0], peer=peer, large_s=1e-3 * peer) for peer in range(1, 40))
    result = replace(one.back_ends["mpi4py"], pairs=many)
    report = replace(four_nodes(), ranks=(replace(one, back_ends={"mpi4py": result}), *few[1:]))
    page = Page(report_page(Shown(report=report, path=Path("x"))))
    assert "The slowest 20 of" in page.text
    assert "0 and 39" in page.text


def test_families_and_counts() -> None:
    found = [(name, [one.id for one in checks]) for name, checks in families(LOST.checks)]
    assert found == [
        ("files and node", ["S1", "S4"]),
        ("launch", ["L1"]),
        ("one process", ["P1"]),
        ("communication", ["C2", "C16"]),
        ("supervision", ["W1"]),
    ]
    assert counted(LOST.checks) == "1 timed-out, 1 failed, 2 warned, 2 passed, 1 not applicable".replace(
        "-", " "
    )
    mixed = [
        check("C1", "a", Outcome.PASSED, ""),
        check("C2", "b", Outcome.FAILED, ""),
    ]
    assert [[one.name for one in group] for _, group in families(mixed)] == [["b", "a"]]


@pytest.mark.parametrize("identifier", ["X1", ""])
def test_what_a_later_envlock_looked_at_is_shown_as_well(identifier: str) -> None:
    more = replace(LOST, checks=(*LOST.checks, replace(LOST.checks[0], id=identifier, name="something")))
    assert [(name, [one.id for one in found]) for name, found in families(more.checks)][-1] == (
        "other",
        [identifier],
    )
    assert cases(more)[f"{identifier} something"].attrib["classname"].endswith(".other")
