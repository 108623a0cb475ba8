"""Uses that fail, named with their replacements; and names that merely look alike, left alone."""

from __future__ import annotations

from dataclasses import replace

import pytest

from envlock.lifecycle.breaks import Rename
from envlock.lifecycle.code_breaks import CodeBreak, Moved, find_code_breaks
from envlock.model.published.api import Api, ApiChange, ApiChangeKind, ApiState
from envlock.render.changes.code_breaks import why
from tests.programs import read_program

WORD2VEC = "gensim.models.word2vec.Word2Vec"


def rename(old: str, new: str, *of: str) -> Rename:
    return Rename(old=old, new=new, since="4.0.0", breaking=True, note="", sources=(), of=of)


RECORDED = (
    rename("Word2Vec(size=...)", "Word2Vec(vector_size=...)", "gensim.models.Word2Vec"),
    rename("model.wv.vocab", "model.wv.key_to_index", "gensim.models.Word2Vec()"),
    rename("gensim.summarization", "", "gensim"),
    rename("a.one, a.two", "a.three", "gensim.a"),
    rename("not an expression", "", "gensim"),
    rename("load(path, mmap=None)", "", "gensim.load"),
)


def change(kind: ApiChangeKind, name: str, parameter: str = "", position: int = -1, *, sure: bool = True):
    return ApiChange(kind=kind, name=name, parameter=parameter, position=position, sure=sure)


API = Api(
    state=ApiState.COMPARED,
    packages=("gensim",),
    changes=(
        change(ApiChangeKind.PARAMETER_REMOVED, f"{WORD2VEC}.__init__", "size", 1),
        ApiChange(
            kind=ApiChangeKind.PARAMETER_REMOVED,
            name="gensim.utils.few",
            parameter="b",
            position=1,
            takes=2,
        ),
        ApiChange(
            kind=ApiChangeKind.PARAMETER_BY_NAME,
            name="gensim.utils.placed",
            parameter="b",
            position=1,
            takes=2,
        ),
        change(ApiChangeKind.REMOVED, f"{WORD2VEC}.accuracy"),
        change(ApiChangeKind.REMOVED, "gensim.matutils"),
        change(ApiChangeKind.REMOVED, "gensim.inner.kept_one"),
        change(ApiChangeKind.REMOVED, "gensim.deep"),
        change(ApiChangeKind.REMOVED, "gensim.inner.Moved"),
        change(ApiChangeKind.REMOVED, "gensim.inner.Moved.gone"),
        change(ApiChangeKind.REMOVED, "gensim.utils.dynamic", sure=False),
        change(ApiChangeKind.PARAMETER_ADDED, "gensim.utils.f", "b", 1),
        change(ApiChangeKind.PARAMETER_BY_NAME, "gensim.utils.g", "b", 1),
        change(ApiChangeKind.PARAMETER_BY_POSITION, "gensim.utils.h", "b", 1),
        change(ApiChangeKind.PARAMETER_MOVED, "gensim.utils.k", "b", 1),
    ),
    names={
        "gensim.models.Word2Vec": WORD2VEC,
        "gensim.models.Sub.__init__": f"{WORD2VEC}.__init__",
        "gensim.kept_one": "gensim.inner.kept_one",
        "gensim.Moved": "gensim.inner.Moved",
        "gensim.deep_one": "gensim.deep.module.deep_one",
    },
    classes=frozenset({WORD2VEC, "gensim.models.Sub", "gensim.inner.Moved", "gensim.matutils.Made"}),
    makers={f"{WORD2VEC}.load": WORD2VEC, "gensim.make": "gensim.matutils.Made"},
    gone={"index2word": f"{WORD2VEC}.index2word", "append": f"{WORD2VEC}.append", "syn": f"{WORD2VEC}.syn"},
    kept=frozenset({"gensim.kept_one", "gensim.Moved", "gensim.deep_one"}),
)


def found(source: str, api: Api | None = API) -> list[CodeBreak]:
    moved = Moved(component="gensim", api=api, renames=RECORDED)
    return list(find_code_breaks([read_program(source, "train.py")], [moved]))


def test_the_two_names_of_gensim_4():
    source = "from gensim.models import Word2Vec\nmodel = Word2Vec(text, size=100)\nprint(model.wv.vocab)\n"
    told = [(one.use.line, one.parameter, one.new, one.sure) for one in found(source)]
    assert told == [
        (2, "size", "Word2Vec(vector_size=...)", True),
        (3, "", "model.wv.key_to_index", True),
    ]
    assert [(one.use.line, one.new) for one in found(source, None)] == [
        (line, new) for line, _, new, _ in told
    ]


@pytest.mark.parametrize(
    ("source", "name"),
    [
        ("import gensim.models.word2vec as w\nw.Word2Vec(size=1)", "Word2Vec"),
        ("from gensim.models import Sub\nSub(size=1)", f"{WORD2VEC}.__init__"),
        ("from gensim.models import Word2Vec\nm = Word2Vec()\nm.accuracy()", f"{WORD2VEC}.accuracy"),
        ("from gensim import matutils", "gensim.matutils"),
        ("import gensim.matutils", "gensim.matutils"),
        ("import gensim\ngensim.matutils.corpus2csc(x)", "gensim.matutils"),
        ("from gensim.summarization import keywords", "gensim.summarization"),
        ("import gensim\ngensim.a.two()", "a.two"),
        ("from gensim import Moved\nMoved().gone()", "gensim.inner.Moved.gone"),
        ("from gensim.utils import f\nf(1)", "gensim.utils.f"),
        ("from gensim.utils import g\ng(1, 2)", "gensim.utils.g"),
        ("from gensim.utils import h\nh(1, b=2)", "gensim.utils.h"),
    ],
)
def test_certain(source: str, name: str):
    assert [(one.name, one.sure) for one in found(source)] == [(name, True)]


@pytest.mark.parametrize(
    ("source", "name"),
    [
        ("from gensim.models import Word2Vec\nWord2Vec.load('x').accuracy()", f"{WORD2VEC}.accuracy"),
        ("import gensim\ndef f(model):\n    return model.wv.vocab", "model.wv.vocab"),
        ("from gensim import utils\nutils.dynamic()", "gensim.utils.dynamic"),
        ("from gensim.utils import k\nk(1, 2)", "gensim.utils.k"),
        ("import gensim\ndef f(box):\n    return box[0].index2word", f"{WORD2VEC}.index2word"),
        ("import gensim\ngensim.utils.f2(1).index2word", f"{WORD2VEC}.index2word"),
    ],
)
def test_likely(source: str, name: str):
    assert [(one.name, one.sure) for one in found(source)] == [(name, False)]


@pytest.mark.parametrize(
    "source",
    [
        "from mylib import Word2Vec\nm = Word2Vec(size=1)\nm.wv.vocab",
        "def f(model):\n    return model.wv.vocab",
        "import gensim\nfrom mylib import Word2Vec\nWord2Vec(size=1).accuracy()",
        "import gensim\nclass Word2Vec: pass\nm = Word2Vec(size=1)\nm.wv.vocab",
        "import gensim\nfrom mylib import model\nmodel.wv.vocab",
        "import gensim\ndef f(box):\n    return box.vocab, box.size, box.accuracy()",
        "from gensim.models import Word2Vec\nWord2Vec(vector_size=1, text=size)",
        "from gensim.models import Word2Vec\nWord2Vec(1, 2)",
        "import gensim\ngensim.make(1)[0]\ngensim.make(1).size",
        "import gensim\ngensim.kept_one()",
        "from gensim import kept_one, Moved, deep_one\nMoved().fine()",
        "from gensim.utils import f\nf(1, 2)\nf(1, b=2)\nf(*arguments)\nf(**named)",
        "from gensim.utils import g\ng(1, b=2)",
        "from gensim.utils import h, k\nh(1, 2)\nk(1, b=2)",
        "import gensim\ngensim.matutils2.x\ngensim.load(p, mmap=1)",
        "import gensim\ngensim.utils.f2(1).accuracy()",
        "import gensim\ndef f(box):\n    box.append(box.syn)",
        "def f(box):\n    return box.index2word",
        "from gensim.utils import few\nfew(1, 2)",
        "from gensim.utils import placed\nplaced(1, 2)",
    ],
)
def test_left_alone(source: str):
    assert found(source) == []


def test_more_arguments_by_position_than_are_taken():
    [one] = found("from gensim.utils import few\nfew(1, 2, 3)")
    assert (one.parameter, one.sure) == ("b", True)


def test_a_change_is_told_of_the_class_that_is_meant():
    recorded = rename("W(size=...), W(iter=...)", "W(n=...), W(epochs=...)", "g.W", "g.V")
    programs = [read_program("from g import V\nV(iter=1)", "p.py")]
    [one] = find_code_breaks(programs, [Moved(component="g", api=None, renames=(recorded,))])
    assert (one.name, one.parameter, one.new) == ("V", "iter", "V(epochs=...)")


def test_what_another_file_puts_into_the_package_is_likely_only():
    """A program's ``compat.py`` sets ``g.old``, which the others then find."""
    gone = ApiChange(kind=ApiChangeKind.REMOVED, name="g.old")
    api = Api(state=ApiState.COMPARED, packages=("g",), changes=(gone,))
    programs = [
        read_program(source, name)
        for source, name in (("import g\ng.old = 1", "compat.py"), ("import g\ng.old", "train.py"))
    ]
    [found] = find_code_breaks(programs, [Moved(component="g", api=api, renames=())])
    assert (found.use.file, found.sure) == ("train.py", False)


def test_each_name_that_one_statement_imports_is_told():
    api = replace(
        API, changes=(change(ApiChangeKind.REMOVED, "gensim.a"), change(ApiChangeKind.REMOVED, "gensim.b"))
    )
    names = [one.name for one in found("from gensim import a, b, models", api)]
    assert names == ["gensim.a", "gensim.b"]
    assert [one.name for one in found("from gensim.deep import a, b")] == ["gensim.deep"]


@pytest.mark.parametrize(
    ("call", "told"),
    [
        ("Sgd(1, loss='log')", ["Sgd takes no loss='log'"]),
        ("Sgd(loss='log_loss')", []),
        ("Sgd(loss=chosen)", []),
        ("Sgd('log')", []),
    ],
)
def test_a_value_that_is_no_longer_taken(call: str, told: list[str]):
    recorded = rename("gensim.Sgd(loss='log')", "gensim.Sgd(loss='log_loss')", "gensim")
    programs = [read_program(f"from gensim import Sgd\n{call}\n", "train.py")]
    breaks = find_code_breaks(programs, [Moved(component="gensim", api=None, renames=(recorded,))])
    assert [why(one).partition(" any")[0].removeprefix("gensim.") for one in breaks] == told


def test_a_method_that_its_class_has_itself_now_is_there_and_so_is_what_it_returns():
    api = Api(
        state=ApiState.COMPARED,
        packages=("gensim",),
        changes=(change(ApiChangeKind.REMOVED, "gensim.base.Base.group"),),
        names={"gensim.Data": "gensim.data.Data", "gensim.data.Data.group": "gensim.base.Base.group"},
        classes=frozenset({"gensim.data.Data", "gensim.base.Base"}),
        makers={"gensim.open": "gensim.data.Data"},
        kept=frozenset({"gensim.data.Data.group"}),
    )
    assert found("import gensim\nd = gensim.open()\nd.group().mean()\ngensim.Data().group()", api) == []


def test_a_method_by_which_a_class_replaces_one_that_is_gone():
    api = Api(
        state=ApiState.COMPARED,
        packages=("gensim",),
        changes=(
            change(ApiChangeKind.REMOVED, "gensim.hooks.Hooks.on_end"),
            change(ApiChangeKind.REMOVED, "gensim.old"),
        ),
        names={
            "gensim.Model": "gensim.old.Model",
            "gensim.Data": "gensim.data.Data",
            "gensim.data.Data.on_end": "gensim.hooks.Hooks.on_end",
        },
        classes=frozenset({"gensim.old.Model", "gensim.data.Data"}),
        kept=frozenset({"gensim.Model"}),
    )
    recorded = rename("Model.on_start(x)", "Model.on_begin(x)", "gensim.Model")
    source = (
        "from gensim import Data, Model\n"
        "class D(Data):\n    def on_end(self): ...\n    def on_start(self): ...\n"
        "class M(Model):\n    def on_start(self, x): ...\n    def on_end(self): ...\n"
        "class N:\n    def on_start(self): ...\n"
    )
    moved = Moved(component="gensim", api=api, renames=(recorded,))
    breaks = find_code_breaks([read_program(source, "train.py")], [moved])
    assert [(one.use.line, one.name, one.new, one.sure) for one in breaks] == [
        (3, "gensim.hooks.Hooks.on_end", "", False),
        (6, "Model.on_start", "Model.on_begin(x)", True),
    ]


@pytest.mark.parametrize("api", [API, None])
def test_the_result_of_what_is_gone_is_no_further_break(api: Api | None) -> None:
    """Each later use of ``frame = frame.append(row)`` was said to fail, too."""
    moved = Moved(component="gensim", api=api, renames=(rename("data.append", "concat", "gensim.read()"),))
    source = "import gensim\nd = gensim.read()\nd = d.append(1)\nd.head()\nd.columns\n"
    breaks = find_code_breaks([read_program(source, "train.py")], [moved])
    assert [one.use.line for one in breaks] == [3]
    source = "from gensim.summarization import summarize\nd = summarize(1)\nd.head\n"
    assert [one.use.line for one in found(source, api)] == [1, 2]


def test_a_name_that_stays_outlives_the_module_it_came_from() -> None:
    gone = rename("gensim.inner", "gensim.models.inner", "gensim")
    moved = Moved(component="gensim", api=API, renames=(gone,))

    def lines(source: str) -> list[int]:
        return [one.use.line for one in find_code_breaks([read_program(source, "a.py")], [moved])]

    assert lines("from gensim import kept_one\nkept_one(1)\n") == []
    assert lines("import gensim.inner\nfrom gensim.inner import kept_one\n") == [1, 2]


def test_what_attributes_hold() -> None:
    api = replace(
        API,
        changes=(
            change(ApiChangeKind.REMOVED, "gensim.Index.gone"),
            change(ApiChangeKind.PARAMETER_REMOVED, "gensim.Index.take", "how", 0),
        ),
        classes=frozenset({"gensim.Frame", "gensim.Index"}),
        holders={"gensim.Frame.index": "gensim.Index", "gensim.Index.first": "gensim.Frame"},
    )
    head = "import gensim\nframe = gensim.Frame()\n"
    for use in ("frame.index.gone", "frame.index.first.index.gone", "frame.index.take(how=1)"):
        assert [(one.use.line, one.sure) for one in found(head + use, api)] == [(3, False)], use
    for use in ("frame.index", "frame.index.kept", "frame.gone", "frame.index().gone"):
        assert found(head + use, api) == [], use
    recorded = rename("frame.index.gone", "frame.index.new", "gensim.Frame()")
    moved = Moved(component="gensim", api=api, renames=(recorded,))
    [told] = find_code_breaks([read_program(head + "frame.index.gone", "a.py")], [moved])
    assert (told.new, told.sure) == ("frame.index.new", True)


@pytest.mark.parametrize(
    ("use", "told"),
    [
        ("pickle.load(f).wv.vocab", 1),
        ("m = joblib.load(f)\nm.wv.vocab", 1),
        ("for m in gensim.many():\n    m.wv.vocab", 1),
        ("pickle.load(f).vocab", 0),
        ("pickle.wv.vocab", 0),
        ("joblib.load(f).cat.set(old=1)", 1),
        ("joblib.load(f).cat.set(1)", 0),
        ("def g(m): m.cat.set(1)", 0),
    ],
)
def test_what_comes_out_of_files(use: str, told: int) -> None:
    recorded = rename("column.cat.set(old=...)", "column.cat.set(new=...)", "gensim.Column()")
    moved = Moved(component="gensim", api=API, renames=(*RECORDED, recorded))
    source = f"import gensim, pickle, joblib\n{use}\n"
    breaks = find_code_breaks([read_program(source, "a.py")], [moved])
    assert [one.sure for one in breaks] == [False] * told
