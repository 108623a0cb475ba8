"""What an old sdist wants in its build environment."""

from __future__ import annotations

import pytest

from envlock.analysis.sdists.setup_requires import read_setup_requires


@pytest.mark.parametrize(
    "script",
    [
        "setup(setup_requires=['numpy>=1.16', 'cffi'])",
        "kwargs = dict(setup_requires=['numpy>=1.16', 'cffi'])\nsetup(**kwargs)",
        "kwargs = {'setup_requires': ('numpy>=1.16', 'cffi')}\nsetup(**kwargs)",
        "needs = ['numpy>=1.16', 'cffi']\nsetup(setup_requires=needs)",
        "def run():\n    setup_requires = ['numpy>=1.16', 'cffi']\n    setup(setup_requires=setup_requires)",
    ],
)
def test_setup_requires_wherever_it_is_literal(script):
    assert read_setup_requires(script, "", ()) == ("numpy>=1.16", "cffi")


def test_setup_requires_of_setup_cfg():
    cfg = "[options]\nsetup_requires =\n    setuptools_scm\n    cython>=0.29\n"
    assert read_setup_requires("", cfg, ()) == ("setuptools_scm", "cython>=0.29")


def test_unguarded_imports_of_build_libraries_and_dependencies():
    script = (
        "import os\nimport numpy as np\nfrom Cython.Build import cythonize\nfrom torch.utils import cpp\n"
        "import jinja2\n"
    )
    assert read_setup_requires(script, "", {"jinja2"}) == ("numpy", "cython", "torch", "jinja2")
    assert read_setup_requires(script, "", ()) == ("numpy", "cython", "torch")


@pytest.mark.parametrize(
    "end", ["raise SystemExit('NumPy is required.')", "print('no NumPy')\n        sys.exit(1)"]
)
def test_imports_without_which_the_script_ends_are_needed(end):
    """As pystan 2.19 and others write it."""
    script = f"def run():\n    try:\n        import numpy\n    except ImportError:\n        {end}\n"
    assert read_setup_requires(script, "", ()) == ("numpy",)
    assert read_setup_requires(script.replace(end, "numpy = None"), "", ()) == ()


def test_modules_beside_the_script_are_parts_of_it_where_it_imports_them():
    """As matplotlib 3.1 writes it."""
    beside = {"setupext": "def flags():\n    import numpy\n", "benchmark": "import cython\n"}
    assert read_setup_requires("import setupext\n", "", {"numpy"}, beside) == ("numpy",)
    assert read_setup_requires("import setupext\n", "", (), beside) == ()


def test_guarded_imports_are_not_needed():
    script = "try:\n    import numpy\nexcept ImportError:\n    numpy = None\ndef f():\n    import cython\n"
    assert read_setup_requires(script, "", ()) == ()
    assert read_setup_requires(script, "", {"torch"}) == ()


def test_a_build_library_that_is_a_dependency_counts_wherever_it_is_imported():
    script = "class Include:\n    def path(self):\n        import pybind11\n"
    assert read_setup_requires(script, "", {"pybind11"}) == ("pybind11",)
    assert read_setup_requires(script, "", ()) == ()


def test_a_script_that_numpy_builds_needs_it_however_late_it_says_so():
    """As lap 0.4.0, which states NumPy as no dependency, and ends without it."""
    script = "def run():\n    from numpy.distutils.core import setup\n    setup()\n"
    assert read_setup_requires(script, "", ()) == ("numpy",)
    fallback = "except ImportError:\n    from distutils.core import setup\n"
    guarded = f"try:\n    from numpy.distutils.core import setup\n{fallback}"
    assert read_setup_requires(guarded, "", ()) == ()
    assert read_setup_requires(script, "", (), isolated=True) == ()


def test_what_a_script_can_do_without_is_not_brought_where_the_tree_says_what_it_takes():
    """As fairseq 0.12 writes it."""
    script = "try:\n    from torch.utils import cpp_extension\nexcept ImportError:\n    pass\n"
    assert read_setup_requires(script, "", {"torch"}) == ("torch",)
    assert read_setup_requires(script, "", {"torch"}, isolated=True) == ()
    late = "class Include:\n    def path(self):\n        import torch\n"
    assert read_setup_requires(late, "", {"torch"}, isolated=True) == ("torch",)


def test_sources_in_cython_are_translated_for_who_depends_on_it():
    """As pyworld 0.2 writes it, without an import: setuptools looks for Cython by itself."""
    script = "setup(ext_modules=[Extension('a', sources=[join('a', 'a.pyx')])])"
    assert read_setup_requires(script, "", {"numpy", "cython"}) == ("cython",)
    assert read_setup_requires(script, "", {"numpy"}) == ()
    assert read_setup_requires(script.replace("pyx", "c"), "", {"cython"}) == ()


def test_a_tree_without_any_translation_gets_the_cython_that_its_script_tries():
    script = "try:\n    from Cython.Build import cythonize\nexcept ImportError:\n    ext = '.c'\n"
    assert read_setup_requires(script, "", (), untranslated=True) == ("cython",)
    assert read_setup_requires(script, "", ()) == ()
    assert read_setup_requires(script, "", (), untranslated=True, isolated=True) == ()
    assert read_setup_requires("", "", (), untranslated=True) == ()


def test_a_distribution_may_be_stated_for_several_interpreters():
    """As fairseq 0.12 writes it."""
    stated = ("numpy<1.20; python_version<'3.7'", "numpy; python_version>='3.7'")
    assert read_setup_requires(f"import numpy\nsetup(setup_requires={stated!r})", "", ()) == stated


def test_a_stated_range_wins_over_an_import():
    assert read_setup_requires("import numpy\nsetup(setup_requires=['numpy<1.20'])", "", ()) == (
        "numpy<1.20",
    )


@pytest.mark.parametrize(
    "script", ["print 'python 2'", "setup(setup_requires=needs())", "", "setup(setup_requires=[1])"]
)
def test_what_cannot_be_read_asks_for_nothing(script):
    assert read_setup_requires(script, "[options\n", ()) == ()


@pytest.mark.parametrize(
    "source",
    [
        "cimport scipy.linalg.cython_blas as blas\n",
        "from scipy.linalg.cython_lapack cimport dgesv\n",
        "cdef f():\n    cimport cython, scipy.linalg\n",
    ],
)
def test_what_sources_in_cython_take_is_needed_where_they_are_translated(source):
    """As implicit 0.4.4 has it."""
    script = "try:\n    from Cython.Build import cythonize\nexcept ImportError:\n    pass\nsetup({})"
    asking = script.format("setup_requires=['Cython>=0.24']")
    known = {"numpy", "scipy"}
    assert read_setup_requires(asking, "", known, translated=[source]) == ("Cython>=0.24", "scipy")
    assert read_setup_requires(asking, "", {"numpy"}, translated=[source]) == ("Cython>=0.24",)
    assert read_setup_requires(script, "", known, translated=[source]) == ()
    assert read_setup_requires(asking, "", known, translated=["import scipy\n"]) == ("Cython>=0.24",)
    assert read_setup_requires(asking, "", known, translated=[source], isolated=True) == ("Cython>=0.24",)


def test_helpers_within_the_sdist_import_numpy_for_the_script():
    script = (
        "from setuptools import setup\nfrom astropy_helpers.setup_helpers import get_package_info\nsetup()\n"
    )
    assert read_setup_requires(script, "", {"numpy", "astropy"}) == ("numpy",)
    assert read_setup_requires(script, "", {"astropy"}) == ()


OF_OLD_AND_NEW = """
try:
    from pip._internal.req import parse_requirements
except ImportError:
    from pip.req import parse_requirements
wanted = [str(one.req) for one in parse_requirements("requirements.txt", session="hack")]
"""


@pytest.mark.parametrize(
    ("script", "wanted"),
    [
        ("from pip.req import parse_requirements", ("pip<10",)),
        ("import pip.download\nfrom pip.req import parse_requirements", ("pip<10",)),
        (OF_OLD_AND_NEW, ("pip<20.1",)),
        (OF_OLD_AND_NEW.replace("one.req)", "one.requirement)"), ("pip",)),
        ("from pip._internal.network.session import PipSession", ("pip",)),
        ("import pip\npip.main(['install', 'x'])", ("pip",)),
        ("import pipes", ()),
    ],
)
def test_a_script_that_reads_requirements_files_by_pip_gets_one_that_can(script, wanted):
    assert read_setup_requires(script, "", ()) == wanted
    assert read_setup_requires(script, "", (), isolated=True) == ()


def test_a_module_may_have_another_name_than_its_distribution():
    script = "from skbuild import setup\nimport setuptools_scm, cffi\n"
    assert read_setup_requires(script, "", ()) == ("scikit-build", "setuptools-scm", "cffi")
