"""What an environment's marker and its copy of the lock tell, for which nothing that makes one is needed."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from envlock.app.project import Project
from envlock.model.errors import RequestError, SurroundingsError

BUILDS = "builds"
"""In an environment's marker: distribution -> key of its build, under which the store has the log."""
INTERPRETER_MODULES = "interpreter-modules"
"""In an environment's marker: the modules without which its interpreter does not start, if any."""


def lock_copy(prefix: Path, group: str) -> Path:
    """Return where an environment keeps the lock that it was made from."""
    return prefix / f"pylock.{group}.toml"


def build_logs(project: Project, prefix: Path) -> Mapping[str, Path]:
    """Map each distribution built for an environment to its build log, if there is one."""
    built = _marker(project, prefix).get(BUILDS)
    logs = (
        {name: project.store.log(str(key)) for name, key in built.items()} if isinstance(built, dict) else {}
    )
    return {name: log for name, log in logs.items() if log.is_file()}


def interpreter_modules(project: Project, prefix: Path) -> tuple[str, ...]:
    """Return the modules without which an environment's interpreter does not start."""
    modules = _marker(project, prefix).get(INTERPRETER_MODULES)
    return tuple(map(str, modules)) if isinstance(modules, list) else ()


def _marker(project: Project, prefix: Path) -> Mapping[str, object]:
    try:
        return project.store.marker(prefix.name)
    except (RequestError, SurroundingsError):
        return {}  # `repair` reports a damaged marker
