"""What a site and a target say of starting ranks, and what becomes of it."""

from __future__ import annotations

import socket
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from envlock.app.project import Options, Project, open_project
from envlock.app.verifying import launching
from envlock.app.verifying.hosts import named_hosts
from envlock.app.verifying.launching import Placement, Start, need_memory, starting
from envlock.app.verifying.verify import limited
from envlock.edges.environments.activation import activation
from envlock.edges.launchers import LAUNCHERS
from envlock.model.errors import RequestError, SurroundingsError
from envlock.model.project.launch import RankJob
from envlock.model.proving.probing import Plan
from envlock.probe.placement import SOURCES, launcher_variables

MANIFEST = """
[groups.stack]
python = "3.7"

[site.launch]
launcher = "srun"
options = ["--cpu-bind=none"]
variables = { GLOO_SOCKET_IFNAME = "ib0", NCCL_SOCKET_IFNAME = "ib0" }

[targets.cray]
components = { glibc = "2.22", launcher = "aprun" }
[[targets.cray.interpreter]]
path = "/python"
version = "3.7.1"
abi = "cp37m"

[targets.slow]
components = { glibc = "2.28", launcher = "aprun" }
launch = { launcher = "mpirun", variables = { GLOO_SOCKET_IFNAME = "eth0" } }
"""


def project(folder: Path, target: str, text: str = MANIFEST) -> Project:
    (folder / "envlock.toml").write_text(text)
    return open_project(Options(project=folder, target=target))


def test_the_site_speaks_for_every_target(tmp_path: Path) -> None:
    found = project(tmp_path, "local").launch()
    assert (found.launcher, found.options) == ("srun", ("--cpu-bind=none",))


def test_a_targets_word_comes_before_the_sites(tmp_path: Path) -> None:
    assert project(tmp_path, "cray").launch().launcher == "aprun"


def test_a_targets_own_table_comes_first_and_variables_add_up(tmp_path: Path) -> None:
    found = project(tmp_path, "slow").launch()
    assert found.launcher == "mpirun"
    assert found.options == ("--cpu-bind=none",)
    assert dict(found.variables) == {"GLOO_SOCKET_IFNAME": "eth0", "NCCL_SOCKET_IFNAME": "ib0"}


@pytest.mark.parametrize(
    ("place", "nodes", "hint"),
    [
        (Placement(ranks=5, nodes=2, per_node=2), 2, "--ranks 4, or --nodes 3"),
        (Placement(ranks=8, per_node=2), 0, "--ranks 2, or --nodes 4"),
    ],
    ids=["on nodes", "on this host"],
)
def test_ranks_that_would_never_be_started_are_refused(place: Placement, nodes: int, hint: str) -> None:
    with pytest.raises(RequestError, match="do not fit") as raised:
        place.need_room(nodes)
    assert raised.value.hint == hint


def test_nodes_are_as_many_as_are_named() -> None:
    with pytest.raises(RequestError, match="2 nodes and 1 host are asked for"):
        Placement(nodes=2, hosts=("n1",)).need_as_many_hosts()
    for place in (Placement(nodes=1, hosts=("n1",)), Placement(hosts=("n1",)), Placement(nodes=2)):
        place.need_as_many_hosts()


def test_every_variable_of_a_place_goes_to_the_ranks_as_inherited() -> None:
    """They know by it what their launcher did not set."""
    needed = {source.needs for source in SOURCES}
    names = {name: "1" for name in launcher_variables() if name not in needed}
    start = Start(launcher=LAUNCHERS["local"], job=RankJob(ranks=2, program=()), environment=names)
    assert start.inherited() == names
    others = {"PATH": "/bin", "HOME": "/root", "API_TOKEN": "secret"}
    assert replace(start, environment=others).inherited() == {}


def test_ranks_that_have_room() -> None:
    for place in (
        Placement(ranks=4, per_node=2),
        Placement(ranks=3, per_node=2),
        Placement(ranks=9),
        Placement(per_node=2),
    ):
        place.need_room(2)


def test_a_launcher_that_is_not_here_is_no_verdict_on_the_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    environ = {"PATH": str(tmp_path)}
    monkeypatch.setattr(
        launching, "variables", lambda found: activation(environ, prefix=found.prefix, systems=())
    )
    lock = SimpleNamespace(systems=(), distributions=())
    found: Any = SimpleNamespace(prefix=tmp_path, file=SimpleNamespace(lock=lock))
    opened = project(tmp_path, "local", '[groups.stack]\npython = "3.7"\n')
    with pytest.raises(SurroundingsError, match="no program 'jsrun' here") as raised:
        starting(opened, found, Placement(launcher="jsrun")).need_program()
    assert raised.value.code == "launcher-missing"
    (tmp_path / "jsrun").write_text("#!/bin/sh\n")
    (tmp_path / "jsrun").chmod(0o755)
    for name in ("jsrun", "torchrun", "local"):
        starting(opened, found, Placement(launcher=name)).need_program()


def test_what_modules_set_goes_to_all_nodes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An MPI that is known by its module alone is found by the variables that the module sets."""
    environ = {
        "PATH": "/sw/mpi/bin:/bin",
        "LD_LIBRARY_PATH": "/sw/mpi/lib",
        "EBROOTOPENMPI": "/sw/mpi",
        "_ModuleTable001_": "long",
        "BASH_FUNC_module%%": "() { :; }",
        "LANG": "C",
    }
    monkeypatch.setenv("LANG", "C")
    monkeypatch.setattr(
        launching, "variables", lambda found: activation(environ, prefix=found.prefix, systems=())
    )
    lock = SimpleNamespace(systems=(), distributions=())
    found: Any = SimpleNamespace(prefix=tmp_path, file=SimpleNamespace(lock=lock))
    opened = project(tmp_path, "local", '[groups.stack]\npython = "3.7"\n')
    exported = starting(opened, found, Placement(launcher="ssh", hosts=("n1", "n2"))).job.exported
    assert set(exported) == {*("PATH", "VIRTUAL_ENV", "PYTHONNOUSERSITE", "LD_LIBRARY_PATH", "EBROOTOPENMPI")}
    assert exported["LD_LIBRARY_PATH"] == "/sw/mpi/lib"


def test_more_ranks_than_the_memory_of_this_host_holds_are_refused() -> None:
    job = RankJob(ranks=100_000, program=())
    with pytest.raises(RequestError, match="100000 ranks do not fit") as raised:
        need_memory(job, 16 << 30)
    assert raised.value.why == "each takes 8 MiB or more, and 16384 MiB are free"
    need_memory(job, 0)
    need_memory(replace(job, ranks=16), 1 << 30)
    need_memory(replace(job, nodes=4), 16 << 30)


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("", "no-hosts"),
        (" , ", "no-hosts"),
        ("n[1-2,4", "not-a-host"),
        ("n[4-1]", "not-a-host"),
        ("n[1-1000]r[1-1000]", "not-a-host"),
        ("n1!n2", "not-a-host"),
        ("n1:2,n2:2", "not-a-host"),
        ("--help", "not-a-host"),
        ("n1 n2", "not-a-host"),
        ("n1,n2,n1", "host-twice"),
        ("n[1-4],n3", "host-twice"),
    ],
)
def test_hosts_that_cannot_be_meant_are_refused(text: str, code: str) -> None:
    with pytest.raises(RequestError) as raised:
        named_hosts(text)
    assert raised.value.code == code


def test_hosts_as_people_and_scripts_write_them() -> None:
    assert named_hosts(None) == ()
    assert named_hosts("n1, n2.cluster.example,") == ("n1", "n2.cluster.example")
    assert named_hosts("z,n[08-10,12]-ib,a") == ("z", "n08-ib", "n09-ib", "n10-ib", "n12-ib", "a")
    assert named_hosts("me@10.77.0.1") == ("me@10.77.0.1",)


def test_who_gives_a_phase_more_time_gives_it_to_the_whole_run() -> None:
    plan = Plan(distributions=(), back_ends=("mpi4py",))
    assert (limited(plan, 30.0).deadlines.phase, limited(plan, 30.0).deadlines.ranks) == (30.0, 900.0)
    assert (limited(plan, 600.0).deadlines.phase, limited(plan, 600.0).deadlines.ranks) == (600.0, 4800.0)


def test_a_wrong_key_is_named(tmp_path: Path) -> None:
    with pytest.raises(RequestError) as raised:
        project(tmp_path, "local", '[site.launch]\ninterface = "ib0"\n')
    assert "site.launch" in raised.value.where


def test_one_process_is_started_on_the_first_node_and_speaks_to_no_mpi() -> None:
    job = RankJob(
        ranks=8, program=(), nodes=4, per_node=2, processors=6, gpus=4, hosts=("n1", "n2"), mpi="openmpi"
    )
    start = Start(launcher=LAUNCHERS["srun"], job=job, environment={}, here=False)
    told = " ".join(start.alone(("/env/bin/python", "probe.pyz", "one-process")))
    assert told.startswith("srun -n 1 -N 1 --ntasks-per-node=1 --gres=gpu:4 -w n1 --mpi=none ")
    assert told.endswith(" /env/bin/python probe.pyz one-process")


@pytest.mark.parametrize(("nodes", "launcher"), [(1, "local"), (2, "")], ids=["on one node", "on two"])
def test_ranks_without_an_mpi_in_a_job_of_pbs(
    nodes: int, launcher: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """PBS has no launcher of its own; ``mpiexec`` there is an MPI's, or HPE's PALS on its own machines."""
    file = tmp_path / "nodes"
    file.write_text("\n".join([socket.gethostname(), "n2"][:nodes]) + "\n")
    environ = {"PATH": "/bin", "PBS_JOBID": "7.server", "PBS_NODEFILE": str(file)}
    monkeypatch.setattr(
        launching, "variables", lambda found: activation(environ, prefix=found.prefix, systems=())
    )
    monkeypatch.setenv("PATH", str(tmp_path))
    lock = SimpleNamespace(systems=(), distributions=())
    found: Any = SimpleNamespace(prefix=tmp_path, file=SimpleNamespace(lock=lock))
    opened = project(tmp_path, "local", '[groups.stack]\npython = "3.7"\n')
    if not launcher:
        with pytest.raises(RequestError, match="in a job under pbs without an MPI"):
            starting(opened, found, Placement())
        return
    start = starting(opened, found, Placement())
    assert start.launcher is LAUNCHERS[launcher]
    assert (start.job.ranks, start.here) == (2, True)
    assert start.command(("/env/bin/python", "probe.pyz", "rank"))[2] == "local"
