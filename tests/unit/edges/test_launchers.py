from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from envlock.edges.launchers import LAUNCHERS
from envlock.model.errors import RequestError

ARGUMENTS = ["probe.pyz", "rank", "--plan", "plan.json"]


def command(mpi: str, hosts: Mapping[str, int]) -> str:
    return " ".join(
        LAUNCHERS[mpi].command(ranks=4, python=Path("/env/bin/python"), arguments=ARGUMENTS, hosts=hosts)
    )


@pytest.mark.parametrize(
    ("mpi", "hosts", "expected"),
    [
        ("openmpi", {}, "mpirun -np 4 --oversubscribe /env/bin/python probe.pyz rank --plan plan.json"),
        (
            "openmpi",
            {"n1": 2, "n2": 2},
            "mpirun -np 4 --oversubscribe --host n1:2,n2:2 /env/bin/python probe.pyz rank --plan plan.json",
        ),
        ("mpich", {}, "mpiexec -n 4 /env/bin/python probe.pyz rank --plan plan.json"),
        ("intelmpi", {"n1": 4}, "mpiexec -n 4 -hosts n1:4 /env/bin/python probe.pyz rank --plan plan.json"),
        ("", {}, "/env/bin/python probe.pyz local --ranks 4 -- rank --plan plan.json"),
    ],
)
def test_commands(mpi: str, hosts: dict[str, int], expected: str) -> None:
    assert command(mpi, hosts) == expected


def test_open_mpi_as_root_is_told_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.geteuid", lambda: 0)
    assert LAUNCHERS["openmpi"].environment() == {
        "OMPI_ALLOW_RUN_AS_ROOT": "1",
        "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    }
    monkeypatch.setattr("os.geteuid", lambda: 1000)
    assert LAUNCHERS["openmpi"].environment() == {}


def test_plain_processes_go_nowhere_else() -> None:
    with pytest.raises(RequestError, match="n1 need an MPI launcher"):
        command("", {"n1": 4})
