"""Build a wheel from an sdist, in an environment of exactly the pinned wheels and systems."""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path

from packaging.utils import InvalidWheelFilename, parse_wheel_filename

from envlock.edges.building import many_compilers
from envlock.edges.building.backends import program_command
from envlock.edges.building.forgotten_headers import add_forgotten_headers
from envlock.edges.building.library_paths import with_own_paths
from envlock.edges.building.parallelism import compilers_at_a_time
from envlock.edges.building.source_trees import edit_sources, set_versioneer_prefix, unpack_sdist
from envlock.edges.environments.activation import activation, with_variables
from envlock.edges.environments.records import PACKAGES
from envlock.edges.environments.uv_installs import UV_OPTIONS, clean_variables, uv_program
from envlock.edges.environments.virtual_environments import create_environment, is_build_of
from envlock.edges.files import UNWRITTEN
from envlock.edges.log_files import appended, both_ends
from envlock.edges.modules import with_modules
from envlock.edges.program_errors import KEPT_LINES, last_lines
from envlock.edges.subprocesses import run_logged
from envlock.model.errors import SurroundingsError
from envlock.model.knowing.recipe import BuildFailure
from envlock.model.knowing.source_edit import encode_edits
from envlock.model.locked.pinned import modules_of
from envlock.model.locked.pins import DistributionPin, SystemPin
from envlock.model.project.target import Interpreter

_TIMEOUT_S = 12 * 3600.0
"""FlashAttention and vLLM take hours on a few processors; a batch job that hangs ends at its own limit."""
_SEE_LOG = "the log holds all output"
_COMPILERS = re.compile(r":\d+: (fatal )?error: |undefined reference|cannot find -l")
"""A compiler's or linker's errors; before them, a build may have listed at length what it can do without."""
_TELLING = re.compile(
    r"\berror\b|not found|must be installed|\w+(Error|NotFound):|^\s*cause:",
    re.IGNORECASE,
)
_USELESS = re.compile(
    r"^\s*(error: command .* failed(?!: No such)|\[std|hint:|\$ )|Werror|-error"
    # what uv says of every failed build
    r"|^error: Failed to build |^\s*cause: (The build backend returned an error|Call to .* failed \()"
)

_TELLING_VERSIONS = (
    *("SETUPTOOLS_SCM_PRETEND_VERSION", "PBR_VERSION", "PDM_BUILD_SCM_VERSION"),
    *("POETRY_DYNAMIC_VERSIONING_BYPASS", "UV_DYNAMIC_VERSIONING_BYPASS"),
)

# The caller's flags are not part of a build's key, so they must not affect the build either.
_FLAGS = frozenset({"CC", "CXX", "FC", "CFLAGS", "CXXFLAGS", "CPPFLAGS", "LDFLAGS", "MPICC", "MPICXX"})


def build_key(
    *,
    pin: DistributionPin,
    interpreter: Interpreter,
    inputs: Mapping[str, str],
    systems: Sequence[SystemPin],
    compiler: str,
    glibc: str,
) -> str:
    """Return the key of a build's result: whatever could change the result changes the key. Pure.

    Args:
        pin: what to build, with its plan.
        interpreter: the interpreter to build for.
        inputs: the wheels of the build environment, file name -> sha256; for a wheel that was itself built
            here, the key of that build.
        systems: the system components to build against.
        compiler: the compiler's version.
        glibc: the C library that the lock is for: what is linked to a newer one does not load.
    """
    document: dict[str, object] = {
        "source": pin.file.sha256,
        "python": [interpreter.version, interpreter.abi, interpreter.markers.get("platform_machine", "")],
        "inputs": sorted(inputs.items()),
        "systems": sorted(
            [system.component, system.version, system.prefix, system.distribution, *system.modules]
            for system in systems
        ),
        "variables": sorted((pin.build.variables if pin.build else {}).items()),
        "compiler": compiler,
        "glibc": glibc,
    }
    if pin.build and pin.build.edits:
        document["edits"] = encode_edits(pin.build.edits)
    digest = hashlib.sha256(json.dumps(document, sort_keys=True).encode()).hexdigest()
    return f"{pin.name}-{pin.version}-{digest[:32]}"


def build_wheel(
    *,
    pin: DistributionPin,
    sdist: Path,
    interpreter: Interpreter,
    build_wheels: Sequence[Path],
    against_wheels: Sequence[Path],
    systems: Sequence[SystemPin],
    work: Path,
    log: Path,
    failures: Sequence[BuildFailure] = (),
    environ: Mapping[str, str] = os.environ,
    on_line: Callable[[str], None] | None = None,
) -> Path:
    """Build a wheel, with the tree's backend or with its ``setup.py`` alone, and return its path in ``work``.

    Args:
        pin: what to build, with its plan.
        sdist: its source archive, whose hash was checked before.
        interpreter: the interpreter to build for.
        build_wheels: the wheels of the plan's ``requires``.
        against_wheels: the chosen wheels of the plan's ``against``, and of their dependencies.
        systems: the system components to build against.
        work: an empty folder for the build environment and the result.
        log: the file that keeps all output.
        failures: known signs of failure in the output of builds.
        environ: the caller's variables; those that steer Python or compilers are left out.
        on_line: called with each line of output.

    Raises:
        SurroundingsError: ``build-failed``, also if the wheel has another version; or what creating the build
            environment or loading a module raises.
    """
    prefix, results = work / "environment", work / "results"
    wheels = tuple({wheel.name: wheel for wheel in (*build_wheels, *against_wheels)}.values())
    create_environment(prefix, interpreter=interpreter, wheels=wheels, log=log, on_line=on_line)
    source = _sources(pin, sdist, work / "source")
    loaded = with_modules(environ, modules_of(systems))
    variables = build_variables(loaded, prefix=prefix, systems=systems, pin=pin)
    if (source / "setup.py").is_file():
        _let_many_compile(next(prefix.glob(PACKAGES)))
        variables[many_compilers.AT_A_TIME] = str(compilers_at_a_time())
    run_build = partial(run_logged, env=variables, log=log, on_line=on_line, timeout_s=_TIMEOUT_S)
    _run_mended(partial(_run, run_build, source, prefix, results), pin, source, log, failures)
    wheel = _only_wheel(pin, results, log)
    with_own_paths(wheel, prefix=prefix, packages=next(prefix.glob(PACKAGES)), log=log)
    return wheel


def _let_many_compile(packages: Path) -> None:
    """Register a plug-in for setuptools in a build environment, as an installed distribution does."""
    name = "envlock_many_compilers"
    shutil.copyfile(many_compilers.__file__, packages / f"{name}.py")
    metadata = packages / f"{name}-1.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1\n", "ascii")
    (metadata / "entry_points.txt").write_text(
        f"[{many_compilers.ENTRY_POINTS}]\n{name} = {name}:use_many\n", "ascii"
    )


def _sources(pin: DistributionPin, sdist: Path, folder: Path) -> Path:
    """Unpack an sdist, and edit its tree as the plan says.

    uv would unpack it inside the folder for the result, which setuptools before 41.0.1 deletes before it
    writes the wheel there.
    """
    try:
        source = unpack_sdist(sdist, folder)
        edit_sources(source, pin.build.edits if pin.build else ())
        set_versioneer_prefix(source)
    except ValueError as error:
        raise SurroundingsError("build-failed", f"{pin.file.filename}: {error}", where=str(sdist)) from error
    return source


def _run(run_build: Callable[..., None], source: Path, prefix: Path, results: Path) -> None:
    """Build a tree with its backend; if that fails, with its ``setup.py`` if that was meant as a program."""
    command = [uv_program(), "build", "--wheel", "--no-build-isolation", "--no-index"]
    command += ["--python", str(prefix / "bin/python"), "--out-dir", str(results), *UV_OPTIONS, str(source)]
    try:
        run_build(command, cwd=results.parent)
    except SurroundingsError as error:
        program = program_command(source, prefix, results)
        if error.code != "tool-failed" or program is None:
            raise
        run_build(program, cwd=source)


def _run_mended(
    run: Callable[[], None], pin: DistributionPin, source: Path, log: Path, failures: Iterable[BuildFailure]
) -> None:
    """Run a build, again as long as a compiler misses standard headers, which are then included."""
    while True:
        begin = log.stat().st_size  # before that are builds that failed earlier
        try:
            return run()
        except SurroundingsError as error:
            if error.code in UNWRITTEN:
                raise
            added = (
                add_forgotten_headers(both_ends(log, begin), source) if error.code == "tool-failed" else []
            )
            if not added:
                raise _failure(pin, error, begin, failures) from error
        with appended(log) as append:
            append("".join(f"forgotten, and added for this build: {what}\n" for what in added))


def _only_wheel(pin: DistributionPin, results: Path, log: Path) -> Path:
    """Return the wheel that a build left, if it has the locked version."""
    wheel = next(results.glob("*.whl"), None)
    if wheel is None:
        why, hint = "its build succeeded, but left no wheel", _SEE_LOG
    else:
        try:
            declared = str(parse_wheel_filename(wheel.name)[1])
        except InvalidWheelFilename as error:
            raise _not_built(pin, str(log), f"its build made {wheel.name}: {error}", _SEE_LOG) from None
        if is_build_of(declared, pin.version):
            return wheel
        why = f"{pin.file.filename} was locked as {pin.version}, and the wheel declares version {declared}"
        hint = "write [sources] NAME = { ..., version = ... } with the version that it declares"
    raise _not_built(pin, str(log), why, hint)


def build_variables(
    environ: Mapping[str, str], *, prefix: Path, systems: Sequence[SystemPin], pin: DistributionPin
) -> dict[str, str]:
    """Return the variables of a build: its environment activated, then what the plan sets. Pure."""
    base = {name: value for name, value in clean_variables(environ).items() if name not in _FLAGS}
    if pin.file.direct:
        base |= version_variables(pin.version)
    active = activation({**base, "CCACHE_DISABLE": "1"}, prefix=prefix, systems=systems)
    return with_variables(active, pin.build.variables if pin.build else {}, prefix=str(prefix))


def version_variables(version: str) -> dict[str, str]:
    """Return variables that tell backends a version which they would otherwise ask the repository for.

    https://setuptools-scm.readthedocs.io/en/latest/overrides/, https://docs.openstack.org/pbr/latest/user/,
    https://backend.pdm-project.org/metadata/, https://github.com/mtkennerly/poetry-dynamic-versioning and
    https://github.com/ninoseki/uv-dynamic-versioning.
    """
    return dict.fromkeys(_TELLING_VERSIONS, version)


def error_lines(lines: Sequence[str]) -> list[str]:
    """Return the lines of a build's output that say why it failed: the first errors, or else the end."""
    errors = [line for line in lines if _COMPILERS.search(line) and not _USELESS.search(line)] or [
        line for line in lines if _TELLING.search(line) and not _USELESS.search(line)
    ]
    shown = list(dict.fromkeys(line.strip() for line in errors))[:KEPT_LINES]
    return shown or last_lines([line for line in lines if not _USELESS.search(line)])


def known_hint(lines: Sequence[str], failures: Iterable[BuildFailure]) -> str:
    """Return what to do about a failed build, from the known reason in its output; empty if there is none."""
    text = "\n".join(lines)
    return next((advice for failure in failures if (advice := failure.advice(text)) is not None), "")


def _failure(
    pin: DistributionPin, error: SurroundingsError, begin: int, failures: Iterable[BuildFailure]
) -> SurroundingsError:
    """Return the error for a failed build, explained by its log from a byte on."""
    if error.code != "tool-failed":
        return error
    lines = both_ends(Path(error.where), begin).splitlines()
    # The lock keeps the release until something tells it otherwise.
    another = f'{_SEE_LOG}; for another release: constraints = ["{pin.component}!={pin.version}"]'
    hint = known_hint(lines, failures) or (_SEE_LOG if pin.file.direct else another)
    return _not_built(pin, error.where, "\n".join(error_lines(lines)), hint)


def _not_built(pin: DistributionPin, log: str, why: str, hint: str) -> SurroundingsError:
    message = f"{pin.name} {pin.version} could not be built"
    return SurroundingsError("build-failed", message, where=log, why=why, hint=hint)
