"""The laboratory's months with envlock: what moves, what must not, what the site plans, what outlives it."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.live.conftest import ENVLOCK, Workplace, contents, without_network

pytestmark = pytest.mark.live

THESIS = """
[groups.thesis-b]
extends = "base"
requires = ["docopt==0.6.2"]
"""
PROGRAM = """\
from gensim.models import Word2Vec

sentences = [line.split() for line in open("corpus.txt")]
model = Word2Vec(sentences, size=100, window=5)
print(len(model.wv.vocab))
"""


def digests(place: Path) -> dict[str, str]:
    """Every file with its hash, and every link with where it leads."""
    files = sorted(place.rglob("*")) if place.is_dir() else [place]
    return {
        str(path): str(path.readlink())
        if path.is_symlink()
        else hashlib.sha256(path.read_bytes()).hexdigest()
        for path in files
        if path.is_symlink() or path.is_file()
    }


@pytest.fixture(scope="module")
def begun(both: Workplace) -> Workplace:
    """Base and a thesis that extends it: locked, built and verified; the thesis frozen."""
    manifest = both.folder / "envlock.toml"
    manifest.write_text(manifest.read_text() + THESIS)
    for group in ("base", "thesis-b"):
        both.envlock("solve", group)
        assert both.json("verify", group)["passed"]
    both.envlock("freeze", "thesis-b", "--until", "2999-12-31", "--reason", "thesis B is handed in")
    return both


@pytest.fixture
def story(begun: Workplace) -> Iterator[Workplace]:
    """Whatever a chapter does, afterwards no byte of the thesis and of base's lock is another one."""
    places = [
        begun.lock("thesis-b"),
        begun.lock("thesis-b").with_name("pylock.thesis-b.report.json"),
        Path(begun.envlock("where", "thesis-b").strip()),
        begun.lock("base"),
    ]
    before = [digests(place) for place in places]
    assert all(before)
    yield begun
    assert [digests(place) for place in places] == before


def test_two_groups_move_and_are_told_what_breaks(story: Workplace, tmp_path: Path) -> None:
    program = tmp_path / "train.py"
    program.write_text(PROGRAM)
    for group in ("pytorch", "tensorflow"):
        story.envlock("solve", group, "--lock-only")
        story.envlock("solve", f"{group}-next", "--lock-only")
        moved = story.json("diff", group, f"{group}-next", "--code", str(program))
        told = [(one["line"], one["replacement"], one["certainty"]) for one in moved["code"]["breaks"]]
        assert told == [
            (4, "Word2Vec(vector_size=...)", "certain"),
            (5, "model.wv.key_to_index", "certain"),
        ]
    refused = story.envlock("solve", "thesis-b", "--upgrade", status=1)
    assert "thesis B is handed in" in refused


def test_another_mpi_beside_the_sites(story: Workplace) -> None:
    story.envlock("solve", "intel")
    built = {path.name.split("-")[1] for path in (story.folder / ".envlock/wheels").glob("horovod-*/*.whl")}
    assert {"0.19.0", "0.20.3"} <= built
    seen = {}
    for group in ("both", "intel"):
        document = story.json("verify", group)
        assert document["passed"], document["report"]["checks"]
        seen[group] = [rank["mpi"]["library"].split(" MPI")[0] for rank in document["report"]["ranks"]]
    assert seen == {"both": ["Open", "Open"], "intel": ["Intel(R)", "Intel(R)"]}


def test_the_site_asks_before_it_removes_its_mpi(story: Workplace) -> None:
    [mpi] = [one for one in story.json("solve", "both")["system"] if one["component"] == "openmpi"]
    story.envlock("solve", "intel", "--lock-only")
    found = story.json("impact", "--remove", f"openmpi=={mpi['version']}", status=1)
    hit = {one["group"]: one for one in found["groups"] if one["breaks"]}
    assert {"base", "both", "thesis-b"} <= hit.keys()
    assert "intel" not in hit
    assert hit["thesis-b"]["frozen"]["reason"] == "thesis B is handed in"
    text = story.envlock("impact", "--remove", f"openmpi=={mpi['version']}", status=1)
    assert "ask     group base, who asks for openmpi>=3.1" in text


def test_the_thesis_outlives_the_site(story: Workplace, tmp_path: Path) -> None:
    story.envlock("freeze", "thesis-b", "--archive", str(tmp_path / "kept/thesis-b"))
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    shutil.copytree(tmp_path / "kept/thesis-b", elsewhere / "thesis-b")
    done = without_network(
        [str(ENVLOCK), "restore", "thesis-b", "--into", "there", "--json"],
        elsewhere,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    document = json.loads(done.stdout)
    assert document["verification"]["passed"] is True
    lock = story.lock("thesis-b")
    assert (elsewhere / "there/locks/local" / lock.name).read_bytes() == lock.read_bytes()
    before = contents(Path(story.envlock("where", "thesis-b").strip()))
    after = contents(Path(document["prefix"]))
    assert after.keys() == before.keys()
    assert [name for name in before if after[name] != before[name]] == []
    story.envlock("freeze", "thesis-b", "--check")
