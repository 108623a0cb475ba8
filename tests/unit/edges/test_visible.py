"""What this user may not look into is taken as not there, wherever a machine's variables name it."""

from __future__ import annotations

import configparser  # noqa: F401 - what reads pip's files imports it late, and nobody may import
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from envlock.edges.host.interpreters import find_interpreters
from envlock.edges.host.libraries import find_headers, find_libraries, find_unpacked
from envlock.edges.host.tools import find_tool, tool_folders
from envlock.edges.modules import module_command
from envlock.edges.pip_configuration import read_pip_configuration
from envlock.edges.subprocesses import run
from envlock.edges.visible import is_file, is_folder, is_nowhere, is_there, matching
from envlock.model.errors import SurroundingsError
from tests.shipped import KNOWLEDGE

SIGNS = KNOWLEDGE.detection

_NOBODY = 65534


@pytest.fixture
def closed(tmp_path: Path) -> Iterator[Path]:
    """A folder with a tool, header files and an interpreter that this user may not enter; root may any."""
    folder = tmp_path / "closed"
    for inside in (
        "bin/mpirun",
        "include/mpi.h",
        "versions/3.11/bin/python3.11",
        "libexec/lmod",
        "pip/pip.conf",
    ):
        path = folder / inside
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch(0o755)
    folder.chmod(0)
    is_root = os.geteuid() == 0
    if is_root:
        os.seteuid(_NOBODY)
    try:
        yield folder
    finally:
        if is_root:
            os.seteuid(0)
        folder.chmod(0o700)


def test_what_may_not_be_looked_into_is_not_there(closed: Path) -> None:
    with pytest.raises(PermissionError):
        os.stat(closed / "bin")  # noqa: PTH116 - pathlib's own answer differs between releases
    assert not is_folder(closed / "bin")
    assert not is_file(closed / "bin/mpirun")
    assert not is_there(closed / "bin/mpirun")
    assert matching(closed, "*/mpirun") == []
    path = f"{closed}/bin:/usr/bin:/bin"
    found = [is_nowhere(name, path) for name in ("mpirun-of-nobody", "sh", str(closed / "bin/mpirun"))]
    assert found == [True, False, False]


def test_a_machine_is_looked_at_however_much_of_it_is_closed(closed: Path) -> None:
    environ = {
        "PATH": str(closed / "bin"),
        "HOME": str(closed),
        "PYENV_ROOT": str(closed),
        "UV_PYTHON_INSTALL_DIR": str(closed / "versions"),
        "LD_LIBRARY_PATH": str(closed / "lib"),
        "CPATH": str(closed / "include"),
        "MODULESHOME": str(closed),
        "XDG_CONFIG_HOME": str(closed),
        "XDG_CONFIG_DIRS": str(closed),
    }
    assert tool_folders(environ) == ()
    assert find_tool("mpirun", [closed / "bin"]) is None
    asked: list[str] = []
    find_interpreters(environ, map, lambda command, _=None: str(asked.append(command[0])))
    assert not [path for path in asked if path.startswith(str(closed))]
    assert str(closed) not in str(
        [
            *find_libraries(SIGNS.libraries, environ),
            *find_headers(SIGNS.headers, environ),
            *find_unpacked(SIGNS.folders, environ),
        ]
    )
    assert module_command(environ) is None
    assert str(closed) not in str(read_pip_configuration(environ))


def test_a_program_that_is_nowhere_is_missing_also_where_a_folder_on_path_is_closed(closed: Path) -> None:
    with pytest.raises(SurroundingsError) as caught:
        run(["no-such-program"], env={"PATH": f"{closed}/bin:/usr/bin"}, timeout_s=10)
    assert caught.value.code == "tool-missing"
    assert run(["true"], env={"PATH": f"{closed}/bin:/usr/bin:/bin"}, timeout_s=10).status == 0


def test_matching_is_in_order_and_leaves_out_what_is_hidden(tmp_path: Path) -> None:
    for name in ("b.so", "a.so", ".c.so"):
        (tmp_path / name).touch()
    assert [path.name for path in matching(tmp_path, "*.so")] == ["a.so", "b.so"]


def test_of_several_installations_side_by_side_the_latest_comes_first(tmp_path: Path) -> None:
    for version in ("9.2", "11.8", "12.10", "12.9"):
        (tmp_path / f"cuda-{version}/bin").mkdir(parents=True)
    found = tool_folders({}, [f"{tmp_path}/cuda-*/bin"])
    assert [folder.parent.name for folder in found] == ["cuda-12.10", "cuda-12.9", "cuda-11.8", "cuda-9.2"]
