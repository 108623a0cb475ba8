from __future__ import annotations

import shutil
import sys
import time
import zipfile
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
import uv

from envlock.edges.environments import uv_installs
from envlock.edges.environments.uv_installs import clean_variables, uv_program
from envlock.edges.environments.virtual_environments import check_installed, create_environment, installed
from envlock.edges.host.interpreters import ask_interpreter
from envlock.edges.subprocesses import run
from envlock.model.errors import SurroundingsError
from tests.patience import PATIENCE_S

pytestmark = pytest.mark.processes


@pytest.fixture(autouse=True)
def _caches_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of envlock and of uv; on one file system with the environments, as links need it."""
    monkeypatch.setenv("ENVLOCK_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("UV_CACHE_DIR", str(tmp_path / "uv"))


INTERPRETER = ask_interpreter(Path(sys.executable).resolve())


@pytest.mark.parametrize("when", ["before", "meanwhile"])
def test_a_wheel_that_is_removed_meanwhile_is_told(
    when: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wheels = [_wheel(tmp_path, "tiny", "1.0"), _wheel(tmp_path, "other", "2.0")]
    run_uv = uv_installs.run_uv

    def pruned(prefix: Path, arguments: Sequence[str], **more: Any) -> None:
        wheels[1].unlink(missing_ok=True)
        run_uv(prefix, arguments, **more)

    monkeypatch.setattr(uv_installs, "run_uv", pruned)
    if when == "before":
        wheels[1].unlink()
    assert INTERPRETER is not None
    with pytest.raises(SurroundingsError) as caught:
        create_environment(
            tmp_path / "environment", interpreter=INTERPRETER, wheels=wheels, log=tmp_path / "log"
        )
    assert (caught.value.code, caught.value.where) == ("file-vanished", str(wheels[1]))


def test_an_environment_holds_exactly_its_wheels(tmp_path: Path) -> None:
    wheels = [_wheel(tmp_path, "Tiny_Thing", "1.0"), _wheel(tmp_path, "other", "2.0+cpu")]
    prefix = tmp_path / "environment"
    assert INTERPRETER is not None
    pool = tmp_path / "bytecode"
    create_environment(prefix, interpreter=INTERPRETER, wheels=wheels, log=tmp_path / "log", bytecode=pool)
    assert installed(prefix) == {"tiny-thing": "1.0", "other": "2.0+cpu"}
    program = (
        "import tiny_thing, sys, site; print(sys.prefix, site.ENABLE_USER_SITE, tiny_thing.__spec__.cached)"
    )
    answer = run(
        [str(prefix / "bin/python"), "-c", program], env={"PYTHONNOUSERSITE": "1"}, timeout_s=PATIENCE_S
    )
    where, user_site, cached = answer.stdout.split()
    assert (where, user_site) == (str(prefix), "False")
    assert Path(cached).is_file()
    assert not list(prefix.rglob("direct_url.json"))


def test_environments_share_the_files_of_a_wheel(tmp_path: Path) -> None:
    wheel = _wheel(tmp_path, "tiny", "1.0")
    assert INTERPRETER is not None
    for name in ("one", "two"):
        create_environment(tmp_path / name, interpreter=INTERPRETER, wheels=[wheel], log=tmp_path / "log")
    one, two = (next((tmp_path / name).rglob("tiny.py")) for name in ("one", "two"))
    assert one.samefile(two)


@pytest.mark.parametrize("purged", ["*", "*/tiny.py", "*/tiny-1.0.dist-info/RECORD"])
def test_what_was_removed_from_uvs_cache_is_unpacked_anew(tmp_path: Path, purged: str) -> None:
    """As scratch file systems do with what was not used for weeks."""
    wheels = [_wheel(tmp_path, "tiny", "1.0"), _wheel(tmp_path, "other", "2.0")]
    assert INTERPRETER is not None
    create_environment(tmp_path / "one", interpreter=INTERPRETER, wheels=wheels, log=tmp_path / "log")
    found = list((tmp_path / "uv" / "archive-v0").glob(purged))
    assert found
    for path in found:
        shutil.rmtree(path) if path.is_dir() else path.unlink()
    made = create_environment(tmp_path / "two", interpreter=INTERPRETER, wheels=wheels, log=tmp_path / "log")
    assert sorted(one.name for one in made.records) == ["other", "tiny"]
    files = {file.path for one in made.records for file in one.files}
    assert files <= {*made.files, *(str(path) for path in (tmp_path / "two/bin").iterdir())}
    assert any(path.endswith("/tiny.py") for path in files)


def test_what_another_user_put_beside_a_wheel_is_not_installed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wheel = _wheel(tmp_path, "tiny", "1.0")
    assert INTERPRETER is not None

    def create(prefix: Path) -> list[str]:
        made = create_environment(prefix, interpreter=INTERPRETER, wheels=[wheel], log=tmp_path / "log")
        return sorted(path.removeprefix(str(prefix)) for path in made.files if path.endswith(".py"))

    whole = create(tmp_path / "one")
    (offer,) = (tmp_path / "cache/offered").iterdir()
    assert offer.stat().st_mode & 0o77 == 0
    planted = shutil.copy(wheel, tmp_path / "planted")
    with zipfile.ZipFile(planted, "a") as archive:
        archive.writestr("planted.py", "")
    (offer / wheel.name).unlink()
    shutil.copy(planted, offer / wheel.name)
    monkeypatch.setattr(uv_installs, "trusted_owners", lambda _: frozenset([offer.stat().st_uid + 1]))
    shutil.rmtree(tmp_path / "uv")
    assert create(tmp_path / "two") == whole


def test_a_file_that_a_wheel_names_and_has_not_is_not_waited_for(tmp_path: Path) -> None:
    wheel = _wheel(tmp_path, "tiny", "1.0", lacking=("tiny_tests.py",))
    assert INTERPRETER is not None
    made = create_environment(tmp_path / "e", interpreter=INTERPRETER, wheels=[wheel], log=tmp_path / "log")
    assert not any(path.endswith("tiny_tests.py") for path in made.files)
    assert "cache clean" not in (tmp_path / "log").read_text()


def test_an_environment_may_be_empty(tmp_path: Path) -> None:
    assert INTERPRETER is not None
    create_environment(tmp_path / "e", interpreter=INTERPRETER, wheels=[], log=tmp_path / "log")
    assert installed(tmp_path / "e") == {}


def test_a_wheel_for_another_interpreter_is_refused(tmp_path: Path) -> None:
    wheel = _wheel(tmp_path, "tiny", "1.0", tag="cp27-cp27m-linux_x86_64")
    assert INTERPRETER is not None
    with pytest.raises(SurroundingsError) as caught:
        create_environment(tmp_path / "e", interpreter=INTERPRETER, wheels=[wheel], log=tmp_path / "log")
    assert caught.value.code == "environment-failed"
    assert caught.value.where == str(tmp_path / "log")
    assert "tiny" in caught.value.why


def test_a_changed_environment_is_noticed(tmp_path: Path) -> None:
    site = tmp_path / "lib/python3.7/site-packages"
    for name, version in (("numpy", "1.18.5"), ("Surplus", "1")):
        (site / f"{name}-{version}.dist-info").mkdir(parents=True)
        metadata = f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n"
        (site / f"{name}-{version}.dist-info/METADATA").write_text(metadata)
    check_installed(tmp_path, {"numpy": "1.18.5", "surplus": "1.0"})
    with pytest.raises(SurroundingsError) as caught:
        check_installed(tmp_path, {"numpy": "1.18.1", "six": "1.16.0"})
    assert caught.value.code == "environment-differs"
    assert caught.value.why == (
        "numpy 1.18.5 instead of 1.18.1; six is missing instead of 1.16.0; surplus 1 instead of nothing"
    )


def test_builds_that_begin_side_by_side_look_for_uv_in_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    """In the first call sysconfig has no variables yet; a second thread must not see them half read."""
    known: list[str] = []

    def find() -> str:
        if not known:
            known.append("")
            time.sleep(0.05)
            known.append("uv")
        return known[-1]

    monkeypatch.setattr(uv, "find_uv_bin", find)
    with ThreadPoolExecutor(2) as pool:
        assert list(pool.map(lambda _: uv_program(), range(2))) == ["uv", "uv"]


def test_nothing_of_the_callers_steers_python_or_uv() -> None:
    environ = {"PYTHONPATH": "/x", "PIP_INDEX_URL": "x", "UV_INDEX": "x", "VIRTUAL_ENV": "/x", "PATH": "/bin"}
    assert clean_variables({**environ, "UV_CACHE_DIR": "/c"}) == {"PATH": "/bin", "UV_CACHE_DIR": "/c"}


def _wheel(
    folder: Path, name: str, version: str, tag: str = "py3-none-any", lacking: tuple[str, ...] = ()
) -> Path:
    wheel = folder / f"{name.lower()}-{version}-{tag}.whl"
    info = f"{name.lower()}-{version}.dist-info"
    with zipfile.ZipFile(wheel, "w") as archive:
        archive.writestr(f"{name.lower()}.py", "")
        archive.writestr(f"{name.lower()}_of_python2.py", "print 'such files are in many old wheels'")
        archive.writestr(f"{info}/METADATA", f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")
        archive.writestr(f"{info}/WHEEL", f"Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: {tag}\n")
        files = [*archive.namelist(), f"{info}/RECORD", *lacking]
        archive.writestr(f"{info}/RECORD", "".join(f"{file},,\n" for file in files))
    return wheel
