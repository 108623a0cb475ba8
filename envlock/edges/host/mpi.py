"""The MPI installations of the machine: family and version as their launchers report them."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from envlock.edges.host.tools import Ask, ForEach, ask, is_tool, tool_folders
from envlock.edges.visible import is_file, is_folder
from envlock.model.project.target import Offer

_LAUNCHERS = ("mpirun", "mpiexec", "mpirun.openmpi", "mpirun.mpich", "mpiexec.hydra")
_USUAL = (
    "/usr/bin",
    "/usr/local/bin",
    "/usr/lib64/openmpi/bin",
    "/usr/lib64/mpich/bin",
    "/usr/lib64/mvapich2/bin",
    "/opt/openmpi*/bin",
    "/opt/mpich*/bin",
    "/opt/mvapich2*/bin",
    "/opt/intel/oneapi/mpi/latest/bin",
    "/opt/intel/impi/*/intel64/bin",
)
_OPENMPI = r"\(Open(?: MPI|RTE)\) (\d[\w.]*)"
_INTEL = r"Intel\(R\) MPI Library.*?Version (\d+(?:\.\d+)*)(?: Update (\d+))?"
_HYDRA = r"HYDRA build details:\s+Version:\s+(\d[\w.]*)"
_OMPI_THREADS = r"(?m)^option:threads:.*MPI_THREAD_MULTIPLE: (yes|no)"
_OMPI_CUDA = r"(?m)^mca:\w+:base:param:(?:opal|mpi)_built_with_cuda_support:value:(true|false)"
_MPICH_THREADS = r"--enable-threads=(\w+)"
_MPICH_CUDA = r"--(?:with|enable)-cuda(?!=no)"
_MVAPICH = r"MVAPICH2? Version:\s+(\d[\w.]*)"

_NO_PLUGINS = {"OMPI_MCA_mca_base_component_disable_dlopen": "1"}
"""``ompi_info`` is not asked for parameters of plugins: opening them, which looks for networks, took 0.22 of
its 0.23 s."""


def find_mpis(environ: Mapping[str, str], for_each: ForEach, ask: Ask = ask) -> tuple[Offer, ...]:
    """Return all MPI installations, those on ``PATH`` first; each once, whatever its launchers are called."""
    found: dict[tuple[str, str, str], Offer] = {}
    for offer in for_each(lambda launcher: _offer(launcher, environ, ask), _launchers(environ)):
        if offer is not None:
            found.setdefault((offer.component, offer.version, offer.prefix), offer)
    return tuple(found.values())


def parse_launcher(text: str) -> tuple[str, str] | None:
    """Return component and version from ``mpirun --version``; ``None`` for an unknown family.

    Open MPI, Intel MPI and Hydra name themselves. Intel's ``2019 Update 8`` is its version 2019.8.
    """
    if match := re.search(_OPENMPI, text):
        return "openmpi", match[1]
    if match := re.search(_INTEL, text):
        return "intelmpi", f"{match[1]}.{int(match[2])}" if match[2] else match[1]
    if match := re.search(_HYDRA, text):
        return "mpich", match[1]
    return None


def parse_mpichversion(text: str) -> tuple[str, str] | None:
    """Return MVAPICH2 and its version from ``mpichversion``; ``None`` for MPICH itself.

    From release 3 on it calls itself MVAPICH (Spack's package ``mvapich``, ``determine_version``).
    """
    match = re.search(_MVAPICH, text)
    return ("mvapich2", match[1]) if match else None


def parse_ompi_info(text: str) -> dict[str, str]:
    """Return thread level and GPU buffer support from ``ompi_info --parsable --all``.

    ``option:threads`` says whether MPI_THREAD_MULTIPLE was built in; without it the level is serialized.
    """
    found = {}
    if match := re.search(_OMPI_THREADS, text):
        found["mpi-threads"] = "multiple" if match[1] == "yes" else "serialized"
    if match := re.search(_OMPI_CUDA, text):
        found["mpi-cuda"] = "yes" if match[1] == "true" else "no"
    return found


def parse_configure_options(text: str) -> dict[str, str]:
    """Return the same from the configure options that ``mpichversion`` prints.

    MPICH grants MPI_THREAD_MULTIPLE unless ``--enable-threads`` says less, and takes GPU buffers if it was
    built ``--with-cuda`` (MVAPICH2: ``--enable-cuda``).
    """
    if "configure" not in text:
        return {}
    level = re.search(_MPICH_THREADS, text)
    threads = level[1] if level and level[1] in {"single", "funneled", "serialized"} else "multiple"
    return {"mpi-threads": threads, "mpi-cuda": "yes" if re.search(_MPICH_CUDA, text) else "no"}


def include_folders(text: str) -> tuple[Path, ...]:
    """Return the include folders in the output of ``mpicc -show``."""
    return tuple(Path(match) for match in re.findall(r"-I\s*(\S+)", text))


def intel_variables(prefix: Path) -> dict[str, str]:
    """Return what Intel MPI's own ``mpivars`` script sets besides the paths of its prefix."""
    root = prefix.parent if prefix.name == "intel64" else prefix
    variables = {"I_MPI_ROOT": str(root)}
    if is_folder(prefix / "lib/release"):
        variables["LD_LIBRARY_PATH"] = f"{prefix}/lib/release"
    return variables


def _launchers(environ: Mapping[str, str]) -> Iterator[Path]:
    asked = set()
    for folder in tool_folders(environ, _USUAL):
        for name in _LAUNCHERS:
            launcher = folder / name
            if is_tool(launcher) and launcher.resolve() not in asked:
                asked.add(launcher.resolve())
                yield launcher


def _offer(launcher: Path, environ: Mapping[str, str], ask: Ask) -> Offer | None:
    folder = launcher.parent
    # Intel's launcher is a script that looks for its Hydra on PATH.
    env = {**environ, "PATH": f"{folder}{os.pathsep}{environ.get('PATH', '')}"}
    said = parse_launcher(ask([str(launcher), "--version"], env))
    if said is not None and said[0] == "mpich":
        # MVAPICH2 launches with MPICH's Hydra, which tells its own version and not the library's.
        said = parse_mpichversion(ask([str(folder / "mpichversion")], env)) or said
    if said is None:
        return None
    prefix = folder.parent
    note = f"{launcher.name} --version"
    properties = _properties(said[0], folder, env, ask)
    if not _has_headers(folder, prefix, env, ask):
        note += "; without header files, so nothing can be built against it"
        properties["mpi-headers"] = "no"
    return Offer(
        component=said[0],
        version=said[1],
        prefix=str(prefix),
        variables=intel_variables(prefix) if said[0] == "intelmpi" else {},
        note=note,
        properties=properties,
    )


def _properties(component: str, folder: Path, env: Mapping[str, str], ask: Ask) -> dict[str, str]:
    """Return an installation's thread level and GPU buffer support, as far as it tells them."""
    if component == "openmpi":
        command = [str(folder / "ompi_info"), "--parsable", "--all"]
        return parse_ompi_info(ask(command, {**env, **_NO_PLUGINS}))
    if component in {"mpich", "mvapich2"}:
        return parse_configure_options(ask([str(folder / "mpichversion")], env))
    return {"mpi-threads": "multiple"} if component == "intelmpi" else {}


def _has_headers(folder: Path, prefix: Path, env: Mapping[str, str], ask: Ask) -> bool:
    compiler = folder / "mpicc"
    if not is_tool(compiler):
        return False
    places = (prefix / "include", *include_folders(ask([str(compiler), "-show"], env)))
    return any(is_file(place / "mpi.h") for place in places)
