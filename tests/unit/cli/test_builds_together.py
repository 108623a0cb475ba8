"""Builds that do not need each other run at the same time, and end together where one fails."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.patience import PATIENCE_S, wait_until
from tests.unit.cli.conftest import Said, Site

pytestmark = pytest.mark.processes

Envlock = Callable[..., Said]
SOLVE = ["solve", "tiny", "--target", "real"]
BEGUN = """\
place = Path({place!r})
(place / {name!r}).touch()
def begun(name):
    limit = time.monotonic() + {patience}
    while not (place / name).exists():
        assert time.monotonic() < limit, name + " did not begin"
        time.sleep(0.01)
"""


def offer(site: Site, name: str, work: str) -> None:
    """Put the source of a distribution into the index that does some work while it is built."""
    begun = BEGUN.format(place=str(site.root), name=name, patience=PATIENCE_S)
    site.offer_source(name, f"{begun}{work}")


@pytest.fixture(autouse=True)
def two_at_a_time(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("envlock.app.making.wheels.builds_at_a_time", lambda: 2)
    site.manifest('[groups.tiny]\nrequires = ["first", "second"]\n')


def test_each_waits_for_the_other_to_begin(site: Site, envlock: Envlock):
    offer(site, "first", "begun('second')")
    offer(site, "second", "begun('first')")
    said = envlock(*SOLVE)
    assert said.status == 0, said.golden


def test_what_is_under_way_is_stopped_where_one_fails(site: Site, envlock: Envlock):
    offer(site, "first", "begun('second'); raise RuntimeError('out of luck')")
    offer(site, "second", f"time.sleep(10 * {PATIENCE_S})")
    begin = time.monotonic()
    said = envlock(*SOLVE)
    assert said.status == 3
    assert "first 1.0 could not be built" in said.err
    assert 'for another release: constraints = ["first!=1.0"]' in said.err
    assert "out of luck" in said.err
    assert time.monotonic() - begin < 5 * PATIENCE_S
    assert list((site.project / ".envlock/building").iterdir()) == []


def test_an_interruption_ends_builds_with_what_they_started(site: Site, envlock: Envlock):
    site.manifest('[groups.tiny]\nrequires = ["first"]\n')
    pid = site.root / "pid"
    started = f"import subprocess; child = subprocess.Popen(['sleep', '{10 * PATIENCE_S}']); "
    tell = f"told = Path({str(pid)!r} + '.new'); told.write_text(str(child.pid)); told.rename({str(pid)!r}); "
    offer(site, "first", started + tell + "child.wait()")
    program = [sys.executable, "-m", "envlock", *SOLVE]
    with subprocess.Popen(program, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert wait_until(pid.exists)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=PATIENCE_S)
    assert (process.returncode, out, err) == (130, "", "interrupted\n")
    assert wait_until(lambda: not Path("/proc", pid.read_text()).exists())
    assert list((site.project / ".envlock/building").iterdir()) == []


def test_what_a_build_warned_of_is_found_by_its_log(site: Site, envlock: Envlock):
    site.manifest('[groups.tiny]\nrequires = ["first"]\n')
    site.offer_source("first", "print('careful: this backend is old')")
    told = [json.loads(envlock(*SOLVE, "--json").out)["build_logs"] for _ in range(2)]
    assert told[0] == told[1]
    log = Path(told[0]["first"].replace("<root>", str(site.root)))
    assert "careful: this backend is old" in log.read_text()
    line = next(line for line in envlock(*SOLVE).out.splitlines() if line.startswith("build log"))
    assert line.endswith(f"{told[0]['first']} (first)")
    log.unlink()
    assert "build log" not in envlock(*SOLVE).out
