"""What sdists of all ages state about their dependencies."""

from __future__ import annotations

import bz2
import gzip

import pytest

from envlock.analysis.core_metadata import Fields
from envlock.edges.index import sdist_archive
from envlock.edges.index.catalogue import IndexCatalogue
from envlock.edges.pip_configuration import IndexConfiguration
from envlock.model.errors import SurroundingsError
from tests.memory import machine

OLD = {"PKG-INFO": "Metadata-Version: 1.1\nName: foo\nVersion: 1.0\n"}
NAME = "foo-1.0.tar.gz"


@pytest.fixture
def read(server, catalogue, sdist):
    def read(files):
        server.page("foo", server.file(NAME, sdist("foo-1.0", files)))
        one = catalogue()
        (release,) = one.releases("foo")
        return one.metadata("foo", release.files[0])

    return read


def requires(metadata):
    return [str(requirement) for requirement in metadata.requires_dist]


def test_static_metadata(read):
    info = "Metadata-Version: 2.2\nName: foo\nVersion: 1.0\nRequires-Dist: a\nRequires-Python: >=3.8\n"
    found = read({"PKG-INFO": info, "foo.egg-info/PKG-INFO": "", "foo.egg-info/requires.txt": "b"})
    assert requires(found) == ["a"]
    assert str(found.requires_python) == ">=3.8"


def test_an_archive_of_bzip2(server, catalogue, sdist):
    files = OLD | {"foo.egg-info/PKG-INFO": "", "foo.egg-info/requires.txt": "b"}
    packed = bz2.compress(gzip.decompress(sdist("foo-1.0", files)))
    server.page("foo", server.file("foo-1.0.tar.bz2", packed))
    one = catalogue()
    (release,) = one.releases("foo")
    assert requires(one.metadata("foo", release.files[0])) == ["b"]


def test_dynamic_metadata_gives_way_to_egg_info(read):
    info = "Metadata-Version: 2.4\nName: foo\nVersion: 1.0\nDynamic: Requires-Dist\nRequires-Dist: a\n"
    found = read({"PKG-INFO": info, "src/foo.egg-info/PKG-INFO": "", "src/foo.egg-info/requires.txt": "b\n"})
    assert requires(found) == ["b"]


def test_requires_txt_with_all_its_sections(read):
    text = 'a>=1\n\n[:python_version < "3"]\nb\n\n[test]\nc\n\n'
    text += '[test:sys_platform == "win32"]\nd; os_name == "nt"\n'
    found = read(OLD | {"foo.egg-info/PKG-INFO": "", "foo.egg-info/requires.txt": text})
    assert requires(found) == [
        "a>=1",
        'b; python_version < "3"',
        'c; extra == "test"',
        'd; os_name == "nt" and sys_platform == "win32" and extra == "test"',
    ]
    assert found.provides_extra == {"test"}


def test_egg_info_without_requirements_and_of_others(read):
    other = {
        "vendored/bar.egg-info/PKG-INFO": "",
        "vendored/bar.egg-info/requires.txt": "x",
    }
    assert requires(read(OLD | other | {"foo.egg-info/PKG-INFO": ""})) == []


def test_an_archive_that_states_nothing_is_looked_through_once(server, catalogue, sdist, monkeypatch):
    server.page("foo", server.file(NAME, sdist("foo-1.0", OLD | {"setup.py": "setup(**options())"})))
    told = []
    for _ in range(2):
        one = catalogue()
        (release,) = one.releases("foo")
        with pytest.raises(SurroundingsError) as caught:
            one.metadata("foo", release.files[0])
        told.append(caught.value)
        monkeypatch.setattr(sdist_archive, "_texts", None)
    first, again = told
    assert (again.code, again.message, again.where) == (first.code, first.message, first.where)


def test_what_a_build_needs_is_looked_for_once(server, catalogue, sdist, monkeypatch):
    """Hundreds of megabytes are unpacked for a few words, each time that a backend may be asked."""
    stated = '[build-system]\nrequires = ["setuptools", "numpy<2"]\n'
    files = OLD | {"setup.py": "setup(**options())", "pyproject.toml": stated}
    server.page("foo", server.file(NAME, sdist("foo-1.0", files)))
    told = []
    for _ in range(2):
        one = catalogue()
        (release,) = one.releases("foo")
        told.append(one.build_requires(release.files[0]))
        monkeypatch.setattr(sdist_archive, "_texts", None)
    assert told == [("setuptools", "numpy<2", "wheel")] * 2


def test_the_project_table(read):
    text = '[build-system]\nrequires = ["flit_core>=3"]\n[project]\nname="foo"\ndependencies=["a"]\n'
    found = read(OLD | {"pyproject.toml": text + '[project.optional-dependencies]\nx = ["b"]\n'})
    assert requires(found) == ["a", 'b; extra == "x"']
    assert found.build_requires == ("flit_core>=3",)


@pytest.mark.parametrize(
    "table",
    [
        'dependencies = "a"',
        "dependencies = [1]",
        "optional-dependencies = []",
        'optional-dependencies = { x = "b" }',
        'dynamic = ["dependencies"]',
    ],
)
def test_a_project_table_of_another_form_tells_nothing(read, table):
    with pytest.raises(SurroundingsError, match="does not state its dependencies"):
        read(OLD | {"pyproject.toml": f'[project]\nname = "foo"\n{table}\n'})


def test_setup_py_in_plain_text(read):
    text = (
        "from setuptools import setup\nneeds = ['a>=1', 'b']\n"
        "setup(name='foo', install_requires=needs,"
        " extras_require={'x': ['c'], ':python_version<\"3\"': ['d']}, python_requires='>=3.5')\n"
    )
    found = read(OLD | {"setup.py": text})
    assert requires(found) == ["a>=1", "b", 'c; extra == "x"', 'd; python_version < "3"']
    assert (str(found.requires_python), found.provides_extra) == (">=3.5", {"x"})
    assert found.build_requires == ("setuptools>=40.8.0", "wheel")


def test_setup_cfg(read):
    text = "[options]\ninstall_requires =\n    a\n    b; python_version < '3'  # old\n"
    text += "[options.extras_require]\nx = c\n"
    found = read(OLD | {"setup.cfg": text, "setup.py": "from setuptools import setup\nsetup()\n"})
    assert requires(found) == ["a", 'b; python_version < "3"', 'c; extra == "x"']


def test_setup_py_of_the_time_of_distutils(read):
    text = "from distutils.core import setup\nif __name__ == '__main__':\n    setup(**options())\n"
    assert requires(read(OLD | {"setup.py": text})) == []


@pytest.mark.parametrize(
    "text",
    [
        "setup(install_requires=read('requirements.txt'))",
        "needs = ['a']\nneeds.append('b')\nsetup(install_requires=needs)",
        "needs = ['a']\nneeds += ['b']\nsetup(install_requires=needs)",
        "needs = ['a']\nif x:\n    needs = ['b']\nsetup(install_requires=needs)",
        "setup(install_requires=['a'], **more)",
        "if x:\n    setup(install_requires=['a'])\nelse:\n    setup(install_requires=[])",
        "options = dict(install_requires=['a'])\nsetup(**options)",
        "def setup_foo():\n    setup(install_requires=['a'])",
        "print 'python 2'\nsetup(install_requires=['a'])",
        "",
    ],
)
def test_what_only_a_build_would_tell(read, text):
    with pytest.raises(SurroundingsError) as caught:
        read(OLD | ({"setup.py": text} if text else {}))
    assert caught.value.code == "metadata-needs-build"
    assert NAME in caught.value.message


def test_a_file_that_is_no_archive(server, catalogue):
    server.page("foo", server.file(NAME, b"no archive"))
    one = catalogue()
    with pytest.raises(SurroundingsError) as caught:
        one.metadata("foo", one.releases("foo")[0].files[0])
    assert caught.value.code == "broken-file"


STUB = (
    '[build-system]\nrequires = ["wheel-stub"]\nbuild-backend = "wheel_stub.buildapi"\n'
    '[tool.wheel_stub]\nindex_url = "https://example.org/wheels/"\n'
)


def test_sources_that_stand_for_a_wheel_have_its_metadata(read):
    info = "Metadata-Version: 2.4\nName: foo\nVersion: 1.0\nDynamic: Requires-Dist\nRequires-Dist: a\n"
    found = read({"PKG-INFO": info, "pyproject.toml": STUB})
    assert requires(found) == ["a"]
    assert found.build_requires == ("wheel-stub",)


def test_a_placeholder_cannot_be_had(read):
    """As NVIDIA's for distributions that it has on an index of its own: tensorrt-llm 0.8."""
    summary = "Summary: A fake package to warn the user they are not installing the correct package.\n"
    with pytest.raises(SurroundingsError) as caught:
        read({"PKG-INFO": OLD["PKG-INFO"] + summary, "setup.py": "from setuptools import setup\nsetup()\n"})
    assert caught.value.code == "broken-file"


def test_a_wheel_that_is_only_spoken_of_cannot_be_had(read):
    """As TensorRT-LLM 0.17, whose sdist has lost what the wheel depends on."""
    extra = "[tool.wheel_stub.extra]\nstub_only = true\n"
    with pytest.raises(SurroundingsError) as caught:
        read(OLD | {"pyproject.toml": STUB + extra})
    assert caught.value.code == "broken-file"
    assert "the wheel is on the index https://example.org/wheels/" in caught.value.why


@pytest.mark.parametrize(
    ("stated", "asked"),
    [
        ('["setuptools", "numpy"]', ("setuptools", "numpy", "wheel")),
        ('["setuptools", "wheel>=0.30"]', ("setuptools", "wheel>=0.30")),
        ('["flit_core"]', ("flit_core",)),
    ],
)
def test_setuptools_asks_for_wheel_besides_what_is_stated(read, stated, asked):
    found = read(OLD | {"pyproject.toml": f"[build-system]\nrequires = {stated}\n", "setup.py": "setup()"})
    assert found.build_requires == asked


def test_sources_in_cython_are_looked_at_wherever_they_lie(read):
    files = {"setup.py": "setup(install_requires=['scipy'], setup_requires=['cython'])"}
    found = read(OLD | files | {"foo/deep/a.pyx": "cimport scipy.linalg.cython_blas\n"})
    assert found.build_requires[-2:] == ("cython", "scipy")


@pytest.mark.parametrize(
    ("lies", "asked"),
    [("foo/b.h", True), ("foo/a.cpp", False), ("foo/deep/a.cpp", True)],
)
def test_cython_that_is_tried_is_taken_where_no_translation_lies_beside_a_source(read, lies, asked):
    """As eigency 1.77 writes it, whose sdist has none."""
    script = "try:\n    from Cython.Build import cythonize\nexcept ImportError:\n    pass\nsetup()"
    translation = {lies: "/* Generated by Cython 0.29.1 */"}
    found = read(OLD | {"setup.py": script, "foo/a.pyx": "x = 1\n"} | translation)
    assert ("cython" in found.build_requires) is asked


OWN = """\
def get_hash():
    try:
        from foo.version import __version__
    except ImportError:
        raise ImportError('Unable to get git version')
setup(version=get_hash())
"""


def test_a_script_that_imports_its_own_package_needs_what_that_imports(read):
    """As facexlib 0.2.0 writes it."""
    stated = {
        "foo.egg-info/PKG-INFO": "",
        "foo.egg-info/requires.txt": "torch\nopencv-python\n\n[doc]\nsphinx\n",
    }
    package = {"foo/__init__.py": "from .inner import *\n", "foo/version.py": "__version__ = '1.0'\n"}
    inner = {"foo/inner.py": "import os\nimport cv2\n"}
    found = read(OLD | stated | package | inner | {"setup.py": OWN})
    assert set(found.build_requires) - {"setuptools>=40.8.0", "wheel"} == {"torch", "opencv-python"}


@pytest.mark.parametrize(
    "files",
    [
        {"foo/inner.py": "import os\n", "setup.py": OWN},
        {"foo/inner.py": "try:\n    import cv2\nexcept ImportError:\n    pass\n", "setup.py": OWN},
        {"foo/inner.py": "import cv2\n", "setup.py": OWN.replace("raise ImportError(", "print(")},
        {"foo/inner.py": "import cv2\n", "setup.py": OWN, "pyproject.toml": "[build-system]\nrequires=[]\n"},
    ],
    ids=["only the standard library", "can do without", "the script can do without", "isolated"],
)
def test_a_script_that_needs_nothing_of_what_its_package_imports(read, files):
    stated = {"foo.egg-info/PKG-INFO": "", "foo.egg-info/requires.txt": "opencv-python\n"}
    package = {"foo/__init__.py": "from .inner import *\n", "foo/version.py": "__version__ = '1.0'\n"}
    assert "opencv-python" not in read(OLD | stated | package | files).build_requires


def test_scripts_tell_more_once_it_is_known_what_they_depend_on(server, cache, sdist):
    """What a script imports of its dependencies its build needs, where its backend tells of them as well."""
    script = (
        "import bar\nfrom setuptools import setup\nsetup(install_requires=open('needs').read().split())\n"
    )
    server.page("foo", server.file("foo-1.0.tar.gz", sdist("foo-1.0", {"setup.py": script})))
    told = Fields(requires_dist=("bar",), requires_python="", provides_extra=())
    place = IndexConfiguration(index_url=f"{server.url}/simple")
    with IndexCatalogue(place, cache, backend=lambda *_: told) as one:
        (release,) = one.releases("foo")
        assert "bar" not in one.build_requires(release.files[0])
        found = one.build_metadata("foo", release.files[0], machine().interpreters[0], ())
    assert "bar" in found.build_requires
