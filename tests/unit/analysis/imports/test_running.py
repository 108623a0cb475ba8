"""What is read on import is read of what a name surely stands for there."""

import pytest

from envlock.analysis.imports.hashes import UNHASHABLE_DEFAULT
from envlock.analysis.imports.modules import Module
from envlock.analysis.imports.statements import reads_on_import
from envlock.analysis.imports.words import Words

ANEW = "import cupy as numpy\n"
READ = "numpy.late\n"


def reads(source: str) -> set[str]:
    return {*reads_on_import({"thing": Module("thing/__init__.py", source)}, ["thing"])}


@pytest.mark.parametrize(
    "between",
    [
        f"if fast():\n    {ANEW}",
        f"if fast():\n    pass\nelse:\n    {ANEW}",
        f"with suppress(ImportError):\n    {ANEW}",
        f"try:\n    {ANEW}except ImportError:\n    pass\n",
        f"try:\n    import cupy\nexcept ImportError:\n    pass\nelse:\n    {ANEW}",
        f"try:\n    check()\n    {ANEW}except ValueError:\n    pass\n",
        f"try:\n    check()\nexcept ValueError:\n    {ANEW}",
        f"try:\n    check()\nfinally:\n    {ANEW}",
        f"if find_spec('cupy') is not None:\n    {ANEW}",
        "if fast():\n    from thing import numpy\n",
        "match fast():\n    case {'a': 1, **numpy}:\n        pass\n",
        f"for _ in fast():\n    {ANEW}",
    ],
)
def test_a_name_that_may_be_bound_anew_stands_for_nothing_sure(between: str) -> None:
    assert "numpy.late" not in reads(f"import numpy\n{between}{READ}")


@pytest.mark.parametrize(
    "between",
    [
        "if fast():\n    import numpy\n",
        "if fast():\n    import cupy\n",
        "try:\n    import numpy.linalg\nexcept ImportError:\n    pass\n",
        "with suppress(ImportError):\n    def reduced():\n        import cupy as numpy\n",
        "if fast():\n    class Array:\n        numpy = None\n",
    ],
)
def test_a_name_that_stays_what_it_is_is_followed(between: str) -> None:
    assert "numpy.late" in reads(f"import numpy\n{between}{READ}")


def test_what_runs_in_any_case_counts() -> None:
    assert "numpy.late" in reads(f"import numpy\ntry:\n    check()\nfinally:\n    {READ}")


HEAD = "from dataclasses import dataclass\nfrom typing import ClassVar\n"


@pytest.mark.parametrize(
    ("decorator", "body", "field", "fails"),
    [
        ("dataclass", "x: int = 1", "inner: Inner", True),
        ("dataclass(order=True)", "x: int = 1", "inner: Inner", True),
        ("dataclass(frozen=True)", "x: int = 1", "inner: Inner", False),
        ("dataclass(frozen=FROZEN)", "x: int = 1", "inner: Inner", False),
        ("dataclass(**SETTINGS)", "x: int = 1", "inner: Inner", False),
        ("dataclass(eq=False)", "x: int = 1", "inner: Inner", False),
        ("dataclass", "def __hash__(self): return 1", "inner: Inner", False),
        ("dataclass", "__hash__ = object.__hash__", "inner: Inner", False),
        ("dataclass", "x: int = 1", "inner: ClassVar[Inner]", False),
        ("dataclass", "x: int = 1", "inner: 'InitVar[Inner]'", False),
    ],
)
def test_a_default_needs_a_hash(decorator: str, body: str, field: str, *, fails: bool) -> None:
    inner = f"@{decorator}\nclass Inner:\n    {body}\n"
    outer = f"@dataclass\nclass Outer:\n    {field} = Inner()\n"
    assert (UNHASHABLE_DEFAULT in reads(HEAD + inner + outer)) is fails


def test_what_is_nested_too_deeply_has_no_words() -> None:
    branches = "".join(f"    elif name == 'a{number}':\n        return {number}\n" for number in range(1500))
    source = f"def __getattr__(name):\n    if name == 'a':\n        return 1\n{branches}    raise KeyError\n"
    assert Words.of(source, "thing") is None
