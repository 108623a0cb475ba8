"""The laboratory of 2020: its request, and the three that followed, on the real index with real builds."""

from __future__ import annotations

import re
import subprocess
import time
from pathlib import Path

import pytest
import uv

from tests.live.conftest import ENVLOCK, Workplace

pytestmark = pytest.mark.live

BACK_ENDS = ["mpi4py", "torch-gloo", "horovod-torch", "horovod-tensorflow"]
NEEDING_MORE = ("torch-nccl", "torch-mpi")  # a GPU, a build from source


def test_request_is_solved_with_its_mpi_and_its_builds(both: Workplace):
    answer = both.json("solve", "both")
    chosen = {one["name"]: one for one in answer["distributions"]}
    for name, version in {
        "torch": "1.4.0",
        "tensorflow": "1.15.2",
        "horovod": "0.19.0",
        "gensim": "3.8.1",
        "spacy": "2.2.3",
    }.items():
        assert chosen[name]["version"] == version
    assert chosen["horovod"]["from"] == chosen["mpi4py"]["from"] == "build"
    system = {one["component"]: one for one in answer["system"]}
    assert system["openmpi"]["from"] == "site"
    assert system["openmpi"]["version"] != "3.1.3"
    assert answer["python"].startswith("3.7.")


def test_everything_communicates_in_one_process(both: Workplace):
    document = both.json("verify", "both")
    report = document["report"]
    assert document["passed"], report["checks"]
    checks = {check["id"]: check for check in report["checks"]}
    assert checks["P1"]["outcome"] in {"passed", "warned"}
    assert "P3" in checks
    assert len(report["ranks"]) == 2
    for rank in report["ranks"]:
        assert rank["mpi"]["size"] == 2
        assert "Open MPI" in rank["mpi"]["library"]
        outcomes = {name: one["outcome"] for name, one in rank["back_ends"].items()}
        assert outcomes == dict.fromkeys(BACK_ENDS, "passed") | dict.fromkeys(NEEDING_MORE, "not-applicable")
    assert report["lock_sha256"] == both.json("solve", "both")["lock_sha256"]


def test_solving_again_changes_no_byte(both: Workplace):
    before = both.lock("both").read_bytes()
    both.envlock("solve", "both", "--lock-only")
    assert both.lock("both").read_bytes() == before


def test_uv_installs_from_the_lock(lab: Workplace):
    lab.envlock("solve", "base", "--lock-only")
    detected = lab.json("detect")
    python = next(one["path"] for one in detected["interpreter"] if one["version"].startswith("3.7."))
    lab.run([uv.find_uv_bin(), "venv", "--clear", "--python", python, "plain"])
    command = [uv.find_uv_bin(), "pip", "install", "--dry-run", "--python", "plain"]
    done = lab.run([*command, "-r", str(lab.lock("base"))])
    assert done.returncode == 0, done.stderr
    assert "gensim==3.8.1" in done.stderr


def test_two_weeks_later_two_groups_move_and_the_others_do_not(both: Workplace):
    both.envlock("solve", "base", "--lock-only")
    still = {group: both.lock(group).read_bytes() for group in ("base", "both")}
    for group in ("pytorch-next", "tensorflow-next"):
        answer = both.json("solve", group, "--lock-only")
        chosen = {one["name"]: one["version"] for one in answer["distributions"]}
        assert chosen["gensim"] == "4.0.1"
    assert {group: both.lock(group).read_bytes() for group in still} == still


def test_diff_names_what_breaks(both: Workplace):
    both.envlock("solve", "base", "--lock-only")
    both.envlock("solve", "pytorch-next", "--lock-only")
    text = both.envlock("diff", "base", "pytorch-next")
    assert re.search(r"gensim\s+3\.8\.1\s+4\.0\.1\s+major, may break", text)
    assert "Word2Vec(size=...) -> Word2Vec(vector_size=...)" in text
    assert "model.wv.vocab -> model.wv.key_to_index" in text


def test_diff_names_the_lines_of_a_program(lab: Workplace, tmp_path: Path):
    program = tmp_path / "train.py"
    program.write_text(
        "from gensim.models import Word2Vec\n"
        "model = Word2Vec(sentences, size=100)\n"
        "print(len(model.wv.vocab))\n"
        "print(len(shelf.wv.vocab))\n"
    )
    for group in ("base", "pytorch-next"):
        lab.envlock("solve", group, "--lock-only")
    found = lab.json("diff", "base", "pytorch-next", "--code", str(program))
    told = [(one["line"], one["replacement"], one["certainty"]) for one in found["code"]["breaks"]]
    assert told == [
        (2, "Word2Vec(vector_size=...)", "certain"),
        (3, "model.wv.key_to_index", "certain"),
    ]


def test_thesis_does_not_move(lab: Workplace):
    refusal = lab.envlock("solve", "thesis-a", status=1)
    assert "2027-06-30" in refusal
    assert "thesis A is handed in" in refusal
    assert not lab.lock("thesis-a").exists()


def test_frozen_group_stays_byte_identical(lab: Workplace):
    lab.envlock("solve", "pytorch", "--lock-only")
    before = lab.lock("pytorch").read_bytes()
    lab.envlock("freeze", "pytorch", "--until", "2099-01-01", "--reason", "a thesis")
    refusal = lab.envlock("solve", "pytorch", "--upgrade", "--lock-only", status=1)
    assert "2099-01-01" in refusal
    assert lab.lock("pytorch").read_bytes() == before
    lab.envlock("thaw", "pytorch", "--reason", "handed in")


def test_four_weeks_later_intel_mpi_takes_a_newer_horovod(lab: Workplace):
    answer = lab.json("solve", "intel")
    chosen = {one["name"]: one for one in answer["distributions"]}
    assert tuple(map(int, chosen["horovod"]["version"].split("."))) >= (0, 20, 0)
    assert chosen["horovod"]["facts"] == ["horovod-intelmpi"]
    system = {one["component"]: one for one in answer["system"]}
    assert system["intelmpi"]["from"] == "index"
    assert "openmpi" not in system
    document = lab.json("verify", "intel")
    assert document["passed"], document["report"]["checks"]
    for rank in document["report"]["ranks"]:
        assert "Intel(R) MPI" in rank["mpi"]["library"]
        assert rank["back_ends"]["horovod-tensorflow"]["outcome"] == "passed"


def test_old_horovod_over_intel_mpi_is_refused_with_its_source(lab: Workplace):
    manifest = lab.folder / "envlock.toml"
    with manifest.open("a") as file:
        file.write('\n[groups.intel-old]\nextends = "intel"\nrequires = ["horovod==0.19.0"]\n')
    refusal = lab.json("solve", "intel-old", "--lock-only", status=1)
    assert [fact["fact"] for fact in refusal["facts"]] == ["horovod-intelmpi"]
    assert refusal["facts"][0]["sources"]
    assert not lab.lock("intel-old").exists()


def test_blocked_open_mpi_and_its_neighbours(lab: Workplace):
    refused = lab.json("check", "horovod==0.19.0", "openmpi==3.1.3", status=1)
    assert refused["verdict"] == "incompatible"
    assert any(finding["severity"] == "refuse" for finding in refused["findings"])
    for version in ("3.1.2", "4.0.0"):
        assert lab.json("check", "horovod==0.19.0", f"openmpi=={version}")["verdict"] != "incompatible"
    assert lab.json("check", "intelmpi==2019.7", "horovod==0.19.0", status=1)["verdict"] == "incompatible"


def test_killed_build_leaves_the_old_environment_usable_and_is_made_good(lab: Workplace):
    """``kill -9`` while an environment is made: the group keeps its old one until the new is whole."""
    lab.envlock("solve", "base")
    old = lab.envlock("where", "base").strip()
    manifest = lab.folder / "envlock.toml"
    text = manifest.read_text()
    manifest.write_text(
        text.replace(
            '"gensim==3.8.1", "spacy==2.2.3"]\nsystem = ["openmpi',
            '"gensim==3.8.2", "spacy==2.2.3"]\nsystem = ["openmpi',
            1,
        )
    )
    try:
        lab.envlock("solve", "base", "--lock-only")
        with subprocess.Popen(
            [str(ENVLOCK), "solve", "base"],
            cwd=lab.folder,
            stderr=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
        ) as running:
            _wait_for(lambda: len(list(_environments(lab))) > len({old}), seconds=300)
            running.kill()
        assert lab.envlock("where", "base").strip() == old
        assert _imports_gensim(lab, old)
        assert _has(old, "gensim-3.8.1")
        lab.envlock("solve", "base")
        new = lab.envlock("where", "base").strip()
        assert new != old
        assert _imports_gensim(lab, new)
        assert _has(new, "gensim-3.8.2")
    finally:
        manifest.write_text(text)


def _imports_gensim(lab: Workplace, prefix: str) -> bool:
    return lab.run([f"{prefix}/bin/python", "-c", "import gensim"]).returncode == 0


def _has(prefix: str, distribution: str) -> bool:
    return (Path(prefix) / f"lib/python3.7/site-packages/{distribution}.dist-info").is_dir()


def _environments(lab: Workplace) -> list[Path]:
    return [
        path
        for path in (lab.folder / ".envlock/environments").iterdir()
        if path.name.startswith("local-base-")
    ]


def _wait_for(condition, seconds: float) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it never happened"
        time.sleep(0.02)
