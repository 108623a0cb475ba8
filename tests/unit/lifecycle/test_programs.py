"""What a program uses of what it imports, path by path."""

from __future__ import annotations

import pytest

from envlock.lifecycle.programs import read_program


def uses(source: str) -> dict[str, bool]:
    """Path -> whether it is sure, imports themselves apart."""
    found = read_program(source, "program.py").uses
    return {use.path: use.sure for use in found if not use.text.startswith(("import", "from"))}


@pytest.mark.parametrize(
    ("source", "path"),
    [
        ("import gensim\ngensim.models.Word2Vec(size=1)", "gensim.models.Word2Vec"),
        ("import gensim.models\ngensim.models.Word2Vec()", "gensim.models.Word2Vec"),
        ("import gensim.models as m\nm.Word2Vec()", "gensim.models.Word2Vec"),
        ("from gensim.models import Word2Vec as W\nW()", "gensim.models.Word2Vec"),
        ("from gensim import models\nmodels.Word2Vec().wv", "gensim.models.Word2Vec().wv"),
        ("from g import W\nm = W()\nm.wv.vocab", "g.W().wv.vocab"),
        ("from g import W\nm: W = W()\nm.wv", "g.W().wv"),
        ("from g import W\nwv = W().wv\nwv.vocab", "g.W().wv.vocab"),
        ("from g import W\nm = W()\nm['a']", "g.W().__getitem__"),
        ("from g import W\ndef f():\n    m = W()\n    return m.wv", "g.W().wv"),
        ("def f():\n    from g import W\n    return W().wv", "g.W().wv"),
        ("from g import W\nm = W()\ndef f():\n    return m.wv", "g.W().wv"),
        ("from g import f\nprint([f(x) for x in y])", "g.f"),
        ("from g import d\n@d.x\ndef f(): pass", "g.d.x"),
        ("from g import W\nif (m := W()).wv: pass\nm.vocab", "g.W().vocab"),
        ("from g.models import *\nm = W(size=1)\nm.wv.vocab", "g.models.W().wv.vocab"),
        ("from g import *\ndef f():\n    return W().wv", "g.W().wv"),
    ],
)
def test_certain(source: str, path: str):
    assert uses(source)[path]


@pytest.mark.parametrize(
    ("source", "path"),
    [
        ("from g import W\nm = None\nif x:\n    m = W()\nm.wv", "g.W().wv"),
        ("from g import W, V\nm = W()\nif x:\n    m = V()\nm.wv", "g.V().wv"),
        ("from g import W\ndef f(m: W):\n    return m.wv", "g.W().wv"),
        ("def f(m):\n    return m.wv.vocab", "?.wv.vocab"),
        ("from g import *\nfrom h import *\nW().wv", "g.W().wv"),
        ("from g import *\nfrom h import *\nW().wv", "h.W().wv"),
        ("try:\n    import g\n    g.old()\nexcept AttributeError:\n    pass", "g.old"),
        (
            "from g import W\nclass T:\n  def a(self):\n    self.m = W()\n  def b(self):\n    self.m.wv",
            "g.W().wv",
        ),
    ],
)
def test_likely(source: str, path: str):
    assert uses(source)[path] is False


@pytest.mark.parametrize(
    "source",
    [
        "class Word2Vec: pass\nWord2Vec().wv",
        "from .models import Word2Vec\nWord2Vec().wv",
        "from g import W\nW = make()\nW().wv",
        "from g import W\ndef W(): pass\nW().wv",
        "from g import W\nm = W()\nm = other()\nm.wv",
        "from g import W\ndef f(W):\n    return W().wv",
        "from g import *\nclass W: pass\nW().wv",
        "from .g import *\nW().wv",
        "W().wv\nfrom h import *",
    ],
)
def test_leads_nowhere(source: str):
    assert not [path for path in uses(source) if path.startswith("g.W().")]


def test_a_star_brings_neither_what_python_has_nor_what_is_bound_here():
    source = "from g import *\nprint(len(W))\ntry:\n    f()\nexcept ValueError as e:\n    e.args\nx = 1\nx.y"
    assert uses(source) == {"g.W": True, "g.f": True}


def test_arguments_of_a_call():
    [use] = [use for use in read_program("import g\ng.f(1, *a, x=2)", "p").uses if use.call]
    assert use.call
    assert (use.call.positional, use.call.keywords, use.call.spread) == (1, {"x"}, True)
    assert (use.line, use.column, use.text) == (2, 1, "g.f(1, *a, x=2)")


def test_text_that_is_no_python():
    with pytest.raises(SyntaxError):
        read_program("print 'two'", "old.py")
