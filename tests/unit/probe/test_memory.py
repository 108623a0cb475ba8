"""How much memory a rank's control groups leave it, as schedulers make them."""

from __future__ import annotations

import resource
from pathlib import Path

import pytest

from envlock.probe.memory import affordable, left_in_groups

JOB = "system.slice/slurmstepd.scope/job_7"


def group(folder: Path, **files: str) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        (folder / name.replace("_", ".", 1)).write_text(text + "\n")


@pytest.mark.parametrize("step", ["max", "6000"])
def test_the_limit_of_the_job_counts_for_its_tasks(tmp_path: Path, step: str) -> None:
    group(
        tmp_path / JOB, memory_max="8000", memory_current="5000", memory_stat="anon 4000\ninactive_file 1000"
    )
    group(tmp_path / JOB / "step_0", memory_max=step, memory_current="5000", memory_stat="inactive_file 0")
    group(tmp_path / JOB / "step_0/user/task_0", memory_max="max", memory_current="100", memory_stat="anon 1")
    lines = f"0::/{JOB}/step_0/user/task_0\n"
    assert left_in_groups(str(tmp_path), lines) == (4000 if step == "max" else 1000)


def test_version_1_and_none_at_all(tmp_path: Path) -> None:
    slurm = tmp_path / "memory/slurm/uid_1000/job_7"
    group(slurm, memory_limit_in_bytes="4096", memory_usage_in_bytes="1024")
    lines = "9:cpuset:/slurm\n4:memory:/slurm/uid_1000/job_7/step_0\n0::/\n"
    assert left_in_groups(str(tmp_path), lines) == 3072
    assert left_in_groups(str(tmp_path), "0::/init.scope\n") is None


def test_a_container_sees_its_group_as_the_root(tmp_path: Path) -> None:
    group(tmp_path, memory_max="2000", memory_current="500")
    assert left_in_groups(str(tmp_path), "0::/\n") == 1500
    assert left_in_groups(str(tmp_path), "0::/../../elsewhere\n") == 1500


def test_a_limit_of_addresses_is_each_processs_own(monkeypatch: pytest.MonkeyPatch) -> None:
    """As ``ulimit -v`` and schedulers that limit jobs by it: messages too large for it ended the sums."""
    in_use = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    limits = {resource.RLIMIT_AS: in_use + (64 << 20)}
    monkeypatch.setattr(resource, "getrlimit", lambda kind: (limits[kind], limits[kind]))
    assert 1 << 20 < affordable(1 << 28, 2, None) <= 8 << 20
    limits[resource.RLIMIT_AS] = resource.RLIM_INFINITY
    assert affordable(1 << 20, 2, None) == 1 << 20
