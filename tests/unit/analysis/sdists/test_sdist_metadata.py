"""Where another tool or another file states the dependencies, an sdist does not tell that it has none."""

from __future__ import annotations

from collections.abc import Collection, Mapping

import pytest

from envlock.analysis.core_metadata import Fields
from envlock.analysis.sdists.own_packages import no_packages
from envlock.analysis.sdists.sdist_metadata import read_build_requires, read_sdist_metadata
from envlock.analysis.sdists.source_versions import stated_version

OLD = {"PKG-INFO": "Metadata-Version: 1.1\nName: foo\nVersion: 1.0\n"}


def read(files: Mapping[str, str]) -> Fields | None:
    return read_sdist_metadata(files, "foo", no_packages)


def requires(fields: Fields | None) -> list[str]:
    assert fields is not None
    return list(fields.requires_dist)


POETRY = '[tool.poetry]\nname = "foo"\n[tool.poetry.dependencies]\na = "^1"\n'
BY_POETRY = f'[build-system]\nrequires = ["poetry-core"]\nbuild-backend = "poetry.core.masonry.api"\n{POETRY}'
BY_SETUPTOOLS = '[build-system]\nrequires = ["setuptools"]\nbuild-backend = "setuptools.build_meta"\n'
DYNAMIC = '[project]\nname = "foo"\ndynamic = ["dependencies"]\n'
BOTH_DYNAMIC = '[project]\nname = "foo"\ndynamic = ["dependencies", "optional-dependencies"]\n'
SHIM = "from setuptools import setup\nsetup()\n"
STATES = "from setuptools import setup\nsetup(install_requires=['b'])\n"
FLAKE8 = "[flake8]\nmax-line-length = 99\n"


@pytest.mark.parametrize(
    "files",
    [
        {"pyproject.toml": POETRY, "setup.cfg": FLAKE8},
        {"pyproject.toml": BY_POETRY, "setup.cfg": FLAKE8},
        {"pyproject.toml": POETRY, "setup.py": SHIM},
        {"pyproject.toml": BY_POETRY, "setup.py": SHIM},
        {"pyproject.toml": BY_POETRY, "setup.py": STATES},
        {"pyproject.toml": '[build-system]\nrequires = []\nbuild-backend = "own"\n', "setup.py": SHIM},
        {"pyproject.toml": DYNAMIC, "setup.py": SHIM},
        {"pyproject.toml": DYNAMIC + BY_SETUPTOOLS, "setup.cfg": FLAKE8},
        {"pyproject.toml": BOTH_DYNAMIC, "setup.py": STATES},
        {
            "pyproject.toml": '[project]\nname = "foo"\ndependencies = ["a"]\n'
            'dynamic = ["optional-dependencies"]\n',
            "setup.py": STATES,
        },
        {"setup.py": "from setuptools import setup\nsetup(setup_requires=['pbr>=1.8'], pbr=True)\n"},
        {"setup.py": "from setuptools import setup\nsetup(pbr=True, install_requires=[])\n"},
        {"setup.py": SHIM, "setup.cfg": "[options]\nsetup_requires = pbr\n"},
    ],
)
def test_what_another_tool_or_file_states(files):
    assert read(OLD | files) is None


@pytest.mark.parametrize(
    ("files", "found"),
    [
        ({"setup.py": SHIM}, []),
        ({"setup.cfg": FLAKE8}, []),
        ({"setup.py": SHIM, "pyproject.toml": "[tool.black]\nline-length = 99\n"}, []),
        ({"setup.py": SHIM, "pyproject.toml": BY_SETUPTOOLS}, []),
        ({"setup.py": STATES, "pyproject.toml": BY_SETUPTOOLS}, ["b"]),
        ({"setup.py": STATES, "pyproject.toml": DYNAMIC}, ["b"]),
        ({"setup.cfg": "[options]\ninstall_requires = b\n", "pyproject.toml": DYNAMIC}, ["b"]),
        ({"setup.py": STATES, "pyproject.toml": POETRY}, ["b"]),
        (
            {
                "setup.py": STATES,
                "pyproject.toml": '[build-system]\nrequires = ["setuptools>=40", "cython"]\n'
                'build-backend = "hooks"\nbackend-path = ["build"]\n',
            },
            ["b"],
        ),
        ({"pyproject.toml": BY_POETRY, "setup.py": SHIM, "foo.egg-info/PKG-INFO": ""}, []),
        (
            {
                "setup.py": "from setuptools import setup\nsetup(pbr=True)\n",
                "foo.egg-info/PKG-INFO": "",
                "foo.egg-info/requires.txt": "a\n",
            },
            ["a"],
        ),
        (
            {
                "setup.py": SHIM,
                "pyproject.toml": BY_POETRY,
                "PKG-INFO": "Metadata-Version: 2.1\nName: foo\nVersion: 1.0\nRequires-Dist: a\n",
            },
            ["a"],
        ),
    ],
)
def test_what_setup_files_and_setuptools_state_all_the_same(files, found):
    assert requires(read(OLD | files)) == found


LATER = {"PKG-INFO": OLD["PKG-INFO"].replace("1.1", "2.1")}


def test_setuptools_lists_no_dependencies_in_a_later_metadata_version_either():
    """As astroquery 0.3.10 has it, whose sdist lacks the egg-info; poetry's list is whole."""
    computed = {"setup.py": "from setuptools import setup\nsetup(install_requires=read())\n"}
    assert read(LATER | computed) is None
    assert requires(read(LATER | {"setup.py": STATES})) == ["b"]
    listed = {"PKG-INFO": LATER["PKG-INFO"] + "Requires-Dist: a\n"}
    assert requires(read(listed | computed)) == ["a"]
    assert requires(read(LATER | {"pyproject.toml": BY_POETRY, "setup.py": STATES})) == []


UNPACKED = [
    "setup(**json.load(open('setup.json')))",
    "setup(name='foo', **more)",
    "from helpers import more\nsetup(**more)",
    "try:\n    from helpers import more\nexcept ImportError:\n    more = {}\nsetup(**more)",
    "def main(more):\n    setup(**more)",
    "more = {}\nmore.update(json.load(open('setup.json')))\nsetup(**more)",
    "more = {}\nfor key, one in read():\n    more[key] = one\nsetup(**more)",
    "more = dict(read())\nsetup(**more)",
    "more = {**read()}\nsetup(**more)",
    "more = {'name': 'foo'} if x else read()\nsetup(**more)",
    "def make():\n    return read()\nsetup(**make())",
]


@pytest.mark.parametrize("text", UNPACKED)
def test_a_script_that_unpacks_what_it_reads_elsewhere(text):
    assert read(OLD | {"setup.py": f"import json\nfrom setuptools import setup\n{text}\n"}) is None


@pytest.mark.parametrize(
    "text",
    [
        "setup(**{'name': 'foo'})",
        "setup(**dict(name='foo'))",
        "more = {}\nif x:\n    more['zip_safe'] = False\nsetup(name='foo', **more)",
        "more = dict(name='foo')\nmore.update(version='1', **{'zip_safe': True})\nsetup(**more)",
        "def make():\n    more = {'name': 'foo'}\n    return more\nsetup(**make())",
        "more = {'name': 'foo'} if x else {}\nmore |= {'version': '1'}\nsetup(**more)",
        "from numpy.distutils.misc_util import Configuration\nsetup(**Configuration('foo').todict())",
    ],
)
def test_a_script_that_unpacks_what_stands_in_it(text):
    assert requires(read(OLD | {"setup.py": f"from setuptools import setup\n{text}\n"})) == []


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (
            "more = {}\nif x:\n    more['version'] = '1'\nsetup(install_requires=['b'], **more)",
            ["b"],
        ),
        ("more = {'extras_require': {'c': 'd'}}\nsetup(install_requires=['b'], **more)", None),
        ("more = dict(install_requires=['c'])\nsetup(python_requires='>=3', **more)", None),
        (f"NEEDS = 'install_requires'\n{UNPACKED[0]}", None),
    ],
)
def test_a_script_that_unpacks_beside_what_it_states(text, found):
    """As qutip 4.5.0 has it, which cannot be asked without the dependencies that it states."""
    fields = read(OLD | {"setup.py": f"import json\nfrom setuptools import setup\n{text}\n"})
    assert (None if fields is None else requires(fields)) == found


def test_a_script_that_unpacks_beside_what_counts_first():
    files = {"setup.py": f"{SHIM}{UNPACKED[0]}\n", "setup.cfg": "[options]\ninstall_requires = b\n"}
    assert requires(read(OLD | files)) == ["b"]


def test_packages_beside_the_script_are_only_read_where_that_may_tell_more():
    """NumPy's script imports NumPy, which has hundreds of modules and no dependencies."""
    asked: list[set[str]] = []

    def sources(packages: Collection[str]) -> Mapping[str, str]:
        asked.append(set(packages))
        return {}

    script = "import foo\nfrom setuptools import setup\nsetup(install_requires=[%s])\n"
    beside = {"foo/__init__.py": "import b\n", "tests/__init__.py": ""}
    for needs, more in (("", {}), ("'b'", {"pyproject.toml": BY_SETUPTOOLS}), ("'b'", {})):
        read_sdist_metadata(OLD | beside | {"setup.py": script % needs} | more, "foo", sources)
    assert asked == [{"foo"}]


def test_a_backend_of_the_trees_own_asks_for_what_translates_its_sources_when_it_is_run():
    """As mpi4py 4 and yarl have it."""
    own = '[build-system]\nrequires = ["setuptools"{}]\nbuild-backend = "own"\nbackend-path = ["conf"]\n'
    files = OLD | {"pyproject.toml": own.format(""), "setup.py": SHIM, "src/foo/a.pyx": ""}
    no_names = Fields(requires_dist=(), requires_python="", provides_extra=())
    assert set(read_build_requires(files, no_names, no_packages)) == {"setuptools", "wheel", "cython"}
    stated = files | {"pyproject.toml": own.format(', "Cython>=3"')}
    assert set(read_build_requires(stated, no_names, no_packages)) == {"setuptools", "wheel", "Cython>=3"}
    translated = files | {"src/foo/a.c": "3.0.10"}
    assert "cython" not in read_build_requires(translated, no_names, no_packages)
    others = files | {"pyproject.toml": BY_SETUPTOOLS}
    assert "cython" not in read_build_requires(others, no_names, no_packages)


@pytest.mark.parametrize("number", ["[" * 9999, "9" * 5000])
def test_a_project_file_that_cannot_be_read_tells_nothing(number):
    files = OLD | {"pyproject.toml": f"a = {number}\n", "setup.py": STATES}
    assert requires(read(files)) == ["b"]
    assert stated_version(files) == "1.0"
    assert stated_version({"PKG-INFO": f"Metadata-Version: 1.1\nName: foo\nVersion: {number}\n"}) == ""
