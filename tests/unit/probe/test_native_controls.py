"""Negative controls with real shared objects: what is planted must be caught and named."""

from __future__ import annotations

import base64
import hashlib
import json
import os
import platform
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from envlock.probe.against_lock import _node
from envlock.probe.elf import Elf, exported_symbols
from envlock.probe.linking import Loader
from tests.patience import PATIENCE_S
from tests.toy_environment import ToyEnvironment, ToyVirtualEnvironment, write_plan

Run = Callable[..., dict[tuple[str, str], dict[str, Any]]]
pytestmark = [
    pytest.mark.processes,
    pytest.mark.skipif(shutil.which("gcc") is None, reason="no gcc on this machine"),
]
LOAD = "import ctypes, os\nHERE = os.path.dirname(__file__)\n"


def compiled(path: Path, source: str, *options: str) -> Path:
    """A shared object from C."""
    path.parent.mkdir(parents=True, exist_ok=True)
    code = path.with_suffix(".c")
    code.write_text(source)
    soname = [] if any("soname" in one for one in options) else [f"-Wl,-soname,{path.name}"]
    command = ["gcc", "-shared", "-fPIC", "-o", str(path), str(code), *soname, *options]
    subprocess.run(command, check=True, capture_output=True)
    code.unlink()
    return path


def package(toys: ToyEnvironment, name: str, source: str, *objects: Path) -> None:
    """A distribution of one module and shared objects inside its folder."""
    (toys.site / name).mkdir(exist_ok=True)
    (toys.site / name / "__init__.py").write_text(source)
    files = [f"{name}/__init__.py", *(str(one.relative_to(toys.site)) for one in objects)]
    toys.record(name, files)


def test_a_missing_library_is_named(one_process: Run, toys: ToyEnvironment, tmp_path: Path) -> None:
    gone = compiled(tmp_path / "lib" / "libgone.so.1", "int gone(void) { return 1; }")
    needy = compiled(
        toys.site / "needy" / "fast.so", "int gone(void); int f(void) { return gone(); }", str(gone)
    )
    package(toys, "needy", LOAD + 'ctypes.CDLL(os.path.join(HERE, "fast.so"))\n', needy)
    gone.unlink()
    checks = one_process("needy", only=("linking",))
    assert checks["P1", "imports"]["outcome"] == "failed"
    closure = checks["S2", "shared libraries"]
    assert closure["outcome"] == "failed"
    assert f"libgone.so.1, which {needy} needs" in closure["message"]


def test_a_missing_library_of_an_optional_part_only_warns(
    one_process: Run, toys: ToyEnvironment, tmp_path: Path
) -> None:
    gone = compiled(tmp_path / "lib" / "libgone.so.1", "int gone(void) { return 1; }")
    extra = compiled(
        toys.site / "fine" / "extra.so", "int gone(void); int f(void) { return gone(); }", str(gone)
    )
    package(toys, "fine", "", extra)
    gone.unlink()
    assert one_process("fine", only=("linking",))["S2", "shared libraries"]["outcome"] == "warned"


@pytest.mark.parametrize("chosen", [True, False])
def test_another_build_of_a_module_that_was_loaded(
    one_process: Run, toys: ToyEnvironment, tmp_path: Path, chosen: bool
) -> None:
    """A module that comes built for several MPIs, of which a node has one."""
    gone = compiled(tmp_path / "lib" / "libgone.so.1", "int gone(void) { return 1; }")
    suffix = sysconfig.get_config_var("EXT_SUFFIX")
    source = "int gone(void); int f(void) { return gone(); }"
    here = compiled(toys.site / "several" / f"MPI.here{suffix}", "int f(void) { return 1; }")
    other = compiled(toys.site / "several" / f"MPI.other{suffix}", source, str(gone))
    load = LOAD + f"ctypes.CDLL(os.path.join(HERE, {here.name!r}))\n"
    package(toys, "several", load if chosen else "", here, other)
    gone.unlink()
    check = one_process("several", only=("linking",))["S2", "shared libraries"]
    assert check["outcome"] == ("passed" if chosen else "warned")
    assert check["details"]["not_chosen"] == ([str(other)] if chosen else [])


@pytest.mark.parametrize(
    ("source", "outcome"),
    [("", "warned"), ("int hooks(void); int user(void) { return hooks(); }", "failed")],
    ids=["loaded on demand", "needed by another"],
)
def test_a_plug_in_of_a_distribution_without_modules(
    one_process: Run, toys: ToyEnvironment, tmp_path: Path, source: str, outcome: str
) -> None:
    """Of an MPI from a wheel: hooks for GPUs that are not here are no reason to refuse it."""
    gone = compiled(tmp_path / "lib" / "libgone.so.1", "int gone(void) { return 1; }")
    hooks = "int gone(void); int hooks(void) { return gone(); }"
    objects = [compiled(toys.site / "runtime" / "libhooks.so", hooks, str(gone))]
    if source:
        objects.append(compiled(toys.site / "runtime" / "libuser.so", source, str(objects[0])))
    toys.record("runtime", [str(one.relative_to(toys.site)) for one in objects])
    gone.unlink()
    check = one_process("runtime", only=("linking",))["S2", "shared libraries"]
    assert check["outcome"] == outcome
    assert f"libgone.so.1, which {objects[0]} needs" in check["message"]
    assert ("loaded on demand (no library needs them" in check["message"]) == (outcome == "warned")


def test_a_plug_in_is_not_to_blame_for_the_crash_of_another_package(
    one_process: Run, toys: ToyEnvironment, tmp_path: Path
) -> None:
    gone = compiled(tmp_path / "lib" / "libgone.so.1", "int gone(void) { return 1; }")
    hooks = "int gone(void); int hooks(void) { return gone(); }"
    one = compiled(toys.site / "runtime" / "libhooks.so", hooks, str(gone))
    toys.record("runtime", [str(one.relative_to(toys.site))])
    toys.install("crasher", "import os\nos.abort()\n")
    gone.unlink()
    check = one_process("runtime", "crasher", only=("linking",))["S2", "shared libraries"]
    assert check["outcome"] == "warned"


def test_an_extension_of_a_distribution_whose_import_was_not_tried(
    one_process: Run, toys: ToyEnvironment, tmp_path: Path
) -> None:
    gone = compiled(tmp_path / "lib" / "libgone.so.1", "int gone(void) { return 1; }")
    source = "int gone(void); void *PyInit_fast(void) { gone(); return 0; }"
    fast = compiled(toys.site / "runtime" / "libfast.so", source, str(gone))
    toys.record("runtime", [str(fast.relative_to(toys.site))])
    gone.unlink()
    assert one_process("runtime", only=("linking",))["S2", "shared libraries"]["outcome"] == "failed"


def test_a_library_that_is_too_old_is_named(one_process: Run, toys: ToyEnvironment, tmp_path: Path) -> None:
    old, new = tmp_path / "old.map", tmp_path / "new.map"
    old.write_text("TOY_1 { global: f; };\n")
    new.write_text("TOY_1 { global: f; };\nTOY_2 { global: g; } TOY_1;\n")
    body = "int f(void) { return 1; }\nint g(void) { return 2; }\n"
    library = compiled(toys.site / "needy" / "libtoy.so.1", body, f"-Wl,--version-script,{new}")
    user = "int g(void); int h(void) { return g(); }"
    needy = compiled(toys.site / "needy" / "fast.so", user, str(library), "-Wl,-rpath,$ORIGIN")
    compiled(library, body, f"-Wl,--version-script,{old}")
    package(toys, "needy", LOAD + 'ctypes.CDLL(os.path.join(HERE, "fast.so"))\n', needy, library)
    check = one_process("needy", only=("linking",))["S3", "symbol versions"]
    assert check["outcome"] == "failed"
    assert f"{needy} needs TOY_2, and {library} offers up to TOY_1" in check["message"]


def test_another_mpi_by_library_path_is_named(
    one_process: Run, toys: ToyEnvironment, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mine = compiled(toys.site / "mpi_toy" / "libmpi.so.40", "int mine;")
    other = compiled(tmp_path / "other" / "libmpi.so.40", "int other;")
    package(toys, "mpi_toy", 'import ctypes\nctypes.CDLL("libmpi.so.40")\n', mine)
    monkeypatch.setenv("LD_LIBRARY_PATH", str(other.parent))
    check = one_process("mpi_toy", only=("linking",))["P5", "provenance"]
    assert check["outcome"] == "failed"
    assert f"{other} in place of the environment's {mine}, by LD_LIBRARY_PATH" in check["message"]


def test_modules_of_other_packages_and_libraries_of_other_names_are_no_replacements(
    one_process: Run, toys: ToyEnvironment, tmp_path: Path
) -> None:
    """scikit-learn has a ``_random`` as Python has, and torchvision's zlib calls itself ``libz.so.1``."""
    mine = [
        compiled(toys.site / "learned" / "_random.so", "int mine;"),
        compiled(toys.site / "learned" / "libz.1328edc3.so.1", "int mine;", "-Wl,-soname,libz.so.1"),
    ]
    others = [
        compiled(tmp_path / "lib-dynload" / "_random.so", "int other;"),
        compiled(tmp_path / "lib" / "libz.so.1.2.13", "int other;", "-Wl,-soname,libz.so.1"),
    ]
    load = LOAD + "".join(f'ctypes.CDLL("{other}")\n' for other in others)
    package(toys, "learned", load, *mine)
    check = one_process("learned", only=("linking",))["P5", "provenance"]
    assert check["outcome"] == "passed", check["message"]


def test_the_same_package_from_elsewhere_is_named(
    one_process: Run, toys: ToyEnvironment, tmp_path: Path
) -> None:
    mine = compiled(toys.site / "learned" / "_random.so", "int mine;")
    other = compiled(tmp_path / "learned" / "_random.so", "int other;")
    package(toys, "learned", LOAD + f'ctypes.CDLL("{other}")\n', mine)
    check = one_process("learned", only=("linking",))["P5", "provenance"]
    assert check["outcome"] == "failed"
    assert f"{other} in place of the environment's {mine}" in check["message"]


def test_two_openmp_runtimes_are_named(one_process: Run, toys: ToyEnvironment) -> None:
    one = compiled(toys.site / "twice" / "libiomp5.so", "int one;")
    other = compiled(toys.site / "twice" / "libomp.so.5", "int other;")
    package(toys, "twice", LOAD + f'ctypes.CDLL("{one}"), ctypes.CDLL("{other}")\n', one, other)
    check = one_process("twice", only=())["P4", "OpenMP"]
    assert check["outcome"] == "failed"
    assert str(one) in check["message"]
    assert str(other) in check["message"]


def test_a_compiled_op_with_an_undefined_symbol_is_named(one_process: Run, toys: ToyEnvironment) -> None:
    framework = compiled(toys.site / "framework" / "libframework.so.1", "int gone(void) { return 1; }")
    op = compiled(
        toys.site / "extra" / "op.so", "int gone(void); int f(void) { return gone(); }", str(framework)
    )
    compiled(framework, "int other(void) { return 1; }")
    package(toys, "framework", LOAD + f'ctypes.CDLL("{framework}")\n', framework)
    package(toys, "extra", "", op)
    check = one_process("framework", "extra", only=("compiled-ops",))["P7", "compiled ops"]
    assert check["outcome"] == "failed"
    assert "extra: " in check["message"]
    assert "undefined symbol: gone" in check["message"]


@pytest.mark.parametrize("name", ["libcuda.so.7", "libze_loader.so.1"])
def test_a_compiled_op_that_needs_the_driver_says_nothing_on_a_node_without(
    one_process: Run, toys: ToyEnvironment, tmp_path: Path, name: str
) -> None:
    framework = compiled(toys.site / "framework" / "libframework.so.1", "int there(void) { return 1; }")
    driver = compiled(tmp_path / "driver" / name, "int cu(void) { return 1; }")
    calls = "int cu(void); int there(void); int f(void) { return cu() + there(); }"
    on_gpus = compiled(toys.site / "extra" / "on_gpus.so", calls, str(driver), str(framework))
    plain = compiled(
        toys.site / "extra" / "plain.so", "int there(void); int g(void) { return there(); }", str(framework)
    )
    driver.unlink()
    package(toys, "framework", LOAD + f'ctypes.CDLL("{framework}")\n', framework)
    package(toys, "extra", "", on_gpus, plain)
    check = one_process("framework", "extra", only=("compiled-ops",))["P7", "compiled ops"]
    assert check["outcome"] == "passed"
    assert check["message"].startswith("1 compiled files of extra load")
    assert "1 more need the GPU's driver" in check["message"]


@pytest.mark.parametrize(("source", "outcome"), [("", "passed"), ("raise OSError('none fits')\n", "failed")])
def test_a_variant_for_another_library_is_optional_where_its_package_imports(
    one_process: Run, toys: ToyEnvironment, tmp_path: Path, source: str, outcome: str
) -> None:
    """As TorchCodec's five, one for each major release of FFmpeg, of which a node has one."""
    framework = compiled(toys.site / "framework" / "libframework.so.1", "int there(void) { return 1; }")
    absent = compiled(tmp_path / "lib" / "libavutil.so.56", "int av(void) { return 1; }")
    calls = "int av(void); int there(void); int f(void) { return av() + there(); }"
    older = compiled(toys.site / "extra" / "core4.so", calls, str(absent), str(framework))
    absent.unlink()
    own = "int there(void); int g(void) { return there(); }"
    newer = compiled(toys.site / "extra" / "core7.so", own, str(framework))
    package(toys, "framework", LOAD + f'ctypes.CDLL("{framework}")\n', framework)
    package(toys, "extra", source, older, newer)
    check = one_process("framework", "extra", only=("compiled-ops",))["P7", "compiled ops"]
    assert check["outcome"] == outcome
    assert ("1 more need a library that is not here, which S2 tells" in check["message"]) == (not source)


@pytest.mark.parametrize(
    ("broken", "outcome"), [("0.9", "passed"), ("0_9_1", "passed"), ("1.0", "failed"), ("old", "failed")]
)
def test_a_variant_for_another_release_need_not_load(
    one_process: Run, toys: ToyEnvironment, broken: str, outcome: str
) -> None:
    """As DGL's adapters, one for each release of PyTorch, of which an environment has one."""
    framework = compiled(toys.site / "framework" / "libframework.so.1", "int gone(void) { return 1; }")
    old = compiled(
        toys.site / "extra" / f"adapter_{broken}.so",
        "int gone(void); int f(void) { return gone(); }",
        str(framework),
    )
    compiled(framework, "int there(void) { return 1; }")
    calls = "int there(void); int f(void) { return there(); }"
    new = compiled(toys.site / "extra" / "adapter_1.0.0.so", calls, str(framework))
    package(toys, "framework", LOAD + f'ctypes.CDLL("{framework}")\n', framework)
    package(toys, "extra", "", old, new)
    check = one_process("framework", "extra", only=("compiled-ops",))["P7", "compiled ops"]
    assert check["outcome"] == outcome
    assert ("1 more are variants for other releases" in check["message"]) == (outcome == "passed")


@pytest.mark.parametrize(("everybody", "outcome"), [("ctypes.RTLD_GLOBAL", "warned"), ("0", "passed")])
def test_a_clash_of_symbols_is_one_where_all_see_it(
    one_process: Run, toys: ToyEnvironment, everybody: str, outcome: str
) -> None:
    for name, mode in (("first", everybody), ("second", "0")):
        library = compiled(toys.site / name / f"{name}.so", "int clash_of_toys(void) { return 1; }")
        package(toys, name, LOAD + f'ctypes.CDLL("{library}", mode={mode})\n', library)
    check = one_process("first", "second", only=("symbols",))["P8", "exported symbols"]
    assert check["outcome"] == outcome
    assert ("clash_of_toys" in check["message"]) == (outcome == "warned")


def test_where_nothing_is_compiled_nothing_passes(one_process: Run, toys: ToyEnvironment) -> None:
    toys.install("plain", "")
    found = one_process("plain", only=("linking", "symbols"))
    names = (("S2", "shared libraries"), ("S3", "symbol versions"), ("P8", "exported symbols"))
    assert {found[name]["outcome"] for name in names} == {"not-applicable"}


def test_the_modules_of_one_package_have_no_order(one_process: Run, toys: ToyEnvironment) -> None:
    """``mpi4py.MPI`` imports ``mpi4py`` first, whichever is asked for first."""
    library = compiled(toys.site / "mpi4py" / "weight.so", "char weight[2097152] = {1};")
    (toys.site / "mpi4py" / "MPI.py").write_text("")
    package(toys, "mpi4py", LOAD + f'ctypes.CDLL("{library}")\nclass rc: initialize = True\n', library)
    check = one_process("mpi4py", only=("orders",))["P2", "import order"]
    assert check["outcome"] == "not-applicable"


@pytest.mark.parametrize("heavier", [("second",), tuple(f"heavy{number}" for number in range(6))])
def test_an_order_that_crashes_is_told_with_its_pair(
    one_process: Run, toys: ToyEnvironment, heavier: tuple[str, ...]
) -> None:
    """As of torchaudio, which is far from the heaviest and crashes TensorFlow."""
    names = ("first", *heavier, "third")
    for name in names:
        weight = f"char weight_{name}[{1 << 21 if name in ('first', 'third') else 1 << 22}] = {{1}};"
        library = compiled(toys.site / name / f"{name}.so", weight)
        reaction = "import sys\nif 'third' in sys.modules:\n    os.abort()\n" if name == "first" else ""
        package(toys, name, LOAD + f'ctypes.CDLL("{library}")\n' + reaction, library)
    check = one_process(*names, only=("orders",))["P2", "import order"]
    assert check["outcome"] == "warned"
    assert f"{', '.join(reversed(names))}: SIGABRT: importing first" in check["message"]
    assert "guilty: third before first: SIGABRT" in check["message"]


def test_a_changed_file_and_a_package_that_is_not_in_the_lock(one_process: Run, toys: ToyEnvironment) -> None:
    toys.install("there", "VALUE = 1\n")
    toys.install("stranger", "")
    assert "stranger" in one_process("there", only=("lock",))["S1", "lock and node"]["message"]
    (toys.site / "there-1.0.dist-info" / "RECORD").write_text("there/__init__.py,sha256=wrong,10\n")
    check = one_process("there", "stranger", only=("lock",))["S1", "lock and node"]
    assert check["outcome"] == "failed"
    assert "there/__init__.py has another content" in check["message"]


class Bare:
    """A virtual environment of toy distributions, and what the probe says of it."""

    def __init__(self, folder: Path, probe: Path) -> None:
        self.toys = ToyVirtualEnvironment(folder)
        self._folder, self._probe = folder, probe

    def check(self, identifier: str, *names: str, **expect: object) -> dict[str, Any]:
        """One check, with these distributions in the lock."""
        asked = [{"name": name, "version": "1.0"} for name in names]
        plan = write_plan(self._folder / "plan.json", distributions=asked, expect=expect, only=["lock"])
        out = self._folder / "out.json"
        command = [self.toys.python, str(self._probe), "one-process", "--plan", str(plan), "--out", str(out)]
        environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
        subprocess.run(command, env=environment, check=False, timeout=2 * PATIENCE_S)
        checks: list[dict[str, Any]] = json.loads(out.read_text())["checks"]
        return next(check for check in checks if check["id"] == identifier)


def test_what_nobody_recorded_and_python_would_run_is_named(probe: Path, tmp_path: Path) -> None:
    bare = Bare(tmp_path, probe)
    bare.toys.install("there", "")
    known = bare.toys.site / "_made.pth"
    known.write_text("")
    (bare.toys.site / "there" / "notes.txt").write_text("")
    (bare.toys.site / "there" / "__pycache__").mkdir(exist_ok=True)
    (bare.toys.site / "there" / "__pycache__" / "gone.cpython-399.pyc").write_bytes(b"")
    unowned = [str(known.relative_to(bare.toys.prefix))]
    passing = bare.check("S1", "there", unowned=unowned)
    assert passing["outcome"] == "passed", passing
    for stray in ("hooks.pth", "there/old.pyc", "sitecustomize.py"):
        (bare.toys.site / stray).write_text("")
        found = bare.check("S1", "there", unowned=unowned)
        assert found["outcome"] == "failed"
        told = f"{bare.toys.site / stray} belongs to no distribution, and was not there before"
        assert told in found["message"]
        (bare.toys.site / stray).unlink()


def test_what_was_published_with_a_wrong_record_counts_as_it_was(probe: Path, tmp_path: Path) -> None:
    bare = Bare(tmp_path, probe)
    bare.toys.install("there", "VALUE = 1\n")
    metadata = bare.toys.site / "there-1.0.dist-info" / "METADATA"
    record = metadata.with_name("RECORD")
    record.write_text(record.read_text() + f"{metadata.parent.name}/METADATA,sha256=abc,7\n")
    found = hashlib.sha256(metadata.read_bytes()).digest()
    published = {
        str(metadata.relative_to(bare.toys.prefix)): base64.urlsafe_b64encode(found).rstrip(b"=").decode()
    }
    assert bare.check("S1", "there")["outcome"] == "failed"
    assert bare.check("S1", "there", misrecorded=published)["outcome"] == "passed"
    metadata.write_text(metadata.read_text() + "More: 1\n")
    changed = bare.check("S1", "there", misrecorded=published)
    assert (changed["outcome"], "METADATA has another content" in changed["message"]) == ("failed", True)


def test_what_was_published_with_a_wrong_size_or_not_at_all_counts_so(probe: Path, tmp_path: Path) -> None:
    bare = Bare(tmp_path, probe)
    bare.toys.install("there", "VALUE = 1\n")
    module = next(path for path in bare.toys.site.rglob("*.py") if "VALUE" in path.read_text())
    record = bare.toys.site / "there-1.0.dist-info" / "RECORD"
    name = module.relative_to(bare.toys.site).as_posix()
    lines = [line for line in record.read_text().splitlines(keepends=True) if not line.startswith(name)]
    lines += [f"{name},sha256=abc,7\n", "gone.py,sha256=abc,7\n", "there-1.0.data/scripts/there,,\n"]
    record.write_text("".join(lines))
    found = base64.urlsafe_b64encode(hashlib.sha256(module.read_bytes()).digest()).rstrip(b"=").decode()
    site = bare.toys.site.relative_to(bare.toys.prefix).as_posix()
    message = bare.check("S1", "there")["message"]
    assert (f"{name} has" in message, "gone.py is missing" in message, ".data/" in message) == (
        True,
        True,
        False,
    )
    passing = bare.check("S1", "there", misrecorded={f"{site}/{name}": found, f"{site}/gone.py": ""})
    assert passing["outcome"] == "passed", passing


def test_another_python_fails_and_another_patch_release_of_it_is_told(probe: Path, tmp_path: Path) -> None:
    bare = Bare(tmp_path, probe)
    bare.toys.install("there", "")
    here = platform.python_version().rstrip("+")
    series = here.rpartition(".")[0]
    for python, outcome, told in (
        (here, "passed", "as installed"),
        (f"{series}.99", "warned", f"another patch release than the lock's {series}.99"),
        ("3.99.1", "failed", f"Python is {here} instead of 3.99.1"),
        (f"{series}.0rc1", "failed", f"Python is {here} instead of {series}.0rc1"),
    ):
        found = bare.check("S1", "there", python=python)
        assert (found["outcome"], told in found["message"]) == (outcome, True), found


def test_a_python_that_was_built_from_git_is_its_release(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(platform, "python_version", lambda: "3.11.5+")
    assert list(_node({"python": "3.11.5"})) == []
    assert list(_node({"python": "3.12.5"})) == ["Python is 3.11.5 instead of 3.12.5"]


def test_sources_that_are_edited_belong_and_others_do_not(probe: Path, tmp_path: Path) -> None:
    bare = Bare(tmp_path, probe)
    sources = tmp_path / "sources"
    sources.mkdir()
    (bare.toys.site / "__editable__.mine-1.0.pth").write_text(f"{sources}\n")
    bare.toys.record("mine", ["__editable__.mine-1.0.pth"])
    found = bare.check("S7", "mine", editable=["mine"])
    assert found["outcome"] == "passed"
    assert found["message"].endswith(f"sources that are edited: {sources}")
    found = bare.check("S7", "mine", editable=[])
    assert (found["outcome"], str(sources) in found["message"]) == ("failed", True)


def test_bytecode_that_a_wheel_brought_may_be_another(one_process: Run, toys: ToyEnvironment) -> None:
    toys.install("there", "VALUE = 1\n")
    record = toys.site / "there-1.0.dist-info" / "RECORD"
    record.write_text("there/__init__.py,,10\nthere/__pycache__/__init__.cpython-399.pyc,sha256=theirs,6\n")
    (toys.site / "there/__pycache__").mkdir(exist_ok=True)
    (toys.site / "there/__pycache__/__init__.cpython-399.pyc").write_bytes(b"compiled here")
    check = one_process("there", only=("lock",))["S1", "lock and node"]
    assert check["outcome"] != "failed", check["message"]
    record.write_text("there/__init__.py,,10\nthere/sourceless.pyc,sha256=theirs,6\n")
    check = one_process("there", only=("lock",))["S1", "lock and node"]
    assert "sourceless.pyc is missing" in check["message"]


def test_a_package_of_the_users_site_is_named(probe: Path, toys: ToyEnvironment, tmp_path: Path) -> None:
    python = getattr(sys, "_base_executable", sys.executable)
    release = f"python{sys.version_info[0]}.{sys.version_info[1]}"
    site = tmp_path / "user" / "lib" / release / "site-packages"
    site.parent.mkdir(parents=True)
    toys.install("toy", "", version="2.0")
    toys.site.rename(site)
    plan = write_plan(tmp_path / "plan.json", distributions=[{"name": "toy", "version": "1.0"}])
    out = tmp_path / "out.json"
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    command = [python, str(probe), "one-process", "--plan", str(plan), "--out", str(out)]
    subprocess.run(
        command,
        env={**environment, "PYTHONUSERBASE": str(tmp_path / "user")},
        check=False,
        timeout=PATIENCE_S,
    )
    text = out.read_text()
    assert f"{site} (the user's site-packages; set PYTHONNOUSERSITE=1)" in text
    assert "toy is 2.0 instead of 1.0" in text


def test_files_are_read_as_the_loader_does(tmp_path: Path) -> None:
    """Against ldd, which runs the loader itself."""
    libc = Elf(os.path.realpath(sys.executable))
    missing, unversioned, found = Loader("", {}).closure(libc.path)
    told = subprocess.run(["ldd", libc.path], capture_output=True, text=True, check=True).stdout
    by_ldd = {line.split("=>")[1].split()[0] for line in told.splitlines() if "=> /" in line}
    assert (missing, unversioned) == ([], [])
    assert {os.path.realpath(one) for one in found} == {os.path.realpath(one) for one in by_ldd}


def test_weak_hidden_undefined_and_absolute_symbols_are_not_exported(tmp_path: Path) -> None:
    versions = tmp_path / "versions"
    versions.write_text("TOY_1 { global: *; };\n")
    source = (
        "int shown(void) { return 1; }\n__attribute__((weak)) int weak(void) { return 1; }\n"
        '__attribute__((visibility("hidden"))) int hidden(void) { return 1; }\nint puts(const char *);\n'
        'int uses(void) { return puts("x"); }\n'
    )
    toy = compiled(tmp_path / "libtoy.so", source, f"-Wl,--version-script={versions}")
    names = exported_symbols(str(toy))
    assert {b"shown", b"uses"} <= names
    assert not {b"weak", b"hidden", b"puts", b"TOY_1"} & names
