"""Source trees out of archives, and what is put right in them."""

from __future__ import annotations

import configparser
import os
import stat
import zipfile
from pathlib import Path

import pytest

from envlock.edges.building.source_trees import set_versioneer_prefix, unpack_sdist

TEMPLATE = 'git_refnames = "$' + 'Format:%d$"'
STATED = "[versioneer]\nVCS = git\nversionfile_source = tiny/_version.py\ntag_prefix = v\n"


def tree(folder: Path, setup_cfg: str, version_file: str) -> Path:
    made = folder / "tiny_tools-1.0"
    (made / "tiny").mkdir(parents=True)
    (made / "setup.cfg").write_text(setup_cfg)
    (made / "tiny/_version.py").write_text(version_file)
    return made


def test_versioneer_reads_the_folder_where_the_archive_was_packed_without_a_version(tmp_path: Path) -> None:
    others = "[metadata]\nname = tiny-tools\n[options.package_data]\nTiny = *.txt\n"
    made = tree(tmp_path, f"{others}{STATED}", TEMPLATE)
    set_versioneer_prefix(made)
    parser = configparser.ConfigParser()
    parser.read(made / "setup.cfg")
    assert "Tiny = *.txt" in (made / "setup.cfg").read_text()
    assert parser["versioneer"]["parentdir_prefix"] == "tiny_tools-"
    assert parser["versioneer"]["tag_prefix"] == "v"
    assert parser["metadata"]["name"] == "tiny-tools"


@pytest.mark.parametrize(
    ("setup_cfg", "version_file"),
    [
        (STATED, 'version_json = "1.0"'),
        (f"{STATED}parentdir_prefix = other-\n", TEMPLATE),
        ("[metadata]\nname = tiny\n", TEMPLATE),
        ("no section", TEMPLATE),
        (STATED.replace("tiny/", "gone/"), TEMPLATE),
    ],
)
def test_any_other_tree_is_as_it_was_packed(tmp_path: Path, setup_cfg: str, version_file: str) -> None:
    made = tree(tmp_path, setup_cfg, version_file)
    set_versioneer_prefix(made)
    assert (made / "setup.cfg").read_text() == setup_cfg


def test_a_program_in_a_zip_archive_may_be_run(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "alpha-1.0.zip", "w") as archive:
        for name, mode in (("configure", 0o755), ("setup.py", 0o644)):
            member = zipfile.ZipInfo(f"alpha-1.0/{name}")
            member.external_attr = (stat.S_IFREG | mode) << 16
            archive.writestr(member, "")
    made = unpack_sdist(tmp_path / "alpha-1.0.zip", tmp_path / "into")
    assert [os.access(made / name, os.X_OK) for name in ("configure", "setup.py")] == [True, False]


@pytest.mark.parametrize("beside", [(), ("package/__init__.py",)])
@pytest.mark.parametrize("named", ["setup.py", "pyproject.toml"])
def test_sources_that_lie_in_no_folder_are_taken_as_they_are(
    tmp_path: Path, named: str, beside: tuple[str, ...]
):
    """As in patch-1.16.zip."""
    with zipfile.ZipFile(tmp_path / "patch-1.16.zip", "w") as archive:
        for name in (named, "patch.py", *beside):
            archive.writestr(name, "")
    made = unpack_sdist(tmp_path / "patch-1.16.zip", tmp_path / "into")
    assert (made / "patch.py").is_file()
