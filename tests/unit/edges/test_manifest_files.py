from __future__ import annotations

import datetime as dt
import os
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType

import pytest

from envlock.edges import manifest_files
from envlock.edges.files import read_text, read_toml
from envlock.edges.manifest_files import add_target, remove_frozen, set_frozen
from envlock.model.decode import Table
from envlock.model.errors import RequestError, SurroundingsError
from envlock.model.project.group import Freeze
from envlock.model.project.target import Offer, Target, decode_target
from tests.memory import interpreter, machine

FREEZE = Freeze(until=dt.date(2027, 6, 30), reason='the "A" thesis')

MANIFEST = """\
# Ours.

[groups.a]
python = "3.7"   # old
requires = [
  "x",  # why x
]
# said of a

# Said of b.

[groups.b]
extends = "a"
"""

FROZEN = """\
# Ours.

[groups.a]
python = "3.7"   # old
requires = [
  "x",  # why x
]
# said of a

[groups.a.frozen]
until = 2027-06-30
reason = "the \\"A\\" thesis"

# Said of b.

[groups.b]
extends = "a"
"""


@pytest.fixture
def manifest(tmp_path: Path):
    def write(text: str) -> Path:
        path = tmp_path / "envlock.toml"
        path.write_text(text)
        return path

    return write


def test_a_freeze_stands_beneath_its_group(manifest):
    path = manifest(MANIFEST)
    set_frozen(path, "a", FREEZE)
    assert path.read_text() == FROZEN


def test_there_and_back_changes_nothing(manifest):
    path = manifest(FROZEN)
    remove_frozen(path, "a", FREEZE)
    assert path.read_text() == MANIFEST


def test_a_note_stays_where_the_promise_was(manifest):
    path = manifest(FROZEN)
    remove_frozen(path, "a", FREEZE, note="thawed 2026-11-21:\nearly")
    expected = MANIFEST.replace("# said of a\n", "# said of a\n# thawed 2026-11-21: early\n")
    assert path.read_text() == expected


def test_a_promise_that_is_over_takes_its_archive_along(manifest):
    path = manifest(MANIFEST)
    over = replace(FREEZE, until=dt.date(2020, 1, 1), archives={"": "kept/a"})
    set_frozen(path, "a", over)
    set_frozen(path, "a", FREEZE, over)
    assert path.read_text() == FROZEN


def test_a_freeze_that_is_there_changes_in_place(manifest):
    path = manifest(FROZEN)
    set_frozen(path, "a", Freeze(until=dt.date(2028, 1, 1), reason="B"), FREEZE)
    assert path.read_text() == FROZEN.replace("2027-06-30", "2028-01-01").replace('the \\"A\\" thesis', "B")


LAYOUTS = {
    "inline": '[groups]\na = { python = "3.7", requires = ["x"] }\nb = { requires = [] }\n',
    "dotted": 'groups.a.python = "3.7"\n# c\ngroups.b.python = "3.8"\n',
    "dotted-in-groups": '[groups]\na.python = "3.7" # x\na.requires = ["b"]\n',
    "split": '[groups.a]\npython = "3.7"\n\n[site]\nstore = "x"\n\n# b\n[groups.b]\n\n# end\n',
    "no-newline-at-the-end": '[groups.a]\npython = "3.7"',
    "indented": '[groups]\n  [groups.a]\n  python = "3.7"\n\n  # b\n  [groups.b]\n  python = "3.8"\n',
    "quoted": '["groups"."a"]\npython = "3.7"\n[site]\n',
    "tight": '[groups.a]\npython = "3.7"\n[groups.b]\npython = "3.7"\n',
    "windows": '[groups.a]\r\npython = "3.7"\r\n\r\n# c\r\n[groups.b]\r\n',
    "empty": "[groups.a]\n[groups.b]\n",
}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_every_layout_keeps_its_values_and_comments(manifest, layout: str):
    path = manifest(LAYOUTS[layout])
    before = read_toml(path)
    set_frozen(path, "a", FREEZE)
    after = read_toml(path)
    assert after["groups"]["a"].pop("frozen") == {"until": FREEZE.until, "reason": FREEZE.reason}
    assert after == before
    remove_frozen(path, "a", FREEZE, note="thawed")
    assert read_toml(path) == before
    assert [line for line in LAYOUTS[layout].splitlines() if line.startswith("#")] == [
        line for line in path.read_text().splitlines() if line.startswith("#") and line != "# thawed"
    ]


def test_comments_that_cannot_be_kept_are_left_to_a_person(manifest):
    text = '[groups.a]\n[site]\n[groups.a.frozen]\nuntil = 2026-12-01\nreason = "x"\n\n# hi\n[targets.x]\n'
    path = manifest(text)
    with pytest.raises(RequestError) as caught:
        remove_frozen(path, "a", Freeze(until=dt.date(2026, 12, 1), reason="x"))
    assert caught.value.code == "manifest-layout"
    assert path.read_text() == text


def test_nothing_is_half_written(manifest, monkeypatch: pytest.MonkeyPatch):
    path = manifest(MANIFEST)

    def full(*_: object) -> None:
        raise OSError(28, os.strerror(28))

    monkeypatch.setattr(Path, "replace", full)
    with pytest.raises(SurroundingsError) as caught:
        set_frozen(path, "a", FREEZE)
    assert caught.value.code == "disk-full"
    assert path.read_text() == MANIFEST
    assert [entry.name for entry in path.parent.iterdir()] == ["envlock.toml"]


def gpu_node() -> Target:
    mpi = Offer(
        component="openmpi",
        version="4.1.4",
        prefix="/sw/openmpi",
        modules=("gcc/12", "openmpi/4.1.4"),
        variables=MappingProxyType({"OMPI_MCA_btl": "^openib"}),
        note="module avail",
        properties=MappingProxyType({"mpi-threads": "multiple", "mpi-cuda": "no"}),
    )
    other = Offer(
        component="mpich",
        version="4.2",
        note="mpirun --version",
        properties=MappingProxyType({"mpi-threads": "single"}),
    )
    offers = (
        Offer(component="glibc", version="2.36", note="confstr"),
        Offer(component="driver", version="535.104.05"),
        Offer(component="gpu_cc", version="7.0", note="V100"),
        Offer(component="gpu_cc", version="8.0", note="A100"),
        mpi,
        other,
    )
    return replace(
        machine(), name="gpu", offers=offers, interpreters=(interpreter("3.11.7"), interpreter("3.7.16"))
    )


def test_a_target_reads_back(manifest):
    path = manifest(MANIFEST)
    target = gpu_node()
    add_target(path, target)
    assert path.read_text().startswith(MANIFEST + "\n[targets.gpu]\n")
    table = Table(read_toml(path), file="envlock.toml").table("targets").table("gpu")
    decoded = decode_target(table, "gpu", ())
    plain = tuple(replace(offer, note="written by hand") for offer in target.offers)
    assert replace(decoded, offers=()) == replace(target, offers=())
    assert [replace(o, note="written by hand") for o in decoded.offers if o.note] == [*plain[2:]]
    assert [replace(o, note="written by hand") for o in decoded.offers if not o.note] == [*plain[:2]]


def test_a_target_is_written_as_a_person_would(manifest):
    path = manifest(MANIFEST)
    add_target(path, gpu_node())
    text = path.read_text()
    assert '[targets.gpu.components]\nglibc = "2.36" # confstr\ndriver = "535.104.05"\n' in text
    assert '[[targets.gpu.offer]]\ncomponent = "openmpi"\n' in text
    assert 'modules = ["gcc/12", "openmpi/4.1.4"]\n' in text


def test_two_targets_after_each_other(manifest):
    path = manifest(MANIFEST)
    add_target(path, gpu_node())
    add_target(path, replace(gpu_node(), name="cpu", offers=()))
    assert list(read_toml(path)["targets"]) == ["gpu", "cpu"]
    set_frozen(path, "b", FREEZE)
    assert read_toml(path)["groups"]["b"]["frozen"]["until"] == FREEZE.until


def test_targets_that_nothing_can_follow(manifest):
    text = "targets = {}\n" + MANIFEST
    path = manifest(text)
    with pytest.raises(RequestError) as caught:
        add_target(path, gpu_node())
    assert caught.value.code == "manifest-layout"
    assert path.read_text() == text


def test_two_at_once_lose_neither_change(manifest, monkeypatch: pytest.MonkeyPatch):
    path = manifest(MANIFEST)
    both_have_begun = threading.Barrier(2)

    def set_together(group: str) -> None:
        both_have_begun.wait()
        set_frozen(path, group, FREEZE)

    def slow_reading(file: Path) -> str:
        text = read_text(file)
        time.sleep(0.05)  # so that the other reads, too, unless it waits
        return text

    monkeypatch.setattr(manifest_files, "read_text", slow_reading)
    with ThreadPoolExecutor() as threads:
        list(threads.map(set_together, "ab"))
    assert all("frozen" in group for group in read_toml(path)["groups"].values())


def test_a_promise_that_somebody_else_changed_meanwhile_is_left_alone(manifest):
    """Two thaws, two freezes, or one of each: the second one was decided by what is no longer there."""
    later = Freeze(until=dt.date(2028, 1, 1), reason="B")
    for text, change, told in (
        (MANIFEST, lambda path: remove_frozen(path, "a", FREEZE), "no longer frozen"),
        (FROZEN, lambda path: remove_frozen(path, "a", later), "until 2027-06-30 now"),
        (FROZEN, lambda path: set_frozen(path, "a", later), "until 2027-06-30 now"),
        (MANIFEST, lambda path: set_frozen(path, "a", later, FREEZE), "no longer frozen"),
        (MANIFEST, lambda path: set_frozen(path, "gone", FREEZE), "no longer frozen"),
    ):
        path = manifest(text)
        with pytest.raises(RequestError) as caught:
            change(path)
        assert caught.value.code == "manifest-changed"
        assert told in caught.value.why
        assert path.read_text() == text


def test_lines_end_as_they_did(tmp_path: Path) -> None:
    """Somebody edits the manifest on Windows: no line of his changes, and none ends otherwise."""
    path = tmp_path / "envlock.toml"
    path.write_bytes(MANIFEST.replace("\n", "\r\n").encode())
    set_frozen(path, "a", FREEZE)
    assert path.read_bytes() == FROZEN.replace("\n", "\r\n").encode()
    add_target(path, Target(name="v100", os="x", machine="x86_64", interpreters=(), offers=()))
    content = path.read_bytes()
    assert b"[targets.v100]" in content
    assert content.count(b"\r\n") == content.count(b"\n")
    remove_frozen(path, "a", FREEZE)
    assert b"frozen" not in path.read_bytes()


def test_a_manifest_that_is_a_link_stays_one(tmp_path: Path) -> None:
    path, real = tmp_path / "envlock.toml", tmp_path / "shared" / "lab.toml"
    real.parent.mkdir()
    real.write_text(MANIFEST)
    path.symlink_to(real)
    set_frozen(path, "a", FREEZE)
    assert path.is_symlink()
    assert real.read_text() == FROZEN
