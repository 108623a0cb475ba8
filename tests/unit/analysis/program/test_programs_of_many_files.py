"""Programs whose files import each other: what one defines, the others use."""

from __future__ import annotations

import pytest

from envlock.analysis.program.reading import read_programs


def uses_of(file: str, sources: dict[str, str]) -> set[str]:
    program = read_programs(sources).programs[file]
    return {use.path for use in program.uses if not use.text.startswith(("import", "from"))}


MADE = """from g import W
def make(): return W()
model = W()
class Holder:
    def __init__(self): self.model = W()
"""


@pytest.mark.parametrize(
    ("module", "file", "use"),
    [
        ("pkg/data.py", "pkg/use.py", "from .data import make\nmake().wv"),
        ("pkg/data.py", "pkg/use.py", "from . import data\ndata.make().wv"),
        ("pkg/data.py", "pkg/in/use.py", "from ..data import make as m\nm().wv"),
        ("pkg/__init__.py", "train.py", "from pkg import model\nmodel.wv"),
        ("pkg/data.py", "train.py", "import pkg.data\npkg.data.model.wv"),
        ("pkg/data.py", "train.py", "import pkg.data as d\nd.Holder().model.wv"),
        ("pkg/data.py", "train.py", "from pkg.data import *\nHolder().model.wv"),
        ("pkg/data.py", "bin/train.py", "from pkg.data import model\nmodel.wv"),
        ("src/pkg/data.py", "tests/test_it.py", "from pkg.data import model\nmodel.wv"),
        ("scripts/data.py", "scripts/train.py", "import data\ndata.make().wv"),
        ("pkg/data.py", "look.ipynb", "from pkg import data\ndata.make().wv"),
        (
            "pkg/data.py",
            "train.py",
            "from pkg.data import Holder\nclass Mine(Holder): pass\nHolder().model.wv",
        ),
    ],
)
def test_what_a_file_gets_from_another(module: str, file: str, use: str) -> None:
    sources = {file: use, module: MADE}
    if module.startswith(("pkg", "src")):
        sources.setdefault(f"{module.rpartition('/')[0]}/__init__.py", "")
    assert "g.W().wv" in uses_of(file, sources)


def test_what_a_package_passes_on() -> None:
    sources = {
        "use.py": "import pkg\npkg.make().wv",
        "pkg/__init__.py": "from .models import make",
        "pkg/models.py": "from .parts.deep import make",
        "pkg/parts/deep.py": MADE,
    }
    assert "g.W().wv" in uses_of("use.py", sources)
    assert "g" in read_programs(sources).programs["use.py"].imports


def test_what_another_file_passes_to_a_function() -> None:
    sources = {
        "a.py": "def show(m): m.wv",
        "b.py": "from a import show\nfrom g import W\nshow(W())",
    }
    assert "g.W().wv" in uses_of("a.py", sources)


def test_files_that_import_each_other() -> None:
    sources = {
        "a.py": "from b import two\ndef one(): return two()\n",
        "b.py": "from g import W\nimport a\ndef two(): return W()\na.one().wv",
    }
    assert "g.W().wv" in uses_of("b.py", sources)


def test_a_package_of_the_same_name_is_not_the_program() -> None:
    """A module inside a package is not what an absolute import means, and a folder gives way to a package."""
    inside = {"pkg/__init__.py": "", "pkg/gensim.py": MADE, "pkg/use.py": "import gensim\ngensim.model.wv"}
    assert uses_of("pkg/use.py", inside) == {"gensim.model.wv"}
    beside = {"gensim/train.py": MADE, "use.py": "from gensim import models\nmodels.W()"}
    assert uses_of("use.py", beside) == {"gensim.models.W"}


def test_functions_of_one_place_in_two_files_are_two() -> None:
    sources = {
        "a.py": "from g import W\ndef make(): return W()\nmake().wv",
        "b.py": "from h import V\ndef make(): return V()\nmake().x",
    }
    assert uses_of("a.py", sources) == {"g.W", "g.W().wv"}
    assert uses_of("b.py", sources) == {"h.V", "h.V().x"}


def test_what_one_file_assigns_to_a_package_leaves_the_uses_of_others() -> None:
    sources = {"a.py": "import numpy\nnumpy.float = float", "b.py": "import a\nimport numpy\nnumpy.float"}
    assert "numpy.float" in uses_of("b.py", sources)


def test_one_bad_file_leaves_the_others() -> None:
    reading = read_programs({"old.py": "print 'two'", "new.py": "from g import W\nW().wv"})
    assert list(reading.programs) == ["new.py"]
    assert list(reading.unread) == ["old.py"]
