"""Libraries of the system that wheels load by name, or builds compile against, and do not bring."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from envlock.edges.looking import is_file, is_folder, is_there, matching
from envlock.model.target import Offer

_LOADER = Path("/etc/ld.so.cache")
_LOADED = {
    "libavformat": r"libavformat\.so\.\d+",
    "libigraph": r"libigraph\.so\.0",  # the interface of igraph 0.7
    "libsndfile": r"libsndfile\.so\.1",
    "libspatialindex": r"libspatialindex_c\.so\.\d+",
}
"""Component -> the names that the loader may look for, as a pattern."""
_COMPILED = {
    "alsa-headers": ("alsa/asoundlib.h",),
    "fftw": ("fftw3.h",),
    "geos": ("geos_c.h",),
    "graphviz-headers": ("graphviz/cgraph.h",),
    "hdf5": ("hdf5.h", "hdf5/serial/hdf5.h", "hdf5/openmpi/hdf5.h", "hdf5/mpich/hdf5.h"),
    "libgdal": ("gdal.h", "gdal/gdal.h"),
    "libmysqlclient": ("mysql/mysql.h", "mariadb/mysql.h"),
    "libnetcdf": ("netcdf.h",),
    "libsentencepiece": ("sentencepiece_processor.h",),
    "portaudio": ("portaudio.h",),
    "proj": ("proj.h", "proj_api.h"),
    "suitesparse": ("suitesparse/cholmod.h", "cholmod.h"),
}
"""Component -> the header files by which it is known, any of which will do."""
_TELLING = {"hdf5": ("H5public.h", r'#define\s+H5_VERS_INFO\s+"HDF5 library version: (\d+\.\d+\.\d+)')}
"""Component -> the header file beside that tells its version, and how: facts speak of that."""
_UNPACKED = {
    "mjpro150": ("MUJOCO_PY_MJPRO_PATH", "1.50"),
    "mujoco200": ("MUJOCO_PY_MUJOCO_PATH", "2.0"),
    "mujoco210": ("MUJOCO_PY_MUJOCO_PATH", "2.1.0"),
}
"""Component -> the variable that names its folder, and its version; else ``~/.mujoco`` has it by its name."""
_INCLUDES = (
    Path("/usr/local/include"),
    Path(f"/usr/include/{os.uname().machine}-linux-gnu"),
    Path("/usr/include"),
)
_INCLUDE_VARIABLES = ("CPATH", "C_INCLUDE_PATH", "CPLUS_INCLUDE_PATH")
_UNTOLD = "0"
"""The version of what is known by header files that are not read for one."""


def find_libraries(environ: Mapping[str, str], loader: Path = _LOADER) -> tuple[Offer, ...]:
    """The libraries that the loader finds, in the order of its search.

    Args:
        environ: whose ``LD_LIBRARY_PATH`` counts.
        loader: its list of libraries.
    """
    try:
        listed = loader.read_bytes()
    except OSError:
        listed = b""
    places = [Path(folder) for folder in environ.get("LD_LIBRARY_PATH", "").split(os.pathsep) if folder]
    return tuple(
        Offer(component=component, version=_version(path), note=str(path))
        for component, pattern in _LOADED.items()
        if (path := next(_found(pattern, places, listed), None))
    )


def _found(pattern: str, places: list[Path], listed: bytes) -> Iterator[Path]:
    named = (path for place in places for path in matching(place, "*.so.*"))
    yield from (path for path in named if re.fullmatch(pattern, path.name))
    for match in re.finditer(rb"/[^\0]*/" + pattern.encode() + rb"(?=\0)", listed):
        path = Path(os.fsdecode(match[0]))
        if is_there(path):
            yield path


def _version(path: Path) -> str:
    """What the file behind the name adds to it: ``libsndfile.so.1`` leads to ``libsndfile.so.1.0.35``."""
    return path.resolve().name.partition(".so.")[2] or path.name.partition(".so.")[2]


def find_headers(environ: Mapping[str, str], includes: Iterable[Path] = _INCLUDES) -> tuple[Offer, ...]:
    """The libraries whose header files a build finds.

    Args:
        environ: whose variables for compilers count, and whose ``PATH``: beside the programs of what a module
            or a conda environment brings lie its header files, which its ``-config`` program tells.
        includes: the compiler's own folders.
    """
    told = [folder for name in _INCLUDE_VARIABLES for folder in environ.get(name, "").split(os.pathsep)]
    beside = [
        Path(folder).parent / "include" for folder in environ.get("PATH", "").split(os.pathsep) if folder
    ]
    there = dict.fromkeys((*(Path(folder) for folder in told if folder), *beside, *includes))
    places = [place for place in there if is_folder(place)]
    return tuple(
        Offer(component=component, version=_told(component, path), note=str(path))
        for component, names in _COMPILED.items()
        if (path := next((place / name for place in places for name in names if is_file(place / name)), None))
    )


def _told(component: str, header: Path) -> str:
    """The version that a header file beside the one found tells."""
    name, pattern = _TELLING.get(component, ("", ""))
    if not name:
        return _UNTOLD
    try:
        text = header.with_name(name).read_text(encoding="utf-8", errors="replace")
    except OSError:
        return _UNTOLD
    match = re.search(pattern, text)
    return match[1] if match else _UNTOLD


def find_unpacked(environ: Mapping[str, str]) -> tuple[Offer, ...]:
    """What people unpack into their homes.

    Args:
        environ: whose ``HOME`` and variables count; a folder that a variable names may be of any version.
    """
    home = Path(environ.get("HOME") or "/nonexistent")
    places = {
        component: Path(environ.get(variable) or home / ".mujoco" / component)
        for component, (variable, _) in _UNPACKED.items()
    }
    return tuple(
        Offer(component=component, version=_UNPACKED[component][1], note=str(place))
        for component, place in places.items()
        if is_folder(place)
    )
