"""The command line of each launcher; sources of those that cannot run here are in their modules."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from envlock.edges.launchers import LAUNCHERS, pytorch
from envlock.edges.launchers.choice import choose
from envlock.edges.launchers.mpis import own_variables
from envlock.edges.launchers.pytorch import torchrun
from envlock.edges.launchers.slurm import plugins, srun
from envlock.edges.launchers.visible import checked
from envlock.lifecycle.evidence.launch import why_not
from envlock.model.errors import RequestError, SurroundingsError
from envlock.model.project.launch import RankJob
from tests.shipped import KNOWLEDGE

PROGRAM = ("/env/bin/python", "probe.pyz", "rank", "--plan", "plan.json")
REST = " ".join(PROGRAM[1:])
SHORT = "PROGRAM"
ALL_OF_IT = "--cpu_per_rs ALL_CPUS --gpu_per_rs ALL_GPUS --bind none"
HERE = RankJob(ranks=2, program=PROGRAM)
FOUR = RankJob(ranks=8, nodes=4, per_node=2, program=PROGRAM, exported={"PATH": "/env/bin:/bin"})
NAMED = RankJob(ranks=4, hosts=("n1", "n2"), program=PROGRAM, exported={"PATH": "/env/bin:/bin"})


def line(words: list[str]) -> str:
    """A command line with what every rank runs, and the look before it, made short."""
    text = " ".join(words).replace(" ".join(PROGRAM), SHORT)
    look = text.find("/bin/sh -c")
    return text[:look] + SHORT if look >= 0 and text.endswith(SHORT) else text


@pytest.mark.parametrize(
    ("name", "job", "expected"),
    [
        ("local", HERE, "/env/bin/python probe.pyz local --ranks 2 -- rank --plan plan.json"),
        ("mpirun", HERE, "mpirun -np 2 --oversubscribe PROGRAM"),
        ("mpirun", FOUR, "mpirun -np 8 --map-by ppr:2:node:OVERSUBSCRIBE -x PATH PROGRAM"),
        (
            "mpirun",
            NAMED,
            "mpirun -np 4 --host n1:2,n2:2 --map-by ppr:2:node:OVERSUBSCRIBE -x PATH PROGRAM",
        ),
        ("hydra", HERE, "mpiexec -n 2 PROGRAM"),
        ("hydra", NAMED, "mpiexec -n 4 -ppn 2 -hosts n1,n2 -genv PATH /env/bin:/bin PROGRAM"),
        ("aprun", FOUR, "aprun -b -n 8 -N 2 -e PATH=/env/bin:/bin PROGRAM"),
        ("pals", FOUR, "mpiexec -n 8 --ppn 2 --env PATH=/env/bin:/bin PROGRAM"),
        (
            "jsrun",
            FOUR,
            f"jsrun --nrs 4 --rs_per_host 1 --tasks_per_rs 2 {ALL_OF_IT} --env PATH=/env/bin:/bin PROGRAM",
        ),
        ("flux", FOUR, "flux run -n 8 -N 4 --env=PATH=/env/bin:/bin PROGRAM"),
        ("flux", replace(FOUR, gpus=4), "flux run -n 8 -N 4 -g 2 --env=PATH=/env/bin:/bin PROGRAM"),
        (
            "flux",
            replace(FOUR, exported={"PATH": "/$x/${y}"}),
            "flux run -n 8 -N 4 --env=PATH=/$$x/$${y} PROGRAM",
        ),
        ("flux", HERE, "flux run -n 2 PROGRAM"),
        ("flux", replace(FOUR, ranks=2, per_node=0), "flux run -n 2 -N 2 --env=PATH=/env/bin:/bin PROGRAM"),
        (
            "flux",
            replace(FOUR, gpus=1),
            "flux run -N 4 --tasks-per-node=2 --gpus-per-node=1 --env=PATH=/env/bin:/bin PROGRAM",
        ),
        ("horovodrun", HERE, "horovodrun --gloo -np 2 -H localhost:2 PROGRAM"),
        ("horovodrun", NAMED, "horovodrun --gloo -np 4 -H n1:2,n2:2 PROGRAM"),
        (
            "torchrun",
            HERE,
            f"/env/bin/python -m torch.distributed.run --standalone --nproc_per_node=2 {REST}",
        ),
    ],
)
def test_command_lines(name: str, job: RankJob, expected: str) -> None:
    assert line(LAUNCHERS[name](job)) == expected


@pytest.mark.parametrize(
    ("mpi", "version", "offered", "expected"),
    [
        ("openmpi", "5.0.6", ("none", "pmi2", "pmix"), "pmix"),
        ("openmpi", "4.1.6", ("none", "pmi2"), "pmi2"),
        ("intelmpi", "2021.13", ("none", "pmi2", "pmix"), "pmi2"),
        ("mpich", "4.2.0", ("none", "pmix"), "pmix"),
        ("cray-mpich", "8.1.28", ("cray_shasta", "pmi2"), "cray_shasta"),
        ("mvapich2", "2.3.7", ("none", "pmi2"), "pmi2"),
        ("unheard-of", "1.0", ("none", "pmi2"), "pmi2"),
        ("", "", (), "none"),
    ],
)
def test_srun_speaks_what_the_mpi_does(
    mpi: str, version: str, offered: tuple[str, ...], expected: str
) -> None:
    spoken = KNOWLEDGE.running.interfaces(mpi, version)
    job = RankJob(ranks=8, nodes=4, per_node=2, program=PROGRAM, mpi=mpi, interfaces=spoken)
    told = line(srun(job, lambda: offered))
    assert told == (
        f"srun -n 8 -N 4 --ntasks-per-node=2 --mpi={expected} --export=ALL --kill-on-bad-exit=1 PROGRAM"
    )


def test_srun_asks_for_gpus_where_somebody_does() -> None:
    job = RankJob(ranks=8, nodes=4, per_node=2, gpus=2, program=PROGRAM)
    assert "--ntasks-per-node=2 --gres=gpu:2 --mpi=none" in line(srun(job, tuple))


def test_intel_mpi_heeds_the_number_of_ranks_on_each_node() -> None:
    assert own_variables("hydra") == {"I_MPI_JOB_RESPECT_PROCESS_PLACEMENT": "0"}


def test_srun_gives_ranks_the_processors_of_the_allocations_tasks() -> None:
    job = RankJob(ranks=8, nodes=4, per_node=2, processors=6, program=PROGRAM)
    assert "--ntasks-per-node=2 --cpus-per-task=6 --mpi=none" in line(srun(job, tuple))


def test_srun_without_a_common_pmi_is_refused() -> None:
    job = RankJob(ranks=2, program=PROGRAM, mpi="openmpi", interfaces=("pmix",))
    with pytest.raises(SurroundingsError, match="no PMI in common") as raised:
        srun(job, lambda: ("none", "pmi2"))
    assert raised.value.why == "srun offers none, pmi2; openmpi speaks pmix"


@pytest.mark.parametrize("options", [("--mpi=pspmix",), ("--cpu-bind=none", "--mpi", "pspmix")])
def test_a_site_may_have_a_pmi_of_its_own(options: tuple[str, ...]) -> None:
    """As where ParaStation's process management is behind Slurm."""
    job = RankJob(ranks=2, program=PROGRAM, mpi="openmpi", interfaces=("pmix",), options=options)
    told = srun(job, lambda: ("none", "pspmi", "pspmix"))
    assert [word for word in told if word.startswith("--mpi")] == [
        options[-1] if len(options) == 1 else "--mpi"
    ]


def test_what_srun_offers(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    program = tmp_path / "srun"
    printed = "MPI plugin types are...\n\tpmix\n\tnone\n\tpmi2\nspecific pmix plugin: pmix_v4"
    program.write_text(f"#!/bin/sh\necho '{printed}'\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/bin:/usr/bin")
    assert plugins() == ("pmix", "none", "pmi2")


def test_an_srun_without_its_configuration_tells_why(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    program = tmp_path / "srun"
    program.write_text(
        "#!/bin/sh\necho 'srun: fatal: Could not establish a configuration source' >&2\nexit 1\n"
    )
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/bin:/usr/bin")
    with pytest.raises(SurroundingsError) as raised:
        plugins()
    assert (raised.value.code, raised.value.why) == (
        "no-pmi",
        "fatal: Could not establish a configuration source",
    )


def test_torchrun_on_nodes_starts_one_agent_on_each() -> None:
    told = torchrun(FOUR)
    assert " ".join(told[: told.index("-c")]) == (
        "srun -n 4 -N 4 --ntasks-per-node=1 --mpi=none --export=ALL --kill-on-bad-exit=1 /bin/sh"
    )
    assert told[told.index("-c") + 2 :] == [
        "/env/bin/python",
        "--nnodes=4",
        "--nproc_per_node=2",
        *PROGRAM[1:],
    ]
    assert pytorch._MEETING in told[told.index("-c") + 1]


def test_an_agent_of_torchrun_has_the_processors_of_all_its_ranks() -> None:
    job = RankJob(ranks=8, nodes=4, per_node=2, processors=6, program=PROGRAM)
    assert "--ntasks-per-node=1 --cpus-per-task=12 --mpi=none" in " ".join(torchrun(job))


@pytest.mark.parametrize("name", ["torchrun", "jsrun"])
def test_ranks_that_nodes_cannot_share_equally(name: str) -> None:
    with pytest.raises(RequestError, match="equally") as raised:
        LAUNCHERS[name](RankJob(ranks=3, nodes=2, program=PROGRAM))
    assert raised.value.hint.startswith("--ranks 4")


def test_ssh_starts_the_probe_on_each_host() -> None:
    told = LAUNCHERS["ssh"](NAMED)
    place = told.index("--")
    assert " ".join(told[:place]) == "/env/bin/python probe.pyz ssh --ranks 4 --per-node 2 --hosts n1,n2"
    assert told[place + 1 : place + 4] == ["env", "PATH=/env/bin:/bin", "/bin/sh"]
    assert told[-8:] == ["/env/bin/python", "probe.pyz", "local", "{place}", "--", *PROGRAM[2:]]


@pytest.mark.parametrize(
    ("name", "job", "message"),
    [
        ("local", NAMED, "ranks on n1, n2 need a launcher"),
        ("ssh", FOUR, "needs the hosts"),
        ("horovodrun", FOUR, "needs the hosts"),
        ("jsrun", NAMED, "hosts of its allocation"),
    ],
)
def test_places_that_a_launcher_cannot_reach(name: str, job: RankJob, message: str) -> None:
    with pytest.raises(RequestError, match=message):
        LAUNCHERS[name](job)


@pytest.mark.parametrize("name", sorted(set(LAUNCHERS) - {"srun", "torchrun", "jsrun"}))
def test_a_sites_options_come_after_all_others(name: str) -> None:
    job = RankJob(ranks=2, hosts=("n1",) if name == "ssh" else (), program=PROGRAM, options=("--odd",))
    told = LAUNCHERS[name](job)
    if name != "local":
        assert any(word.endswith("--odd") for word in told)
        assert told.index("--ssh-option=--odd" if name == "ssh" else "--odd") < told.index("rank")


def test_open_mpi_as_root_is_told_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.geteuid", lambda: 0)
    assert own_variables("mpirun") == {
        "OMPI_ALLOW_RUN_AS_ROOT": "1",
        "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    }
    monkeypatch.setattr("os.geteuid", lambda: 1000)
    assert own_variables("mpirun") == {}


@pytest.mark.parametrize(
    ("mpi", "scheduler", "where", "expected"),
    [
        ("openmpi", "", {}, "mpirun"),
        ("openmpi", "slurm", {"nodes": 4}, "mpirun"),
        ("intelmpi", "", {"hosts": ("n1",)}, "hydra"),
        ("mpich", "flux", {"nodes": 2}, "flux"),
        ("cray-mpich", "slurm", {"nodes": 2}, "srun"),
        ("cray-mpich", "cobalt", {"nodes": 2}, "aprun"),
        ("cray-mpich", "pbs", {"nodes": 2}, "pals"),
        ("spectrum_mpi", "csm", {"nodes": 2}, "jsrun"),
        ("openmpi", "lsf", {"nodes": 2}, "mpirun"),
        ("spectrum_mpi", "lsf", {"nodes": 2}, "mpirun"),
        ("", "lsf", {"hosts": ("n1",)}, "ssh"),
        ("", "", {"horovod": True}, "horovodrun"),
        ("openmpi", "", {"horovod": True}, "mpirun"),
        ("", "", {}, "local"),
        ("", "slurm", {"nodes": 2}, "srun"),
        ("", "", {"hosts": ("n1",)}, "ssh"),
        ("", "pbs", {"nodes": 2}, "pals"),
    ],
)
def test_choice_by_mpi_and_allocation(
    mpi: str, scheduler: str, where: Mapping[str, object], expected: str
) -> None:
    job = RankJob(ranks=2, program=PROGRAM, mpi=mpi, **where)
    assert choose("", "", job, scheduler, has_pals=lambda: True) == expected


def test_a_named_launcher_wins_over_the_targets_and_that_over_the_mpis() -> None:
    job = RankJob(ranks=2, program=PROGRAM, mpi="mpich")
    assert choose("srun", "aprun", job, "slurm") == "srun"
    assert choose("", "aprun", job, "slurm") == "aprun"
    assert choose("", "mpirun", job, "slurm") == "hydra"
    assert choose("mpirun", "", job, "slurm") == "mpirun"


def test_choices_that_are_refused() -> None:
    job = RankJob(ranks=4, nodes=4, program=PROGRAM, mpi="openmpi")
    with pytest.raises(RequestError, match="neither you nor a scheduler named them"):
        choose("", "", job, "")
    with pytest.raises(RequestError, match="no launcher 'mprun'"):
        choose("mprun", "", job, "slurm")
    with pytest.raises(RequestError, match="cray-mpich is started by the scheduler's own"):
        choose("", "", RankJob(ranks=2, program=PROGRAM, mpi="cray-mpich"), "")
    with pytest.raises(RequestError, match="in a job under lsf without an MPI"):
        choose("", "", RankJob(ranks=2, nodes=2, program=PROGRAM), "lsf")
    with pytest.raises(RequestError, match="in a job under pbs without an MPI"):
        choose("", "", RankJob(ranks=2, nodes=2, program=PROGRAM), "pbs", has_pals=lambda: False)


def test_flux_gives_no_task_a_part_of_a_gpu() -> None:
    with pytest.raises(RequestError, match="let 7 ranks on 4 nodes share 1 GPUs") as raised:
        LAUNCHERS["flux"](replace(FOUR, ranks=7, gpus=1))
    assert raised.value.hint == "--ranks 8, or --gpus-per-node 2"


def test_a_node_without_the_environment_says_so_in_a_small_container_too(tmp_path: Path) -> None:
    """Where there is no ``hostname``, and where the path has spaces."""
    for tool in ("uname", "sleep"):
        (tmp_path / tool).symlink_to(shutil.which(tool) or "")
    python = str(tmp_path / "my env/bin/python")
    done = subprocess.run(
        checked((python, "probe.pyz")),
        env={"PATH": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    told = f"envlock: {os.uname().nodename} does not see {python}\n"
    assert (done.returncode, done.stderr) == (127, told)
    assert why_not(done.stderr).endswith(f"on {os.uname().nodename}: no {python}")
