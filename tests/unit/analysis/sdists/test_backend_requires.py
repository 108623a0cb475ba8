"""What backends ask for only when they are run, read from pyproject.toml as they read it."""

from __future__ import annotations

import tomllib

import pytest

from envlock.analysis.core_metadata import Fields
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
    assert asked_when_run(tomllib.loads(pyproject), (), ["own"], untranslated=False) == asked


def test_hatchling_asks_for_more_where_the_installation_is_editable() -> None:
    assert asked_for_editable(tomllib.loads(HATCHLING)) == ("editables~=0.3",)
    assert asked_for_editable(tomllib.loads(PDM)) == ()
    nothing = Fields(requires_dist=(), requires_python="", provides_extra=())
    files = {"pyproject.toml": HATCHLING}
    assert read_build_requires(files, nothing, no_packages) == ("hatchling",)
    assert "editables~=0.3" in read_build_requires(files, nothing, no_packages, editable=True)


def test_dependencies_of_extras_are_none_that_a_build_asks_for() -> None:
    fields = Fields(
        requires_dist=("own", "other ; extra == 'more'"), requires_python="", provides_extra=("more",)
    )
    files = {"pyproject.toml": HATCHLING + "[tool.hatch.build]\nrequire-runtime-dependencies = true\n"}
    assert read_build_requires(files, fields, no_packages) == ("hatchling", "own")
