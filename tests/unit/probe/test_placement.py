"""Rank, size and local rank from environments that were recorded under real launchers."""

from __future__ import annotations

from pathlib import Path

import pytest

from envlock.probe.placement import place, without_launcher

RECORDED = Path(__file__).parents[3] / "fixtures/launchers"
Numbers = tuple[int | None, int | None, int | None]


def recorded(name: str) -> dict[str, str]:
    lines = (RECORDED / f"{name}.env").read_text().splitlines()
    return dict(line.split("=", 1) for line in lines)


@pytest.mark.parametrize(
    ("name", "source", "expected"),
    [
        ("slurm-22.05-batch-shell", "", (None, None, None)),
        ("slurm-22.05-srun-none", "slurm", (3, 4, 0)),
        ("slurm-22.05-srun-pmi2", "pmi", (3, 4, 0)),
        ("slurm-22.05-srun-pmix", "pmix", (3, 4, 0)),
        ("openmpi-4.1.4-mpirun-in-slurm", "openmpi", (3, 4, 1)),
        ("intelmpi-2021.18-hydra-in-slurm", "pmi", (3, 4, 1)),
    ],
)
def test_recorded_environments(name: str, source: str, expected: Numbers) -> None:
    found = place(recorded(name), {})
    assert (found.source, (found.rank, found.size, found.local_rank)) == (source, expected)


def test_every_recording_is_read() -> None:
    (marks,) = test_recorded_environments.pytestmark
    assert {case[0] for case in marks.args[1]} == {path.stem for path in RECORDED.glob("*.env")}


def test_torchrun_inside_a_step_is_believed_before_slurm() -> None:
    torchrun = {"RANK": "5", "WORLD_SIZE": "8", "LOCAL_RANK": "1", "TORCHELASTIC_RUN_ID": "7"}
    found = place({**recorded("slurm-22.05-srun-pmi2"), **torchrun}, {})
    assert (found.source, found.rank, found.size, found.local_rank) == ("torchrun", 5, 8, 1)


def test_what_no_launcher_set_is_no_place() -> None:
    assert place({"RANK": "no number"}, {}).source == ""


@pytest.mark.parametrize("name", ["slurm-22.05-srun-pmix", "openmpi-4.1.4-mpirun-in-slurm"])
def test_what_a_launcher_told_can_be_forgotten(name: str) -> None:
    shell = recorded("slurm-22.05-batch-shell") | {"OMPI_MCA_btl": "self,tcp", "TMPDIR": "/scratch"}
    launched = shell | recorded(name) | {"CUDA_VISIBLE_DEVICES": "0,1"}  # the last by the node itself
    kept = without_launcher(launched, sorted(shell))
    assert set(kept) == {*shell, "CUDA_VISIBLE_DEVICES"}
    assert place(kept, {}).rank is None


def test_a_digit_that_is_no_number_tells_no_rank() -> None:
    assert place({"RANK": "\u00b2", "WORLD_SIZE": "4"}, {}).rank is None
