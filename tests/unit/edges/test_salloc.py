"""An allocation that is held for a block, with a program that stands in for salloc."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from envlock.edges.schedulers.salloc import granted
from envlock.model.errors import SurroundingsError
from envlock.model.project.launch import Queue, RankJob
from tests.patience import PATIENCE_S

JOB = RankJob(ranks=8, program=(), nodes=4, per_node=2, gpus=2)
QUEUE = Queue(name="gpu", account="lab", minutes=15)


def salloc(folder: Path, script: str) -> dict[str, str]:
    """Puts the program first on a PATH."""
    program = folder / "salloc"
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o755)
    return {**os.environ, "PATH": f"{folder}:/usr/bin:/bin"}


def test_nodes_are_held_for_the_block_and_given_back(tmp_path: Path) -> None:
    environ = salloc(
        tmp_path,
        f"""echo "$*" > {tmp_path}/asked
while [ "$1" != /bin/sh ]; do shift; done
echo "salloc: Pending job allocation 7" >&2
SLURM_JOB_ID=7 SLURM_NNODES=4 "$@"
touch {tmp_path}/relinquished""",
    )
    heard: list[str] = []
    with granted(JOB, QUEUE, ("--qos=short",), environ=environ, note=heard.append) as told:
        assert (told["SLURM_JOB_ID"], told["SLURM_NNODES"]) == ("7", "4")
        assert heard[0] == "salloc: Pending job allocation 7"
        assert not (tmp_path / "relinquished").exists()
    end = time.monotonic() + PATIENCE_S
    while not (tmp_path / "relinquished").exists():
        assert time.monotonic() < end
        time.sleep(0.01)
    asked = (tmp_path / "asked").read_text()
    assert asked.startswith(
        "--nodes=4 --ntasks-per-node=2 --gres=gpu:2 --partition=gpu --account=lab --time=15 "
        "--qos=short /bin/sh"
    )


def test_a_refusal_is_quoted(tmp_path: Path) -> None:
    environ = salloc(tmp_path, "echo 'salloc: error: Invalid account' >&2; exit 1")
    with (
        pytest.raises(SurroundingsError, match="gives no nodes") as raised,
        granted(JOB, QUEUE, (), environ=environ, note=print),
    ):
        pass
    assert (raised.value.code, raised.value.why) == ("no-allocation", "salloc: error: Invalid account")


def test_what_fails_in_the_block_is_no_refusal_of_nodes(tmp_path: Path) -> None:
    environ = salloc(tmp_path, 'while [ "$1" != /bin/sh ]; do shift; done\n"$@"')
    failure = SurroundingsError("tool-failed", "another program failed")
    with (
        pytest.raises(SurroundingsError) as raised,
        granted(JOB, QUEUE, (), environ=environ, note=print),
    ):
        raise failure
    assert raised.value is failure
