"""Interfaces of two small wheels, compared from their sources."""

from __future__ import annotations

import hashlib
import os
import time
import zipfile
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from envlock.edges.api.bounded import Comparisons, Pair
from envlock.edges.api.comparison import compare
from envlock.edges.api.sources import unpack_sources
from envlock.edges.cache import Cache
from envlock.model.published.api import Api, ApiChangeKind, ApiState, decode_api, encode_api

OLD = {
    "g/__init__.py": "from g.models import Model, helper\nfrom g import old\n",
    "g/models.py": (
        "class Base:\n    def fit(self, data, size=1): ...\n    @classmethod\n    def load(cls, path): ...\n"
        "class Model(Base):\n    def __init__(self, text=None, size=100, seed=1): ...\n"
        "    def gone(self): ...\n"
        "def helper(a): ...\n"
        'if __name__ == "__main__":\n    from g.models import Model\n    Model()\n'
    ),
    "g/old.py": "VALUE = 1\n",
    "g/tests/test_g.py": "def test_it(): ...\n",
}
NEW = {
    "g/__init__.py": "from g.better import Model, helper\n",
    "g/models.py": "from g.better import Model\n",
    "g/better.py": (
        "class Base:\n    def fit(self, data): ...\n    @classmethod\n    def load(cls, path): ...\n"
        "class Model(Base):\n    def __init__(self, text=None, vector_size=100, *, seed=1): ...\n"
        "def helper(a, b): ...\n"
    ),
}


def compared(old: Path, new: Path) -> Api:
    with TemporaryDirectory() as folder:
        return compare(old, new, Path(folder))


def wheel(folder: Path, version: str, files: Mapping[str, str]) -> Path:
    path = folder / f"g-{version}-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as archive:
        for name, text in files.items():
            archive.writestr(name, text)
        archive.writestr(f"g-{version}.dist-info/METADATA", f"Name: g\nVersion: {version}\n")
    return path


@pytest.fixture
def pair(tmp_path: Path) -> tuple[Path, Path]:
    return wheel(tmp_path, "1", OLD), wheel(tmp_path, "2", NEW)


def told(api: Api) -> set[tuple[str, str, str]]:
    return {(change.kind.value, change.name, change.parameter) for change in api.changes}


def test_what_differs(pair: tuple[Path, Path]):
    api = compared(*pair)
    assert api.state is ApiState.COMPARED
    assert api.packages == ("g",)
    assert {
        ("removed", "g.old", ""),
        ("removed", "g.models.Model.gone", ""),
        ("parameter-removed", "g.models.Model.__init__", "size"),
        ("parameter-by-name", "g.models.Model.__init__", "seed"),
        ("parameter-added", "g.models.helper", "b"),
    } <= told(api)
    assert not [name for _, name, _ in told(api) if "tests" in name]


def test_a_name_that_still_leads_there_is_not_gone(pair: tuple[Path, Path]):
    api = compared(*pair)
    gone = {change.name for change in api.changes if change.kind is ApiChangeKind.REMOVED}
    assert "g.Model" not in gone - api.kept
    assert api.defined("g.Model") == "g.models.Model"


def test_inherited_methods_and_what_makes_instances(pair: tuple[Path, Path]):
    api = compared(*pair)
    assert api.makers["g.models.Base.load"] == "g.models.Base"
    assert api.makers["g.models.Model.load"] == "g.models.Model"
    assert "g.models.Model" in api.classes


def test_equal_interfaces(tmp_path: Path):
    assert not compared(wheel(tmp_path, "1", OLD), wheel(tmp_path, "2", OLD)).changes


def test_a_module_that_is_compiled_now_is_not_taken_for_gone(tmp_path: Path):
    old = {"g/__init__.py": "", "g/fast.py": "def run(): ...\n"}
    new = {"g/__init__.py": "", "g/fast.cpython-311-x86_64-linux-gnu.so": ""}
    api = compared(wheel(tmp_path, "1", old), wheel(tmp_path, "2", new))
    assert (told(api), api.compiled) == (set(), 1)


BEGUN = "if __name__ == '__main__':\n    from g import run\n"
PROGRAM = {
    "plain": f"{BEGUN}    run()\n",
    "on one line": "if '__main__' == __name__: from g import run\n",
    "else": f"{BEGUN}else:\n    from g.tools import extra\n",
    "elif": "if __name__ == '__main__': from g import run\nelif run:\n    from g.tools import extra\n",
    "text at the margin": f'{BEGUN}    print("""\nusage: g\n""")\n',
    "bracket at the margin": f"{BEGUN}    run(\n1,\n)\n",
    "lines of Windows": f'{BEGUN}    print("""\n""")\n'.replace("\n", "\r\n"),
}


@pytest.mark.parametrize("program", PROGRAM.values(), ids=PROGRAM)
def test_what_a_module_does_as_a_program_hides_nothing(tmp_path: Path, program: str):
    kept = "from g.tools import kept\ndef run(a): ...\n"
    files = {"g/__init__.py": "", "g/tools.py": "def kept(): ...\ndef extra(): ...\n"}
    old = wheel(tmp_path, "1", files | {"g/models.py": f"def extra(): ...\n{kept}"})
    gone = set() if "extra" in program else {"g.models.extra"}
    for version, text in (("2", program + kept), ("3", kept + program)):
        new = wheel(tmp_path, version, files | {"g/models.py": text})
        assert {name for _, name, _ in told(compared(old, new))} == gone


def test_a_module_of_another_python_is_left_as_it_is(tmp_path: Path):
    text = f"{BEGUN}    print 'x'\n"
    unpack_sources(wheel(tmp_path, "1", {"g/__init__.py": text}), tmp_path / "sources")
    assert (tmp_path / "sources/g/__init__.py").read_text() == text


def test_a_module_in_newer_syntax_is_not_taken_for_gone(tmp_path: Path):
    """As where envlock runs on Python 3.11 and a release uses the ``type`` statement of 3.12."""
    old = {"g/__init__.py": "from g.m import f\n", "g/m.py": "def f(): pass\ndef h(): pass\n"}
    api = compared(wheel(tmp_path, "1.0", old), wheel(tmp_path, "2.0", {**old, "g/m.py": "def f() pass\n"}))
    assert (told(api), api.unread, dict(api.gone)) == (set(), 1, {})


def test_a_package_whose_beginning_cannot_be_read(tmp_path: Path):
    old = {"g/__init__.py": "def f(): pass\n", "g/m.py": "def h(): pass\n"}
    new = {**old, "g/__init__.py": "def f() pass\n", "g/examples/one.py": ""}
    api = compared(wheel(tmp_path, "1.0", old), wheel(tmp_path, "2.0", new))
    assert (told(api), api.unread) == (set(), 2)


def test_a_compiled_module_that_is_gone(tmp_path: Path):
    old = wheel(tmp_path, "1", {"g/__init__.py": "", "g/gold.so": "", "g/kept.so": "", "g/_own.so": ""})
    new = wheel(tmp_path, "2", {"g/__init__.py": "", "g/kept.py": ""})
    assert [(one.name, one.sure) for one in compared(old, new).changes] == [("g.gold", True)]


def test_what_functions_return(tmp_path: Path):
    text = (
        "from __future__ import annotations\nfrom typing import Optional\n"
        "class A:\n    def me(self):\n        '''Do.\n\n        Returns\n        -------\n"
        "        self : object\n        '''\n"
        "class B(A): ...\n"
        "def one() -> A | None: ...\ndef two() -> Optional[B]: ...\ndef many() -> list[A]: ...\n"
        "def told():\n    '''Do.\n\n    Returns\n    -------\n    A or None\n        It.\n    '''\n"
        "def other():\n    '''Do.\n\n    Returns\n    -------\n    ndarray\n    '''\n"
    )
    api = compared(
        wheel(tmp_path, "1", {"g/__init__.py": text}), wheel(tmp_path, "2", {"g/__init__.py": "x = 1"})
    )
    assert api.makers == {
        "g.A.me": "g.A",
        "g.B.me": "g.B",
        "g.one": "g.A",
        "g.two": "g.B",
        "g.told": "g.A",
    }


def test_what_methods_and_attributes_say_that_they_are(tmp_path: Path):
    text = (
        "from typing import TypeVar\nT = TypeVar('T', bound='A')\n"
        "class Index: ...\n"
        "class A:\n    index: 'Index' = make()\n    name: str\n"
        "    def copy(self: T, deep=True) -> T: ...\n    def parts(self: T) -> list: ...\n"
        "    @property\n    def other(self) -> Index: ...\n    @property\n    def plain(self): ...\n"
        "class B(A): ...\n"
    )
    api = compared(
        wheel(tmp_path, "1", {"g/__init__.py": text}), wheel(tmp_path, "2", {"g/__init__.py": "x = 1"})
    )
    assert api.makers == {"g.A.copy": "g.A", "g.B.copy": "g.B"}
    assert api.holders == {
        "g.A.index": "g.Index",
        "g.A.other": "g.Index",
        "g.B.index": "g.Index",
        "g.B.other": "g.Index",
    }


def test_an_inherited_method_that_moved_to_another_base_is_not_gone(tmp_path: Path):
    old = {"g/__init__.py": "class A:\n    def me(self): ...\nclass B(A): ...\n"}
    new = {"g/__init__.py": "class A: ...\nclass Z:\n    def me(self): ...\nclass B(A, Z): ...\n"}
    api = compared(wheel(tmp_path, "1", old), wheel(tmp_path, "2", new))
    assert api.kept == {"g.B.me"}


def test_a_parameter_whose_place_another_has(tmp_path: Path):
    old = {"g/__init__.py": "def f(a, b): ...\n"}
    new = {"g/__init__.py": "def f(a, c=None, *, b=None): ...\n"}
    changes = compared(wheel(tmp_path, "1", old), wheel(tmp_path, "2", new)).changes
    assert [(one.kind, one.parameter, one.takes) for one in changes] == [
        (ApiChangeKind.PARAMETER_BY_NAME, "b", 2)
    ]


def test_attributes_that_methods_set_are_not_gone(tmp_path: Path):
    old = {"g/__init__.py": "class A:\n    @property\n    def parts(self): ...\n"}
    new = {"g/__init__.py": "class A:\n    def fit(self):\n        self.parts = 1\n"}
    assert compared(wheel(tmp_path, "1", old), wheel(tmp_path, "2", new)).gone == {}


def test_a_class_that_takes_a_module_from_elsewhere(tmp_path: Path):
    old = {"g/__init__.py": "class A:\n    from multiprocessing import synchronize\ndef f(a): ...\n"}
    new = {"g/__init__.py": "class A:\n    from multiprocessing import synchronize\n"}
    changes = compared(wheel(tmp_path, "1", old), wheel(tmp_path, "2", new)).changes
    assert [one.name for one in changes] == ["g.f"]


def test_inherited_methods_that_return_their_own_kind(tmp_path: Path):
    old = {"g/__init__.py": "class A:\n    def me(self) -> A: ...\nclass B(A): ...\n"}
    new = {"g/__init__.py": "class B: ...\n"}
    api = compared(wheel(tmp_path, "1", old), wheel(tmp_path, "2", new))
    assert api.makers["g.B.me"] == "g.B"
    assert api.gone == {"me": "g.A.me"}


def test_what_a_module_that_serves_names_offers_is_there(tmp_path: Path):
    old = {"g/__init__.py": "", "g/m.py": "def kept(): ...\ndef lost(): ...\n"}
    new = {"g/__init__.py": "", "g/m.py": "__all__ = ['kept']\ndef __getattr__(name): ...\n"}
    api = compared(wheel(tmp_path, "1", old), wheel(tmp_path, "2", new))
    assert [(one.name, one.sure) for one in api.changes] == [("g.m.lost", False)]


def test_served_at_run_time_is_likely_only(tmp_path: Path):
    old = {"g/__init__.py": "def f(): ...\n"}
    new = {"g/__init__.py": "def __getattr__(name): ...\n"}
    [change] = compared(wheel(tmp_path, "1", old), wheel(tmp_path, "2", new)).changes
    assert (change.name, change.sure) == ("g.f", False)


def test_only_compiled(tmp_path: Path):
    files = {"g.cpython-311-x86_64-linux-gnu.so": ""}
    api = compared(wheel(tmp_path, "1", files), wheel(tmp_path, "2", files))
    assert api.state is ApiState.NO_SOURCES


def test_a_broken_file(tmp_path: Path):
    broken = tmp_path / "g-1-py3-none-any.whl"
    broken.write_bytes(b"no archive")
    assert compared(broken, wheel(tmp_path, "2", NEW)).state is ApiState.UNREADABLE


def test_a_member_that_leads_out_of_the_folder(tmp_path: Path):
    old = wheel(tmp_path, "1", {"../out.py": "x = 1\n", "g/__init__.py": ""})
    compared(old, wheel(tmp_path, "2", {"g/__init__.py": ""}))
    assert not list(tmp_path.parent.glob("out.py"))


def test_documents(pair: tuple[Path, Path]):
    api = compared(*pair)
    assert decode_api(encode_api(api), "here") == api


def asked(pair: tuple[Path, Path]) -> Pair:
    hashes = [hashlib.sha256(path.read_bytes()).hexdigest() for path in pair]
    return Pair(component="g", old=pair[0], new=pair[1], old_sha256=hashes[0], new_sha256=hashes[1])


def test_a_pair_is_compared_once(pair: tuple[Path, Path], tmp_path: Path):
    comparisons, one = Comparisons(Cache(tmp_path), limit_s=60, at_once=2), asked(pair)
    assert comparisons.kept(one.old_sha256, one.new_sha256) is None
    [(component, api)] = comparisons.compare([one])
    assert (component, api) == ("g", compared(*pair))
    assert comparisons.kept(one.old_sha256, one.new_sha256) == api


def test_a_comparison_outlives_a_cache_that_cannot_keep_it(tmp_path: Path, pair: tuple[Path, Path]):
    (tmp_path / "file").write_text("no folder")
    [(_, api)] = Comparisons(Cache(tmp_path / "file"), limit_s=60, at_once=1).compare([asked(pair)])
    assert api.state is ApiState.COMPARED


def test_one_that_takes_too_long_is_ended_and_leaves_nothing(
    pair: tuple[Path, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(temporary))
    endless = tmp_path / "endless" / pair[0].name
    endless.parent.mkdir()
    os.mkfifo(endless)  # nobody ever writes to it, so that reading it never ends
    one = replace(asked(pair), old=endless)
    comparisons = Comparisons(Cache(tmp_path / "cache"), limit_s=0.3, at_once=1)
    [(_, api)] = comparisons.compare([one])
    assert api.state is ApiState.TOO_LONG
    assert not list(temporary.iterdir())
    assert comparisons.kept(one.old_sha256, one.new_sha256) is None


def test_one_that_works_too_long_is_ended_however_long_others_are_waited_for(
    pair: tuple[Path, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    many = {"g/__init__.py": "".join(f"def f{n}(a, b=({n}, [{n}])): return a\n" for n in range(60_000))}
    pair = (wheel(tmp_path, "3", many), wheel(tmp_path, "4", {"g/__init__.py": ""}))
    began = time.monotonic()
    monkeypatch.setattr("envlock.edges.api.bounded._WAITED", 600)
    [(_, api)] = Comparisons(Cache(tmp_path / "cache"), limit_s=0.5, at_once=1).compare([asked(pair)])
    assert api.state is ApiState.TOO_LONG
    assert time.monotonic() - began < 300
