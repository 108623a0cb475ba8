"""Which names a distribution surely does not have, by the words of its modules; asked once, kept."""

import datetime as dt
import tarfile
import zipfile
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from pathlib import Path

import pytest

from envlock.analysis.imports.holdings import Holdings
from envlock.analysis.imports.modules import Module
from envlock.edges.cache import Cache
from envlock.edges.code.archived import tells_all
from envlock.edges.code.lacking import read_lacking
from envlock.edges.code.queries import ReleaseFiles
from envlock.model.published.catalogue import DistFile
from envlock.model.published.code_reads import CodeReads
from tests.memory import MemoryCatalogue

DAY = dt.date(2026, 6, 1)


def holdings(top: str, **others: str) -> Holdings:
    """A package ``thing`` with this source, and modules in it."""
    inside = {
        f"thing.{name.replace('__', '.')}": Module(f"thing/{name.replace('__', '/')}.py", text)
        for name, text in others.items()
    }
    return Holdings({"thing": Module("thing/__init__.py", top), **inside})


def test_a_module_has_the_words_in_it_and_the_modules_below_it() -> None:
    has = holdings("from .inner import early\n", inner="early = 1\n", deep__one="")
    assert not any(map(has.lacks, ["thing.early", "thing.inner", "thing.inner.early", "thing.deep.one"]))
    assert has.lacks("thing.late")
    assert has.lacks("thing.late.more")
    assert has.lacks("thing.inner.late")


@pytest.mark.parametrize(
    ("listed", "taken"),
    [
        ("", "open"),
        ("__all__ = ['open', '_private']\n", "open _private"),
        ("__all__: list[str] = ['_private']\n", "_private"),
        ("__all__ = ('other',)\ndef __getattr__(name):\n    return find(name)\n", "other"),
        ("__all__ = ['other']\n__all__ += more.__all__\n", "open _private other"),
        ("__all__ = [name for name in names]\n", "open _private"),
    ],
    ids=["no list", "a list", "with a type", "found later, and not handed on", "a list and more", "made"],
)
def test_a_star_import_takes_what_is_listed_or_not_private(listed: str, taken: str) -> None:
    has = holdings("from .inner import *\n", inner=f"{listed}open = 1\n_private = 2\n")
    names = ["open", "_private", "other"]
    assert [one for one in names if not has.lacks(f"thing.{one}")] == [
        one for one in names if one in taken.split()
    ]
    assert not any(has.lacks(f"thing.inner.{one}") for one in ("open", "_private"))


@pytest.mark.parametrize(
    ("condition", "lacks"),
    [
        ("if TYPE_CHECKING:", True),
        ("if typing.TYPE_CHECKING:", True),
        ("if not TYPE_CHECKING:", False),
        ("if 1:", False),
    ],
)
def test_a_star_import_for_type_checkers_is_not_followed(condition: str, lacks: bool) -> None:
    """The other module may have any name, which nobody gets from the package."""
    top = f"{condition}\n    from .inner import *\nelse:\n    sys.modules[__name__] = Lazy(__name__)\n"
    has = holdings(top, inner="for one in found():\n    exec(f'{one} = 1')\n")
    assert has.lacks("thing.late") is lacks


def test_what_a_module_surely_deletes_it_no_longer_has() -> None:
    has = holdings(
        "from .inner import early, late\nfrom .inner import other\ndel early, other\n", inner="late = 1\n"
    )
    assert has.lacks("thing.early")
    assert has.lacks("thing.other")
    assert not has.lacks("thing.late")


@pytest.mark.parametrize(
    "top",
    [
        "from .inner import early\ndel early\nearly = 2\n",
        "from .inner import early\nif WANTED:\n    del early\n",
        "from .inner import early\ndel early\nif WANTED:\n    from .inner import early\n",
        "early = {1: 2}\ndel early[1]\n",
        "from .inner import early\ndel early.late\n",
        "def make():\n    global early\n    early = 1\nearly = 0\ndel early\n",
    ],
)
def test_what_may_be_there_after_that_counts(top: str) -> None:
    assert not holdings(top, inner="late = 1\n").lacks("thing.early")


def test_a_module_whose_name_is_deleted_is_there_for_who_imports_it() -> None:
    assert not holdings("from . import early\ndel early\n", early="").lacks("thing.early")


@pytest.mark.parametrize(
    "top",
    [
        "from ._src.config import config as config\n",
        "from .config import config\n",
        "config = 1\n",
        "def config(): ...\n",
    ],
)
def test_of_what_a_package_has_by_the_name_of_a_module_in_it_nothing_is_said(top: str) -> None:
    assert not holdings(top, config="config = 1\n").lacks("thing.config.update")


@pytest.mark.parametrize("top", ["config = 1\n", "from . import config\ndel config\n"])
def test_whoever_imports_a_module_finds_it_by_its_own_name(top: str) -> None:
    """As TensorFlow's ``python``, which its package deletes: ``from tensorflow.python.x import y`` works."""
    has = holdings(top, config="update = 1\n", config__deep="")
    assert has.lacks("thing.config.late", ["thing.config"])
    assert has.lacks("thing.config.gone.more", ["thing.config.gone"])
    assert not has.lacks("thing.config.update", ["thing.config"])
    assert not has.lacks("thing.config.deep", ["thing.config"])
    assert not has.lacks("thing.config.late", ["thing"])


@pytest.mark.parametrize(
    ("top", "zone", "is_module"),
    [
        ("from .zone import Zone\n", "class Zone: ...\n", True),
        ("from . import zone\n", "", True),
        ("", "def f(self): return self.__class__\n", True),
        ("from .zone import zone\n", "def zone(): ...\n", False),
        ("from .zone import *\n", "def zone(): ...\n", False),
        ("def zone(): ...\n", "", False),
        ("def __getattr__(name): ...\n", "", False),
        ("", "import sys\nsys.modules[__name__] = Made()\n", False),
        ("", "import sys\nsys.modules[__name__].__class__ = Made\n", False),
    ],
)
def test_a_module_alone_cannot_be_called(top: str, zone: str, is_module: bool) -> None:
    has = holdings(top, zone=zone)
    assert has.lacks("thing.zone.__call__") is is_module
    assert not has.lacks("thing.gone.__call__")
    assert not has.lacks("other.zone.__call__")
    filled = holdings(top, zone=zone, inner="def fill(it):\n    it.zone = 1\n")
    assert not filled.lacks("thing.zone.__call__")


@pytest.mark.parametrize("top", ["from . import config\n", "from thing import config\n", ""])
def test_a_package_that_imports_a_module_in_it_has_that(top: str) -> None:
    assert holdings(top, config="config = 1\n").lacks("thing.config.update")


def test_modules_of_the_standard_library_are_nobodys() -> None:
    has = Holdings({"http": Module("http/__init__.py", ""), "thing": Module("thing/__init__.py", "")})
    assert not has.lacks("http.HTTPStatus")
    assert has.lacks("thing.HTTPStatus")


@pytest.mark.parametrize(
    ("top", "others", "lacks"),
    [
        ("def __getattr__(name): ...\n", {"inner": "import typing\n"}, True),
        ("", {"typing": ""}, False),
        ("", {"typing__inner": ""}, False),
        ("__path__ += [folder]\n", {}, False),
        ("import sys\nsys.modules['thing.typing'] = other\n", {}, False),
        ("import sys\nfor one in found(): sys.modules[one] = one\n", {"other__typing": ""}, False),
        ("", {"inner": "import sys\nassert 'thing.typing' in sys.modules\n"}, False),
        ("", {"tests__test_inner": "import sys\nassert 'thing.typing' in sys.modules\n"}, True),
        ("from pkgutil import walk_packages\nseen = list(walk_packages(__path__))\n", {}, True),
        ("", {"inner": "import sys\nimport typing\nplace = sys.modules[typing.__name__].__file__\n"}, True),
        ("", {"inner": "import sys, typing\nfor one in sys.modules.values():\n    show(one)\n"}, True),
        ("", {"inner": "import typing\nfrom types import ModuleType\nkinds = (ModuleType, str)\n"}, True),
        ("", {"inner": "import sys\nfor name in ('typing',):\n    sys.modules[name] = Made(name)\n"}, False),
        ("", {"inner": "import sys\nclass typing(ModuleType):\n    x = 1\n"}, False),
    ],
)
def test_who_imports_a_module_needs_one(top: str, others: dict[str, str], lacks: bool) -> None:
    assert holdings(top, **others).lacks("thing.typing.__spec__") == lacks


def test_a_compiled_module_may_have_modules_in_it() -> None:
    compiled = {"thing._fast": Module("thing/_fast.so", "")}
    top = {
        "thing": Module("thing/__init__.py", ""),
        "thing.taken": Module("thing/taken.py", "from ._fast.deep import *\na = 1\n"),
    }
    has = Holdings(top | compiled)
    assert not any(map(has.lacks, ["thing._fast.deep.__spec__", "thing.taken.gone"]))
    assert Holdings(top).lacks("thing._fast.__spec__")
    assert not Holdings(top, is_whole=False).lacks("thing._fast.__spec__")


@pytest.mark.parametrize(
    "looks_up",
    ["sys.modules.get(module)", "sys.modules['other']", "'other' in sys.modules", "sys.modules[module].x"],
)
def test_who_looks_up_other_modules_by_name_finds_none_of_its_own_names_so(looks_up: str) -> None:
    has = holdings(f"import sys\ndef find(module):\n    return {looks_up}\n", inner="late = 1\n")
    assert has.lacks("thing.late")


@pytest.mark.parametrize(
    "finds",
    [
        "this = sys.modules[__name__]",
        "this = sys.modules.get(__package__)",
        "sys.modules['thing'] = find()",
        "fill(sys.modules)",
        "from sys import modules",
    ],
)
def test_who_looks_up_itself_may_have_what_other_modules_have(finds: str) -> None:
    has = holdings(f"import sys\n{finds}\n", inner="late = 1\n")
    assert not has.lacks("thing.late")


def test_what_is_no_name_of_its_own_is_not_its_matter() -> None:
    has = holdings("")
    names = ["thing", "other.late", "things.late", "thing.*", "thing.__path__", "thing.full_version"]
    assert not any(map(has.lacks, names))


@pytest.mark.parametrize(
    "top",
    [
        "def __getattr__(name): ...\n",
        "from .gone import *\n",
        "sys.modules[__name__] = _LazyModule(__name__, globals()['__file__'])\n",
        "def __getattr__(name):\n    return globals()[name]\n",
        "if name in globals().keys():\n    del name\n",
        "class A:\n    def set(self, object, name):\n        setattr(object, name + '_', globals()['x'])\n",
        "'''globals, as for exec(text)'''\nspace = globals\n",
        "def make(): ...\ndef put(name):\n    new = make()\n    setattr(new, name, 1)\nspace = globals\n",
        "class A:\n    def set(self, name, it):\n        setattr(self._made(), name, it)\nspace = globals\n",
    ],
)
def test_of_what_finds_names_while_it_runs_a_name_is_gone_that_is_nowhere(top: str) -> None:
    has = holdings(top, inner="from functools import partial\n", deep__other="")
    assert not has.lacks("thing.partial")
    assert not has.lacks("thing.other")
    assert has.lacks("thing.late")


@pytest.mark.parametrize(
    ("body", "before"),
    [
        ("    if name == 'early': return 1\n    raise AttributeError(name)\n", ""),
        ("    if name in ('early', 'soon') and wanted(): return 1\n    raise AttributeError\n", ""),
        ("    if name == 'early' or name == 'soon': return 1\n    else: raise AttributeError\n", ""),
        (
            "    if name in MOVED: return find(name)\n    raise AttributeError(name)\n",
            "MOVED = {'early': 1}\n",
        ),
        (
            "    if name not in MOVED: raise AttributeError\n    return find(name)\n",
            "MOVED: list = ['early']\n",
        ),
        (
            "    if not name in MOVED: raise AttributeError\n    return MOVED.get(name)\n",
            "MOVED = ('early',)\n",
        ),
        ("    moved = ['early']\n    if name in moved: return find(name)\n    raise AttributeError\n", ""),
    ],
)
def test_who_gives_some_names_when_they_are_asked_for_has_no_others(body: str, before: str) -> None:
    has = holdings(f"{before}def __getattr__(name):\n{body}", inner="late = 1\n")
    assert has.lacks("thing.late")
    assert not has.lacks("thing.early")


@pytest.mark.parametrize(
    ("body", "before"),
    [
        ("    return find(name)\n", ""),
        ("    if name == 'early': return 1\n", ""),
        ("    if name.islower(): return 1\n    raise AttributeError\n", ""),
        ("    if name == 'early': return 1\n    else: return 2\n", ""),
        ("    if name == 'early' or wanted(): return 1\n    raise AttributeError\n", ""),
        ("    try: return find(name)\n    finally: pass\n    raise AttributeError\n", ""),
        ("    if name not in MOVED: return 1\n    raise AttributeError\n", "MOVED = ['early']\n"),
        ("    if name in MOVED: return 1\n    raise AttributeError\n", "MOVED = ['early', *more]\n"),
        ("    if name in MOVED: return 1\n    raise AttributeError\n", "MOVED = ['early']\nMOVED += more\n"),
        ("    if name in MOVED: return 1\n    raise AttributeError\n", "MOVED = []\nMOVED.extend(more)\n"),
        ("    if name in MOVED: return 1\n    raise AttributeError\n", "MOVED = {}\nMOVED[more] = 1\n"),
        ("    if name in MOVED: return 1\n    raise AttributeError\n", "from .inner import MOVED\n"),
    ],
)
def test_who_may_give_any_name_when_it_is_asked_for_has_those_that_are_somewhere(
    body: str, before: str
) -> None:
    has = holdings(f"{before}def __getattr__(name):\n{body}", inner="late = 1\n")
    assert not has.lacks("thing.late")


def test_a_table_of_its_own_getattr_may_say_where_names_are() -> None:
    table = "MOVED = {'late': ('inner', None)}\n"
    asks = (
        "def __getattr__(name):\n    if name in MOVED: return find(*MOVED[name])\n    raise AttributeError\n"
    )
    assert not holdings(table + asks).lacks("thing.late")


def test_what_is_given_when_it_is_asked_for_may_be_more_than_the_module_of_that_name() -> None:
    asks = "def __getattr__(name):\n    if name == 'zone': return find(name)\n    raise AttributeError\n"
    assert not holdings(asks, zone="").lacks("thing.zone.__call__")
    assert holdings(asks, other="").lacks("thing.other.__call__")


@pytest.mark.parametrize(
    "fills", ["sys.meta_path.insert(0, Loader())", "setattr(sys.modules[cls.__module__], name, cls)"]
)
def test_a_loader_of_its_own_may_fill_any_module_in(fills: str) -> None:
    has = holdings("", inner=f"{fills}\ngroup = 1\n")
    assert not has.lacks("thing.group")
    assert has.lacks("thing.late")


def test_who_imports_files_may_have_other_modules_and_no_other_names_in_them() -> None:
    has = holdings("", loads="module = module_from_spec(spec)\nmade = 1\n", other="own = 1\n")
    assert not has.lacks("thing.made")
    assert has.lacks("thing.other.made")
    assert has.lacks("thing.late")


@pytest.mark.parametrize(
    "top",
    [
        "from other import *\n",
        "from ._fast import *\n",
        "from thing._fast import (*)\n",
        "globals()[kind + 'DType'] = 1\n",
        "globals().update(made)\n",
        "setattr(thing, kind.__name__, kind)\n",
        "exec(made)\n",
        "def make(): ...\ndef put(new, name):\n    new = new or make()\n    setattr(new, name, 1)\n",
        "def make(): ...\ndef put(name):\n    new = make()\n    new = here\n    setattr(new, name, 1)\n",
        "_names = globals()\ndef_unit(['m'], namespace=_names)\n",
        "globals()['l' + rest] = 1\n",
        "fill(globals())\n",
        "fill(find_current_module())\n",
        "__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)\n",
    ],
)
def test_what_may_have_any_name_lacks_none(top: str) -> None:
    fast = Module("thing/_fast.cpython-311-x86_64-linux-gnu.so", "")
    has = Holdings({"thing": Module("thing/__init__.py", top), "thing._fast": fast})
    assert not has.lacks("thing.late")
    assert not has.lacks("thing._fast.late")


@pytest.mark.parametrize(
    ("text", "lacks"),
    [
        ("# not late, early\n", True),
        ('"""It was late."""\n', True),
        ("def act():\n    'Too late.'\n    return 'too late'\n", True),
        ("def act():\n    return TABLE['late']\n", False),
        ("__all__ = 'early late'.split()\n", False),
        ("POOL.AddSerializedFile(b'\\n\\tlateValue')\n", False),
        ("POOL.AddSerializedFile(b'\\n\\x0b\\x6cateValue')\n", False),
        ("import one.late\n", True),
        ("act(late=1)\n", True),
        ("late(\n", False),
    ],
    ids=[
        *("comment", "docstring", "sentence", "text", "list", "serialized", "escaped", "import", "argument"),
        "no Python of today",
    ],
)
def test_what_is_told_to_people_is_no_name(text: str, lacks: bool) -> None:
    assert holdings(text).lacks("thing.late") is lacks


@pytest.mark.parametrize(
    "gives",
    [
        "late = 1",
        "late: int = 1",
        "early, (*late, other) = made()",
        "def late(): ...",
        "class late: ...",
        "import late",
        "import late.inner",
        "import inner as late",
        "from inner import late",
        "from inner import other as late",
        "if early:\n    late = 1",
        "if early:\n    pass\nelse:\n    late = 1",
        "try:\n    from inner import late\nexcept ImportError:\n    pass",
        "try:\n    pass\nexcept ImportError as late:\n    pass",
        "for late in made():\n    pass",
        "with made() as late:\n    pass",
        "match early:\n    case [late, *_]:\n        pass",
        "print(late := 1)",
        "def act():\n    global late\n    late = 1",
    ],
)
def test_a_module_has_what_a_statement_of_its_own_gives_a_meaning(gives: str) -> None:
    assert not holdings(f"{gives}\n").lacks("thing.late")


@pytest.mark.parametrize(
    "only_says",
    [
        "class Registry:\n    def late(self): ...",
        "class Registry:\n    late = 1",
        "def act():\n    late = 1",
        "def act(late): ...",
        "other.late()",
        "made(lambda late: late)",
    ],
)
def test_a_word_inside_of_something_is_no_name_of_the_module(only_says: str) -> None:
    assert holdings(f"{only_says}\n").lacks("thing.late")


@pytest.mark.parametrize("sets", ["thing.late = 1", "config.late: int = 1", "setattr(thing, 'late', 1)"])
def test_what_another_module_sets_may_be_there(sets: str) -> None:
    assert not holdings("", inner=f"import thing\n{sets}\n").lacks("thing.late")
    assert holdings("", inner="print(thing.late == 1)\n").lacks("thing.late")
    own = "def act(self, one: other.late = 1):\n    self.late = one\n"
    assert holdings("", inner=own).lacks("thing.late")


def test_of_what_is_taken_over_the_words_count_as_in_its_own_module() -> None:
    has = holdings("from .inner import *\n", inner="early = 1\nclass Registry:\n    def late(self): ...\n")
    assert not has.lacks("thing.early")
    assert has.lacks("thing.late")


@pytest.mark.parametrize(
    ("top", "lacks"),
    [
        ("from .other import inner", False),
        ("inner = made()", False),
        ("def inner(): ...", False),
        ("from . import inner", True),
        ("from thing import inner", True),
        ("import thing.inner", True),
        ("from thing import inner as _inner", True),
    ],
)
def test_a_package_may_have_something_else_by_the_name_of_a_module(top: str, lacks: bool) -> None:
    has = holdings(f"{top}\n", inner="early = 1\n", other="inner = made()\n")
    assert has.lacks("thing.inner.late") is lacks


def test_a_module_without_a_name_of_its_own_is_filled_by_compiled_ones() -> None:
    has = holdings("", inner="# It gets its classes from C++.\n")
    assert not has.lacks("thing.inner.late")
    assert has.lacks("thing.late")


def test_modules_of_a_package_that_is_taken_over_are_taken_over() -> None:
    assert not holdings("from .inner import *\n", inner="early = 1\n", inner__late="").lacks("thing.late")


def test_a_table_of_what_was_taken_away_gives_nothing() -> None:
    table = "_gone = {'late': ('It was removed', None), 'early': ('It is deprecated', made)}\n"
    top = f"{table}__getattr__ = getattr_of(__name__, _gone)\n"
    has = holdings(top, inner="late = other = 1\n")
    assert has.lacks("thing.late")
    assert has.lacks("thing.other")
    assert not has.lacks("thing.early")


def test_only_modules_that_a_loader_has_to_do_with_are_filled_in() -> None:
    loader = "def export(cls):\n    setattr(sys.modules[cls.__module__], 'made', cls)\n\n\nother = 1\n"
    has = holdings("", loads=loader, plain="own = 1\n", uses="from .loads import export\n")
    assert has.lacks("thing.plain.other")
    assert not has.lacks("thing.uses.other")


def test_all_letters_that_may_be_digits_are_written_as_numbers() -> None:
    has = holdings("POOL.AddSerializedFile(b'\\n\\x04\\x44\\x61teFace')\n")
    assert not has.lacks("thing.Date")
    assert not has.lacks("thing.Face")
    assert has.lacks("thing.Time")


def test_examples_that_are_beside_the_packages_are_nobodys() -> None:
    has = Holdings({"tests": Module("tests/__init__.py", ""), "thing": Module("thing/__init__.py", "")})
    assert not has.lacks("tests.helpers")
    assert has.lacks("thing.helpers")


def archive(folder: Path, *members: str) -> Path:
    path = folder / "helper-1.0.tar.gz"
    (folder / "empty").touch()
    with tarfile.open(path, "w:gz") as opened:
        for member in members:
            opened.add(folder / "empty", f"helper-1.0/{member}")
    return path


def test_an_sdist_tells_all_where_nothing_is_made_of_it(tmp_path: Path) -> None:
    assert tells_all(archive(tmp_path, "helper/__init__.py", "setup.py"))
    assert not tells_all(archive(tmp_path, "helper/__init__.py", "helper/fast.pyx"))


def test_a_wheel_tells_all_that_it_has_in_its_packages(tmp_path: Path) -> None:
    for name, told in (("helper/__init__.py", True), ("helper-1.0.data/purelib/helper/__init__.py", False)):
        path = tmp_path / "helper-1.0-py3-none-any.whl"
        with zipfile.ZipFile(path, "w") as opened:
            opened.writestr(name, "")
        assert tells_all(path) is told


class _Indexes(MemoryCatalogue):
    """Have one wheel, and count how often it is wanted."""

    def __init__(self, folder: Path, source: str, size: int = 1000) -> None:
        self._path = folder / "helper-1.0-py3-none-any.whl"
        super().__init__({"helper": {"1.0": {"files": [self._path.name], "size": size}}})
        self.wanted = self.opened = 0
        with zipfile.ZipFile(self._path, "w") as opened:
            opened.writestr("helper/__init__.py", source)

    def __call__(self) -> AbstractContextManager[ReleaseFiles]:
        self.opened += 1
        return nullcontext(self)

    def local_file(self, file: DistFile) -> Path:
        assert file.filename == self._path.name
        self.wanted += 1
        return self._path


def test_a_pair_is_looked_at_once(tmp_path: Path) -> None:
    lines = {"helper.early": "thing/__init__.py:1", "helper.late": "thing/__init__.py:2"}
    code = CodeReads(
        distribution="thing",
        version="2.0",
        read=DAY,
        on_import={**lines, "helper.C_API": "thing/fast.so"},
        on_build={"helper.other": "setup.py:1"},
    )
    indexes, cache = _Indexes(tmp_path, "early = 1\n"), Cache(tmp_path / "cache")
    reads, wanted = {"thing": code}, {"helper": ("helper", "1.0"), "thing": ("thing", "2.0")}
    first = read_lacking(reads, wanted, cache, indexes)
    assert first == {("thing", "helper"): ("helper.late",)}
    assert read_lacking(reads, wanted, cache, indexes) == first
    assert read_lacking(reads, wanted, cache, None) == first
    assert (indexes.wanted, indexes.opened) == (1, 1)
    assert read_lacking(reads, wanted, Cache(tmp_path / "other"), None) == {}
    assert read_lacking(reads, {"helper": ("helper", "9.9")}, cache, indexes) == {}


def test_what_is_taken_of_an_imported_module_is_lacking_whatever_its_package_does(tmp_path: Path) -> None:
    lines = {"helper.inner": "y.py:1", "helper.inner.__spec__": "y.py:1", "helper.inner.late": "y.py:1"}
    code = CodeReads(distribution="thing", version="2.0", read=DAY, on_import=lines, on_build={})
    indexes, helper = _Indexes(tmp_path, "from . import inner\ndel inner\n"), {"helper": ("helper", "1.0")}
    with zipfile.ZipFile(tmp_path / "helper-1.0-py3-none-any.whl", "a") as opened:
        opened.writestr("helper/inner.py", "early = 1\n")
    found = read_lacking({"thing": code}, helper, Cache(tmp_path / "cache"), indexes)
    assert found == {("thing", "helper"): ("helper.inner.late",)}
    by_attribute = replace(code, on_import={"helper.inner.late": "y.py:1"})
    assert read_lacking({"thing": by_attribute}, helper, Cache(tmp_path / "other"), indexes) == {}


def test_what_is_read_beside_others_is_lacking_where_these_are_wanted(tmp_path: Path) -> None:
    beside = {frozenset({"third"}): {"helper.late": "thing/__init__.py:2"}}
    code = CodeReads(distribution="thing", version="2.0", read=DAY, on_import={}, on_build={}, beside=beside)
    indexes, cache = _Indexes(tmp_path, "early = 1\n"), Cache(tmp_path / "cache")
    helper = {"helper": ("helper", "1.0")}
    with_third = {**helper, "third": ("third", "1.0")}
    assert read_lacking({"thing": code}, helper, cache, indexes) == {}
    assert read_lacking({"thing": code}, with_third, cache, indexes) == {
        ("thing", "helper"): ("helper.late",)
    }
    assert indexes.wanted == 1


def test_of_what_is_large_nothing_is_known_and_that_is_kept_too(tmp_path: Path) -> None:
    code = CodeReads(
        distribution="thing", version="2.0", read=DAY, on_import={"helper.late": "y.py:1"}, on_build={}
    )
    indexes, cache = _Indexes(tmp_path, "", size=33 << 20), Cache(tmp_path / "cache")
    for version, opened in (("1.0", 1), ("1.0", 1), ("9.9", 2), ("9.9", 3)):
        assert read_lacking({"thing": code}, {"helper": ("helper", version)}, cache, indexes) == {}
        assert indexes.opened == opened
