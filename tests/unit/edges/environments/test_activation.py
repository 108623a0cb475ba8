from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from envlock.edges.environments.activation import activation, with_variables
from envlock.model.locked.pins import Origin, SystemPin

PREFIX = Path("/store/e")


def _pin(prefix: str, variables: Mapping[str, str] | None = None, origin: Origin = Origin.SITE) -> SystemPin:
    return SystemPin(
        component="openmpi",
        version="4.1.4",
        origin=origin,
        prefix=prefix,
        distribution="",
        modules=(),
        variables=variables or {},
        asked_by=(),
        facts=(),
    )


def test_the_environment_comes_first_and_other_pythons_go() -> None:
    base = {"PATH": "/mods/bin:/usr/bin", "PYTHONPATH": "/x", "PYTHONHOME": "/y", "HOME": "/home/u"}
    assert activation(base, prefix=PREFIX) == {
        "PATH": "/store/e/bin:/mods/bin:/usr/bin",
        "HOME": "/home/u",
        "VIRTUAL_ENV": "/store/e",
        "PYTHONNOUSERSITE": "1",
    }
    assert base["PYTHONPATH"] == "/x"


def test_a_standard_prefix_brings_its_launcher_but_no_library_path() -> None:
    variables = activation({"PATH": "/other/mpich/bin:/usr/bin"}, prefix=PREFIX, systems=[_pin("/usr")])
    assert variables["PATH"] == "/store/e/bin:/usr/bin:/other/mpich/bin"
    assert "LD_LIBRARY_PATH" not in variables


def test_a_prefix_of_its_own_brings_both_and_comes_before_a_standard_one() -> None:
    systems = [_pin("/usr"), _pin("/opt/mpi")]
    variables = activation({"PATH": "/bin", "LD_LIBRARY_PATH": "/l"}, prefix=PREFIX, systems=systems)
    assert variables["PATH"] == "/store/e/bin:/opt/mpi/bin:/usr/bin:/bin"
    assert variables["LD_LIBRARY_PATH"] == "/opt/mpi/lib64:/opt/mpi/lib:/l"


def test_an_mpi_from_a_wheel_lives_in_the_environment() -> None:
    pin = _pin("", {"OPAL_PREFIX": "{prefix}", "PATH": "{prefix}/mpi/bin"}, Origin.INDEX)
    variables = activation({"PATH": "/bin"}, prefix=PREFIX, systems=[pin])
    assert variables["OPAL_PREFIX"] == "/store/e"
    assert variables["PATH"] == "/store/e/mpi/bin:/store/e/bin:/bin"
    assert variables["LD_LIBRARY_PATH"] == "/store/e/lib"


def test_a_sites_pin_speaks_of_its_own_prefix() -> None:
    pin = _pin("/opt/impi", {"I_MPI_ROOT": "{prefix}"})
    assert activation({}, prefix=PREFIX, systems=[pin])["I_MPI_ROOT"] == "/opt/impi"


@pytest.mark.parametrize("name", ["CPATH", "PKG_CONFIG_PATH", "CMAKE_PREFIX_PATH", "CPLUS_INCLUDE_PATH"])
def test_lists_of_folders_keep_what_the_user_has_in_them(name: str) -> None:
    pin = _pin("/opt/mpi", {name: "{prefix}/x"})
    assert activation({name: "/home/u/x"}, prefix=PREFIX, systems=[pin])[name] == "/opt/mpi/x:/home/u/x"


def test_activating_twice_changes_nothing_more() -> None:
    systems = [_pin("/opt/mpi", {"LD_LIBRARY_PATH": "{prefix}/lib/release"}), _pin("/usr")]
    once = activation({"PATH": "/bin"}, prefix=PREFIX, systems=systems)
    assert activation(once, prefix=PREFIX, systems=systems) == once


def test_empty_parts_of_a_path_are_dropped() -> None:
    # An empty part means the current folder, which nobody means.
    assert with_variables({"PATH": "/bin::"}, {"PATH": "/a"}) == {"PATH": "/a:/bin"}
