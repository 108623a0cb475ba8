from __future__ import annotations

import io
import sys
import tarfile
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest

from envlock.edges.building.builds import build_key, build_variables, build_wheel, error_lines, known_hint
from envlock.edges.environments.uv_installs import expected_of
from envlock.edges.host.interpreters import ask_interpreter
from envlock.model.errors import SurroundingsError
from envlock.model.knowing.source_edit import SourceEdit
from envlock.model.locked.pins import BuildPlan, DistributionPin, Origin, SystemPin
from envlock.model.project.target import Interpreter
from envlock.model.published.catalogue import DistFile
from tests.shipped import KNOWLEDGE

PLAN = BuildPlan(requires=(), against={}, systems={}, variables={})
EDIT = SourceEdit(file="backend.py", old="built = ", new="made = ")
PIN = DistributionPin(
    component="tiny",
    name="tiny",
    version="1.0",
    file=DistFile(filename="tiny-1.0.tar.gz", url="", sha256="ab" * 32),
    requires_python="",
    extras=(),
    dependencies=(),
    asked_by=(),
    facts=(),
    build=PLAN,
)
MPI = SystemPin(
    component="openmpi",
    version="4.1.4",
    origin=Origin.SITE,
    prefix="/opt/mpi",
    distribution="",
    modules=(),
    variables={},
    asked_by=(),
    facts=(),
)
PYTHON = Interpreter(path="/p", version="3.7.16", abi="cp37m", markers={"platform_machine": "x86_64"})
BACKEND = """
import os, shutil, sys, zipfile
def build_wheel(directory, config_settings=None, metadata_directory=None):
    if "DELETE" in os.environ:
        shutil.rmtree(directory)
        shutil.copytree(".", directory)
    if "FAIL" in os.environ:
        print("tiny.c:1:10: fatal error: mpi.h: No such file or directory")
        sys.exit(1)
    if "NEWER_GCC" in os.environ and "#include <limits>" not in open("tiny.cpp").read():
        print("tiny.cpp:1:14: error: 'numeric_limits' is not a member of 'std'")
        sys.exit(1)
    name = "tiny-1.0-py3-none-any.whl"
    with zipfile.ZipFile(os.path.join(directory, name), "w") as wheel:
        wheel.writestr("tiny.py", "built = %r" % os.environ["FLAVOUR"])
        wheel.writestr("tiny-1.0.dist-info/METADATA", "Metadata-Version: 2.1\\nName: tiny\\nVersion: 1.0\\n")
        wheel.writestr("tiny-1.0.dist-info/WHEEL", "Wheel-Version: 1.0\\nRoot-Is-Purelib: true\\n")
        wheel.writestr("tiny-1.0.dist-info/RECORD", "")
    return name
"""


EXECUTING = """
class _Legacy:
    def build_wheel(self, directory, config_settings=None, metadata_directory=None):
        exec(compile(open("setup.py").read(), "setup.py", "exec"), locals())
__legacy__ = _Legacy()
"""
PROGRAM = f"""
import sys
__builtins__.__NUMPY_SETUP__ = False
import builtins; assert builtins.__NUMPY_SETUP__ is False
command, option, directory = sys.argv[1:]
assert (command, option) == ("bdist_wheel", "--dist-dir")
{BACKEND}
build_wheel(directory)
"""


def _key(
    pin: DistributionPin = PIN,
    interpreter: Interpreter = PYTHON,
    inputs: tuple[tuple[str, str], ...] = (("setuptools.whl", "1"), ("torch.whl", "2")),
    systems: tuple[SystemPin, ...] = (MPI,),
    compiler: str = "12.2.0",
    glibc: str = "2.36",
) -> str:
    return build_key(
        pin=pin,
        interpreter=interpreter,
        inputs=dict(inputs),
        systems=systems,
        compiler=compiler,
        glibc=glibc,
    )


def test_a_key_is_readable_and_does_not_depend_on_order() -> None:
    assert _key().startswith("tiny-1.0-")
    assert _key(inputs=(("torch.whl", "2"), ("setuptools.whl", "1"))) == _key()


def test_whatever_could_change_a_build_changes_its_key() -> None:
    others = [
        _key(pin=replace(PIN, file=replace(PIN.file, sha256="cd" * 32))),
        _key(pin=replace(PIN, build=replace(PLAN, variables={"HOROVOD_WITH_MPI": "1"}))),
        _key(pin=replace(PIN, build=replace(PLAN, edits=(EDIT,)))),
        _key(pin=replace(PIN, build=replace(PLAN, edits=(replace(EDIT, new="other"),)))),
        _key(interpreter=replace(PYTHON, version="3.7.17")),
        _key(interpreter=replace(PYTHON, abi="cp37")),
        _key(interpreter=replace(PYTHON, markers={"platform_machine": "aarch64"})),
        _key(inputs=(("setuptools.whl", "1"), ("torch.whl", "3"))),
        _key(inputs=(("setuptools.whl", "1"),)),
        _key(systems=()),
        _key(systems=(replace(MPI, version="4.1.5"),)),
        _key(systems=(replace(MPI, prefix="/opt/other"),)),
        _key(systems=(replace(MPI, component="mpich"),)),
        _key(systems=(replace(MPI, modules=("OpenMPI/4.1.4-CUDA-12.1",)),)),
        _key(compiler="13.1.0"),
        _key(glibc="2.17"),
    ]
    assert len({_key(), *others}) == len(others) + 1


def test_a_build_sees_the_plan_and_the_chosen_mpi_and_not_the_callers_flags() -> None:
    variables = {"PATH": "{prefix}/extra", "HOROVOD_MPI_HOME": "{prefix}/mpi", "CFLAGS": "-include stdexcept"}
    pin = replace(PIN, build=replace(PLAN, variables=variables))
    environ = {"PATH": "/usr/bin", "CC": "icc", "CFLAGS": "-O0", "PYTHONPATH": "/x", "PIP_INDEX_URL": "x"}
    assert build_variables(environ, prefix=Path("/b"), systems=[MPI], pin=pin) == {
        "PATH": "/b/extra:/b/bin:/opt/mpi/bin:/usr/bin",
        "LD_LIBRARY_PATH": "/opt/mpi/lib64:/opt/mpi/lib",
        "VIRTUAL_ENV": "/b",
        "PYTHONNOUSERSITE": "1",
        "CCACHE_DISABLE": "1",
        "HOROVOD_MPI_HOME": "/b/mpi",
        "CFLAGS": "-include stdexcept",
    }


def test_the_telling_lines_are_the_errors_not_their_echo() -> None:
    lines = [
        "g++ -Werror -c op.cc",
        "op.cc:7:3: error: 'runtime_error' is not a member of 'std'",
        "op.cc:7:3: error: 'runtime_error' is not a member of 'std'",
        "error: command 'g++' failed with exit status 1",
        "hint: see the log",
    ]
    assert error_lines(lines) == ["op.cc:7:3: error: 'runtime_error' is not a member of 'std'"]
    probing = [
        "libraries openblas not found in ['/usr/lib']",
        "x.c:3:7: error: too few arguments",
        "error: Failed",
    ]
    assert error_lines(probing) == probing[1:2]
    assert error_lines(["one", "", "two"]) == ["one", "two"]
    assert error_lines(["reading", "Proj must be installed.", "bye"]) == ["Proj must be installed."]
    lacking = ["swigging Box2D.i", "error: command 'swig' failed: No such file or directory"]
    assert error_lines(lacking) == lacking[1:]
    fortran = ["customize Gnu95FCompiler", "numpy.distutils.fcompiler.CompilerNotFound: gnu95: f90 nor f77"]
    assert error_lines(fortran) == fortran[1:]


def test_what_uv_says_of_every_failed_build_does_not_hide_why() -> None:
    lines = [
        "$ uv build --wheel /s/foo-2.0",
        "Building wheel...",
        "this needs a licence",
        "error: Failed to build `/s/foo-2.0`",
        "  cause: The build backend returned an error",
        "  cause: Call to `setuptools.build_meta.build_wheel` failed (exit status: 1)",
        "hint: Build failures usually indicate a problem with the package or the build environment",
    ]
    assert error_lines(lines) == ["Building wheel...", "this needs a licence"]


def test_known_failures_have_a_hint() -> None:
    """Each line by its own entry, though several may find something in it."""
    failures = KNOWLEDGE.failures
    assert len({one.id for one in failures}) == len(failures) > 0
    for failure in failures:
        for example in failure.examples:
            assert known_hint(["before", example], failures) == failure.advice(example)
    lacking = known_hint(["setup.cc:3:10: fatal error: gsl/gsl_rng.h: No such file or directory"], failures)
    assert lacking.startswith("the node lacks gsl/gsl_rng.h")
    assert known_hint(["anything else"], failures) == ""


def test_a_wheel_is_built_with_the_plans_variables(tmp_path: Path) -> None:
    wheel = _build(tmp_path, {"FLAVOUR": "mpi"})
    assert expected_of([wheel]) == {"tiny": "1.0"}
    assert wheel.is_relative_to(tmp_path / "work")


def test_a_backend_may_delete_the_folder_for_the_wheel(tmp_path: Path) -> None:
    """As setuptools before 41.0.1 does, to put there what lies in the source tree's ``dist``."""
    wheel = _build(tmp_path, {"FLAVOUR": "mpi", "DELETE": "1"})
    assert expected_of([wheel]) == {"tiny": "1.0"}


def test_a_script_that_wants_to_be_the_program_is_run_as_one(tmp_path: Path) -> None:
    """As Bottleneck 1.2 and ctc-segmentation 1.6 want it: what setuptools executes is no program."""
    tools = _setuptools(tmp_path)
    sdist = _archive(tmp_path / "tiny-1.0.tar.gz", {"setup.py": PROGRAM})
    assert expected_of([_build_archive(tmp_path, sdist, {"FLAVOUR": "mpi"}, tools)]) == {"tiny": "1.0"}


def _setuptools(folder: Path) -> Path:
    """One whose backend executes the script, as that of setuptools does."""
    tools = folder / "setuptools-1-py3-none-any.whl"
    with zipfile.ZipFile(tools, "w") as wheel:
        wheel.writestr("setuptools/__init__.py", "")
        wheel.writestr("setuptools/build_meta.py", EXECUTING)
        wheel.writestr(
            "setuptools-1.dist-info/METADATA", "Metadata-Version: 2.1\nName: setuptools\nVersion: 1\n"
        )
        wheel.writestr("setuptools-1.dist-info/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\n")
        wheel.writestr("setuptools-1.dist-info/RECORD", "")
    return tools


def test_a_build_that_leaves_no_wheel_has_failed(tmp_path: Path) -> None:
    """As of a script that tells what to do instead, and ends well."""
    tools = _setuptools(tmp_path)
    sdist = _archive(tmp_path / "tiny-1.0.tar.gz", {"setup.py": "import sys; sys.exit(0)"})
    with pytest.raises(SurroundingsError) as caught:
        _build_archive(tmp_path, sdist, {}, tools)
    assert (caught.value.code, caught.value.why) == (
        "build-failed",
        "its build succeeded, but left no wheel",
    )


def test_what_is_no_source_archive_is_told(tmp_path: Path) -> None:
    (tmp_path / "tiny-1.0.tar.gz").write_bytes(b"not found")
    with pytest.raises(SurroundingsError, match="cannot be unpacked") as caught:
        _build_archive(tmp_path, tmp_path / "tiny-1.0.tar.gz", {})
    assert caught.value.code == "build-failed"


def test_sources_are_changed_as_the_plan_says_before_they_are_built(tmp_path: Path) -> None:
    wheel = _build(tmp_path, {"FLAVOUR": "mpi"}, EDIT)
    with zipfile.ZipFile(wheel) as archive:
        assert archive.read("tiny.py") == b"made = 'mpi'"


@pytest.mark.parametrize(
    "edit",
    [
        replace(EDIT, old="made = "),
        replace(EDIT, file="backends.py"),
        replace(EDIT, file="../../tiny-1.0.tar.gz"),
    ],
    ids=["text", "file", "outside"],
)
def test_sources_that_are_not_as_the_recipe_thought_are_not_built(tmp_path: Path, edit: SourceEdit) -> None:
    with pytest.raises(SurroundingsError, match="which is not there") as caught:
        _build(tmp_path, {"FLAVOUR": "mpi"}, edit)
    assert caught.value.code == "build-failed"


def test_a_failed_build_says_why_and_where(tmp_path: Path) -> None:
    with pytest.raises(SurroundingsError) as caught:
        _build(tmp_path, {"FAIL": "1"})
    error = caught.value
    assert (error.code, error.where) == ("build-failed", str(tmp_path / "tiny.log"))
    assert "mpi.h: No such file" in error.why
    assert "header files" in error.hint


def test_a_failed_build_does_not_tell_why_the_one_before_it_failed(tmp_path: Path) -> None:
    (tmp_path / "tiny.log").write_text("old.c:1:10: fatal error: Python.h: No such file or directory\n")
    with pytest.raises(SurroundingsError) as caught:
        _build(tmp_path, {"FAIL": "1"})
    assert "Python.h" not in caught.value.why
    assert "MPI's header files" in caught.value.hint
    assert "Python.h" in (tmp_path / "tiny.log").read_text()


def test_a_build_that_misses_a_standard_header_is_run_again_with_it(tmp_path: Path) -> None:
    """As of ripser 0.6.0 with GCC 11 and newer."""
    sources = {"tiny.cpp": "auto a = std::numeric_limits<int>::max();\n"}
    sdist = _sdist(tmp_path / "tiny-1.0.tar.gz", sources)
    _build_archive(tmp_path, sdist, {"FLAVOUR": "mpi", "NEWER_GCC": "1"})
    log = (tmp_path / "tiny.log").read_text()
    assert log.count("error: 'numeric_limits'") == 1
    assert "forgotten, and added for this build: tiny.cpp: #include <limits>\n" in log


def _build(folder: Path, variables: dict[str, str], *edits: SourceEdit) -> Path:
    return _build_archive(folder, _sdist(folder / "tiny-1.0.tar.gz"), variables, edits=edits)


def _build_archive(
    folder: Path, sdist: Path, variables: dict[str, str], *tools: Path, edits: tuple[SourceEdit, ...] = ()
) -> Path:
    interpreter = ask_interpreter(Path(sys.executable).resolve())
    assert interpreter is not None
    (folder / "work").mkdir()
    return build_wheel(
        pin=replace(PIN, build=replace(PLAN, variables=variables, edits=edits)),
        sdist=sdist,
        interpreter=interpreter,
        build_wheels=tools,
        against_wheels=[],
        systems=[],
        work=folder / "work",
        log=folder / "tiny.log",
        failures=KNOWLEDGE.failures,
    )


def _sdist(path: Path, more: dict[str, str] | None = None) -> Path:
    project = "[build-system]\nrequires = []\nbuild-backend = 'backend'\nbackend-path = ['.']\n"
    return _archive(path, {"pyproject.toml": project, "backend.py": BACKEND, **(more or {})})


def _archive(path: Path, files: dict[str, str]) -> Path:
    files |= {"PKG-INFO": "Name: tiny\nVersion: 1.0\n"}
    with tarfile.open(path, "w:gz") as archive:
        for name, text in files.items():
            entry = tarfile.TarInfo(f"tiny-1.0/{name}")
            entry.size = len(text)
            archive.addfile(entry, io.BytesIO(text.encode()))
    return path


def test_a_wheel_whose_name_no_standard_allows_is_told(tmp_path: Path) -> None:
    """Such as setuptools before 66 made of ``version="dev"``."""
    program = PROGRAM.replace('"tiny-1.0-py3', '"tiny-dev-py3')
    sdist = _archive(tmp_path / "tiny-1.0.tar.gz", {"setup.py": program})
    with pytest.raises(SurroundingsError) as caught:
        _build_archive(tmp_path, sdist, {"FLAVOUR": "mpi"}, _setuptools(tmp_path))
    assert caught.value.code == "build-failed"
    assert "tiny-dev-py3-none-any.whl" in caught.value.why
