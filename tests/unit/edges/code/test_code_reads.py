"""What is taken for being read on import, of wheels and sdists; asked once, kept."""

import datetime as dt
import io
import tarfile
import zipfile
from collections.abc import Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from pathlib import Path

import pytest

from envlock.analysis.imports.interpreters import puts_off_annotations
from envlock.analysis.imports.modules import Module, own_of, roots_of
from envlock.analysis.imports.statements import reads_by_guards, reads_on_import
from envlock.edges.cache import Cache
from envlock.edges.code.archived import modules_of
from envlock.edges.code.queries import ReleaseFiles
from envlock.edges.code.reading import read_code, read_pinned
from envlock.model.errors import SurroundingsError
from envlock.model.locked.pins import DistributionPin
from envlock.model.published.catalogue import DistFile
from envlock.model.published.code_reads import USE_2TO3
from tests.memory import MemoryCatalogue

TODAY = dt.date(2026, 6, 1)
WANTED = {"thing": ("thing", "1.0")}


def reads(**sources: str) -> dict[str, str]:
    """What importing ``thing`` reads, of a distribution with these modules."""
    names = {name.replace("__", "."): text for name, text in sources.items()}
    packages = {name.rpartition(".")[0] for name in names}
    modules = {
        name: Module(name.replace(".", "/") + ("/__init__.py" if name in packages else ".py"), text)
        for name, text in names.items()
    }
    return reads_on_import(modules, roots_of(modules, "thing"))


def test_what_runs_on_import_is_read_also_in_modules_that_are_imported() -> None:
    found = reads(
        thing="from .inner import value\n",
        thing__inner="import numpy as np\nclass A:\n    kind = np.float\n",
        thing__alone="from collections import Mapping\n",
    )
    assert found["numpy.float"] == "thing/inner.py:3"
    assert "collections.Mapping" not in found


@pytest.mark.parametrize(
    ("distribution", "modules", "roots"),
    [
        ("thing", ["thing", "thing.inner", "other", "other.inner"], ["thing"]),
        (
            "google-cloud-storage",
            ["google.cloud.storage", "google.cloud.storage.blob"],
            ["google.cloud.storage"],
        ),
        ("azure-blob", ["azure.blob", "azure.blob.aio", "azure.shared", "azure.shared.one"], ["azure.blob"]),
        ("handlers-python", ["handlers.python", "handlers.python.one"], ["handlers.python"]),
        ("pair", ["share.one", "share.one.inner", "share.two"], ["share.one", "share.two"]),
        ("pathlib", ["pathlib"], []),
        ("asyncio", ["asyncio", "asyncio.events"], []),
    ],
    ids=["package", "namespace", "named", "other name", "several", "the interpreter's", "its package"],
)
def test_a_folder_that_is_shared_is_imported_by_what_is_in_it(
    distribution: str, modules: list[str], roots: list[str]
) -> None:
    assert roots_of(modules, distribution) == roots


def test_what_is_beside_it_in_a_shared_folder_is_not_its_own() -> None:
    modules = ["google.cloud.storage", "google.cloud.storage.blob", "flat"]
    assert own_of(modules) == {"google.cloud.storage", "flat"}


def test_an_import_by_a_call_is_one() -> None:
    """As namespace packages have it (Lightning up to 2.3)."""
    found = reads(
        thing="__import__('pkg_resources').declare_namespace(__name__)\n__import__('thing.inner')\n",
        thing__inner="import numpy as np\nkind = np.float\n",
    )
    assert found["pkg_resources"] == "thing/__init__.py:1"
    assert "numpy.float" in found


def test_who_sets_a_name_of_a_module_does_not_miss_it_and_who_sets_one_of_its_own_objects_does() -> None:
    text = "import numpy as np\nnp.float\nclass A:\n    def __init__(self):\n        {}.float = 1\n"
    assert "numpy.float" in reads(thing=text.format("self"))
    assert "numpy.float" not in reads(thing=text.format("np"))


def test_defaults_and_decorators_run_and_bodies_do_not() -> None:
    found = reads(
        thing="import numpy as np\nfrom . import a\ndef f(kind=np.int):\n    return np.bool\n", thing__a=""
    )
    assert "numpy.int" in found
    assert "numpy.bool" not in found


@pytest.mark.parametrize(
    "text",
    [
        "try:\n    np.float()\nexcept ValueError:\n    pass\n",
        "try:\n    np.float()\nexcept (KeyError, OSError):\n    pass\n",
        "try:\n    f()\n    np.float()\nexcept AttributeError:\n    raise ImportError\n",
        "try:\n    f()\n    np.float()\nfinally:\n    pass\n",
        "if not _THING_SETUP_:\n    np.float()\n",
        "if __THING_SETUP__:\n    pass\nelse:\n    np.float()\n",
        "if not _THING_SETUP_:\n    import numpy as other\nother.float()\n",
    ],
    ids=["value", "several", "ends in an error", "finally", "no setup", "else of setup", "imported there"],
)
def test_what_no_handler_is_for_and_setup_alone_does_without_is_read(text: str) -> None:
    assert "numpy.float" in reads(thing=f"import numpy as np\n{text}")


@pytest.mark.parametrize(
    "text",
    [
        "try:\n    f()\n    np.float()\nexcept ValueError:\n    pass\n",
        "try:\n    np.float()\nexcept (ValueError, AttributeError):\n    pass\n",
        "try:\n    np.float()\nexcept Unknown:\n    pass\n",
        "try:\n    np.float()\nexcept AttributeError:\n    if f():\n        raise\n",
        "try:\n    f()\n    np.float()\nexcept AttributeError:\n    raise\nexcept KeyError:\n    pass\n",
        "try:\n    np.float()\nexcept:\n    pass\n",
        "if _THING_SETUP_:\n    np.float()\n",
    ],
    ids=["not first", "one of several", "of its own", "may end so", "one goes on", "any", "in setup"],
)
def test_what_need_not_run_or_may_be_caught_is_not(text: str) -> None:
    assert "numpy.float" not in reads(thing=f"import numpy as np\n{text}")


@pytest.mark.parametrize(
    "text",
    [
        "try:\n    from fractions import gcd\nexcept ImportError:\n    pass\n",
        "import sys\nif sys.version_info < (3,):\n    from fractions import gcd\n",
        "from contextlib import suppress\nwith suppress(ImportError):\n    from fractions import gcd\n",
        "import fractions, math\ngcd = fractions.gcd if hasattr(fractions, 'gcd') else math.gcd\n",
        "import fractions, math\ngcd = hasattr(fractions, 'gcd') and fractions.gcd\n",
        "import fractions, math\nfractions.gcd = math.gcd\ngcd = fractions.gcd\n",
        "import fractions, math\nsetattr(fractions, 'gcd', math.gcd)\ngcd = fractions.gcd\n",
        "from __future__ import annotations\nimport fractions\nkind: fractions.gcd = 1\n",
        "import fractions\nlater = lambda: fractions.gcd\n",
    ],
    ids=["try", "if", "with", "either", "and", "set", "setattr", "annotation", "later"],
)
def test_what_may_be_meant_for_just_that_is_passed_over(text: str) -> None:
    assert "fractions.gcd" not in reads(thing=text)


@pytest.mark.parametrize(
    "text",
    [
        "while hasattr(np, 'float'):\n    np.float()\n",
        "while f():\n    pass\nelse:\n    np.float()\n",
        "for n in ():\n    np.float\n",
        "for n in f():\n    break\nelse:\n    np.float\n",
        "[np.float for n in ()]\n",
        "{np.float for n in ()}\n",
        "{n: np.float for n in ()}\n",
        "any(np.float for n in ())\n",
        "[n for n in () for m in np.float]\n",
        "[n for n in () if np.float]\n",
        "match f():\n    case 1:\n        np.float\n",
        "match f():\n    case np.float:\n        pass\n",
        "try:\n    np.float()\nexcept* AttributeError:\n    pass\n",
        "try:\n    f()\nexcept* AttributeError:\n    np.float\n",
        "for n in f():\n    import numpy as late\nlate.float\n",
        "for np in f():\n    pass\nnp.float\n",
        "while f():\n    np = f()\nnp.float\n",
        "for n in f():\n    from other import np\nnp.float\n",
        "for n in f():\n    async def np(): ...\nnp.float\n",
        "match f():\n    case [np]:\n        pass\nnp.float\n",
        "import sys\nLATE = sys.version_info > (3,)\nfor n in f():\n    LATE = n\nif LATE:\n    np.float\n",
    ],
)
def test_what_runs_only_if_there_is_something_to_go_through_is_not_read(text: str) -> None:
    assert "numpy.float" not in reads(thing=f"import numpy as np\n{text}")


@pytest.mark.parametrize(
    "text",
    [
        "for n in np.float:\n    pass\n",
        "while np.float:\n    break\n",
        "match np.float:\n    case 1:\n        pass\n",
        "[n for n in np.float]\n",
        "{n: n for n in np.float}\n",
        "any(n for n in np.float)\n",
        "try:\n    np.float()\nexcept* ValueError:\n    pass\n",
        "for n in f():\n    pass\nnp.float\n",
    ],
)
def test_what_is_gone_through_is_read(text: str) -> None:
    assert "numpy.float" in reads(thing=f"import numpy as np\n{text}")


def test_a_module_imported_only_if_there_is_something_to_go_through_does_not_run() -> None:
    inner = "import numpy as np\nnp.float\n"
    assert "numpy.float" not in reads(thing="for n in f():\n    from . import inner\n", thing__inner=inner)


IN_PYTHON_3 = "import sys\nimport six\nfrom sys import version_info\n"


@pytest.mark.parametrize(
    "condition",
    [
        "sys.version_info >= (3, 5)",
        "sys.version_info > (3,)",
        "sys.version_info[0] >= 3",
        "sys.version_info[0] == 3",
        "sys.version_info[0] in (3, 4)",
        "sys.version_info[:2] >= (3, 4)",
        "version_info.major != 2",
        "six.PY3",
        "not six.PY2",
    ],
)
def test_what_stands_below_a_condition_that_holds_on_every_python_is_read(condition: str) -> None:
    gone = "    from fractions import gcd\n"
    assert "fractions.gcd" in reads(thing=f"{IN_PYTHON_3}if {condition}:\n{gone}")
    assert "fractions.gcd" in reads(thing=f"{IN_PYTHON_3}LATE = {condition}\nclass A:\n  if LATE:\n{gone}")
    assert "fractions.gcd" in reads(thing=f"{IN_PYTHON_3}if not ({condition}):\n    pass\nelse:\n{gone}")
    assert "fractions.gcd" not in reads(thing=f"{IN_PYTHON_3}if not ({condition}):\n{gone}")
    assert "fractions.gcd" not in reads(
        thing=f"{IN_PYTHON_3}LATE = {condition}\nLATE = f()\nif LATE:\n{gone}"
    )


@pytest.mark.parametrize(
    "condition",
    [
        "sys.version_info >= (3, 9)",
        "sys.version_info < (3, 9)",
        "sys.version_info >= (3, 6, 1)",
        "sys.version_info[:2] == (3, 8)",
        "sys.version_info[1] >= 5",
        "sys.version_info >= 3",
        "sys.version_info[:2] in ((3, 8), (3, 9))",
        "sys.version_info[0] >= OLDEST",
        "2 < sys.version_info[0] < 4",
        "sys.platform == 'linux'",
        "six.PY3 and f()",
    ],
)
def test_what_stands_below_another_condition_is_not(condition: str) -> None:
    text = (
        f"{IN_PYTHON_3}if {condition}:\n    from fractions import gcd\nelse:\n    from fractions import gcd\n"
    )
    assert "fractions.gcd" not in reads(thing=text)


def test_an_interpreter_may_put_annotations_off() -> None:
    text = "import numpy as np\nx: np.object\ndef f(a: np.float = np.int) -> np.bool:\n    y: np.str\n"
    modules = {"thing": Module("thing/__init__.py", text)}
    (read,) = reads_by_guards(modules, ["thing"], postponed=True).values()
    assert {"numpy.int"} == {"numpy.int", "numpy.float", "numpy.bool", "numpy.object"} & read.keys()
    (read,) = reads_by_guards(modules, ["thing"]).values()
    assert {"numpy.int", "numpy.float", "numpy.bool", "numpy.object"} <= read.keys()


def test_python_puts_annotations_off_since_3_14() -> None:
    assert all(map(puts_off_annotations, ("3.14", "3.14.1", "3.15")))
    assert not any(map(puts_off_annotations, ("", "3.7", "3.13.9")))


@pytest.mark.parametrize(
    "text",
    [
        "class A:\n    @property\n    def state(self): ...\n    @state.setter\n    def state(self, n): ...\n",
        "class A:\n    state = 1\n    other = state.setter\n",
        "state = make()\nstate.setter\n",
        "def state(): ...\nstate.setter\n",
    ],
)
def test_what_is_made_anew_by_the_name_of_something_imported_is_that_no_more(text: str) -> None:
    assert "other.state.setter" not in reads(thing=f"from other import state\n{text}")


def test_the_names_of_a_class_end_with_it() -> None:
    text = "from other import state\nclass A:\n    state = state.first\nstate.late\n"
    assert {"other.state.first", "other.state.late"} <= reads(thing=text).keys()


def test_what_is_called_is_told_from_what_is_only_read() -> None:
    found = reads(thing="from google.protobuf import descriptor as d\nfields = [d.FieldDescriptor(1)]\n")
    assert found["google.protobuf.descriptor.FieldDescriptor.__call__"] == "thing.py:2"
    found = reads(thing="from google.protobuf import descriptor as d\nkind = d.FieldDescriptor\n")
    assert "google.protobuf.descriptor.FieldDescriptor" in found
    assert "google.protobuf.descriptor.FieldDescriptor.__call__" not in found


WITHOUT_HASH = "from dataclasses import dataclass\n@dataclass{how}\nclass A:\n    x: int = 0\n{more}"
HOLDER = "@dataclass\nclass B:\n    a: A = {default}\n"


@pytest.mark.parametrize("how", ["", "()", "(order=True)"])
def test_a_default_of_a_dataclass_that_has_no_hash(how: str) -> None:
    text = WITHOUT_HASH.format(how=how, more="") + HOLDER.format(default="A()")
    assert reads(thing=text)["dataclasses.unhashable_default"] == "thing.py:7"


@pytest.mark.parametrize(
    ("how", "more", "default"),
    [
        ("(frozen=True)", "", "A()"),
        ("(eq=False)", "", "A()"),
        ("(unsafe_hash=True)", "", "A()"),
        ("", "    def __hash__(self):\n        return 1\n", "A()"),
        ("", "", "field(default_factory=A)"),
        ("", "", "None"),
    ],
)
def test_a_default_of_a_dataclass_that_has_one(how: str, more: str, default: str) -> None:
    text = WITHOUT_HASH.format(how=how, more=more) + HOLDER.format(default=default)
    assert "dataclasses.unhashable_default" not in reads(thing=text)


@pytest.mark.parametrize(
    "old",
    [
        "def f(x, async=False):\n    pass",
        "def f(x): x.cuda(async=True)",
        "run = asyncio.async",
        "from . import await",
    ],
)
def test_async_and_await_were_names_before_python_3_7(old: str) -> None:
    found = reads(thing=f"import asyncio\nimport numpy\n{old}\nnumpy.float\n")
    assert found["keyword.async_as_a_name"] == "thing.py:3"
    assert "numpy.float" in found


@pytest.mark.parametrize("today", ["async def f():\n    await g()", "kind: str = 'async='", "print 'async='"])
def test_async_that_is_no_name(today: str) -> None:
    assert "keyword.async_as_a_name" not in reads(thing=f"import numpy\n{today}\n")


@pytest.mark.parametrize(
    ("old", "word"),
    [
        ("print 'text'", "keyword.print_as_a_statement"),
        ("def f():\n    exec code in {}", "keyword.print_as_a_statement"),
        ("mode = 0777", "keyword.print_as_a_statement"),
        ("if 1:\n        a = 1\n\tb = 2", "keyword.print_as_a_statement"),
        ("f(async=True)\nprint 'text'", "keyword.print_as_a_statement"),
        ("try:\n    a\nexcept KeyError, error:\n    pass", "keyword.except_with_a_comma"),
    ],
)
def test_what_only_python_2_takes_ends_at_once(old: str, word: str) -> None:
    assert set(reads(thing=f"import numpy\n{old}\nnumpy.float\n")) == {word}
    assert word in reads(thing="import thing.part", thing__part=f"{old}\n")


@pytest.mark.parametrize(
    "source",
    ["type A = int\nclass B[T]: pass", "f(", "print('text')", "import sys\nprint >> sys.stderr, 'x'"],
)
def test_what_no_python_takes_or_a_later_one_is_not_python_2(source: str) -> None:
    assert not any(name.startswith("keyword.") for name in reads(thing=source))


@pytest.mark.parametrize(
    "around",
    [
        "try:\n    import thing.old\nexcept Exception:\n    pass",
        "import sys\nif sys.version_info[0] == 2:\n    import thing.old",
        "def f():\n    import thing.old",
    ],
)
def test_a_part_for_python_2_that_is_not_surely_imported_does_not_count(around: str) -> None:
    found = reads(thing=around, thing__old="print 'text'")
    assert not any(name.startswith("keyword.") for name in found)


class Indexes:
    """One release as a file on the disk; counts how often it is asked for."""

    def __init__(self, path: Path, size: int = 0) -> None:
        self.catalogue: ReleaseFiles = _OnDisk(path, size)
        self.opened = 0

    def __call__(self) -> AbstractContextManager[ReleaseFiles]:
        self.opened += 1
        return nullcontext(self.catalogue)


class _OnDisk(MemoryCatalogue):
    def __init__(self, path: Path, size: int) -> None:
        super().__init__({"thing": {"1.0": {"files": [path.name], "size": size}}})
        self._path = path

    def local_file(self, file: DistFile) -> Path:
        if not self._path.exists():
            raise SurroundingsError("index-unreachable", "the index cannot be reached")
        return self._path


def wheel(folder: Path, members: Mapping[str, str]) -> Path:
    path = folder / "thing-1.0-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as archive:
        for name, text in members.items():
            archive.writestr(name, text)
    return path


def sdist(folder: Path, members: Mapping[str, str]) -> Path:
    path = folder / "thing-1.0.tar.gz"
    with tarfile.open(path, "w:gz") as archive:
        for name, text in members.items():
            info = tarfile.TarInfo(f"thing-1.0/{name}")
            info.size = len(text.encode())
            archive.addfile(info, io.BytesIO(text.encode()))
    return path


def test_a_wheel_is_looked_through_once_and_what_is_its_own_is_left_out(tmp_path: Path) -> None:
    members = {"thing/__init__.py": "import thing.inner\nfrom cgi import escape\n", "thing/inner.py": ""}
    asked, cache = Indexes(wheel(tmp_path, members)), Cache(tmp_path / "cache")
    first = read_code(WANTED, cache, asked, today=TODAY)["thing"]
    assert dict(first.on_import) == {"cgi": "thing/__init__.py:2", "cgi.escape": "thing/__init__.py:2"}
    assert first.on_build == {}
    assert read_code(WANTED, cache, asked, today=TODAY)["thing"] == first
    assert read_code(WANTED, cache, None, today=TODAY)["thing"] == first
    assert asked.opened == 1


def test_parts_may_be_imported_where_the_whole_imports_none(tmp_path: Path) -> None:
    members = {
        "thing/__init__.py": "",
        "thing/units.py": "from . import core\n",
        "thing/core.py": "import cgi\n",
    }
    path, cache = wheel(tmp_path, members), Cache(tmp_path / "cache")
    for parts, on_import in (((), {}), (("thing.units.def_unit",), {"cgi": "thing/core.py:1"})):
        read = read_code(WANTED, cache, Indexes(path), today=TODAY, parts={"thing": parts})["thing"]
        assert dict(read.on_import) == on_import


def test_what_most_of_it_runs_is_read_where_importing_it_runs_nothing(tmp_path: Path) -> None:
    path = wheel(tmp_path, {"thing/__init__.py": "", "thing/mask.py": "from . import _fast\nimport cgi\n"})
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr("thing/_fast.abi3.so", ELDER)
    read = read_code(WANTED, Cache(tmp_path / "cache"), Indexes(path), today=TODAY)["thing"]
    assert dict(read.on_import) == {"numpy.C_API_1": "thing/_fast.abi3.so"}


def test_what_it_has_a_copy_of_is_its_own(tmp_path: Path) -> None:
    """As setuptools from 71 on has it, which puts setuptools/_vendor on the path."""
    members = {
        "thing/__init__.py": "import sys\nsys.path += ['a']\nimport one, two.inner, three, four\n",
        "thing/_vendor/one.py": "",
        "thing/_vendor/two/inner.py": "",
        "thing/extra/three.py": "",
        "_vendor/four.py": "",
    }
    found = read_code(WANTED, Cache(tmp_path / "cache"), Indexes(wheel(tmp_path, members)), today=TODAY)
    assert {name.partition(".")[0] for name in found["thing"].on_import} == {"sys", "three", "four"}


def test_what_counts_beside_others_is_kept_with_them(tmp_path: Path) -> None:
    text = "import cgi\nif find_spec('peft') is not None:\n    import torch, cgi\n    import thing.inner\n"
    members = {"thing/__init__.py": text, "thing/inner.py": "import torch.nn\n"}
    asked, cache = Indexes(wheel(tmp_path, members)), Cache(tmp_path / "cache")
    first = read_code(WANTED, cache, asked, today=TODAY)["thing"]
    assert read_code(WANTED, cache, None, today=TODAY)["thing"] == first
    assert first.among(["torch"]).on_import == first.on_import == {"cgi": "thing/__init__.py:1"}
    assert first.among(["peft"]).on_import == {
        "cgi": "thing/__init__.py:1",
        "torch": "thing/__init__.py:3",
        "torch.nn": "thing/inner.py:1",
        "torch.nn.__spec__": "thing/inner.py:1",
    }


def test_of_an_sdist_the_setup_counts_too(tmp_path: Path) -> None:
    members = {"setup.py": "import imp\n", "src/thing/__init__.py": "import cgi\n"}
    found = read_code(WANTED, Cache(tmp_path / "cache"), Indexes(sdist(tmp_path, members)), today=TODAY)
    assert found["thing"].on_build == {"imp": "setup.py:1"}
    assert found["thing"].on_import == {"cgi": "thing/__init__.py:1"}


@pytest.mark.parametrize(
    ("script", "more", "asked"),
    [
        ("setup(use_2to3=True)\n", {}, "setup.py:1"),
        ("more = {}\nif PY3:\n    more['use_2to3'] = True\nsetup(**more)\n", {}, "setup.py:3"),
        ("setup(use_2to3=False)\n", {}, None),
        ("setup(use_2to3=True)\n", {"pyproject.toml": ""}, None),
        ("more = {}\nif setuptools.__version__ < '58':\n    more['use_2to3'] = True\n", {}, None),
        ("make(use_2to3=True)\n", {}, None),
    ],
)
def test_a_setup_asks_any_setuptools_for_a_translation(
    script: str, more: dict[str, str], asked: str | None, tmp_path: Path
) -> None:
    path = sdist(tmp_path, {"setup.py": script, "src/thing/__init__.py": "", **more})
    found = read_code(WANTED, Cache(tmp_path / "cache"), Indexes(path), today=TODAY)
    assert found["thing"].on_build.get(USE_2TO3) == asked


def test_where_it_is_not_plain_what_is_imported_nothing_is_said(tmp_path: Path) -> None:
    members = {"one/__init__.py": "import cgi\n", "other/__init__.py": ""}
    found = read_code(WANTED, Cache(tmp_path / "cache"), Indexes(wheel(tmp_path, members)), today=TODAY)
    assert found["thing"].on_import == {}


def test_what_is_large_or_broken_or_out_of_reach_is_left_out(tmp_path: Path) -> None:
    whole = wheel(tmp_path, {"thing/__init__.py": "import cgi\n"})
    large = Indexes(whole, 33 << 20)
    for _ in range(2):
        assert read_code(WANTED, Cache(tmp_path / "a"), large, today=TODAY)["thing"].on_import == {}
    assert large.opened == 1
    whole.write_bytes(b"no wheel")
    assert read_code(WANTED, Cache(tmp_path / "b"), Indexes(whole), today=TODAY) == {}
    whole.unlink()
    assert read_code(WANTED, Cache(tmp_path / "c"), Indexes(whole), today=TODAY) == {}
    assert read_code({"thing": ("thing", "2")}, Cache(tmp_path), Indexes(whole), today=TODAY) == {}
    assert read_code(WANTED, Cache(tmp_path / "d"), None, today=TODAY) == {}


def test_the_module_of_the_distribution_s_name_is_what_people_import(tmp_path: Path) -> None:
    path = wheel(
        tmp_path,
        dict.fromkeys(
            ("thing/__init__.py", "thing/inner.py", "tests/__init__.py", "tools/__init__.py", "alone.py"), ""
        ),
    )
    modules = modules_of(path)
    assert roots_of(modules, "Python-Thing") == ["thing"]
    assert roots_of(modules, "other") == ["thing"]


PYBIND11 = b"__pybind11_internals_v4_gcc\0NumPy: shape ndim doesn't match strides ndim\0"
ELDER = b"\x7fELF module compiled against ABI version 0x%x \0numpy.core._multiarray_umath\0"


@pytest.mark.parametrize(
    ("content", "found"),
    [
        (ELDER, ("numpy.C_API_1",)),
        (ELDER + b"numpy._core._multiarray_umath\0", ()),
        (b"\x7fELF numpy.core.multiarray failed to import\0numpy.core.multiarray\0", ()),
        (PYBIND11 + b"numpy.core.multiarray\0", ("numpy.pybind11_before_2_12",)),
        (PYBIND11 + b"multiarray\0NumpyVersion\0", ()),
        (PYBIND11.replace(b"strides ndim\0", b"") + b"numpy.core.multiarray\0", ()),
        (PYBIND11 + ELDER + b"numpy.core.multiarray\0", ("numpy.C_API_1", "numpy.pybind11_before_2_12")),
    ],
    ids=["NumPy 1", "NumPy 2", "without its C interface", "pybind11", "pybind11 2.12", "no arrays", "both"],
)
def test_a_compiled_module_tells_which_numpy_it_was_compiled_with(
    content: bytes, found: tuple[str, ...], tmp_path: Path
) -> None:
    wheel = tmp_path / "thing-1.0-cp311-cp311-linux_x86_64.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        archive.writestr("thing/__init__.py", "from .inner import fast\n")
        archive.writestr(
            "thing/inner.py",
            "from thing._fast import add\ntry:\n    from . import _other\nexcept E:\n    pass\n",
        )
        archive.writestr("thing/_fast.cpython-311-x86_64-linux-gnu.so", content)
        archive.writestr("thing/_other.abi3.so", ELDER)
        archive.writestr("thing.libs/libfast-1a.so", ELDER)
    modules = modules_of(wheel)
    assert sorted(modules) == ["thing", "thing._fast", "thing._other", "thing.inner"]
    places = dict.fromkeys(found, "thing/_fast.cpython-311-x86_64-linux-gnu.so")
    read = reads_on_import(modules, roots_of(modules, "thing"))
    assert {name: where for name, where in read.items() if name.startswith("numpy")} == places


def pinned(catalogue: ReleaseFiles) -> DistributionPin:
    (release,) = catalogue.releases("thing")
    return DistributionPin(
        component="thing", name="thing", version="1.0", file=release.files[0], requires_python="", extras=(),
        dependencies=(), asked_by=(), facts=(), build=None,
    )  # fmt: skip


def test_of_an_answer_its_own_files_are_looked_through_once(tmp_path: Path) -> None:
    path = wheel(tmp_path, {"thing/__init__.py": "import cgi\n"})
    catalogue, cache = _OnDisk(path, 1000), Cache(tmp_path / "cache")
    first = read_pinned([pinned(catalogue)], catalogue, cache, today=TODAY)
    assert first["thing"].on_import == {"cgi": "thing/__init__.py:1"}
    path.unlink()
    assert read_pinned([pinned(catalogue)], catalogue, cache, today=TODAY) == first
    with pytest.raises(SurroundingsError):
        read_pinned([pinned(catalogue)], catalogue, Cache(tmp_path / "other"), today=TODAY)


@pytest.mark.parametrize("size", [0, 5 << 20], ids=["unknown", "large"])
def test_of_an_answer_nothing_is_fetched_that_may_take_long(size: int, tmp_path: Path) -> None:
    catalogue = _OnDisk(tmp_path / "thing-1.0-py3-none-any.whl", size)
    assert read_pinned([pinned(catalogue)], catalogue, Cache(tmp_path / "cache"), today=TODAY) == {}


def test_of_a_large_sdist_that_is_worth_waiting_for_a_wheel_is_looked_through(tmp_path: Path) -> None:
    catalogue = _OnDisk(wheel(tmp_path, {"thing/__init__.py": "import cgi\n"}), 1000)
    pin = pinned(catalogue)
    large = replace(pin, file=replace(pin.file, filename="thing-1.0.tar.gz", tags=frozenset(), size=40 << 20))
    cache = Cache(tmp_path / "cache")
    assert read_pinned([large], catalogue, cache, today=TODAY) == {}
    found = read_pinned([large], catalogue, cache, today=TODAY, wholly={"thing"})
    assert found["thing"].on_import == {"cgi": "thing/__init__.py:1"}
