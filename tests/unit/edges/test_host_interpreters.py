from __future__ import annotations

import json
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from packaging.markers import default_environment
from packaging.tags import cpython_tags

from envlock.edges.host.interpreters import abi_tag, ask_interpreter, find_interpreters, parse_answer
from envlock.model.project.target import Interpreter

OURS = Path(sys.executable).resolve()


@pytest.mark.parametrize(
    ("suffix", "tag"),
    [
        (".cpython-37m-x86_64-linux-gnu.so", "cp37m"),
        (".cpython-313t-aarch64-linux-gnu.so", "cp313t"),
        (".cpython-38-x86_64-linux-musl.so", "cp38"),
        (".pypy39-pp73-x86_64-linux-gnu.so", ""),
    ],
)
def test_abi_tags(suffix: str, tag: str) -> None:
    assert abi_tag(suffix) == tag


def test_our_own_interpreter_says_what_packaging_says_of_it() -> None:
    interpreter = ask_interpreter(OURS)
    assert interpreter is not None
    assert interpreter.markers == default_environment()
    assert interpreter.version == sys.version.split()[0]
    assert interpreter.abi == next(cpython_tags()).abi


def test_an_answer_is_json_whatever_the_machine_calls_itself() -> None:
    strange = 'a "quoted" \\ back\tslash, caf\u00e9 and \udce9'
    renamed = f"class system: machine = release = sysname = version = {strange!a}"
    asked: list[str] = []
    find_interpreters(
        {"PATH": str(OURS.parent), "HOME": "/"}, map, lambda command: asked.extend(command) or ""
    )
    question = next(text for text in asked if "os.uname()" in text).replace("system = os.uname()", renamed)
    done = subprocess.run([OURS, "-I", "-S", "-c", question], check=True, capture_output=True, text=True)
    assert json.loads(done.stdout)["markers"]["platform_version"] == strange


@pytest.mark.parametrize("answer", ["", "pyenv: python3.8: command not found", "[]", '{"version": "3.7.16"}'])
def test_no_answer_is_no_interpreter(answer: str) -> None:
    assert parse_answer(Path("/usr/bin/python3"), answer) is None


def test_what_the_loader_says_beside_an_answer_hides_no_interpreter() -> None:
    complaint = "ERROR: ld.so: object 'libxalt.so' from LD_PRELOAD cannot be preloaded: ignored.\n"
    answer = _answer("3.9.18", ".cpython-39-x86_64-linux-gnu.so", "cpython")
    for said in (f"{answer}\n{complaint}", complaint + answer):
        found = parse_answer(OURS, said)
        assert found is not None
        assert found == parse_answer(OURS, answer)


def test_other_implementations_and_too_old_ones_are_left_out() -> None:
    assert parse_answer(OURS, _answer("3.9.18", ".pypy39-pp73-x86_64-linux-gnu.so", "pypy")) is None
    assert parse_answer(OURS, _answer("3.5.10", ".cpython-35m-x86_64-linux-gnu.so", "cpython")) is None
    assert parse_answer(OURS, _answer("3.6.15", ".cpython-36m-x86_64-linux-gnu.so", "cpython")) is not None


def test_interpreters_are_found_once_in_all_places_newest_first(tmp_path: Path) -> None:
    old = _fake(
        tmp_path / "pyenv/versions/3.7.16/bin/python3.7", "3.7.16", ".cpython-37m-x86_64-linux-gnu.so"
    )
    (old.parent / "python3").symlink_to(old)
    new = _fake(tmp_path / "uv/cpython-3.12/bin/python3.12", "3.12.1", ".cpython-312-x86_64-linux-gnu.so")
    newer = _fake(tmp_path / "path/python3.10", "3.10.13", ".cpython-310-x86_64-linux-gnu.so")
    _fake(tmp_path / "path/python3.10-config", "3.10.13", ".cpython-310-x86_64-linux-gnu.so")
    _fake(tmp_path / "pyenv/shims/python3.9", "3.9.1", ".cpython-39-x86_64-linux-gnu.so")
    _fake(tmp_path / "venv/bin/python3.8", "3.8.1", ".cpython-38-x86_64-linux-gnu.so")
    (tmp_path / "venv/pyvenv.cfg").touch()
    broken = tmp_path / "path/python3.11"
    broken.write_text("#!/bin/sh\nexit 127\n")
    broken.chmod(0o755)
    found = _found(tmp_path)
    assert [(one.path, one.version, one.abi) for one in found] == [
        (str(new), "3.12.1", "cp312"),
        (str(newer), "3.10.13", "cp310"),
        (str(old), "3.7.16", "cp37m"),
    ]


def _found(root: Path) -> list[Interpreter]:
    """The interpreters below one folder; the machine that runs the tests has others."""
    environ = {
        "PATH": os.pathsep.join(str(root / name) for name in ("path", "pyenv/shims", "venv/bin")),
        "PYENV_ROOT": str(root / "pyenv"),
        "UV_PYTHON_INSTALL_DIR": str(root / "uv"),
    }
    with ThreadPoolExecutor(4) as pool:
        return [one for one in find_interpreters(environ, pool.map) if one.path.startswith(str(root))]


def _answer(version: str, suffix: str, implementation: str) -> str:
    markers = {"implementation_name": implementation}
    return json.dumps({"version": version, "suffix": suffix, "markers": markers})


def _fake(path: Path, version: str, suffix: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\necho '{_answer(version, suffix, 'cpython')}'\n")
    path.chmod(0o755)
    return path


def test_a_link_to_itself_is_no_interpreter(tmp_path: Path) -> None:
    (tmp_path / "python3").symlink_to("python3")
    asked: list[str] = []
    find_interpreters({"PATH": str(tmp_path), "HOME": "/"}, map, lambda command: asked.extend(command) or "")
    assert not [word for word in asked if word.startswith(str(tmp_path))]


def test_the_modules_without_which_an_interpreter_does_not_start(tmp_path: Path) -> None:
    folder = tmp_path / "Python/3.12.1/bin"
    folder.mkdir(parents=True)
    (folder / "python3.12").write_text("")
    (folder / "python3.12").chmod(0o755)
    environ = {"HOME": str(tmp_path), "PATH": str(folder), "LD_LIBRARY_PATH": "/apps/lib"}
    answer = _answer("3.12.1", ".cpython-312-x86_64-linux-gnu.so", "cpython")

    def modules(loaded: str, *, alone: bool = False) -> tuple[str, ...]:
        def ask(command, env=None):
            started = env is None or "LD_LIBRARY_PATH" in env or alone
            return answer if command[0].startswith(str(tmp_path)) and started else ""

        variables = environ | ({"LOADEDMODULES": loaded} if loaded else {})
        (found,) = find_interpreters(variables, map, ask)
        return found.modules

    assert modules("GCCcore/13.2.0:Python/3.12.1-GCCcore-13.2.0") == ("Python/3.12.1-GCCcore-13.2.0",)
    assert modules("lang/cpython/3.12.1:gcc/12") == ("lang/cpython/3.12.1",)
    assert modules("stack/2024:gcc/12") == ("stack/2024", "gcc/12")  # which of them, nobody knows
    assert modules("Python/3.12.1", alone=True) == ()
    assert modules("") == ()
