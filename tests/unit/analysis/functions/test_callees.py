"""What functions and classes take: Python says the same, and of what is not sure nothing is told."""

import ast
import sys
from collections.abc import Coroutine
from types import ModuleType

import pytest

from envlock.analysis.functions.callees import Callees
from envlock.analysis.functions.calls import Call
from envlock.analysis.functions.scopes import Scope
from envlock.analysis.imports.modules import Module

HEAD = """
import abc, contextlib, dataclasses, enum, functools, inspect
from dataclasses import dataclass
from functools import wraps
"""

PASSES = """
def plain(fn):
    @wraps(fn)
    def inner(*args, **kwargs):
        for name, value in kwargs.items():
            print(name, value)
        return fn(*args, **kwargs)
    return inner
"""

TAKES_AWAY = """
def renaming(fn):
    @wraps(fn)
    def inner(*args, **kwargs):
        kwargs.pop("old", None)
        return fn(*args, **kwargs)
    return inner
"""

FILTERS = """
def filtering(fn):
    @wraps(fn)
    def inner(*args, **kwargs):
        kwargs = {name: value for name, value in kwargs.items() if name in ("a", "b")}
        return fn(*args, **kwargs)
    return inner
"""

FACTORY = """
def made_for(reason):
    def decorate(fn):
        @wraps(fn)
        def inner(*args, **kwargs):
            return fn(*args, **kwargs)
        return inner
    return decorate
"""


def told(source: str, call: str) -> str | None:
    """What is wrong with a call of ``it``; ``None`` where nothing is known of it."""
    found = Callees({"thing": Module("thing/__init__.py", HEAD + source)}).parameters("thing.it")
    called = ast.parse(f"it({call})", mode="eval").body
    assert isinstance(called, ast.Call)
    return None if found is None else found.refusal(Call.of(called))


def fails(source: str, call: str, monkeypatch: pytest.MonkeyPatch) -> bool:
    """What Python says of it."""
    module = ModuleType("thing")
    monkeypatch.setitem(sys.modules, "thing", module)
    exec(HEAD + source, vars(module))
    try:
        made = eval(f"it({call})", vars(module))
    except TypeError:
        return True
    if isinstance(made, Coroutine):
        made.close()
    return False


@pytest.mark.parametrize("call", ["0, b=0", "0, old=0", "0, new=0", "0, 0, 0", ""])
@pytest.mark.parametrize(
    "source",
    [
        "def it(a, b=0): ...\n",
        "async def it(a, b=0): ...\n",
        f"{PASSES}@plain\ndef it(a, b=0): ...\n",
        f"{FACTORY}@made_for('a reason')\ndef it(a, b=0): ...\n",
        "def same(fn):\n    fn.mark = 1\n    return fn\n@same\ndef it(a, b=0): ...\n",
        "@functools.lru_cache(None)\ndef it(a, b=0): ...\n",
        "@contextlib.contextmanager\ndef it(a, b=0): yield\n",
        "class it:\n    def __init__(self, a, b=0): ...\n",
        f"{PASSES}class it:\n    @plain\n    def __init__(self, a, b=0): ...\n",
        "class Base:\n    def __init__(self, a, b=0): ...\nclass it(Base): ...\n",
        "class it(abc.ABC):\n    def __init__(self, a, b=0): ...\n",
        "class it(metaclass=abc.ABCMeta):\n    def __init__(self, a, b=0): ...\n",
        (
            "class Named(type):\n    def __dir__(cls): return []\n"
            "class it(metaclass=Named):\n    def __init__(self, a, b=0): ...\n"
        ),
    ],
)
def test_what_is_told_is_so(source: str, call: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert bool(told(source, call)) is fails(source, call, monkeypatch)


@pytest.mark.parametrize(
    "source",
    [
        "def it(a, b=0): ...\ndef it(*more): ...\n",
        "if HEAD:\n    def it(a, b=0): ...\n",
        "try:\n    from other import it\nexcept ImportError:\n    def it(a, b=0): ...\n",
        "def it(a, b=0): ...\nit = wraps(it)\n",
        "from other import odd\n@odd\ndef it(a, b=0): ...\n",
        f"{FILTERS}@filtering\ndef it(a, b=0): ...\n",
        (
            "def first(fn):\n    def inner(a, *args, **kwargs): return fn(a, *args, **kwargs)\n"
            "    return inner\n@first\ndef it(a, b=0): ...\n"
        ),
        (
            "def other(fn):\n    def inner(*args, **kwargs): return fn(*args)\n    return inner\n"
            "@other\ndef it(a, b=0): ...\n"
        ),
        "class it:\n    def __new__(cls, *more, **others): ...\n    def __init__(self, a, b=0): ...\n",
        "class Base:\n  def __new__(cls, *more, **its): ...\nclass it(Base):\n  def __init__(self, a): ...\n",
        (
            "class Meta(type):\n    def __call__(cls, *more, **others): ...\n"
            "class it(metaclass=Meta):\n    def __init__(self, a, b=0): ...\n"
        ),
        "from other import Meta\nclass it(metaclass=Meta):\n    def __init__(self, a, b=0): ...\n",
        "class it(enum.Enum):\n    def __init__(self, a, b=0): ...\n",
        "class it:\n    def __init__(self, a, b=0): ...\nit.__init__ = print\n",
        "class it:\n    if HEAD:\n        def __init__(self, a, b=0): ...\n",
        "class it:\n    def __init__(self, a): ...\n    __init__ = wraps(__init__)\n",
        "from other import Base\nclass it(Base): ...\n",
        "from other import odd\n@odd\nclass it:\n    def __init__(self, a, b=0): ...\n",
        "class One: ...\nclass Two: ...\nclass it(One, Two): ...\n",
        "it = lambda a: a\n",
        "def it(",
    ],
)
def test_of_what_is_not_plain_nothing_is_told(source: str) -> None:
    assert told(source, "0, new=0") is None


def test_what_a_decorator_may_take_away_it_names() -> None:
    source = f"{TAKES_AWAY}@renaming\ndef it(a, b=0): ...\n"
    assert told(source, "0, old=0") == ""
    assert told(source, "0, new=0") == "with new=, which it does not take"
    assert told(source, "0, 0, 0") == ""


@pytest.mark.parametrize(
    ("source", "taken"),
    [
        ("@dataclass\nclass it:\n    a: int\n    b: int = 0\n", True),
        ("@dataclass(frozen=True)\nclass it:\n    a: int\n    b: int = 0\n", True),
        ("@dataclass\nclass Base:\n    b: int = 0\n@dataclass\nclass it(Base):\n    a: int = 0\n", True),
        ("from other import Base\n@dataclass\nclass it(Base):\n    a: int = 0\n", False),
        ("@dataclass(init=False)\nclass it:\n    a: int\n", False),
        ("@dataclass\nclass it:\n    a: int\n    def __init__(self, a, b, new): ...\n", False),
    ],
)
def test_dataclasses_take_their_fields(source: str, taken: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    assert told(source, "a=0, new=0") == ("with new=, which it does not take" if taken else None)
    if taken:
        assert told(source, "a=0, b=0") == ""
        assert fails(source, "a=0, new=0", monkeypatch)
        assert not fails(source, "a=0, b=0", monkeypatch)


@pytest.mark.parametrize(
    ("top", "others"),
    [
        ("from .inner import it\n", {"inner": "def it(a): ...\n"}),
        ("from .inner import act as it\n", {"inner": "def act(a): ...\n"}),
        ("from .inner import *\n", {"inner": "def it(a): ...\n"}),
        ("from .inner import *\nfrom .deep import *\n", {"inner": "from .deep import it\n", "deep": ""}),
        (
            (
                "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from .inner import it\n"
                "else:\n    import sys\n    sys.modules[__name__] = Lazy()\n"
            ),
            {"inner": "def it(a): ...\n"},
        ),
        (
            (
                "from typing import overload\n@overload\ndef it(a: int): ...\n"
                "@overload\ndef it(a: str): ...\ndef it(a): ...\n"
            ),
            {},
        ),
    ],
)
def test_names_are_followed_to_where_they_are_defined(top: str, others: dict[str, str]) -> None:
    if "deep" in others:
        others = {"inner": others["inner"], "deep": "def __init__(): ...\ndef it(a): ...\n"}
        top = top.replace("from .deep import *\n", "")
    inside = {f"thing.{name}": Module(f"thing/{name}.py", text) for name, text in others.items()}
    found = Callees({"thing": Module("thing/__init__.py", top), **inside}).parameters("thing.it")
    assert found is not None
    assert found.placed == ("a",)


def test_a_name_that_several_modules_may_give_is_nobodys() -> None:
    inside = {f"thing.{name}": Module(f"thing/{name}.py", "def it(a): ...\n") for name in ("one", "two")}
    top = Module("thing/__init__.py", "from .one import *\nfrom .two import *\n")
    assert Callees({"thing": top, **inside}).parameters("thing.it") is None


def test_modules_without_the_name_are_not_parsed(monkeypatch: pytest.MonkeyPatch) -> None:
    parsed = list[str]()
    make = Scope.__init__

    def noted(self: Scope, name: str, module: Module) -> None:
        parsed.append(name)
        make(self, name, module)

    monkeypatch.setattr(Scope, "__init__", noted)
    sources = {"one": "def it(a): ...\n", "two": "from .deep import *\n", "deep": "", "three": "x = 1\n"}
    inside = {f"thing.{name}": Module(f"thing/{name}.py", text) for name, text in sources.items()}
    top = Module("thing/__init__.py", "".join(f"from .{name} import *\n" for name in sources))
    assert Callees({"thing": top, **inside}).parameters("thing.it") is not None
    assert parsed == ["thing", "thing.one", "thing.two"]


def test_methods_of_classes_are_those_that_need_no_object() -> None:
    source = (
        "class it:\n    @classmethod\n    def made(cls, a): ...\n    @staticmethod\n    def free(a): ...\n"
        "    def bound(self, a): ...\n    @property\n    def read(self): ...\n"
    )
    callees = Callees({"thing": Module("thing/__init__.py", source)})
    for name in ("made", "free"):
        found = callees.parameters(f"thing.it.{name}")
        assert found is not None
        assert found.placed == ("a",)
    assert [callees.parameters(f"thing.it.{name}") for name in ("bound", "read", "gone", "made.more")] == [
        None
    ] * 4


def test_modules_that_hand_a_name_to_each_other_end() -> None:
    inside = {"thing.inner": Module("thing/inner.py", "from thing import it\n")}
    top = Module("thing/__init__.py", "from .inner import it\n")
    assert Callees({"thing": top, **inside}).parameters("thing.it") is None
