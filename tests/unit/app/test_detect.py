from __future__ import annotations

from pathlib import Path

import pytest

from envlock.app.detect import detect, save_target
from envlock.app.project import Options, Project, open_project
from envlock.model.errors import RequestError
from tests.memory import machine


@pytest.fixture
def project(tmp_path: Path) -> Project:
    (tmp_path / "envlock.toml").write_text("[groups.a]\n")
    return open_project(Options(project=tmp_path))


def test_a_saved_target_can_be_chosen(project: Project):
    target = machine("3.11.7", driver="535.104.05", gpu_cc=["7.0", "8.0"])
    save_target(project, target, "gpu-node")
    again = open_project(Options(project=project.folder, target="gpu-node")).target()
    assert again.name == "gpu-node"
    assert again.interpreters == target.interpreters
    assert {(o.component, o.version) for o in again.offers} == {
        (o.component, o.version) for o in target.offers
    }


@pytest.mark.parametrize("name", ["local", "", "../up", "a b", ".x", "-x"])
def test_names_that_are_none(project: Project, name: str):
    before = Path(project.manifest.file).read_text()
    with pytest.raises(RequestError) as caught:
        save_target(project, machine(), name)
    assert caught.value.code == "invalid-target-name"
    assert Path(project.manifest.file).read_text() == before


def test_what_a_manifest_may_call_a_target_may_be_saved(project: Project):
    save_target(project, machine(), "V100.a")
    assert open_project(Options(project=project.folder, target="V100.a")).target().name == "V100.a"


def test_a_name_that_is_taken(project: Project):
    save_target(project, machine(), "gpu")
    with pytest.raises(RequestError) as caught:
        save_target(open_project(project.options), machine(), "gpu")
    assert caught.value.code == "target-exists"


def test_this_machine_is_a_target():
    target = detect()
    assert target.name == "local"
    assert target.machine
