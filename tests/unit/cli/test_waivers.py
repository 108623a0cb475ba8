"""Waivers that claim evidence: what counts, and each way in which it does not."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.unit.cli.conftest import Said, Site
from tests.unit.cli.test_golden import OVERLAY
from tests.unit.cli.test_status import verified

pytestmark = pytest.mark.processes

Envlock = Callable[..., Said]
Golden = Callable[[str, Said], None]

GROUP = '[groups.tiny]\nrequires = ["alpha==2.0", "beta==1.1"]\n'
WAIVER = """\
[[waivers]]
fact = "alpha-2-beta"
reason = "the table is there again, as a patch of ours"
owner = "the speech group"
expires = 2999-12-31
"""


@pytest.fixture
def ask(site: Site, envlock: Envlock) -> Callable[..., Said]:
    """Runs a command on the target ``real`` with the site's own fact about alpha and beta."""
    facts = site.root / "knowledge/facts"
    facts.mkdir(parents=True)
    (facts / "alpha.toml").write_text(OVERLAY)
    return lambda *words: envlock(*words, "--target", "real", "--knowledge", str(facts.parent))


@pytest.fixture
def report(site: Site, ask: Callable[..., Said]) -> Path:
    """The group is locked against the fact by a waiver that claims nothing, and verified."""
    site.manifest(GROUP)
    assert ask("solve", "tiny", "--lock-only").status == 1
    site.manifest(GROUP + WAIVER)
    assert ask("solve", "tiny").status == 0
    return verified(site.project / "locks/real/pylock.tiny.toml")


def claim(site: Site, evidence: str, group: str = GROUP) -> None:
    site.manifest(f'{group}{WAIVER}evidence = "{evidence}"\n')


def test_the_last_verification_backs_it(site: Site, report: Path, ask: Callable[..., Said]) -> None:
    claim(site, "verified")
    assert ask("solve", "tiny").status == 0
    assert ask("status").status == 0


def test_one_report_backs_it_also_when_others_follow(
    site: Site, report: Path, ask: Callable[..., Said]
) -> None:
    assert ask("verify", "tiny").status == 0
    claim(site, hashlib.sha256(report.read_bytes()).hexdigest())
    assert ask("solve", "tiny").status == 0
    assert ask("verify", "tiny").status == 0
    assert ask("solve", "tiny").status == 0
    assert ask("status").status == 0


def changed(report: Path, **keys: object) -> None:
    report.write_text(json.dumps({**json.loads(report.read_text()), **keys}))


def failed(report: Path) -> None:
    checks = json.loads(report.read_text())["checks"]
    checks[0] |= {"outcome": "failed", "name": "lock and node"}
    changed(report, checks=checks, passed=False)


def expired(report: Path) -> None:
    around = json.loads(report.read_text())["surroundings"]
    changed(report, surroundings={**around, "systems": {"glibc": "2.17"}})


@pytest.mark.parametrize(
    ("spoil", "why"),
    [
        (Path.unlink, "there is none"),
        (lambda report: changed(report, lock_sha256="ab" * 32), "it is of another lock"),
        (failed, "it failed: lock and node"),
        (expired, "it expired: glibc was 2.17, now it is 2.31"),
        (lambda report: report.write_text("{"), "the report is not JSON"),
    ],
)
def test_evidence_that_does_not_count_is_refused_with_the_reason(
    spoil: Callable[[Path], object], why: str, site: Site, report: Path, ask: Callable[..., Said]
) -> None:
    claim(site, "verified")
    spoil(report)
    before = site.listing()
    said = ask("solve", "tiny")
    assert said.status == 1
    assert "the waiver of 'alpha-2-beta' claims evidence that does not count for 'tiny'" in said.err
    assert why in said.err
    assert site.listing() == before
    [group] = json.loads(ask("status", "--json").out)["groups"]
    codes = [one["code"] for one in group["stale"]]
    assert codes[:2] == ["fact-refuses", "waiver-unbacked"]
    assert why in group["stale"][1]["why"]


def test_in_words(site: Site, report: Path, ask: Callable[..., Said], golden: Golden) -> None:
    claim(site, "ab" * 32)
    golden("waiver-unbacked", ask("solve", "tiny"))


def test_a_fact_is_not_silently_solved_around(site: Site, report: Path, ask: Callable[..., Said]) -> None:
    """With beta free the solver could take beta 1.0 and nobody would notice that the waiver fell away."""
    claim(site, "verified", '[groups.tiny]\nrequires = ["alpha==2.0"]\n')
    report.unlink()
    assert "claims evidence" in ask("solve", "tiny").err


def test_a_verification_of_what_keeps_to_the_fact_backs_no_waiver_of_it(
    site: Site, ask: Callable[..., Said]
) -> None:
    site.manifest('[groups.tiny]\nrequires = ["alpha==2.0"]\n')
    assert ask("solve", "tiny").status == 0
    verified(site.project / "locks/real/pylock.tiny.toml")
    claim(site, "verified")
    said = ask("solve", "tiny")
    assert said.status == 1
    assert "what was verified does not go against the fact" in said.err


def test_a_group_that_the_fact_is_not_about_needs_no_evidence(site: Site, ask: Callable[..., Said]) -> None:
    claim(site, "verified", '[groups.tiny]\nrequires = ["alpha==1.0"]\n')
    assert ask("solve", "tiny", "--lock-only").status == 0


def test_one_that_has_expired_is_told(site: Site, report: Path, ask: Callable[..., Said]) -> None:
    """The fact is in force again, and nobody changed anything."""
    site.manifest(GROUP + WAIVER.replace("2999-12-31", "2020-02-29"))
    stale = json.loads(ask("status", "--json").out)["groups"]
    told = {one["code"]: one for group in stale for one in group["stale"]}
    assert told.keys() >= {"fact-refuses", "waiver-expired"}
    assert told["waiver-expired"]["text"] == "the waiver of alpha-2-beta expired on 2020-02-29"
    assert told["waiver-expired"]["do"].startswith("renew it in envlock.toml, or remove it")
    said = ask("solve", "tiny", "--lock-only")
    assert said.status == 1
    assert "the waiver of 'alpha-2-beta' expired on 2020-02-29" in said.err
    site.manifest(GROUP + WAIVER + WAIVER.replace("2999-12-31", "2020-02-29"))
    assert "waiver-expired" not in ask("status").out


def test_other_words_are_no_evidence(site: Site, ask: Callable[..., Said]) -> None:
    claim(site, "trust me")
    said = ask("solve", "tiny")
    assert said.status == 2
    assert "'trust me' is not evidence" in said.err


def test_a_waiver_of_no_fact_is_told(site: Site, ask: Callable[..., Said]) -> None:
    site.manifest(
        GROUP.replace('"beta==1.1"', '"beta==1.0"') + WAIVER.replace("alpha-2-beta", "alpha-2-betta")
    )
    said = ask("solve", "tiny", "--lock-only")
    assert said.status == 0
    assert "'alpha-2-betta' is about no fact that there is; did you mean 'alpha-2-beta'?" in said.golden
