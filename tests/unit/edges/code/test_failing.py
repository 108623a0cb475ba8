"""What of a distribution's functions fails beside another: what surely runs, and what may."""

import ast
import io
import tarfile
import time
import zipfile
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from textwrap import indent

import pytest

from envlock.analysis.functions.failing import Reader
from envlock.analysis.functions.holder import Holder
from envlock.analysis.imports.modules import Module, modules_in
from envlock.analysis.imports.old_words import parsed_with_old_words
from envlock.analysis.imports.statements import RunOnImport
from envlock.edges.cache import Cache
from envlock.edges.code.archived import commands_of
from envlock.edges.code.contents import Contents
from envlock.edges.code.failing import read_failing
from envlock.edges.code.queries import ReleaseFiles
from envlock.model.published.catalogue import DistFile
from envlock.model.published.failing_use import FailingUse
from tests.memory import MemoryCatalogue

HELPER = """
def act(a, *, new=0): ...
class Made:
    def __init__(self, a): ...
"""


def failing(source: str, helper: str = HELPER, **others: str) -> list[tuple[str, str, bool]]:
    """Name and function of what fails in a module beside ``helper``, and whether it surely does."""
    return [(one.name, one.function, one.is_sure) for one in uses(source, helper, **others)]


def uses(source: str, helper: str = HELPER, **others: str) -> tuple[FailingUse, ...]:
    modules = {"thing": Module("thing/__init__.py", source)}
    modules |= {f"thing.{name}": Module(f"thing/{name}.py", text) for name, text in others.items()}
    held = {"helper": Module("helper/__init__.py", helper)}
    holder = Holder(Contents(held, tells_all=True, is_whole=True, is_wheel=True))
    return Reader("thing", "thing", modules).failing("helper", holder)


def within(body: str, head: str = "import helper\n") -> list[tuple[str, str, bool]]:
    return failing(f"{head}def f(x, *rest):\n{indent(body, '    ')}")


def test_it_ends_all_if_each_module_that_imports_the_other_one_ends() -> None:
    one = {"a": "from helper import gone\n", "b": "from . import a\nimport helper\n", "c": "import other\n"}
    (use,) = uses("", **one)
    assert use.ends_all
    (use,) = uses("", **one, d="def f():\n    import helper\n")
    assert not use.ends_all
    (use,) = uses("", **one, tests="import helper\n")
    assert use.ends_all


def test_it_ends_all_of_a_program_if_none_of_its_commands_can_be_imported() -> None:
    modules = {"thing": Module("thing/__init__.py", "")}
    modules |= {
        f"thing.{name}": Module(f"thing/{name}.py", text)
        for name, text in {
            "run": "from .part import f\n",
            "part": "from helper import gone\n",
            "more": "import helper\n",
            **{f"other{number}": "" for number in range(5)},
        }.items()
    }
    holder = Holder(
        Contents({"helper": Module("helper/__init__.py", "")}, tells_all=True, is_whole=True, is_wheel=True)
    )
    (use,) = Reader("thing", "thing", modules, {"thing.run"}).failing("helper", holder)
    assert use.ends_all
    (use,) = Reader("thing", "thing", modules, {"thing.run", "thing.more"}).failing("helper", holder)
    assert not use.ends_all
    modules["thing"] = Module("thing/__init__.py", "from .more import helper\n")
    (use,) = Reader("thing", "thing", modules, {"thing.run"}).failing("helper", holder)
    assert not use.ends_all


SURE = [("helper.gone", "f", True)]
MAYBE = [("helper.gone", "f", False)]


@pytest.mark.parametrize(
    ("body", "found"),
    [
        ("return helper.gone\n", SURE),
        ("x = [helper.gone]\n", SURE),
        ("from helper import gone\n", SURE),
        ("import helper.gone\n", SURE),
        ("import helper as other\nother.gone()\n", SURE),
        ("with open(x) as x:\n    helper.gone\n", SURE),
        ("for x in rest:\n    helper.gone\n", SURE),
        ("while x:\n    helper.gone\n", SURE),
        ("try:\n    helper.gone\nexcept OSError:\n    pass\n", SURE),
        ("try:\n    helper.gone\nexcept ValueError:\n    pass\n", SURE),
        ("try:\n    helper.gone\nexcept* ValueError:\n    pass\n", SURE),
        ("if not _THING_SETUP_:\n    helper.gone\n", SURE),
        ("try:\n    helper.gone\nfinally:\n    pass\n", SURE),
        ("if x is None:\n    raise KeyError\nhelper.gone\n", SURE),
        ("if helper.gone:\n    pass\n", SURE),
        ("x = helper.gone if x else None\n", MAYBE),
        ("if x:\n    helper.gone\n", MAYBE),
        ("if x:\n    pass\nelse:\n    helper.gone\n", MAYBE),
        ("if x:\n    return x\nhelper.gone\n", MAYBE),
        ("for x in rest:\n    if x:\n        break\n    helper.gone\n", MAYBE),
        ("for x in rest:\n    if x:\n        return\nhelper.gone\n", MAYBE),
        ("try:\n    x()\nexcept ValueError:\n    return x\nhelper.gone\n", MAYBE),
        ("with suppress(KeyError):\n    return x[0]\nhelper.gone\n", MAYBE),
        ("with open(x), suppress(KeyError):\n    if x:\n        return x\nhelper.gone\n", MAYBE),
        ("with suppress(KeyError):\n    x()\nhelper.gone\n", SURE),
        ("with open(x):\n    return x\nhelper.gone\n", []),
        ("return x\nhelper.gone\n", []),
        ("raise helper.gone\n", []),
        ("x or helper.gone\n", []),
        ("x = lambda: helper.gone\n", []),
        ("def g():\n    helper.gone\nreturn g\n", [("helper.gone", "f", False)]),
        ("def g():\n    return g\nreturn g\n", []),
        ("def g():\n    helper.gone\n", []),
        ("x = [helper.gone for _ in rest]\n", []),
        ("try:\n    helper.gone\nexcept AttributeError:\n    pass\n", []),
        ("try:\n    helper.gone\nexcept* AttributeError:\n    pass\n", []),
        ("try:\n    x()\nexcept* AttributeError:\n    helper.gone\n", []),
        ("try:\n    helper.gone\nexcept:\n    pass\n", []),
        ("try:\n    helper.gone\nexcept (KeyError, Exception):\n    pass\n", []),
        ("with suppress(AttributeError):\n    helper.gone\n", []),
        ("with pytest.raises(AttributeError):\n    helper.gone\n", []),
        ("if Version(helper.__version__) < Version('2'):\n    helper.gone\n", []),
        ("if OLD_HELPER:\n    helper.gone\n", []),
        ("if is_helper_lt_2:\n    helper.gone\n", []),
        ("if is_new():\n    return x\nhelper.gone\n", []),
        ("if hasattr(helper, x):\n    return x\nhelper.gone\n", []),
        ("old = x.version < 2\nif old:\n    helper.gone\n", []),
        ("x = helper.gone if HELPER_1 else None\n", []),
        ("assert helper.__version__ > '2'\nhelper.gone\n", []),
        ("helper = x\nhelper.gone\n", []),
        ("if x:\n    import other as helper\nhelper.gone\n", []),
        ("global helper\nhelper.gone\n", []),
        ("setattr(helper, 'gone', x)\nhelper.gone\n", []),
        ("helper.gone = x\nhelper.gone\n", []),
        ("x = getattr(helper, 'gone', None) or helper.gone\n", []),
    ],
)
def test_what_runs_in_a_function_is_read(body: str, found: list[tuple[str, str, bool]]) -> None:
    assert within(body) == found


@pytest.mark.parametrize(
    ("head", "found"),
    [
        ("import helper\n", SURE),
        ("try:\n    import helper\nexcept ImportError:\n    helper = None\n", SURE),
        ("try:\n    import helper\nexcept* ImportError:\n    helper = None\n", SURE),
        ("def is_there():\n    return find_spec('helper')\nif is_there():\n    import helper\n", SURE),
        ("if x:\n    import helper\n", SURE),
        ("import helper\nhelper = wrap(helper)\n", []),
        ("try:\n    import helper\nexcept ImportError:\n    import other as helper\n", []),
        ("try:\n    import helper\nexcept* ImportError:\n    import other as helper\n", []),
        ("if HELPER_2:\n    import helper\n", []),
        ("if TYPE_CHECKING:\n    import helper\n", []),
        ("import other as helper\n", []),
    ],
)
def test_a_name_of_the_module_stands_for_one_thing(head: str, found: list[tuple[str, str, bool]]) -> None:
    assert within("return helper.gone\n", head) == found


@pytest.mark.parametrize(
    "source",
    [
        "def test_it():\n    helper.gone\n",
        "def old():\n    helper.gone\n",
        "def f():\n    'Deprecated: take another.'\n    helper.gone\n",
        "@deprecated('take another')\ndef f():\n    helper.gone\n",
        "@pytest.fixture\ndef f():\n    helper.gone\n",
        "class TestIt:\n    def f(self):\n        helper.gone\n",
        "if x:\n    def f():\n        helper.gone\n",
        "if __name__ == '__main__':\n    helper.gone\n",
    ],
)
def test_functions_that_few_call_do_not_count(source: str) -> None:
    assert failing(f"import helper\n{source}") == []


@pytest.mark.parametrize(
    "module", ["cli", "compat", "convert_it", "examples", "test_it", "_helper2", "helper_v1", "deprecated"]
)
def test_modules_that_few_use_do_not_count(module: str) -> None:
    text = "import helper\ndef f():\n    helper.gone\n"
    assert failing("", **{module: text}) == []
    assert failing("", inner=text) == [("helper.gone", "f", True)]


def test_a_module_that_a_command_runs_counts_whatever_its_name() -> None:
    """Everybody who installs a program runs its ``cli``."""
    text = "import helper\ndef f():\n    helper.gone\n"
    modules = {"thing": Module("thing/__init__.py", ""), "thing.cli": Module("thing/cli.py", text)}
    holder = Holder(
        Contents(
            {"helper": Module("helper/__init__.py", HELPER)}, tells_all=True, is_whole=True, is_wheel=True
        )
    )
    assert Reader("thing", "thing", modules).failing("helper", holder) == ()
    (found,) = Reader("thing", "thing", modules, {"thing.cli"}).failing("helper", holder)
    assert (found.name, found.where) == ("helper.gone", "thing/cli.py:3")


ENTRY_POINTS = """
[console_scripts]
thing = thing.cli:main
thing-x=thing.extra:main [x]
; other = thing.other:main

[thing.plugins]
one = thing.plugin:One
[gui_scripts]
window = thing.window.main : run
"""


@pytest.mark.parametrize("kind", ["wheel", "sdist"])
def test_the_modules_of_commands(tmp_path: Path, kind: str) -> None:
    if kind == "wheel":
        path = tmp_path / "thing-1-py3-none-any.whl"
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr("thing-1.dist-info/entry_points.txt", ENTRY_POINTS)
            archive.writestr("thing/data/entry_points.txt", ENTRY_POINTS.replace("cli", "not"))
    else:
        path = tmp_path / "thing-1.tar.gz"
        with tarfile.open(path, "w:gz") as opened:
            member = tarfile.TarInfo("thing-1/src/thing.egg-info/entry_points.txt")
            member.size = len(ENTRY_POINTS)
            opened.addfile(member, io.BytesIO(ENTRY_POINTS.encode()))
    assert commands_of(path) == {"thing.cli", "thing.window.main"}


@pytest.mark.parametrize(
    ("body", "fault"),
    [
        ("helper.act(x, sparse=0)\n", "with sparse=, which it does not take"),
        ("helper.act(x, x)\n", "with 2 arguments by place, of which it takes 1"),
        ("helper.act()\n", "without a, which it asks for"),
        ("helper.Made(x, new=x)\n", "with new=, which it does not take"),
        ("functools.partial(helper.act, sparse=0)\n", "with sparse=, which it does not take"),
    ],
)
def test_calls_that_cannot_be_bound_fail(body: str, fault: str) -> None:
    found = uses(f"import functools\nimport helper\ndef f(x):\n{indent(body, '    ')}")
    assert [(one.fault, one.function, one.is_sure) for one in found] == [(fault, "f", True)]


@pytest.mark.parametrize(
    "body",
    [
        "helper.act(x, new=0)\n",
        "helper.act(*x, **x)\n",
        "functools.partial(helper.act)\n",
        "x.act(sparse=0)\n",
    ],
)
def test_calls_that_may_be_bound_do_not(body: str) -> None:
    assert failing(f"import functools\nimport helper\ndef f(x):\n{indent(body, '    ')}") == []


@pytest.mark.parametrize(
    ("bases", "called", "fails"),
    [
        ("helper.Made", "super().__init__(1, new=0)", True),
        ("Made", "super().__init__(1, new=0)", True),
        ("Made", "super(Mine, self).__init__(1, new=0)", True),
        ("Made", "super().__init__(1)", False),
        ("Made, Other", "super().__init__(1, new=0)", False),
        ("Made, metaclass=Meta", "super().__init__(1, new=0)", False),
    ],
)
def test_a_class_calls_the_init_of_its_only_base(bases: str, called: str, fails: bool) -> None:
    source = (
        f"import helper\nfrom helper import Made\nclass Mine({bases}):\n def __init__(self):\n  {called}\n"
    )
    assert failing(source) == ([("helper.Made", "Mine.__init__", True)] if fails else [])


def test_what_the_module_does_itself_fails_on_import_where_everybody_imports_it() -> None:
    text = "import helper\nhelper.act(sparse=0)\n"
    assert [one.on_import for one in uses(text)] == [True]
    assert [one.on_import for one in uses("from . import inner\n", inner=text)] == [True]
    assert [one.on_import for one in uses("", inner=text)] == [True], "the only one that there is for people"
    assert [one.on_import for one in uses("", inner=text, other="")] == [False]
    assert [one.on_import for one in uses("import helper\ndef f():\n    helper.gone\n")] == [False]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("from helper import gone\n", ["helper.gone"]),
        ("from helper.gone import part\n", ["helper.gone", "helper.gone.part"]),
        ("import helper.gone\n", ["helper.gone"]),
        ("from helper import act\n", []),
        ("try:\n    from helper import gone\nexcept ImportError:\n    gone = None\n", []),
        ("if OLD_HELPER:\n    from helper import gone\n", []),
        ("if x:\n    from helper import gone\n", []),
    ],
)
def test_what_a_module_imports_that_is_not_there(text: str, names: list[str]) -> None:
    assert [one.name for one in uses("", inner=text, other="")] == names


def test_a_module_that_its_own_distribution_tries_may_fail() -> None:
    text = "from helper import gone\n"
    assert not uses("try:\n    from . import inner\nexcept ImportError:\n    pass\n", inner=text, other="")
    assert not uses("", inner=text, other="try:\n    import thing.inner\nexcept ImportError:\n    pass\n")
    assert not uses("try:\n    from . import inner\nexcept* ImportError:\n    pass\n", inner=text, other="")
    assert uses("try:\n    from . import inner\nexcept OSError:\n    pass\n", inner=text, other="")


def test_of_a_package_its_tools_count_and_those_beside_it_do_not() -> None:
    text = "from helper import gone\n"
    assert uses("", other="", **{"tools.inner": text})
    modules = {"thing": Module("thing/__init__.py", ""), "tools.inner": Module("tools/inner.py", text)}
    held = Contents(
        {"helper": Module("helper/__init__.py", HELPER)}, tells_all=True, is_whole=True, is_wheel=True
    )
    assert not Reader("thing", "thing", modules).failing("helper", Holder(held))


def test_what_a_class_makes_for_itself_is_no_name_of_the_module() -> None:
    text = "import helper\nclass A:\n    @property\n    def helper(self): ...\n    @helper.setter\n"
    assert not failing(f"{text}    def helper(self, new): ...\n")
    assert failing(f"{text}    def helper(self, new): ...\nhelper.gone\n")


INNER = """
import helper
from .deep import Base, through
class Made(Base):
    def other(self):
        helper.late
    def second(self): ...
    def third(self): ...
def begin():
    return through()
def alone(): ...
"""
DEEP = """
import helper
class Base:
    def __init__(self):
        self.set_up()
    def set_up(self):
        helper.gone
def through():
    return helper.act(sparse=0)
"""


@pytest.mark.parametrize(
    ("exported", "central"),
    [
        ("from .inner import Made, begin\n", ["helper.gone", "helper.act"]),
        ("from .inner import *\n", ["helper.gone", "helper.act"]),
        ("from .inner import Made, alone\n", ["helper.gone"]),
        ("from .inner import begin, alone\ndef f(): ...\n", ["helper.act"]),
        ("from .inner import begin, alone\ndef f(): ...\ndef g(): ...\n", []),
        ("from .inner import alone\n", []),
        ("from .inner import begin as _begin\n", ["helper.gone", "helper.act"]),
        ("", ["helper.gone", "helper.act"]),
    ],
)
def test_a_third_of_what_is_exported_has_to_come_to_it(exported: str, central: list[str]) -> None:
    found = uses(exported, inner=INNER, deep=DEEP)
    assert {one.name for one in found if one.is_central} == {*central}
    assert {one.name for one in found} == {"helper.gone", "helper.act", "helper.late"}


def test_who_exports_much_has_parts_that_people_use_one_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("envlock.analysis.functions.central._MANY", 1)
    assert not any(one.is_central for one in uses("from .inner import *\n", inner=INNER, deep=DEEP))


@pytest.mark.parametrize(
    ("methods", "central"),
    [
        ("def a(self): helper.gone\ndef b(self): self._on()\ndef _on(self): ...\n", True),
        ("def a(self): helper.gone\ndef b(self): ...\ndef c(self): ...\n", False),
        ("def a(self): helper.gone\ndef _b(self): ...\ndef _c(self): ...\n", True),
    ],
    ids=["half", "a third", "but for private ones"],
)
def test_a_class_counts_where_half_of_its_public_methods_come_to_it(methods: str, central: bool) -> None:
    source = f"import helper\nclass Made:\n{indent('def __init__(self): ...' + chr(10) + methods, '    ')}"
    assert [one.is_central for one in uses(source)] == [central]


def test_a_class_may_bear_the_name_of_its_module() -> None:
    inner = "import helper\nclass made:\n    def __init__(self):\n        helper.gone\n"
    assert [one.is_central for one in uses("from .made import made\ndef f(): ...\n", made=inner)] == [True]


def test_what_is_called_below_a_condition_is_no_way() -> None:
    source = "import helper\ndef begin(x):\n    if x:\n        _on()\ndef _on():\n    helper.gone\n"
    assert [one.is_central for one in uses(source)] == [False]
    assert [one.is_central for one in uses(source.replace("if x:", "for x in x:"))] == [True]


@pytest.mark.parametrize(
    ("rest", "found"),
    [("", []), ("def f():\n    return _inner()\n", [("helper.gone", "_inner", True)])],
)
def test_a_private_function_that_nobody_names_is_not_called(
    rest: str, found: list[tuple[str, str, bool]]
) -> None:
    assert failing(f"import helper\ndef _inner():\n    helper.gone\n{rest}") == found


def test_the_surest_comes_first_and_each_name_once() -> None:
    source = "import helper\ndef f(x):\n if x:\n  helper.gone\n helper.late\ndef g():\n helper.gone\n"
    assert failing(source) == [("helper.gone", "g", True), ("helper.late", "f", True)]


def test_of_what_has_no_modules_the_names_count_that_were_taken_away() -> None:
    modules = modules_in({"thing/__init__.py": "import big\ndef f():\n    big.gone\n    big.other\n"})
    unknown = Holder(Contents({}, tells_all=False, is_whole=True, is_wheel=True))
    found = Reader("thing", "thing", modules).failing("big", unknown, {"big.gone"})
    assert [one.name for one in found] == ["big.gone"]


def test_only_what_is_near_the_top_is_looked_through(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "import helper\ndef f():\n    helper.gone\n"
    monkeypatch.setattr("envlock.analysis.functions.failing.MOST_SOURCE", len(text))
    assert failing("", inner=text) == [("helper.gone", "f", True)]
    assert failing(text.replace("gone", "act\n"), inner=text) == []


@pytest.mark.parametrize(
    "text",
    [
        "import big.part\ndef f():\n    big.part.gone\n",
        "import big.part as other\ndef f():\n    other.gone\n",
        "from big import part\ndef f():\n    part.gone\n",
        "from big.part import (\n    there,\n    gone,\n)\n",
    ],
)
def test_what_seems_to_read_what_was_removed_is_looked_through_first(
    monkeypatch: pytest.MonkeyPatch, text: str
) -> None:
    """As SCFPotential of galpy 1.10 does, a third of a megabyte below its top."""
    above = "import big.part\ndef f():\n    big.part.there\n"
    modules = modules_in({"thing/above.py": above * 3, "thing/inner/below.py": text})
    unknown = Holder(Contents({}, tells_all=False, is_whole=True, is_wheel=True))
    monkeypatch.setattr("envlock.analysis.functions.failing.MOST_SOURCE", len(text))
    found = Reader("thing", "thing", modules).failing("big", unknown, {"big.part.gone", "big.other.there"})
    assert [(one.name, one.where.partition(":")[0]) for one in found] == [
        ("big.part.gone", "thing/inner/below.py")
    ]


class _Indexes(MemoryCatalogue):
    """Have two wheels, and count how often they are wanted."""

    def __init__(self, folder: Path, size: int = 1000, files: dict[str, list[str]] | None = None) -> None:
        self._folder = folder
        self.wanted = 0
        sources = {"thing": "import helper\ndef f():\n    helper.gone\n", "helper": ""}
        entries = {name: {"files": them} for name, them in (files or {}).items()}
        super().__init__({name: {"1.0": {"size": size, **entries.get(name, {})}} for name in sources})
        for name, source in sources.items():
            with zipfile.ZipFile(folder / f"{name}-1.0-py3-none-any.whl", "w") as opened:
                opened.writestr(f"{name}/__init__.py", source)

    def __call__(self) -> AbstractContextManager[ReleaseFiles]:
        return nullcontext(self)

    def local_file(self, file: DistFile) -> Path:
        self.wanted += 1
        return self._folder / file.filename


WANTED = {"thing": ("thing", "1.0"), "helper": ("helper", "1.0")}


def test_a_pair_is_looked_at_once(tmp_path: Path) -> None:
    indexes, cache = _Indexes(tmp_path), Cache(tmp_path / "cache")
    found = read_failing(WANTED, {}, cache, indexes)
    assert {pair: [one.name for one in uses] for pair, uses in found.items()} == {
        ("thing", "helper"): ["helper.gone"]
    }
    assert indexes.wanted == 2
    assert read_failing(WANTED, {}, cache, indexes) == found
    assert read_failing(WANTED, {}, cache, None) == found
    assert indexes.wanted == 2
    more = read_failing(WANTED, {("thing", "helper"): frozenset({"helper.early"})}, cache, indexes)
    assert (more, indexes.wanted) == (found, 4), "what is known to be gone is part of the question"


@pytest.mark.parametrize(("keyword", "fails"), [("use_2to3=True", False), ("packages=['thing']", True)])
def test_what_its_build_translates_is_not_what_is_installed(
    keyword: str, fails: bool, tmp_path: Path
) -> None:
    members = {
        "setup.py": f"setup({keyword})\n",
        "thing/__init__.py": "import helper\ndef f(): helper.gone\n",
    }
    with tarfile.open(tmp_path / "thing-1.0.tar.gz", "w:gz") as archive:
        for name, text in members.items():
            info = tarfile.TarInfo(f"thing-1.0/{name}")
            info.size = len(text)
            archive.addfile(info, io.BytesIO(text.encode()))
    indexes = _Indexes(tmp_path, files={"thing": ["thing-1.0.tar.gz"]})
    found = read_failing(WANTED, {}, Cache(tmp_path / "cache"), indexes)
    assert bool(found.get(("thing", "helper"))) is fails


def test_what_is_large_or_not_there_is_passed_over(tmp_path: Path) -> None:
    assert read_failing(WANTED, {}, Cache(tmp_path / "one"), _Indexes(tmp_path, size=1 << 30)) == {}
    assert read_failing(WANTED, {}, Cache(tmp_path / "two"), None) == {}
    indexes = _Indexes(tmp_path)
    (tmp_path / "helper-1.0-py3-none-any.whl").write_bytes(b"damaged")
    assert read_failing(WANTED, {}, Cache(tmp_path / "three"), indexes) == {}


@pytest.mark.parametrize(
    ("root", "parts", "central"),
    [
        ("", {"a": "from . import base\n", "b": "from .base import x\n", "c": "", "d": "", "e": ""}, True),
        ("", {"a": "from . import base\n", "b": "", "c": "", "d": "", "e": "", "f": "", "g": ""}, False),
        ("from . import c\n", {"a": "from . import base\n", "b": "from .base import x\n", "c": ""}, False),
    ],
    ids=["a third", "less", "exports others"],
)
def test_a_module_that_many_import_is_central_where_modules_are_all_there_is(
    root: str, parts: dict[str, str], central: bool
) -> None:
    found = uses(root, base="from helper import gone\nx = 1\n", **parts)
    assert [(one.name, one.is_central) for one in found] == [("helper.gone", central)]


def test_modules_that_end_count_together_and_the_version_is_no_export() -> None:
    parts = dict.fromkeys("bcdefg", "") | {"version": "def of(): ...\n"}
    one = {"a": "from helper import gone\n", "h": "import helper\n"}
    (found,) = uses("from .version import of\n", **one, **parts)
    assert not found.is_central
    two = {"a": "from helper import gone\n", "b": "from helper import past\n", "h": "import helper\n"}
    found = uses("from .version import of\n", **{**parts, **two, "c": "from . import a\n"})
    assert {one.name: one.is_central for one in found} == {"helper.gone": True, "helper.past": True}


@pytest.mark.parametrize(
    ("root", "commands", "central"),
    [
        ("", ["a", "b", "c"], True),
        ("", ["a", "b", "c", "d"], False),
        ("", ["a", "b"], False),
        ("from . import b\n", ["a", "b", "c"], False),
    ],
    ids=["a third", "less", "a library with commands", "exports others"],
)
def test_a_module_that_many_commands_run_is_central(root: str, commands: list[str], central: bool) -> None:
    parts = {"a": "from . import base\n", "base": "from helper import gone\nx = 1\n"}
    texts = dict.fromkeys("abcdefghijkl", "") | parts
    modules = modules_in(
        {f"thing/{name}.py": text for name, text in texts.items()} | {"thing/__init__.py": root}
    )
    held = {"helper": Module("helper/__init__.py", HELPER)}
    holder = Holder(Contents(held, tells_all=True, is_whole=True, is_wheel=True))
    found = Reader("thing", "thing", modules, {f"thing.{one}" for one in commands}).failing("helper", holder)
    assert [(one.name, one.is_central) for one in found] == [("helper.gone", central)]


LAZY = """
_import_structure = {"models": [], "tools": ["Tool"]}
_import_structure["models"].extend(["Small", "Large"])
_import_structure["models"] += ["Huge"]
if TYPE_CHECKING:
    from .models import Small
else:
    sys.modules[__name__] = _LazyModule(__name__, __file__, _import_structure)
"""
MODELS = """
_import_structure = {}
if is_helper_available():
    _import_structure["small"] = ["Small"]
    _import_structure["large"] = ["Large", "Huge"]
sys.modules[__name__] = lazy._LazyModule(__name__, __file__, _import_structure)
"""


@pytest.mark.parametrize(
    ("large", "central"),
    [
        ("from ..base import x\n", True),
        ("from .. import (  # parts\n    base,\n)\n", True),
        ("import thing.base\n", True),
        ("from . import Small\n", True),
        ('"""Like this:\n\nfrom ..base import x\n"""\n', False),
        ("if MORE:\n    from ..base import x\n", False),
        ("from ..tools import Tool\n", False),
    ],
)
def test_a_module_is_central_that_runs_for_a_third_of_what_is_exported_lazily(
    large: str, central: bool
) -> None:
    """Four names are exported, of which one comes to the module by itself, and two by another one."""
    source = {"thing": LAZY, "thing.models": MODELS, "thing.tools": "class Tool: ...\n", "thing.more": ""}
    source |= {"thing.base": "from helper import gone\nx = 1\n", "thing.models.large": large}
    source["thing.models.small"] = "from ..base import x\n"
    packages = {"thing", "thing.models"}
    modules = {
        name: Module(f"{name.replace('.', '/')}{'/__init__' if name in packages else ''}.py", text)
        for name, text in source.items()
    }
    held = Contents({"helper": Module("helper/__init__.py", HELPER)}, True, True, True)
    found = Reader("thing", "thing", modules).failing("helper", Holder(held))
    assert [(one.name, one.is_central) for one in found] == [("helper.gone", central)]


@pytest.mark.parametrize(
    ("compat", "fails"),
    [
        ("from helper import act\n", True),
        ("from .more import act\n", True),
        ("import helper\nact = helper.act\n", False),  # it may be another one's
        ("from helper import act\ndef act(*rest): ...\n", False),
        ("if NEW:\n    from helper import act\n", False),
        ("from . import act\n", False),
    ],
)
def test_what_a_module_of_its_own_hands_on_is_anothers(compat: str, fails: bool) -> None:
    """The second module does so for the first one; a ring of modules stands for nothing."""
    source = "import helper\nfrom .compat import act\ndef f():\n    act(1, 2, 3)\n"
    more = "from helper import act\nfrom .ring import x\n"
    found = uses(source, compat=compat, more=more, ring="import helper\nfrom .more import x\nx()\n")
    assert [one.function for one in found if one.fault] == ["f"] * fails


@pytest.mark.parametrize(
    ("root", "api", "on_import"),
    [
        ("version = 1\n", "from .base import x, y\n", True),
        ("from .other import one, two, three\n", "from .base import x, y\n", False),
        ("version = 1\n", None, False),
    ],
)
def test_what_is_imported_by_its_api_is_run_by_everybody(root: str, api: str | None, on_import: bool) -> None:
    parts = {"base": "from helper import gone\nx = y = 1\n", "other": "one = two = three = 1\n"}
    found = uses(root, **parts, **({"api": api} if api else {}))
    assert [(one.name, one.on_import) for one in found] == [("helper.gone", on_import)]


def test_a_module_that_is_called_fails() -> None:
    held = {"helper": Module("helper/__init__.py", ""), "helper.zone": Module("helper/zone.py", "")}
    holder = Holder(Contents(held, tells_all=True, is_whole=True, is_wheel=True))
    modules = {"thing": Module("thing/__init__.py", "import helper\ndef f():\n    return helper.zone(1)\n")}
    (found,) = Reader("thing", "thing", modules).failing("helper", holder)
    assert (found.name, found.fault) == ("helper.zone", "as a function, and it is a module")


def test_what_modules_import_is_found_out_once_however_many_uses_and_modules_ask_for_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    parsed: list[str] = []

    def counted(source: str) -> tuple[ast.Module, dict[str, int]]:
        parsed.append(source)
        return parsed_with_old_words(source)

    monkeypatch.setattr("envlock.analysis.imports.statements.parsed_with_old_words", counted)
    many = "".join(f"from helper import gone{number}\n" for number in range(9))
    found = uses("", one="from .deep import x\n", two="from . import one\nimport helper\n", deep=many)
    assert len(found) == 9
    assert len(parsed) == len({*parsed}) == 4


@pytest.mark.parametrize(
    ("roots", "surely"),
    [
        (["thing"], {"thing", "thing.base"}),
        (["thing.part.deep"], {"thing", "thing.base", "thing.part", "thing.part.deep"}),
        (["thing.bad"], {"thing", "thing.base"}),
        (["thing.maybe", "thing.absent"], {"thing", "thing.base", "thing.maybe"}),
        (["other"], set()),
    ],
    ids=["what the package imports", "parents run first", "not Python", "tried only", "another's"],
)
def test_what_is_surely_imported_with_others(roots: list[str], surely: set[str]) -> None:
    sources = {
        "thing": "from .base import name\n",
        "thing.base": "name = 1\n",
        "thing.part": "",
        "thing.part.deep": "def f():\n    import thing.maybe\n",
        "thing.bad": "import thing.part\nx = = 1\n",
        "thing.maybe": "try:\n    import thing.part\nexcept ImportError:\n    pass\n",
    }
    modules = {name: Module(f"{name.replace('.', '/')}.py", text) for name, text in sources.items()}
    modules["thing"] = Module("thing/__init__.py", sources["thing"])
    run = RunOnImport(modules)
    assert [run.with_these(roots), run.with_these(roots)] == [surely, surely]


def test_a_long_word_costs_no_more_than_many_short_ones() -> None:
    began = time.process_time()
    assert failing("import helper\ndef f():\n    helper.gone\n", pb2=f"serialized = {'x0' * 40_000}") == SURE
    assert time.process_time() - began < 2


@pytest.mark.parametrize(
    ("head", "fails"),
    [
        ("", True),
        ("try:\n    from setuptools import Extension\nexcept ImportError:\n    Extension = None\n", False),
        ("import setuptools\n", False),
        ("import setuptools_scm\n", True),
    ],
)
def test_who_imports_setuptools_has_distutils(head: str, fails: bool) -> None:
    modules = {"thing": Module("thing/__init__.py", f"{head}import distutils.errors\n")}
    python = Holder(Contents({}, tells_all=False, is_whole=False, is_wheel=True))
    gone = {"distutils", "distutils.errors"}
    assert bool(Reader("thing", "thing", modules).failing("python", python, gone)) == fails


@pytest.mark.parametrize(("name", "surely"), [("thing", ["helper.gone"]), ("pathlib", [])])
def test_what_bears_the_name_of_a_module_of_the_interpreter_is_never_imported(
    name: str, surely: list[str]
) -> None:
    holder = Holder(
        Contents({"helper": Module("helper.py", HELPER)}, tells_all=True, is_whole=True, is_wheel=True)
    )
    reader = Reader(name, name, {name: Module(f"{name}.py", "import helper\nhelper.gone\n")})
    assert [one.name for one in reader.failing("helper", holder)] == surely


def test_a_chain_of_some_hundred_branches_is_passed_by() -> None:
    """Each one deepens the syntax tree; of such a function or module nothing is said."""
    chain = "if x == 0:\n    pass\n" + "".join(f"elif x == {number}:\n    pass\n" for number in range(1, 900))
    modules = {"thing": Module("thing/__init__.py", f"import helper\ndef run(x):\n{indent(chain, '    ')}")}
    deep = {"helper": Module("helper/__init__.py", f"import os as x\n{chain}\ndef call(a):\n    pass\n")}
    holder = Holder(Contents(deep, tells_all=True, is_whole=True, is_wheel=True))
    assert Reader("thing", "thing", modules).failing("helper", holder) == ()
    caller = {"thing": Module("thing/__init__.py", "import helper\ndef run():\n    helper.call()\n")}
    assert Reader("thing", "thing", caller).failing("helper", holder) == ()
