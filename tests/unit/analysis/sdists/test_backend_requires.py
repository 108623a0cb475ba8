"""What backends ask for only when they are run, read from pyproject.toml as they read it."""

from __future__ import annotations

import tomllib

import pytest

from envlock.analysis.core_metadata import DEFAULT_BUILD_REQUIRES, Fields
from envlock.analysis.sdists.backend_requires import asked_for_editable, asked_when_run
from envlock.analysis.sdists.own_packages import no_packages
from envlock.analysis.sdists.sdist_metadata import read_build_requires

HATCHLING = '[build-system]\nrequires = ["hatchling"]\nbuild-backend = "hatchling.build"\n'
PDM = '[build-system]\nrequires = ["pdm-backend"]\nbuild-backend = "pdm.backend"\n'
HOOK = '[tool.hatch.build.hooks.custom]\ndependencies = ["a", "b>=2"]\n'


@pytest.mark.parametrize(
    ("pyproject", "asked"),
    [
        (HATCHLING, ()),
        (HATCHLING + HOOK, ("a", "b>=2")),
        (HATCHLING + HOOK + "enable-by-default = false\n", ()),
        # What is said for wheels alone is said in place of what is said for all targets.
        (HATCHLING + HOOK + '[tool.hatch.build.targets.wheel.hooks.custom]\ndependencies = ["c"]\n', ("c",)),
        (HATCHLING + '[tool.hatch.build.targets.wheel]\ndependencies = ["d"]\n', ("d",)),
        (HATCHLING + '[tool.hatch.build]\ndependencies = ["e"]\n', ("e",)),
        (HATCHLING + '[tool.hatch.build.targets.sdist]\ndependencies = ["d"]\n', ()),
        (HATCHLING + HOOK + "require-runtime-dependencies = true\n", ("a", "b>=2", "own")),
        (HATCHLING + "[tool.hatch]\nbuild = 3\n", ()),
        (PDM + HOOK, ()),
        (PDM + "[tool.pdm.build]\nrun-setuptools = true\n", ("setuptools",)),
        (HOOK, ()),
    ],
)
def test_a_backend_asks_for_what_its_tables_say(pyproject: str, asked: tuple[str, ...]) -> None:
    assert (
        asked_when_run(tomllib.loads(pyproject), (), ["own"], untranslated=False, described_by_table=False)
        == asked
    )


def test_hatchling_asks_for_more_where_the_installation_is_editable() -> None:
    assert asked_for_editable(tomllib.loads(HATCHLING)) == ("editables~=0.3",)
    assert asked_for_editable(tomllib.loads(PDM)) == ()
    nothing = Fields(requires_dist=(), requires_python="", provides_extra=())
    files = {"pyproject.toml": HATCHLING}
    assert read_build_requires(files, nothing, no_packages) == ("hatchling",)
    assert "editables~=0.3" in read_build_requires(files, nothing, no_packages, editable=True)


def test_setuptools_that_reads_the_project_table_is_asked_for_where_nothing_else_describes_the_tree() -> None:
    nothing = Fields(requires_dist=(), requires_python="", provides_extra=())
    table = '[project]\nname = "mine"\nversion = "0.1"\n'
    asked = read_build_requires({"pyproject.toml": table}, nothing, no_packages)
    assert "setuptools>=61" in asked
    for files in ({"setup.cfg": ""}, {"setup.py": ""}, {"pyproject.toml": HATCHLING + table}):
        asked = read_build_requires({"pyproject.toml": table, **files}, nothing, no_packages)
        assert "setuptools>=61" not in asked
    assert "setuptools>=61" not in read_build_requires(
        {"pyproject.toml": '[project]\ndynamic = ["name"]\n'}, nothing, no_packages
    )


@pytest.mark.parametrize(
    ("pyproject", "asked"),
    [
        ("", ("setuptools>=64",)),
        ('[build-system]\nrequires = []\nbuild-backend = "setuptools.build_meta"\n', ("setuptools>=64",)),
        ('[build-system]\nrequires = []\nbuild-backend = "own"\nbackend-path = ["."]\n', ()),
        ('[build-system]\nrequires = []\nbuild-backend = "flit_core.buildapi"\n', ()),
    ],
)
def test_setuptools_with_editable_builds_is_asked_for(pyproject: str, asked: tuple[str, ...]) -> None:
    assert asked_for_editable(tomllib.loads(pyproject)) == asked


def test_dependencies_of_extras_are_none_that_a_build_asks_for() -> None:
    fields = Fields(
        requires_dist=("own", "other ; extra == 'more'"), requires_python="", provides_extra=("more",)
    )
    files = {"pyproject.toml": HATCHLING + "[tool.hatch.build]\nrequire-runtime-dependencies = true\n"}
    assert read_build_requires(files, fields, no_packages) == ("hatchling", "own")


def test_sources_that_name_their_own_package_do_not_need_it_to_be_built() -> None:
    """NumPy's script imports numpy: where it has no wheels, no build of it could ever begin."""
    nothing = Fields(requires_dist=(), requires_python="", provides_extra=())
    script = "import numpy\nsetup()\n"
    for name, more in (("NumPy", ()), ("other", ("numpy",))):
        files = {"PKG-INFO": f"Metadata-Version: 1.2\nName: {name}\nVersion: 1.0\n", "setup.py": script}
        assert read_build_requires(files, nothing, no_packages) == (*DEFAULT_BUILD_REQUIRES, *more)
