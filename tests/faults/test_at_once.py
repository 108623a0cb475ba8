"""Two commands at once on one store: one makes, the other waits and takes it."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.patience import PATIENCE_S
from tests.unit.cli.conftest import TINY, Said, Site

pytestmark = pytest.mark.processes

Envlock = Callable[..., Said]
REAL = ["--target", "real"]


def offer_source(site: Site, record: Path) -> None:
    """Put the source of ``slow`` into the index; each build of it leaves a mark."""
    mark = f"with open({str(record)!r}, 'a') as record:\n    record.write('x')"
    site.offer_source("slow", f"{mark}\ntime.sleep(1)")


def together(*groups: str) -> None:
    """Solve groups in as many processes at once."""
    command = [sys.executable, "-m", "envlock", "solve", *REAL]
    running = [
        subprocess.Popen([*command, group], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        for group in groups
    ]
    for one in running:
        _, told = one.communicate(timeout=PATIENCE_S)
        assert one.returncode == 0, told


def sound(site: Site, envlock: Envlock, *groups: str) -> None:
    """Every group has its lock's environment, whole."""
    assert envlock("status", *REAL, "--json").out.count('"evidence-missing"') == len(groups)
    for group in groups:
        assert '"matches_lock": true' in envlock("where", group, *REAL, "--json").out
        assert envlock("repair", group, *REAL, "--dry-run").status == 0


def test_the_same_group_twice(site: Site, envlock: Envlock) -> None:
    together("tiny", "tiny")
    sound(site, envlock, "tiny")
    assert len(list((site.project / ".envlock/environments").iterdir())) == 1


def test_two_groups_that_need_the_same_build(site: Site, envlock: Envlock) -> None:
    record = site.root / "builds"
    offer_source(site, record)
    site.manifest(f'[groups.one]\nrequires = ["slow"]\n[groups.two]\nrequires = ["slow", "beta"]\n{TINY}')
    together("one", "two", "tiny")
    sound(site, envlock, "one", "two", "tiny")
    assert record.read_text() == "x"
    assert len(list((site.project / ".envlock/wheels").glob("*/*.whl"))) == 1
