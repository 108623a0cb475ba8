from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from envlock.edges.ranks.probe_archive import write_probe
from tests.patience import PATIENCE_S
from tests.toy_environment import ToyEnvironment, write_plan


@pytest.fixture(scope="session")
def probe(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("probe") / "probe.pyz"
    write_probe(path)
    return path


@pytest.fixture
def toys(tmp_path: Path) -> ToyEnvironment:
    return ToyEnvironment(tmp_path)


Checks = dict[tuple[str, str], dict[str, object]]


@pytest.fixture
def one_process(probe: Path, toys: ToyEnvironment, tmp_path: Path) -> Callable[..., Checks]:
    """Runs the probe's one-process checks, or only some of those after importing; (id, name) -> check."""

    def run(
        *names: str,
        python: str = sys.executable,
        deadline: float = PATIENCE_S,
        wanted: tuple[str, ...] = (),
        only: tuple[str, ...] | None = None,
        **versions: str,
    ) -> Checks:
        distributions = [
            {"name": name, "version": versions.get(name, "1.0"), "wanted": name in wanted} for name in names
        ]
        deadlines = {"imports": deadline, "exercise": deadline}
        parts = {"distributions": distributions, "deadlines": deadlines, "only": only}
        plan = write_plan(tmp_path / "plan.json", **parts)
        out = tmp_path / "out.json"
        command = [python, str(probe), "one-process", "--plan", str(plan), "--out", str(out)]
        environment = {**os.environ, "PYTHONPATH": str(toys.site)}
        subprocess.run(command, env=environment, check=False, timeout=2 * PATIENCE_S)
        checks = json.loads(out.read_text())["checks"]
        return {(check["id"], check["name"]): check for check in checks}

    return run
