"""Build editable wheels (PEP 660), which install links to a source folder instead of its files."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name, parse_wheel_filename
from pyproject_hooks import HookMissing

from envlock.edges.building.backends import UNUSABLE, backend_of, why_unusable
from envlock.edges.building.builds import build_variables, error_lines, known_hint
from envlock.edges.environments.virtual_environments import create_environment, installed
from envlock.edges.listings.marker_environments import Platform
from envlock.edges.subprocesses import run_logged
from envlock.model.errors import SurroundingsError
from envlock.model.knowing.recipe import BuildFailure
from envlock.model.locked.pins import DistributionPin
from envlock.model.project.target import Interpreter

_TIMEOUT_S = 1800.0


def build_editable_wheel(
    *,
    pin: DistributionPin,
    folder: Path,
    interpreter: Interpreter,
    build_wheels: Sequence[Path],
    work: Path,
    failures: Iterable[BuildFailure],
    log: Path,
    on_line: Callable[[str], None] | None = None,
) -> Path:
    """Build the wheel that links to a folder, and return its path in ``work``.

    Args:
        pin: what to build.
        folder: its sources.
        interpreter: the interpreter to build for.
        build_wheels: the wheels of the build environment.
        work: an empty folder for the build environment and the result.
        failures: the known reasons of failed builds.
        log: the file that keeps all output.
        on_line: called with each line of output.

    Raises:
        SurroundingsError: ``editable-failed``: the backend fails, or needs requirements that are not stated.
    """
    prefix, results = work / "environment", work / "results"
    create_environment(prefix, interpreter=interpreter, wheels=build_wheels, log=log, on_line=on_line)
    results.mkdir()
    variables = build_variables(os.environ, prefix=prefix, systems=(), pin=pin)

    def run(command: Sequence[str], more: Mapping[str, str], cwd: Path) -> None:
        run_logged(
            command, env={**variables, **more}, cwd=cwd, log=log, on_line=on_line, timeout_s=_TIMEOUT_S
        )

    try:
        backend = backend_of(folder, prefix, run)
        lacking = _lacking(backend.get_requires_for_build_editable(), prefix, interpreter)
        if lacking:
            why = f"it needs {', '.join(lacking)} for editable builds: add that to build-system.requires"
            raise _failed(pin, folder, why)
        wheel = results / backend.build_editable(str(results))
        name = parse_wheel_filename(wheel.name)[0]
    except HookMissing:
        raise _failed(pin, folder, "its build backend has no editable builds (PEP 660)") from None
    except UNUSABLE as error:
        raise _failed(pin, folder, why_unusable(error)) from error
    except SurroundingsError as error:
        if error.code != "tool-failed":
            raise
        lines = error.why.splitlines()
        raise _failed(pin, folder, "\n".join(error_lines(lines)), known_hint(lines, failures)) from error
    if name != pin.name:
        raise _failed(pin, folder, f"its build backend made a wheel of {name}")
    return wheel


def _lacking(requirements: Sequence[str], prefix: Path, interpreter: Interpreter) -> list[str]:
    """Return the requirements that apply to an environment's interpreter and that it does not meet."""
    there = installed(prefix)
    here = Platform(markers=interpreter.markers, python=interpreter.version)
    wanted = [asked for asked in map(Requirement, requirements) if here.meets(str(asked.marker or ""))]
    return [
        str(asked)
        for asked in wanted
        if (version := there.get(canonicalize_name(asked.name))) is None
        or not asked.specifier.contains(version, prereleases=True)
    ]


def _failed(pin: DistributionPin, folder: Path, why: str, hint: str = "") -> SurroundingsError:
    return SurroundingsError(
        "editable-failed",
        f"{pin.name} cannot be installed as editable",
        where=str(folder),
        why=why,
        hint=hint
        or "correct its pyproject.toml, or remove editable = true: then its content is locked and built",
    )
