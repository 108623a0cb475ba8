"""What a program uses of what it imports, path by path."""

from __future__ import annotations

import pytest

from tests.programs import read_program


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
        ("from g import W\na, b = W(), 1\na.wv", "g.W().wv"),
        ("from g import W\nclass T(W):\n  def b(self):\n    super().b().wv", "g.W().b().wv"),
        ("from g import W\nclass T(W): pass\nT(size=1)", "g.W"),
        ("from g import W\nfor m in [W(), W(1)]:\n    m.wv", "g.W().wv"),
        ("import functools\nfrom g import W\nmake = functools.partial(W, size=1)", "g.W"),
        ("from g import W\nm = W() if x else W(1)\nm.wv", "g.W().wv"),
        ("from g import W\nm = W()\n'a' in m", "g.W().__contains__"),
        ("from g import W\ngetattr(W(), 'wv').vocab", "g.W().wv.vocab"),
        ("import importlib\nm = importlib.import_module('g.models')\nm.W()", "g.models.W"),
        ("from g import W\nasync def f():\n    (await W()).wv", "g.W().wv"),
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
        ("import g\ntry:\n    g.new()\nexcept AttributeError:\n    g.old()", "g.old"),
        (
            "from g import W\nclass T:\n  def a(self):\n    self.m = W()\n  def b(self):\n    self.m.wv",
            "g.W().wv",
        ),
        ("from g import W\nclass T:\n  def a(self):\n    self.m = W()\nt = T()\nt.m.wv", "g.W().wv"),
        ("from g import W\nclass T:\n  @property\n  def m(self):\n    return W()\nT().m.wv", "g.W().wv"),
        ("from g import W\nclass T:\n  m: W\n  def b(self):\n    self.m.wv", "g.W().wv"),
        (
            "from g import W\nclass T:\n  def a(self):\n    return W()\n  def b(self):\n    self.a().wv",
            "g.W().wv",
        ),
        ("from g import W\nclass T(W):\n  def b(self):\n    return self.wv.vocab", "g.W().wv.vocab"),
        ("from g import W\nclass T(W): pass\nclass U(T): pass\nU().wv", "g.W().wv"),
        ("from g import W\ndef make():\n    return W()\nmake().wv", "g.W().wv"),
        ("from g import W\ndef a():\n    return b()\ndef b():\n    return W()\nx = b()\nx.wv", "g.W().wv"),
        ("from g import W\ndef f(m):\n    return m.wv\nf(W())", "g.W().wv"),
        ("from g import W\ndef f(a, *, m=None):\n    return m.wv\nf(1, m=W())", "g.W().wv"),
        ("from g import W\ndef f(kind=W):\n    return kind(size=1)", "g.W"),
        ("from g import W\ndef f(m: 'W | None'):\n    return m.wv", "g.W().wv"),
        ("from typing import Optional\nfrom g import W\ndef f(m: Optional[W]):\n    return m.wv", "g.W().wv"),
        ("from g import W\nm = None\ndef a():\n    global m\n    m = W()\ndef b():\n    m.wv", "g.W().wv"),
        ("from g import W\nm = load() or W()\nm.wv", "g.W().wv"),
        ("from g import S\nwith S() as s:\n    s.run()", "g.S().run"),
        ("def f(models):\n    models[0].wv.vocab", "?.wv.vocab"),
        ("from g import W\nms = [W(x) for x in y]\nfor m in ms:\n    m.wv", "g.W().wv"),
        ("from g import W\nms = [W(), W(1)]\nms[0].wv", "g.W().wv"),
        ("from g import f\nfor m in f():\n    m.wv", "g.f().__iter__().wv"),
        ("from g import f\n[m.wv for m in f().parts]", "g.f().parts.__iter__().wv"),
        ("from g import W\nms = {'a': W()}\nms['a'].wv", "g.W().wv"),
        ("from g import W\ndef f():\n    return [W()]\n[m.wv for m in f()]", "g.W().wv"),
        ("from g import W\ndef f():\n    return {k: W() for k in y}\nf()['k'].wv", "g.W().wv"),
        ("class A:\n  def f(self):\n    later().wv\ndef later(): return W()\nfrom g import W", "g.W().wv"),
        ("from g import W\nclass A:\n  def make() -> 'A': pass\n  m = W()\nA.make().m.wv", "g.W().wv"),
        (
            "from g import W\nclass A:\n  m = W()\n  @classmethod\n  def of(cls): return cls()\nA.of().m.wv",
            "g.W().wv",
        ),
        ("from g import W\nclass A:\n  m = W()\nA.m.wv", "g.W().wv"),
        ("import g\nif g.__version__ < '4':\n    g.old()", "g.old"),
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
        "from g import W\nclass T(W):\n  def wv(self): pass\nT().wv",
        "from g import W\nm = W()\nif hasattr(m, 'wv'):\n    m.wv\nelse:\n    1",
        "from g import W\ngetattr(W(), 'wv', None)",
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


@pytest.mark.parametrize(
    "source",
    [
        "import g\ng.f(**{'x': 2})",
        "import g\nmore = dict(x=2)\ng.f(**more)",
        "import g\nmore = {}\nmore['x'] = 2\ng.f(**more)",
        "import g\nimport functools\nfunctools.partial(g.f, x=2)",
    ],
)
def test_arguments_that_are_seen_elsewhere(source: str):
    [use] = [use for use in read_program(source, "p").uses if use.call and use.path == "g.f"]
    assert use.call
    assert (use.call.keywords, use.call.spread) == ({"x"}, True)


def test_a_subclass_that_makes_itself_takes_what_it_likes():
    source = (
        "from g import W\nclass T(W):\n  def __init__(self, size):\n    super().__init__(n=size)\nT(size=1)"
    )
    calls = [(use.path, use.call.keywords) for use in read_program(source, "p").uses if use.call]
    assert ("g.W().__init__", {"n"}) in calls
    assert ("g.W", {"size"}) not in calls


def test_text_that_is_no_python():
    with pytest.raises(SyntaxError):
        read_program("print 'two'", "old.py")


@pytest.mark.parametrize(
    ("source", "path"),
    [
        ("import g\ntry:\n    f()\nexcept g.Error:\n    pass", "g.Error"),
        ("import g\ntry:\n    f()\nexcept (ValueError, g.Error) as e:\n    pass", "g.Error"),
        ("import g\nmatch x:\n    case g.Point(y=1):\n        pass", "g.Point"),
        ("import g\nmatch x:\n    case y if g.f(y):\n        pass", "g.f"),
        ("import g\nf = lambda x, d=g.default: x", "g.default"),
        ("import g\ndef f(x: g.Kind): pass", "g.Kind"),
        ("import g\nclass C:\n    x: g.Kind", "g.Kind"),
        ("import g\ng.W().iter = 5", "g.W().iter"),
    ],
)
def test_whatever_is_evaluated_is_read(source: str, path: str):
    assert uses(source)[path]


@pytest.mark.parametrize(
    ("source", "path"),
    [
        ("from typing import TYPE_CHECKING\nimport g\nif TYPE_CHECKING:\n    g.Kind", "g.Kind"),
        ("import typing, g\nif typing.TYPE_CHECKING:\n    g.Kind", "g.Kind"),
        ("from __future__ import annotations\nimport g\ndef f(x: g.Kind): pass", "g.Kind"),
        ("from __future__ import annotations\nimport g\ndef f() -> g.Kind: pass", "g.Kind"),
        ("from __future__ import annotations\nimport g\nclass C:\n    x: g.Kind", "g.Kind"),
        ("import g\ndef f():\n    x: g.Kind = 1", "g.Kind"),
        ("import contextlib, g\nwith contextlib.suppress(AttributeError):\n    g.old", "g.old"),
        ("import pytest, g\nwith pytest.raises(AttributeError):\n    g.old", "g.old"),
    ],
)
def test_what_never_runs_or_may_fail_is_likely(source: str, path: str):
    assert not uses(source)[path]


@pytest.mark.parametrize(
    "source",
    [
        "import g\ng.old = float\ng.old(1)",
        "import g\nif not hasattr(g, 'old'):\n    g.old = float\ng.old(1)",
        "import g\nsetattr(g, 'old', float)\ng.old(1)",
        "import g as h\ndef f():\n    return h.old.x(1)\nh.old = 1",
        "import g\ntry:\n    g.old\nexcept AttributeError:\n    g.old = float\ng.old(1)",
    ],
)
def test_what_the_program_puts_into_a_package_is_there(source: str):
    assert not [path for path in uses(source) if path.startswith("g.old")]


@pytest.mark.parametrize(
    "source",
    [
        "x = " + " + ".join(["'a'"] * 2000),
        "if x == 0:\n    pass\n" + "".join(f"elif x == {number}:\n    pass\n" for number in range(500)),
    ],
)
def test_what_is_nested_too_deeply_for_us_is_an_error_and_no_crash(source: str):
    with pytest.raises(ValueError, match="too deeply"):
        read_program(source, "generated.py")


def test_lines_are_counted_as_python_counts_them():
    [use] = read_program("x = 1\n\f\nimport g\n", "old.py").uses
    assert (use.line, use.text) == (3, "import g")


@pytest.mark.parametrize(
    "source",
    [
        "def make(a, **kw): return W(a, **kw)\nmake(1, size=3)",
        "def make(a, **kw): return W(a, **kw)\ndef more(**opts): return make(1, **opts)\nmore(size=3)",
        "class H:\n  def __init__(self, **kw): self.m = W(**kw)\nH(size=3)",
        "class H:\n  def __init__(self, **kw): self.m = W(**kw)\ndef f(**kw): return H(**kw)\nf(size=3)",
        "def make(**kw):\n  if kw: return [W(**kw)]\nmake(a=1, size=3)",
    ],
)
def test_arguments_that_a_function_of_the_program_passes_on(source: str) -> None:
    source = f"from g import W\n{source}"
    last = [use for use in read_program(source, "p.py").uses if use.line == source.count("\n") + 1]
    assert [(use.path, use.sure) for use in last] == [("g.W", False)]
    assert last[0].call is not None
    assert "size" in last[0].call.keywords


@pytest.mark.parametrize(
    "source",
    [
        "def make(size, **kw): return W(**kw)\nmake(size=3)",
        "def make(**kw):\n  n = kw.pop('size')\n  return W(**kw)\nmake(size=3)",
        "def make(**kw): return W(len(kw))\nmake(size=3)",
        "def make(**kw):\n  def inner(**kw): pass\n  return W(kw)\nmake(size=3)",
    ],
)
def test_arguments_that_a_function_keeps(source: str) -> None:
    source = f"from g import W\n{source}"
    assert all(use.line < source.count("\n") + 1 for use in read_program(source, "p.py").uses)
