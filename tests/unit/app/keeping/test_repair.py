"""What a repair compares an environment with, and whose environments it leaves alone."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from envlock.app.keeping import repair as module
from envlock.app.keeping.repair import Repair, repair
from envlock.app.making.create import lock_copy
from envlock.app.making.keys import environment_key
from envlock.app.project import Options, Project, open_project
from envlock.edges.environments.installed_files import take_inventory
from envlock.edges.environments.records import installed_records, present_files
from envlock.edges.environments.virtual_environments import NewEnvironment
from envlock.edges.lock_files import write_lock
from envlock.model.errors import RefusedError
from envlock.model.locked.integrity import Damage, encode_inventory
from envlock.model.progress import Silent
from envlock.model.published.catalogue import DistFile
from tests.locks import distribution, lock


class NoFiles:
    def local_file(self, file: DistFile) -> Path:
        raise AssertionError(file.filename)


def made(folder: Path, version: str, *, built: bool) -> Project:
    """A group whose environment has one distribution, in a version of its metadata folder."""
    (folder / "envlock.toml").write_text("[groups.g]\n")
    pin = distribution("vllm", "0.6.3", systems={"gcc": "12"} if built else None)
    file = write_lock(folder / "locks/local/pylock.g.toml", lock(pin, group="g"))
    project = open_project(Options(project=folder))

    def fill(prefix: Path) -> Mapping[str, object]:
        info = prefix / f"lib/python3.11/site-packages/vllm-{version}.dist-info"
        info.mkdir(parents=True)
        (info / "RECORD").touch()
        (prefix / "bin").mkdir()
        (prefix / "bin/python").touch()
        lock_copy(prefix, "g").write_bytes(file.path.read_bytes())
        new = NewEnvironment(installed_records(prefix), present_files(prefix))
        return encode_inventory(take_inventory(prefix, new))

    key = environment_key(file, folder)
    project.store.create(key, fill)
    project.store.switch("local", "g", key)
    return project


def looked(project: Project, *, dry_run: bool = True) -> Repair:
    return repair(project, "g", NoFiles(), Silent(), dry_run=dry_run)


@pytest.mark.parametrize(
    ("version", "built", "whole"),
    [
        ("0.6.3", True, True),
        ("0.6.3+cu124", True, True),
        ("0.6.4+cu124", True, False),
        ("0.6.3", False, True),
        ("0.6.3+cu124", False, False),
    ],
)
def test_a_build_may_name_what_it_was_made_for(
    tmp_path: Path, version: str, built: bool, whole: bool
) -> None:
    flaws = looked(made(tmp_path, version, built=built)).flaws
    assert [flaw.damage for flaw in flaws] == ([] if whole else [Damage.FOREIGN])


def test_the_environment_of_another_user_is_theirs_to_repair(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In a group's store: it is read-only, and only its owner may change that."""
    project = made(tmp_path, "0.6.4", built=False)
    monkeypatch.setattr(module, "who_alone_may_remove", lambda prefix: "ada")
    assert looked(project).left
    with pytest.raises(RefusedError, match="not yours to repair") as refused:
        looked(project, dry_run=False)
    assert "ask ada" in refused.value.hint
