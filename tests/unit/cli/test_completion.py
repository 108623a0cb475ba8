"""What shells offer while a command is typed."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.patience import PATIENCE_S

pytestmark = pytest.mark.processes

ROOT = Path(__file__).parents[3]
MANIFEST = "[groups.speech]\n[groups.vision]\n[targets.gpu]\n[targets.genoa]\n"
LOCK = """\
lock-version = "1.0"

[[packages]]
name = "{name}"
version = "1.0"

[[packages.tool.envlock.build.requires]]
name = "setuptools"
version = "60.0"

[tool.envlock]
version = 1

[[tool.envlock.system]]
component = "openmpi"
version = "4.1.6"
"""


@pytest.fixture
def lab(tmp_path: Path) -> Path:
    folder = tmp_path / "lab"
    for target, group, name in (
        ("local", "speech", "torch"),
        ("gpu", "speech", "jax"),
        ("gpu", "vision", "numpy"),
    ):
        (folder / "locks" / target).mkdir(parents=True, exist_ok=True)
        (folder / "locks" / target / f"pylock.{group}.toml").write_text(LOCK.format(name=name))
    (folder / "envlock.toml").write_text(MANIFEST)
    return folder


def offered(folder: Path, words: str) -> list[str]:
    """What bash is told for a line that ends with the last of these words, maybe an empty one."""
    done = subprocess.run(
        [sys.executable, "-m", "envlock"],
        cwd=folder,
        env={
            **os.environ,
            "PYTHONPATH": str(ROOT),
            "_ENVLOCK_COMPLETE": "complete_bash",
            "COMP_WORDS": f"envlock {words}",
            "COMP_CWORD": str(len(words.split(" "))),
        },
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=False,
    )
    assert done.stderr == ""
    return [line for line in done.stdout.split() if not line.startswith("-")]


@pytest.mark.parametrize(
    ("words", "names"),
    [
        ("where ", ["speech", "vision"]),
        ("solve vision sp", ["speech"]),
        ("freeze v", ["vision"]),
        ("report s", ["speech"]),
        ("why torch v", ["vision"]),
        ("why-not torch==2.0 v", ["vision"]),
        ("where --project .. ", []),
        ("solve --target g", ["gpu", "genoa"]),
        ("run --target ", ["local", "gpu", "genoa"]),
        ("check --target ge", ["genoa"]),
        ("status --target l", ["local"]),
        ("impact --to ge", ["genoa"]),
        ("diff s", ["speech", "speech@local", "speech@gpu"]),
        ("diff speech vision@", ["vision@gpu"]),
        ("why ", ["openmpi", "torch"]),
        ("why --target gpu ", ["jax", "numpy", "openmpi"]),
        ("solve -P t", ["torch"]),
        ("impact --target gpu --remove ", ["openmpi==4.1.6"]),
        ("kb show openmp", ["openmpi"]),
        ("kb why horovod-openmpi-3", ["horovod-openmpi-3.1.3"]),
        ("verify speech --submit ", ["sbatch", "qsub", "bsub", "flux", "cobalt"]),
        ("verify speech --launcher s", ["srun", "ssh"]),
    ],
)
def test_a_shell_completes(lab: Path, words: str, names: list[str]) -> None:
    assert offered(lab, words) == names


@pytest.mark.parametrize("words", ["solve --target x", "why ", "diff ", "kb why horovod-openmpi-3"])
def test_what_cannot_be_read_offers_nothing(lab: Path, words: str) -> None:
    (lab / "envlock.toml").write_text("[groups")
    assert offered(lab, words) == []
