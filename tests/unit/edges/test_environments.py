from __future__ import annotations

import sys
import zipfile
from pathlib import Path

import pytest

from envlock.edges import bytecode
from envlock.edges.environments import check_installed, clean_variables, create_environment, installed
from envlock.edges.host.interpreters import ask_interpreter
from envlock.edges.module_listings import Listing, ModuleListings
from envlock.edges.subprocesses import run
from envlock.model.errors import SurroundingsError
from tests.patience import PATIENCE_S
from tests.unit.cli.conftest import write_wheel


@pytest.fixture(autouse=True)
def _caches_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of envlock and of uv; on one file system with the environments, as links need it."""
    monkeypatch.setenv("ENVLOCK_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("UV_CACHE_DIR", str(tmp_path / "uv"))


INTERPRETER = ask_interpreter(Path(sys.executable).resolve())


def test_an_environment_holds_exactly_its_wheels(tmp_path: Path) -> None:
    wheels = [_wheel(tmp_path, "Tiny_Thing", "1.0"), _wheel(tmp_path, "other", "2.0+cpu")]
    prefix = tmp_path / "environment"
    assert INTERPRETER is not None
    pool = tmp_path / "bytecode"
    create_environment(prefix, interpreter=INTERPRETER, wheels=wheels, log=tmp_path / "log", bytecode=pool)
    assert installed(prefix) == {"tiny-thing": "1.0", "other": "2.0+cpu"}
    program = "import tiny_thing, sys, site; print(sys.prefix, site.ENABLE_USER_SITE, tiny_thing.__cached__)"
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


def _whole(prefix: Path) -> dict[str, Path]:
    """Everything among the packages of an environment."""
    (site,) = prefix.glob("lib/python3.*/site-packages")
    return {str(path.relative_to(site)): path for path in site.rglob("*")}


def _made(tmp_path: Path, name: str, wheels: list[Path]) -> dict[str, Path]:
    assert INTERPRETER is not None
    prefix, pool = tmp_path / name, tmp_path / "pool"
    create_environment(prefix, interpreter=INTERPRETER, wheels=wheels, log=tmp_path / "log", bytecode=pool)
    return _whole(prefix)


def _recorded_wheels(folder: Path) -> list[Path]:
    """Wheels of one module each, whose RECORDs tell their hashes."""
    wheels = []
    for name in ("tiny", "other"):
        wheels.append(folder / f"{name}-1.0-py3-none-any.whl")
        write_wheel(wheels[-1], name, "1.0", (), f"name = {name!r}\n")
    return wheels


def test_bytecode_of_wheels_installed_before_is_laid_ahead(tmp_path: Path, monkeypatch) -> None:
    """The second environment is the first one's twin, and nothing is left to find out from RECORDs."""
    wheels = _recorded_wheels(tmp_path)
    first = _made(tmp_path, "first", wheels)
    monkeypatch.setattr(bytecode, "_modules", lambda *_: pytest.fail("a RECORD was gone through"))
    second = _made(tmp_path, "second", wheels)
    assert first.keys() == second.keys()
    compiled = [name for name in first if name.endswith((".pyc", ".py"))]
    assert len([name for name in compiled if name.endswith(".pyc")]) == 2
    assert all(first[name].samefile(second[name]) for name in compiled)


def test_what_was_laid_ahead_for_other_sources_is_put_right(tmp_path: Path, monkeypatch) -> None:
    """A listing is only a guess: of a module that changed, of one that is gone, and without a new one."""
    wheels = _recorded_wheels(tmp_path)
    first = _made(tmp_path, "first", wheels)
    real = ModuleListings.of

    def wrong(self: ModuleListings, wheel: str) -> Listing | None:
        found = real(self, wheel)
        assert found is not None
        [(folder, modules)] = found.folders
        if modules[0][0] == "tiny":
            return Listing("another", [(folder, []), ("gone/deep/", [("old", modules[0][1])])])
        (other,) = [path.stem for path in (tmp_path / "pool").rglob("*.pyc") if path.stem != modules[0][1]]
        return Listing("another", [(folder, [("other", other)])])

    with monkeypatch.context() as guessing:
        guessing.setattr(ModuleListings, "of", wrong)
        second = _made(tmp_path, "second", wheels)
    for made in (second, _made(tmp_path, "third", wheels)):
        assert made.keys() == first.keys()
        assert all(first[name].samefile(made[name]) for name in first if name.endswith(".pyc"))


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


def test_nothing_of_the_callers_steers_python_or_uv() -> None:
    environ = {"PYTHONPATH": "/x", "PIP_INDEX_URL": "x", "UV_INDEX": "x", "VIRTUAL_ENV": "/x", "PATH": "/bin"}
    assert clean_variables({**environ, "UV_CACHE_DIR": "/c"}) == {"PATH": "/bin", "UV_CACHE_DIR": "/c"}


def _wheel(folder: Path, name: str, version: str, tag: str = "py3-none-any") -> Path:
    wheel = folder / f"{name.lower()}-{version}-{tag}.whl"
    info = f"{name.lower()}-{version}.dist-info"
    with zipfile.ZipFile(wheel, "w") as archive:
        archive.writestr(f"{name.lower()}.py", "")
        archive.writestr(f"{name.lower()}_of_python2.py", "print 'such files are in many old wheels'")
        archive.writestr(f"{info}/METADATA", f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")
        archive.writestr(f"{info}/WHEEL", f"Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: {tag}\n")
        archive.writestr(f"{info}/RECORD", "")
    return wheel
