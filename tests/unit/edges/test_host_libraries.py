"""Libraries that the loader finds."""

from __future__ import annotations

from pathlib import Path

import pytest

from envlock.edges.host.libraries import find_headers, find_libraries, find_unpacked
from tests.shipped import KNOWLEDGE

SIGNS = KNOWLEDGE.detection


def library(folder: Path, version: str) -> Path:
    folder.mkdir()
    (folder / f"libsndfile.so.{version}").write_bytes(b"")
    name = folder / "libsndfile.so.1"
    name.symlink_to(f"libsndfile.so.{version}")
    return name


def listing(tmp_path: Path, *names: Path) -> Path:
    """A list as the loader keeps it: names and paths that end with a zero, among other bytes."""
    loader = tmp_path / "ld.so.cache"
    paths = b"".join(f"{name.name}\0{name}\0".encode() for name in names)
    loader.write_bytes(b"glibc-ld.so.cache1.1\x03\0\0\0" + paths)
    return loader


def test_what_the_loader_lists_is_found_with_its_version(tmp_path: Path) -> None:
    name = library(tmp_path / "lib", "1.0.31")
    (offer,) = find_libraries(SIGNS.libraries, {}, listing(tmp_path, name))
    assert (offer.component, offer.version, offer.note) == ("libsndfile", "1.0.31", str(name))


def test_the_callers_folders_come_first(tmp_path: Path) -> None:
    listed, own = library(tmp_path / "lib", "1.0.31"), library(tmp_path / "own", "1.0.35")
    environ = {"LD_LIBRARY_PATH": f"/nowhere:{own.parent}"}
    found = find_libraries(SIGNS.libraries, environ, listing(tmp_path, listed))
    assert [one.version for one in found] == ["1.0.35"]


def test_what_is_listed_and_gone_is_not_offered(tmp_path: Path) -> None:
    name = library(tmp_path / "lib", "1.0.31")
    name.unlink()
    assert find_libraries(SIGNS.libraries, {}, listing(tmp_path, name)) == ()
    assert find_libraries(SIGNS.libraries, {}, tmp_path / "no-list") == ()


@pytest.mark.parametrize("there", ["libsndfile.so.1", "libsndfile.so.1.0.35"])
def test_a_link_to_itself_or_to_nothing_is_no_library(tmp_path: Path, there: str) -> None:
    own = tmp_path / "own"
    own.mkdir()
    (own / "libsndfile.so.1").symlink_to(there)
    listed = listing(tmp_path, library(tmp_path / "lib", "1.0.31"))
    (offer,) = find_libraries(SIGNS.libraries, {"LD_LIBRARY_PATH": str(own)}, listed)
    assert offer.version == "1.0.31"


def test_libraries_of_any_version_that_is_looked_for_are_found(tmp_path: Path) -> None:
    name = tmp_path / "libspatialindex_c.so.6"
    name.write_bytes(b"")
    (offer,) = find_libraries(SIGNS.libraries, {}, listing(tmp_path, name))
    assert (offer.component, offer.version) == ("libspatialindex", "6")


def test_a_library_of_a_longer_name_is_another_one(tmp_path: Path) -> None:
    other = tmp_path / "libsndfile.so.10"
    other.write_bytes(b"")
    assert find_libraries(SIGNS.libraries, {}, listing(tmp_path, other)) == ()


def test_a_library_of_another_interface_is_none_that_is_looked_for(tmp_path: Path) -> None:
    later, wanted = tmp_path / "libigraph.so.3", tmp_path / "libigraph.so.0"
    later.write_bytes(b"")
    assert find_libraries(SIGNS.libraries, {}, listing(tmp_path, later)) == ()
    wanted.write_bytes(b"")
    (offer,) = find_libraries(SIGNS.libraries, {}, listing(tmp_path, later, wanted))
    assert (offer.component, offer.note) == ("libigraph", str(wanted))


@pytest.mark.parametrize(
    "name", ["alsa/asoundlib.h", "fftw3.h", "portaudio.h", "graphviz/cgraph.h", "mariadb/mysql.h"]
)
def test_what_builds_compile_against_is_known_by_its_header_files(tmp_path: Path, name: str) -> None:
    header = tmp_path / "include" / name
    assert find_headers(SIGNS.headers, {}, [tmp_path / "include"]) == ()
    header.parent.mkdir(parents=True)
    header.write_text("")
    (offer,) = find_headers(SIGNS.headers, {}, [tmp_path / "include"])
    assert (offer.version, offer.note) == ("0", str(header))


@pytest.mark.parametrize("variable", ["CPATH", "PATH"])
def test_header_files_of_a_module_are_found(tmp_path: Path, variable: str) -> None:
    include = tmp_path / "include"
    include.mkdir()
    (include / "geos_c.h").write_text("")
    folder = include if variable == "CPATH" else tmp_path / "bin"
    assert [one.component for one in find_headers(SIGNS.headers, {variable: f":{folder}"}, [])] == ["geos"]


@pytest.mark.parametrize(
    ("text", "version"),
    [
        ('#define H5_VERS_INFO    "HDF5 library version: 1.10.8-patch1"      /* all */\n', "1.10.8"),
        ("", "0"),
        (None, "0"),
    ],
)
def test_hdf5_tells_its_version_of_which_facts_speak(tmp_path: Path, text: str | None, version: str) -> None:
    folder = tmp_path / "hdf5/serial"
    folder.mkdir(parents=True)
    (folder / "hdf5.h").write_text("")
    if text is not None:
        (folder / "H5public.h").write_text(text)
    found = find_headers(SIGNS.headers, {}, [tmp_path])
    assert [(one.component, one.version) for one in found] == [("hdf5", version)]


def test_what_was_unpacked_at_home_or_elsewhere_is_found(tmp_path: Path) -> None:
    assert find_unpacked(SIGNS.folders, {"HOME": str(tmp_path)}) == ()
    place = tmp_path / ".mujoco/mujoco210"
    place.mkdir(parents=True)
    (offer,) = find_unpacked(SIGNS.folders, {"HOME": str(tmp_path)})
    assert (offer.component, offer.version, offer.note) == ("mujoco210", "2.1.0", str(place))
    (other,) = find_unpacked(SIGNS.folders, {"MUJOCO_PY_MJPRO_PATH": str(place)})
    assert other.component == "mjpro150"
