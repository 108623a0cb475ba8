"""``envlock report`` and what ``envlock verify`` leaves: the whole text, files, history, exit status."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from envlock.edges.lock_files import read_lock
from envlock.edges.report_files import KeptReports, write_report
from envlock.edges.store.protection import unprotect
from envlock.model.proving.report import Report
from envlock.model.proving.surroundings import Surroundings
from tests.reports import four_nodes, later
from tests.unit.cli.conftest import Said, Site

pytestmark = pytest.mark.processes

Envlock = Callable[..., Said]
Golden = Callable[[str, Said], None]


@pytest.fixture
def lock(site: Site, envlock: Envlock) -> Path:
    assert envlock("solve", "tiny", "--target", "here", "--lock-only").status == 0
    return site.lock


def leave(site: Site, lock: Path, report: Report, glibc: str = "2.31") -> Report:
    """Leave a report of the group ``tiny``, as ``verify`` does."""
    own = replace(
        report,
        group="tiny",
        target="here",
        lock=lock.name,
        lock_sha256=read_lock(lock).sha256,
        surroundings=Surroundings(host="n1", kernel="6.1", systems={"glibc": glibc}),
    )
    write_report(lock.with_name("pylock.tiny.report.json"), own)
    KeptReports(site.project / ".envlock/reports/here/tiny").add(own)
    return own


def nameless(said: Said) -> Said:
    """Without the lock's hash, which depends on where the index lies."""
    return Said(said.status, re.sub(r"\b[0-9a-f]{12}\b", "<lock>", said.out), said.err)


def test_a_report_again(site: Site, lock: Path, envlock: Envlock, golden: Golden) -> None:
    leave(site, lock, four_nodes())
    said = envlock("report", "tiny", "--target", "here")
    assert said.status == 0
    golden("report", nameless(said))


def test_a_failed_one(site: Site, lock: Path, envlock: Envlock, golden: Golden) -> None:
    leave(site, lock, four_nodes(lost=True))
    said = envlock("report", "tiny", "--target", "here")
    assert said.status == 1
    golden("report-failed", nameless(said))


def test_an_expired_one_is_caught_and_named(site: Site, lock: Path, envlock: Envlock, golden: Golden) -> None:
    leave(site, lock, four_nodes(), glibc="2.17")
    said = envlock("report", "tiny", "--target", "here")
    assert said.status == 1
    last = "\n".join(said.out.splitlines()[-4:]) + "\n"
    golden("report-expired", nameless(Said(1, last, said.err)))
    document = json.loads(envlock("report", "tiny", "--target", "here", "--json").out)
    assert document["passed"] is True
    assert document["today"]["counts"] is False
    assert [one["code"] for one in document["today"]["doubts"]] == ["evidence-expired"]


def test_files_for_browsers_and_programs(site: Site, lock: Path, envlock: Envlock) -> None:
    leave(site, lock, four_nodes(lost=True))
    said = envlock("report", "tiny", "--target", "here", "--html", "out/tiny.html", "--junit", "tiny.xml")
    assert said.status == 1
    assert "written  out/tiny.html" in said.out
    page = (site.project / "out/tiny.html").read_text()
    assert page.startswith("<!DOCTYPE html>")
    assert "alpha" in page
    suite = ET.fromstring((site.project / "tiny.xml").read_text())[0]
    assert suite.attrib["name"] == "envlock verify tiny on here"


def test_a_report_from_elsewhere(site: Site, lock: Path, envlock: Envlock) -> None:
    leave(site, lock, four_nodes())
    printed = envlock("report", "tiny", "--target", "here", "--json").out
    elsewhere = site.root / "copied.json"
    elsewhere.write_text(printed.replace("<sha256>", "ab" * 32))
    said = envlock("report", str(elsewhere), "--junit", "copied.xml")
    assert said.status == 0
    assert "verified  tiny on here" in said.out
    elsewhere.write_text("{")
    said = envlock("report", str(elsewhere))
    assert said.status == 2
    assert "the report is not JSON" in said.err
    elsewhere.write_text("{}")
    assert "next   envlock verify, which writes a new report" in envlock("report", str(elsewhere)).err
    assert envlock("report", "gone.json").status == 2


def test_history(site: Site, lock: Path, envlock: Envlock, golden: Golden) -> None:
    for day in range(3):
        leave(site, lock, later(four_nodes(lost=day == 1, factor=1 + day), hours=24 * day))
    said = envlock("report", "tiny", "--target", "here", "--history")
    text = re.sub(r" {2,}", "  ", said.out)
    golden("report-history", nameless(Said(said.status, text, said.err)))
    document = json.loads(envlock("report", "tiny", "--target", "here", "--history", "--json").out)
    assert [run["passed"] for run in document["today"]["history"]] == [True, False, True]


def test_never_verified(lock: Path, envlock: Envlock, golden: Golden) -> None:
    golden("report-never", envlock("report", "tiny", "--target", "here"))


def test_ranks_alone_of_what_does_not_communicate_are_refused(site: Site, envlock: Envlock) -> None:
    assert envlock("solve", "tiny", "--target", "real").status == 0
    said = envlock("verify", "tiny", "--target", "real", "--ranks-only")
    assert (said.status, "code   nothing-to-try" in said.err) == (1, True)


@pytest.mark.parametrize(
    ("where", "why"),
    [("there", "Is a directory"), ("file/a.html", "Not a directory")],
)
def test_a_page_that_could_not_be_written_is_refused_first(
    site: Site, envlock: Envlock, where: str, why: str
) -> None:
    assert envlock("solve", "tiny", "--target", "real").status == 0
    (site.project / "there").mkdir()
    (site.project / "file").touch()
    said = envlock("verify", "tiny", "--target", "real", "--html", where)
    assert (said.status, why in said.err) == (3, True)
    assert not (site.project / "locks/real/pylock.tiny.report.json").exists()


@pytest.mark.skipif(sys.platform != "linux", reason="the probe reads /proc")
def test_verify_twice(site: Site, envlock: Envlock) -> None:
    """The whole way: probe, report, history, what is new."""
    assert envlock("solve", "tiny", "--target", "real").status == 0
    first = envlock("verify", "tiny", "--target", "real", "--html", "a.html", "--junit", "a.xml")
    assert first.status == 0, first.golden
    assert "no earlier good run" in first.out
    assert (site.project / "a.html").is_file()
    assert (site.project / "a.xml").is_file()
    beside = site.project / "locks/real/pylock.tiny.report.json"
    document = json.loads(beside.read_text())
    assert document["surroundings"]["systems"] == {"glibc": "2.31"}
    assert envlock("status", "--target", "real").status == 0
    document["surroundings"]["systems"] = {"glibc": "2.17"}
    [kept] = (site.project / ".envlock/reports/real/tiny").iterdir()
    kept.unlink()  # so that the one before is that beside the lock
    beside.write_text(json.dumps(document))
    assert envlock("status", "--target", "real").status == 1
    second = json.loads(envlock("verify", "tiny", "--target", "real", "--json").out)
    assert [one["what"] for one in second["news"]["surroundings"]] == ["glibc"]
    assert envlock("status", "--target", "real").status == 0
    third = envlock("verify", "tiny", "--target", "real")
    assert "nothing new since" in third.out
    assert len(list((site.project / ".envlock/reports/real/tiny").iterdir())) == 2


@pytest.mark.skipif(sys.platform != "linux", reason="the probe reads /proc")
def test_what_facts_warn_of_is_told_where_something_fails(site: Site, envlock: Envlock) -> None:
    ours = site.project / "ours/facts"
    ours.mkdir(parents=True)
    (ours / "ours.toml").write_text(
        '[[fact]]\nid = "alpha-beta"\nreason = "alpha may hang"\nevidence = "documented"\nseverity = "warn"\n'
        'when = { alpha = "*" }\nthen = { beta = ">=9" }\n'
        'sources = [{ title = "ours", checked = 2026-11-27 }]\n'
    )
    known = ["--target", "real", "--knowledge", str(ours.parent)]
    assert envlock("solve", "tiny", *known).status == 0
    told = "note         alpha 2.0 needs beta >=9, not beta 1.1: alpha may hang (fact alpha-beta)"
    assert told not in envlock("verify", "tiny", *known).out
    [module] = (site.project / ".envlock/environments").glob("*/lib/python*/site-packages/alpha.py")
    unprotect(module.parent)
    unprotect(module.parent)
    module.unlink()
    module.write_text("1 / 0\n")
    said = envlock("verify", "tiny", *known)
    assert said.status == 1, said.golden
    assert told in said.out
    assert len(json.loads(envlock("verify", "tiny", *known, "--json").out)["warned"]) == 1
