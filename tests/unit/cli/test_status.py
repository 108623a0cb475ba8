"""Every reason for which a group is stale, as people read it: one golden text each."""

from __future__ import annotations

import datetime as dt
import json
import os
import re
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from envlock import __version__
from envlock.edges.lock_files import read_lock
from envlock.edges.store.protection import unprotect
from envlock.model.proving.report import Check, Outcome, Report, encode_report
from envlock.model.proving.surroundings import Surroundings
from tests.unit.cli.conftest import TINY, Said, Site

pytestmark = pytest.mark.processes

Envlock = Callable[..., Said]
Golden = Callable[[str, Said], None]
THERE = Surroundings(host="node1", kernel="6.1", systems={"glibc": "2.31"})
SITE_MPI = 'system = ["openmpi"]\n'

REFUSING = """\
[[fact]]
id = "beta-1"
when = { beta = ">=1" }
evidence = "reported"
reason = "beta 1 forgets what it read"
sources = [{ title = "https://example.org/beta/issues/1", checked = 2026-01-31 }]
refuses = [{ beta = "1.1" }]
accepts = [{ beta = "0.9" }]
"""


@pytest.fixture
def tell(site: Site, envlock: Envlock, golden: Golden) -> Callable[[str], Said]:
    """Asks for the status of the target ``real`` and compares with ``golden/cli/status-NAME.txt``."""

    def ask(name: str) -> Said:
        said = envlock("status", "--target", "real")
        text = re.sub(r"real-tiny-[0-9a-f]{20}", "<key>", said.out)
        text = text.replace(site.real.version, "<python>").replace(os.uname().release, "<kernel>")
        text = re.sub(r"[\d.]+ [kM]?B, \d+ inodes?", "<size>", text)
        text = re.sub(r" {2,}", "  ", text)  # columns are as wide as what the words above stand for
        golden(f"status-{name}", Said(said.status, text, said.err))
        return said

    return ask


def solve(site: Site, envlock: Envlock) -> Path:
    """Lock and build the group; the result is its lock."""
    said = envlock("solve", "tiny", "--target", "real")
    assert said.status == 0, said.golden
    return site.project / "locks/real/pylock.tiny.toml"


def verified(lock: Path, outcome: Outcome = Outcome.PASSED, surroundings: Surroundings = THERE) -> Path:
    """Leave a report beside a lock, as ``verify`` does."""
    check = Check(id="P1", name="everything is imported", outcome=outcome, message="seen", details={})
    report = Report(
        lock=lock.name,
        lock_sha256=read_lock(lock).sha256,
        group="tiny",
        target="real",
        started=dt.datetime(2026, 3, 4, 5, 6, tzinfo=dt.UTC),
        seconds=1.0,
        envlock=__version__,
        knowledge="",
        host={"name": "node1"},
        checks=(check,),
        ranks=(),
        surroundings=surroundings,
    )
    path = lock.with_name("pylock.tiny.report.json")
    path.write_text(json.dumps(encode_report(report)))
    return path


def offering(site: Site, group: str, offer: str) -> None:
    """Write the manifest anew; the target ``real`` offers a system component besides."""
    site.manifest(group)
    path = site.project / "envlock.toml"
    path.write_text(f"{path.read_text()}[[targets.real.offer]]\n{offer}")


def test_what_the_site_brings_is_not_made_but_loaded(
    site: Site, envlock: Envlock, tell: Callable[[str], Said]
):
    site.manifest('[groups.tiny]\nrequires = ["alpha==3.0"]\n')
    path = site.project / "envlock.toml"
    brings = '[[targets.real.distribution]]\nname = "alpha"\nversion = "3.0"\nmodules = ["science/alpha-3"]\n'
    path.write_text(path.read_text() + brings)
    said = envlock("solve", "tiny", "--target", "real", "--json")
    error = json.loads(said.out)["error"]
    assert (said.status, error["code"]) == (1, "site-distribution")
    assert error["hint"].startswith("module load science/alpha-3;")
    assert tell("site-brings").status == 0
    [group] = json.loads(envlock("status", "--target", "real", "--json").out)["groups"]
    assert group["brought_by_site"] == {
        "distributions": ["alpha 3.0"],
        "use": "module load science/alpha-3",
    }
    path.write_text(path.read_text().replace(brings, ""))
    said = tell("site-brings-no-more")
    assert said.status == 1
    assert "envlock solve tiny --target real --lock-only" in said.out


def test_not_locked_is_not_stale(tell: Callable[[str], Said]):
    assert tell("not-locked").status == 0


def test_fine(site: Site, envlock: Envlock, tell: Callable[[str], Said]):
    verified(solve(site, envlock))
    assert tell("fine").status == 0


def test_frozen_and_fine_though_the_wishes_moved_on(
    site: Site, envlock: Envlock, tell: Callable[[str], Said]
):
    verified(solve(site, envlock))
    frozen = '[groups.tiny.frozen]\nuntil = 2999-12-31\nreason = "the thesis is handed in"\n'
    site.manifest(TINY.replace("2.0", "1.0") + frozen)
    assert tell("frozen").status == 0


def test_wishes_changed(site: Site, envlock: Envlock, tell: Callable[[str], Said]):
    verified(solve(site, envlock))
    site.manifest(TINY.replace("2.0", "1.0"))
    assert tell("wishes-changed").status == 1


def test_a_fact_of_today_refuses(site: Site, envlock: Envlock, golden: Golden):
    verified(solve(site, envlock))
    facts = site.root / "knowledge/facts"
    facts.mkdir(parents=True)
    (facts / "beta.toml").write_text(REFUSING)
    said = envlock("status", "--target", "real", "--knowledge", str(facts.parent), "--json")
    [group] = json.loads(said.out)["groups"]
    assert said.status == 1
    assert [(one["code"], one["fact"]) for one in group["stale"]] == [("fact-refuses", "beta-1")]
    assert [one["do"] for one in group["stale"]] == ["envlock solve tiny --target real"]
    said = envlock("status", "--target", "real", "--knowledge", str(facts.parent))
    golden("status-fact-refuses", Said(said.status, said.out.partition("tiny on real")[2], said.err))


def test_interpreter_gone(site: Site, envlock: Envlock, tell: Callable[[str], Said]):
    verified(solve(site, envlock))
    path = site.project / "envlock.toml"
    another = path.read_text().replace(f'\nversion = "{site.real.version}"', '\nversion = "3.99.1"')
    path.write_text(another.replace(f'abi = "{site.real.abi}"', 'abi = "cp399"'))
    assert tell("interpreter-gone").status == 1


def test_the_interpreter_of_the_environment_is_gone(site: Site, envlock: Envlock):
    """What asks for ``python`` by name would get the next one on PATH."""
    solve(site, envlock)
    prefix = Path(envlock("where", "tiny", "--target", "real").out.replace("<root>", str(site.root)).strip())
    unprotect(prefix)
    (prefix / "bin/python").unlink()
    (prefix / "bin/python").symlink_to("/nowhere/bin/python3")
    stale = json.loads(envlock("status", "--target", "real", "--json").out)["groups"][0]["stale"]
    assert "its interpreter is gone, or closed to you: /nowhere/bin/python3 cannot be seen from here" in [
        one["text"] for one in stale
    ]
    for command in (["run", "tiny", "--", "python", "-V"], ["run", "tiny", "--json"], ["activate", "tiny"]):
        said = envlock(command[0], "--target", "real", *command[1:])
        assert (said.status, "environment-without-python" in said.err + said.out) == (3, True)
    assert envlock("where", "tiny", "--target", "real").status == 0


@pytest.mark.parametrize(
    ("name", "offer"),
    [
        ("offer-gone", 'component = "openmpi"\nversion = "5.0.8"\nprefix = "/opt/openmpi"\n'),
        ("offer-moved", 'component = "openmpi"\nversion = "4.1.4"\nprefix = "/sw/openmpi"\n'),
    ],
)
def test_what_the_site_offers(
    name: str, offer: str, site: Site, envlock: Envlock, tell: Callable[[str], Said]
):
    offering(site, TINY + SITE_MPI, 'component = "openmpi"\nversion = "4.1.4"\nprefix = "/opt/openmpi"\n')
    there = {**THERE.systems, "openmpi": "4.1.4, /opt/openmpi"}
    verified(solve(site, envlock), surroundings=replace(THERE, systems=there))
    assert envlock("status", "--target", "real").status == 0
    offering(site, TINY + SITE_MPI, offer)
    assert tell(name).status == 1


def test_the_node_changed(site: Site, envlock: Envlock, tell: Callable[[str], Said]):
    site.manifest(TINY + 'system = ["glibc>=2.17"]\n')
    verified(solve(site, envlock))
    path = site.project / "envlock.toml"
    path.write_text(path.read_text().replace("2.31", "2.36"))
    assert tell("node-changed").status == 1


def test_verified_on_the_node_as_it_is_now(site: Site, envlock: Envlock):
    site.manifest(TINY + 'system = ["glibc>=2.17"]\n')
    lock = solve(site, envlock)
    path = site.project / "envlock.toml"
    path.write_text(path.read_text().replace("2.31", "2.36"))
    assert envlock("status", "--target", "real").status == 1
    verified(lock, surroundings=replace(THERE, systems={"glibc": "2.36"}))
    assert envlock("status", "--target", "real").status == 0


def test_evidence_expired(site: Site, envlock: Envlock, tell: Callable[[str], Said]):
    library = site.root / "libmpi.so.40"
    library.write_bytes(b"built again")
    then = Surroundings(
        host=os.uname().nodename,
        kernel="5.4.0",
        systems={"glibc": "2.31", "driver": "525.60"},
        libraries={str(library): "ab" * 32},
    )
    verified(solve(site, envlock), surroundings=then)
    said = tell("evidence-expired")
    assert said.status == 1
    document = json.loads(envlock("status", "--target", "real", "--json").out)
    told = {one["what"]: one["code"] for one in document["groups"][0]["stale"]}
    assert set(told) == {"driver", "kernel", "<root>/libmpi.so.40"}
    assert set(told.values()) == {"evidence-expired"}


def test_environment_missing(site: Site, envlock: Envlock, tell: Callable[[str], Said]):
    verified(solve(site, envlock))
    unprotect(site.project / ".envlock")
    shutil.rmtree(site.project / ".envlock/environments")
    assert tell("environment-missing").status == 1


def test_environment_of_another_lock(site: Site, envlock: Envlock, tell: Callable[[str], Said]):
    solve(site, envlock)
    site.offer("beta", "1.2")
    assert envlock("solve", "tiny", "--target", "real", "--lock-only", "--upgrade").status == 0
    assert tell("environment-of-another-lock").status == 1


def test_evidence_missing(site: Site, envlock: Envlock, tell: Callable[[str], Said]):
    solve(site, envlock)
    assert tell("evidence-missing").status == 1


def test_evidence_of_another_lock(site: Site, envlock: Envlock, tell: Callable[[str], Said]):
    verified(solve(site, envlock))
    site.offer("beta", "1.2")
    assert envlock("solve", "tiny", "--target", "real", "--upgrade").status == 0
    assert tell("evidence-of-another-lock").status == 1


def test_evidence_failed(site: Site, envlock: Envlock, tell: Callable[[str], Said]):
    verified(solve(site, envlock), Outcome.CRASHED)
    assert tell("evidence-failed").status == 1


def test_a_lock_cut_off_hides_nothing_of_the_others(
    site: Site, envlock: Envlock, tell: Callable[[str], Said]
):
    lock = solve(site, envlock)
    lock.write_bytes(lock.read_bytes()[:-40])
    said = tell("lock-unreadable")
    assert said.status == 1
    assert "real-tiny" not in said.err


def test_a_lock_that_others_extend_is_cut_off(site: Site, envlock: Envlock):
    path = site.project / "envlock.toml"
    path.write_text('[groups.more]\nextends = "tiny"\n' + path.read_text())
    assert envlock("solve", "tiny", "more", "--target", "here", "--lock-only").status == 0
    site.lock.write_bytes(site.lock.read_bytes()[:-40])
    said = envlock("status", "--target", "here", "--json")
    assert said.status == 1, said.golden
    groups = {one["group"]: one for one in json.loads(said.out)["groups"]}
    assert groups["tiny"]["locked"] is None
    assert groups["more"]["locked"] is not None
    found = [one for one in groups["more"]["stale"] if one["code"] == "unreadable"]
    assert [one["file"] for one in found] == ["locks/here/pylock.tiny.toml, last line"]
    assert found[0]["do"].endswith("envlock solve tiny --target here --lock-only")


def test_a_report_cut_off(site: Site, envlock: Envlock, tell: Callable[[str], Said]):
    report = verified(solve(site, envlock))
    report.write_text(report.read_text().partition('"checks"')[0])
    assert tell("report-unreadable").status == 1


def test_the_target_is_gone(site: Site, envlock: Envlock, golden: Golden):
    solve(site, envlock)
    path = site.project / "envlock.toml"
    path.write_text(path.read_text().replace("targets.real", "targets.other"))
    said = envlock("status", "--json")
    stale = {
        one["target"]: [reason["code"] for reason in one["stale"]] for one in json.loads(said.out)["groups"]
    }
    assert stale == {"here": [], "other": [], "real": ["target-gone", "evidence-missing"]}
    assert said.status == 1
    told = envlock("status").out
    golden("status-target-gone", Said(1, told[told.index("tiny on real") :], ""))


def test_an_unknown_target(envlock: Envlock):
    said = envlock("status", "--target", "nowhere")
    assert said.status == 2
    assert "there is no target 'nowhere'" in said.err


def test_status_for_programs(site: Site, envlock: Envlock):
    lock = solve(site, envlock)
    verified(lock)
    document = json.loads(envlock("status", "--target", "real", "--json").out)
    [group] = document["groups"]
    assert (document["schema"], document["stale"], group["stale"]) == ("envlock/status/1", False, [])
    assert group["verified"] == {"at": "2026-03-04T05:06:00+00:00", "passed": True, "hosts": ["node1"]}
    prefix = next((site.project / ".envlock/environments").iterdir())
    assert group["environment"].replace("<root>", str(site.root)) == str(prefix)
    files = [path for path in prefix.rglob("*") if not path.is_dir() or path.is_symlink()]
    assert group["bytes"] == sum(path.lstat().st_size for path in files)
    assert group["inodes"] == 1 + sum(1 for _ in prefix.rglob("*"))
