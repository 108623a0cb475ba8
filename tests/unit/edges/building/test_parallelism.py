"""How many builds go together: a job's memory limit counts, whatever the node has free."""

from __future__ import annotations

from pathlib import Path

import pytest

from envlock.edges import free_memory
from envlock.edges.building import parallelism

GIB = 1 << 30
SLURM = "0::/system.slice/slurmstepd.scope/job_7/step_0/user/task_0\n"
SLURM_OLD = "9:cpuset:/slurm/uid_1/job_7\n4:memory:/slurm/uid_1/job_7/step_0\n1:name=systemd:/\n"


def group(folder: Path, **files: str) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        (folder / name.replace("__", ".")).write_text(text)


def test_the_jobs_limit_counts_although_the_steps_group_has_none(tmp_path: Path) -> None:
    job = tmp_path / "system.slice/slurmstepd.scope/job_7"
    group(
        job, memory__max=f"{8 * GIB}\n", memory__current=f"{3 * GIB}\n", memory__stat=f"inactive_file {GIB}\n"
    )
    group(job / "step_0", memory__max="max\n", memory__current=f"{GIB}\n")
    assert free_memory.left_in_groups(SLURM, tmp_path) == 6 * GIB


def test_version_1_has_other_names(tmp_path: Path) -> None:
    files = {"memory__limit_in_bytes": f"{4 * GIB}\n", "memory__usage_in_bytes": f"{GIB}\n"}
    group(tmp_path / "memory/slurm/uid_1/job_7", **files, memory__stat="cache 1\ntotal_inactive_file 0\n")
    assert free_memory.left_in_groups(SLURM_OLD, tmp_path) == 3 * GIB


def test_no_limit_is_none(tmp_path: Path) -> None:
    group(tmp_path / "system.slice", memory__max="max\n", memory__current="7\n")
    assert free_memory.left_in_groups(SLURM, tmp_path) is None


@pytest.mark.parametrize(("left", "expected"), [(None, 4), (9 * GIB, 2), (3 * GIB, 1)])
def test_the_least_memory_decides(monkeypatch: pytest.MonkeyPatch, left: int | None, expected: int) -> None:
    monkeypatch.setattr(free_memory, "text_of", lambda path: "MemAvailable: 99999999 kB\n")
    monkeypatch.setattr(free_memory, "left_in_groups", lambda groups, root: left)
    monkeypatch.setattr("os.sched_getaffinity", lambda pid: set(range(64)))
    assert parallelism.builds_at_a_time() == expected
