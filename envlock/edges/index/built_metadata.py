"""Ask the build backend (PEP 517) for the metadata of an sdist that states none, in isolation.

Package code runs here, so it is confined: to an environment of exactly the wheels that the build needs,
without variables that steer tools from outside, without a network where the kernel lets users close it,
within a time limit, and only once for each content and each Python.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from functools import partial
from pathlib import Path

from packaging.utils import parse_sdist_filename

from envlock.analysis.core_metadata import Fields, read_fields
from envlock.edges.building.backends import UNUSABLE, backend_of, why_unusable
from envlock.edges.building.builds import version_variables
from envlock.edges.building.source_trees import unpack_sdist
from envlock.edges.cache import Cache
from envlock.edges.environments.uv_installs import clean_variables
from envlock.edges.environments.virtual_environments import create_environment
from envlock.edges.files import UNWRITTEN
from envlock.edges.host.tools import find_tool, tool_folders
from envlock.edges.index.kept_metadata import FIELDS_FORM
from envlock.edges.log_files import both_ends
from envlock.edges.program_errors import last_lines
from envlock.edges.subprocesses import run, run_logged
from envlock.model.errors import SurroundingsError
from envlock.model.project.target import Interpreter
from envlock.model.published.catalogue import DistFile

_KIND = "built-metadata"
_DEADLINE_S = 300.0
"""Time limit for one hook in seconds; setuptools on a cold disk takes a few."""
_EXCEPTION = re.compile(r"[A-Za-z_][\w.]*(?:Error|Exception|Exit)\b")
"""How the last line of a traceback begins."""
_PROXIES = {
    **dict.fromkeys(("http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY"), "http://127.0.0.1:9"),
    **dict.fromkeys(("all_proxy", "ALL_PROXY"), "http://127.0.0.1:9"),
    **dict.fromkeys(("no_proxy", "NO_PROXY"), ""),
}
"""The discard port: where the kernel cannot close the network, proxies at least lead nowhere."""


def backend_fields(
    cache: Cache, file: DistFile, sdist: Path, interpreter: Interpreter, wheels: Sequence[Path]
) -> Fields:
    """Return the fields that a build backend states, cached by the sdist's hash and the Python.

    Args:
        cache: where they are kept.
        file: the sdist, whose hash was checked.
        sdist: its path.
        interpreter: runs the backend; the target's own, because old sources ask which Python they run on.
        wheels: the build environment.

    Raises:
        SurroundingsError: ``metadata-failed``: the backend fails, takes too long, or cannot be run here.
    """
    key = f"{file.sha256} {interpreter.abi}"
    kept = cache.read_as(_KIND, key, FIELDS_FORM)
    if kept is not None:
        return Fields(**kept)
    import tempfile  # noqa: PLC0415 - few sdists have to be asked so

    try:
        with tempfile.TemporaryDirectory(prefix="envlock-metadata-") as folder:
            versions = version_variables(str(parse_sdist_filename(file.filename)[1])) if file.direct else {}
            log = Path(folder, "log")
            try:
                fields = _ask(sdist, interpreter, wheels, Path(folder), versions, log)
            except SurroundingsError as error:
                if error.code in UNWRITTEN:
                    raise
                raise _failed(file, _cause(error, log)) from error
    except UNUSABLE as error:
        raise _failed(file, why_unusable(error)) from error
    cache.write(_KIND, key, asdict(fields))
    return fields


def _ask(
    sdist: Path,
    interpreter: Interpreter,
    wheels: Sequence[Path],
    folder: Path,
    versions: Mapping[str, str],
    log: Path,
) -> Fields:
    prefix, result = folder / "environment", folder / "result"
    create_environment(prefix, interpreter=interpreter, wheels=wheels, log=log)
    source = unpack_sdist(sdist, folder / "source")
    caller = backend_of(source, prefix, partial(_run, environment=prefix, log=log, versions=versions))
    result.mkdir()
    folder_of_it = caller.prepare_metadata_for_build_wheel(str(result))
    return read_fields((result / folder_of_it / "METADATA").read_bytes())


def _run(
    command: Sequence[str],
    more: Mapping[str, str],
    cwd: Path,
    *,
    environment: Path,
    log: Path,
    versions: Mapping[str, str],
) -> None:
    variables = {
        **clean_variables(os.environ),
        **versions,
        "PATH": f"{environment / 'bin'}{os.pathsep}{os.environ.get('PATH', '')}",
        **_PROXIES,
        **more,
    }
    run_logged(
        [*_without_network(), *command],
        env=variables,
        cwd=cwd,
        log=log,
        timeout_s=_DEADLINE_S,
    )


def _without_network() -> tuple[str, ...]:
    """Return the command prefix for an empty network namespace; empty where users may not create one."""
    tool = find_tool("unshare", tool_folders(os.environ))
    if tool is None:
        return ()
    prefix = (str(tool), "--user", "--map-root-user", "--net")
    try:
        return prefix if run([*prefix, "true"], timeout_s=10.0).status == 0 else ()
    except SurroundingsError:
        return ()


def _cause(error: SurroundingsError, log: Path) -> str:
    """Return why a backend failed, in a line: what it raised last, or else the end of its output.

    What a backend's own processes print may come after the exception.
    """
    if error.code == "tool-timeout":
        return error.message
    lines = both_ends(log).splitlines() if log.is_file() else []
    raised = [line for line in lines if _EXCEPTION.match(line)]
    said = raised or (error.why or error.message).splitlines()
    return "".join(line.strip() for line in last_lines(said, 1))


def _failed(file: DistFile, why: str) -> SurroundingsError:
    return SurroundingsError(
        "metadata-failed",
        f"the build backend of {file.filename} does not report its dependencies",
        where=file.filename,
        why=why,
        hint="ask for a version that has a wheel",
    )
