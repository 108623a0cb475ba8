"""One cluster for all tests marked ``cluster``: the one that is up, else one for this run."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator

import pytest

from tests.cluster.nodes import MANIFEST, SCRIPT, STATE, Cluster

_REFUSED = 3


@pytest.fixture(scope="session")
def cluster() -> Iterator[Cluster]:
    """Skips, with the script's own reason, where the machine cannot have one."""
    there = (STATE / "ready").exists()
    if not there:
        up = subprocess.run([SCRIPT, "up"], capture_output=True, text=True, check=False)
        if up.returncode == _REFUSED:
            pytest.skip(up.stderr.strip())
        assert up.returncode == 0, up.stderr
    folder = STATE / "shared/project"
    folder.mkdir(exist_ok=True)
    shutil.copy(MANIFEST, folder)
    try:
        yield Cluster(folder)
    finally:
        if not there:
            subprocess.run([SCRIPT, "down"], check=True)
