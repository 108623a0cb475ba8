"""Installed files beside the wheel that they came from: scripts, whose first line is the installer's."""

from __future__ import annotations

import hashlib
import zipfile
from base64 import urlsafe_b64encode
from pathlib import Path

import pytest

from envlock.edges.environments.installed_files import examine, take_inventory
from envlock.edges.environments.records import installed_records, present_files
from envlock.edges.environments.virtual_environments import NewEnvironment
from envlock.edges.environments.wheel_contents import compare_with_wheels
from envlock.model.locked.integrity import Damage, Flaw, Inventory

BODY = b"# -*- coding: utf-8 -*-\nprint('a tool')\n"
LONG = b"#!/bin/sh\n# coding: utf-8\n'''exec' \"$(printf %b '/long')\" \"$0\" \"$@\"\n' '''\n"


def wheel(folder: Path) -> Path:
    """A wheel with one module, one script, and bytecode of who built it."""
    path = folder / "tool-1.0-py3-none-any.whl"
    members = {"tool.py": b"", "tool-1.0.data/scripts/tool": b"#!python\n" + BODY}
    members["__pycache__/tool.cpython-311.pyc"] = b"theirs"
    record = "".join(f"{name},sha256=theirs,6\n" if name.endswith("c") else f"{name},,\n" for name in members)
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in members.items():
            archive.writestr(name, content)
        archive.writestr("tool-1.0.dist-info/RECORD", record)
    return path


def installed(folder: Path, script: bytes) -> Path:
    """An environment that has it, with this script."""
    info = folder / "e/lib/python3.11/site-packages/tool-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "RECORD").write_text(
        "tool.py,,\n../../../bin/tool,,\n__pycache__/tool.cpython-311.pyc,sha256=theirs,6\n"
    )
    (info.parent / "__pycache__").mkdir()
    (info.parent / "__pycache__/tool.cpython-311.pyc").write_bytes(b"compiled here")
    (info.parent / "tool.py").touch()
    (folder / "e/bin").mkdir()
    (folder / "e/bin/tool").write_bytes(script)
    return folder / "e"


@pytest.mark.parametrize(
    ("script", "damage"),
    [
        (b"#!/e/bin/python\n" + BODY, None),
        (b"#!/e/bin/python3.7 -E\n" + BODY, None),
        (LONG + BODY, None),
        (LONG.replace(b"# coding: utf-8\n", b"") + BODY, None),
        (b"#!/e/bin/python\n" + BODY + b"import os\n", Damage.CHANGED),
        (b"#!/e/bin/python\nimport os\n" + BODY, Damage.CHANGED),
        (b"#!/bin/sh\nrm -rf /\n" + BODY, Damage.CHANGED),
        (BODY, Damage.CHANGED),
        (b"", Damage.CHANGED),
    ],
)
def test_all_of_a_script_but_its_launcher(script: bytes, damage: Damage | None, tmp_path: Path) -> None:
    count, flaws = compare_with_wheels(installed(tmp_path, script), [wheel(tmp_path)])
    assert count == 2
    assert [(flaw.path, flaw.damage) for flaw in flaws] == ([("bin/tool", damage)] if damage else [])


def test_a_script_that_is_gone(tmp_path: Path) -> None:
    prefix = installed(tmp_path, BODY)
    (prefix / "bin/tool").unlink()
    _, flaws = compare_with_wheels(prefix, [wheel(tmp_path)])
    assert [flaw.damage for flaw in flaws] == [Damage.MISSING]


@pytest.mark.parametrize("gone", ["bin/start", "INSTALLER", "RECORD"])
def test_what_the_installer_made_must_be_there(gone: str, tmp_path: Path) -> None:
    prefix = installed(tmp_path, b"#!/e/bin/python\n" + BODY)
    info = prefix / "lib/python3.11/site-packages/tool-1.0.dist-info"
    with (info / "RECORD").open("a") as record:
        record.write("../../../bin/start,,\ntool-1.0.dist-info/INSTALLER,,\ntool-1.0.dist-info/RECORD,,\n")
    for made in (prefix / "bin/start", info / "INSTALLER"):
        made.touch()
    assert compare_with_wheels(prefix, [wheel(tmp_path)])[1] == ()
    lost = prefix / gone if "/" in gone else info / gone
    lost.unlink()
    _, flaws = compare_with_wheels(prefix, [wheel(tmp_path)])
    assert (str(lost.relative_to(prefix)), Damage.MISSING) in [(flaw.path, flaw.damage) for flaw in flaws]


def test_a_hash_of_another_kind_is_not_taken_for_a_sha256(tmp_path: Path) -> None:
    """A RECORD may have any of hashlib's that is no weaker (Binary distribution format specification)."""
    prefix, path = installed(tmp_path, b"#!/e/bin/python\n" + BODY), wheel(tmp_path)
    with zipfile.ZipFile(path) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    digest = urlsafe_b64encode(hashlib.sha512(b"").digest()).rstrip(b"=")
    record = "tool-1.0.dist-info/RECORD"
    members[record] = members[record].replace(b"tool.py,,", b"tool.py,sha512=" + digest + b",0")
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    assert compare_with_wheels(prefix, [path])[1] == ()


def test_what_the_wheel_has_counts_whatever_its_record_says(tmp_path: Path) -> None:
    """PyTorch 1.9.1's largest library was made smaller after its RECORD had been written."""
    path = tmp_path / "thing-1.0-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("thing.py", b"one\n")
        record = "thing.py,sha256=AAAA,3\ngone.py,sha256=AAAA,3\nthing-1.0.dist-info/RECORD,,\n"
        archive.writestr("thing-1.0.dist-info/RECORD", record)
    prefix = tmp_path / "env"
    site = prefix / "lib/python3.11/site-packages"
    (site / "thing-1.0.dist-info").mkdir(parents=True)
    (site / "thing-1.0.dist-info/RECORD").write_text(record)
    (site / "thing.py").write_bytes(b"one\n")
    assert compare_with_wheels(prefix, [path]) == (1, ())
    (site / "thing.py").write_bytes(b"two\n")
    (site / "gone.py").write_bytes(b"")
    assert {(one.path.rpartition("/")[2], one.damage) for one in compare_with_wheels(prefix, [path])[1]} == {
        ("thing.py", Damage.CHANGED),
        ("gone.py", Damage.FOREIGN),
    }


def two_with_tests(folder: Path) -> tuple[Path, list[Path]]:
    """An environment of two wheels that both have ``tests/__init__.py``; that of the second is there."""
    site, wheels = folder / "e/lib/python3.11/site-packages", list[Path]()
    for name in ("a", "b"):
        content, info = f"# {name}\n".encode(), site / f"{name}-1.0.dist-info"
        digest = urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
        record = f"tests/__init__.py,sha256={digest},{len(content)}\n"
        info.mkdir(parents=True)
        (info / "RECORD").write_text(record)
        (site / "tests").mkdir(exist_ok=True)
        (site / "tests/__init__.py").write_bytes(content)
        wheels.append(folder / f"{name}-1.0-py3-none-any.whl")
        with zipfile.ZipFile(wheels[-1], "w") as archive:
            archive.writestr("tests/__init__.py", content)
            archive.writestr(f"{name}-1.0.dist-info/RECORD", record)
    (folder / "e/bin").mkdir()
    (folder / "e/bin/python").touch()
    return folder / "e", wheels


def inventory_of(prefix: Path) -> Inventory:
    return take_inventory(prefix, NewEnvironment(installed_records(prefix), present_files(prefix)))


def test_a_file_of_two_distributions_is_that_of_one_of_them(tmp_path: Path) -> None:
    """An environment of both was damaged from the beginning, could not be repaired, and never be restored."""
    prefix, wheels = two_with_tests(tmp_path)
    expected, inventory = {"a": "1.0", "b": "1.0"}, inventory_of(prefix)
    assert compare_with_wheels(prefix, wheels) == (2, ())
    assert examine(prefix, expected, inventory) == ()
    file = prefix / "lib/python3.11/site-packages/tests/__init__.py"
    file.write_text("# c\n")
    path = str(file.relative_to(prefix))
    both = tuple(Flaw(distribution=name, path=path, damage=Damage.CHANGED) for name in expected)
    assert compare_with_wheels(prefix, wheels)[1] == both
    assert examine(prefix, expected, inventory) == both


def test_what_somebody_installed_besides_does_not_excuse_a_change(tmp_path: Path) -> None:
    prefix, _ = two_with_tests(tmp_path)
    damages = {(one.distribution, one.damage) for one in examine(prefix, {"a": "1.0"}, inventory_of(prefix))}
    assert damages == {("a", Damage.CHANGED), ("b", Damage.FOREIGN)}
