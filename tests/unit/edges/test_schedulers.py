"""Submitting commands and their answers, and allocations; sources are in the modules of each scheduler."""

from __future__ import annotations

import socket
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from envlock.edges.schedulers import SCHEDULERS
from envlock.edges.schedulers.allocation import allocation
from envlock.edges.schedulers.lsf import Lsf
from envlock.model.proving.batch import BatchJob
from tests.unit.probe.test_placement import recorded

PLAIN = BatchJob(name="x", script=Path("/s.sh"), log=Path("/s.log"), nodes=4, per_node=2)
PAID = BatchJob(
    name="x",
    script=Path("/s.sh"),
    log=Path("/s.log"),
    nodes=4,
    per_node=2,
    queue="gpu",
    account="us",
    minutes=90,
)


@pytest.mark.parametrize(
    ("command", "plain", "paid"),
    [
        (
            "sbatch",
            "--parsable --wait --job-name=x --output=/s.log --nodes=4 --ntasks-per-node=2 /s.sh",
            "--partition=gpu --account=us --time=90",
        ),
        (
            "qsub",
            "-W block=true -V -N x -j oe -o /s.log -l select=4:ncpus=2:mpiprocs=2 -l place=scatter /s.sh",
            "-l walltime=01:30:00 -q gpu -A us",
        ),
        ("bsub", "-K -J x -o /s.log -n 8 -R span[ptile=2] /bin/sh /s.sh", "-q gpu -P us -W 90"),
        (
            "flux",
            "batch --job-name=x --output=/s.log --nodes=4 --exclusive /s.sh",
            "--queue=gpu --bank=us --time-limit=90m",
        ),
        (
            "cobalt",
            "--mode script -n 4 --jobname x -o /s.log -e /s.log /bin/sh /s.sh",
            "-t 90 -q gpu -A us",
        ),
    ],
)
def test_submitting_commands(command: str, plain: str, paid: str) -> None:
    program = {"cobalt": "qsub"}.get(command, command)
    assert SCHEDULERS[command].submit(PLAIN) == [program, *plain.split()]
    assert paid in " ".join(SCHEDULERS[command].submit(PAID))


def test_a_log_whose_path_has_a_percent_sign_is_where_slurm_writes() -> None:
    command = SCHEDULERS["sbatch"].submit(replace(PLAIN, log=Path("/100%job/s.log")))
    assert "--output=/100%%job/s.log" in command


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("sbatch", "--gres=gpu:4 --qos=short /s.sh"),
        ("qsub", "-l select=4:ncpus=2:mpiprocs=2:ngpus=4 -l place=scatter --qos=short /s.sh"),
        ("bsub", "-gpu num=4 --qos=short /bin/sh /s.sh"),
        ("flux", "--nodes=4 --exclusive --qos=short /s.sh"),
        ("cobalt", "--qos=short /bin/sh /s.sh"),
    ],
)
def test_gpus_and_a_sites_options_are_asked_for(command: str, expected: str) -> None:
    job = replace(PLAIN, gpus=4, options=("--qos=short",))
    assert " ".join(SCHEDULERS[command].submit(job)).endswith(expected)


def test_lsf_gives_whole_nodes_where_csm_is() -> None:
    assert Lsf(lambda: True).submit(PLAIN) == [
        "bsub",
        "-K",
        "-J",
        "x",
        "-o",
        "/s.log",
        "-nnodes",
        "4",
        "/bin/sh",
        "/s.sh",
    ]


@pytest.mark.parametrize(
    ("command", "line", "expected"),
    [
        ("sbatch", "17", "17"),
        ("sbatch", "17;tetralith", "17"),
        ("sbatch", "sbatch: error: invalid partition", ""),
        (
            "qsub",
            "1234.polaris-pbs-01.hsn.cm.polaris.alcf.anl.gov",
            "1234.polaris-pbs-01.hsn.cm.polaris.alcf.anl.gov",
        ),
        ("qsub", "qsub: Unknown queue", ""),
        ("qsub", "12.5 node hours are left", ""),
        ("bsub", "Job <4711> is submitted to queue <batch>.", "4711"),
        ("bsub", "<<Waiting for dispatch ...>>", ""),
        ("flux", "ƒ3ETxsR9H", "ƒ3ETxsR9H"),
        ("flux", "flux-batch: ERROR: unsatisfiable request", ""),
        ("cobalt", "441517", "441517"),
        ("cobalt", 'Job routed to queue "debug-cache-quad".', ""),
    ],
)
def test_what_submitting_answers(command: str, line: str, expected: str) -> None:
    assert SCHEDULERS[command].job_id(line) == expected


def test_an_allocation_is_found_by_its_variables(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    pbs = tmp_path / "nodes"
    pbs.write_text("x1\nx1\nx2\nx2\n")
    odd = tmp_path / "odd"
    odd.write_bytes(b"x\xe4\nx2\n")
    lsf = tmp_path / "hosts"
    lsf.write_text("batch5\nh1\nh1\nh2\n")
    cases: list[tuple[Mapping[str, str], tuple[str, int]]] = [
        ({}, ("", 0)),
        (recorded("slurm-22.05-batch-shell"), ("slurm", 2)),
        ({"PBS_JOBID": "1.s", "PBS_NODEFILE": str(pbs)}, ("pbs", 2)),
        ({"PBS_JOBID": "1.s"}, ("pbs", 0)),
        ({"PBS_JOBID": "1.s", "PBS_NODEFILE": str(odd)}, ("pbs", 2)),
        ({"SLURM_JOB_ID": "1", "SLURM_JOB_NUM_NODES": "\u00b2"}, ("slurm", 0)),
        ({"LSB_JOBID": "1", "LSB_DJOB_HOSTFILE": str(lsf)}, ("lsf", 3)),
        ({"LSB_JOBID": "1", "LSB_DJOB_HOSTFILE": str(lsf), "CSM_ALLOCATION_ID": "9"}, ("csm", 2)),
        ({"COBALT_JOBID": "1", "COBALT_JOBSIZE": "128"}, ("cobalt", 128)),
        ({"SLURM_JOB_ID": "1", "SLURM_JOB_NUM_NODES": "4", "FLUX_ENCLOSING_ID": "f1"}, ("flux", 0)),
    ]
    for environ, expected in cases:
        found = allocation(environ)
        assert (found.scheduler, found.nodes) == expected
    slurm = {"SLURM_JOB_ID": "1", "SLURM_NTASKS": "8", "SLURM_CPUS_PER_TASK": "6"}
    assert (allocation(slurm).tasks, allocation(slurm).processors) == (8, 6)
    here = socket.gethostname()
    pbs.write_text(f"x1\n{here}.cluster.example\n")
    lsf.write_text(f"{here}\nh1\n")  # under CSM the first is the launch node
    nodes: list[tuple[Mapping[str, str], bool]] = [
        ({"SLURM_JOB_ID": "1", "SLURM_JOB_NUM_NODES": "4"}, False),  # the shell of salloc, on the login node
        (recorded("slurm-22.05-batch-shell"), True),
        ({"PBS_JOBID": "1.s", "PBS_NODEFILE": str(pbs)}, True),
        ({"LSB_JOBID": "1", "LSB_DJOB_HOSTFILE": str(lsf)}, True),
        ({"LSB_JOBID": "1", "LSB_DJOB_HOSTFILE": str(lsf), "CSM_ALLOCATION_ID": "9"}, False),
        ({"COBALT_JOBID": "1", "COBALT_JOBSIZE": "128"}, False),
    ]
    for environ, expected_here in nodes:
        assert allocation(environ).here is expected_here
    flux = tmp_path / "flux"
    flux.write_text('#!/bin/sh\n[ "$*" = "getattr size" ] && echo 4\n')
    flux.chmod(0o755)
    assert allocation({"FLUX_ENCLOSING_ID": "f1"}).nodes == 4
