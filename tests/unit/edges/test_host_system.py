from __future__ import annotations

import os
from pathlib import Path

import pytest

from envlock.edges.host.detect import detect_target
from envlock.edges.host.system import find_system_tools, version_in
from envlock.model.decode import Table
from envlock.model.project.target import decode_target, encode_target
from tests.shipped import KNOWLEDGE

MACHINES = Path(__file__).parents[3] / "fixtures" / "machines"
RECORDED = [
    (name, path) for name in ("gcc", "cmake", "slurm") for path in sorted((MACHINES / name).iterdir())
]


@pytest.mark.parametrize(("name", "path"), RECORDED, ids=[f"{name}-{path.stem}" for name, path in RECORDED])
def test_versions(name: str, path: Path) -> None:
    assert version_in(name, path.read_text()) == path.stem.replace("none", "")


def test_tools_are_those_first_on_path(tmp_path: Path) -> None:
    for place, version in (("first", "9.4.0"), ("second", "12.2.0")):
        tool = tmp_path / place / "bin/gcc"
        tool.parent.mkdir(parents=True)
        tool.write_text(f"#!/bin/sh\ncat '{MACHINES}/gcc/{version}.txt'\n")
        tool.chmod(0o755)
    (tmp_path / "second/bin/bazel").write_text("#!/bin/sh\necho bazel 6.4.0\n")
    (tmp_path / "second/bin/bazel").chmod(0o755)
    (tmp_path / "second/bin/sinfo").write_text("#!/bin/sh\nexit 1\n")
    (tmp_path / "second/bin/sinfo").chmod(0o755)
    environ = {"PATH": f"{tmp_path}/first/bin:{tmp_path}/gone:{tmp_path}/second/bin"}
    offers = find_system_tools(environ)
    assert [(one.component, one.version, one.prefix) for one in offers] == [
        ("gcc", "9.4.0", f"{tmp_path}/first"),
        ("bazel", "6.4.0", f"{tmp_path}/second"),
    ]


def test_this_machine_is_a_target_that_survives_its_codec() -> None:
    target = detect_target(KNOWLEDGE.detection, "node")
    assert target.name == "node"
    assert target.machine == os.uname().machine
    assert target.interpreters
    assert decode_target(Table(encode_target(target), file="target.json"), "node", ()) == target
