"""What building an sdist asks of setuptools and Cython."""

import pytest

from envlock.analysis.sdists.tool_asks import asked_of_tools
from envlock.model.published.code_reads import CYTHON_LONG

SETUP = "setup(ext_modules=cythonize('thing.pyx'), setup_requires=['cython'])\n"


def asked(source: str, setup: str = SETUP, path: str = "thing.pyx") -> str | None:
    return asked_of_tools({"setup.py": setup, path: source}).get(CYTHON_LONG)


@pytest.mark.parametrize(
    "line",
    [
        "if isinstance(x, (int, long)):",
        "return isinstance(x, long)",
        "encode = {int: encode_int, long: encode_int}",
        "    long: encode_int,",
        "x = long(x)",
        "return long(x)",
    ],
)
def test_long_as_an_object_is_met_in_its_line(line: str) -> None:
    around = "{\n%s\n" if line.startswith(" ") else "x = 1\n%s\n"
    assert asked(around % line) == "thing.pyx:2"


@pytest.mark.parametrize(
    "source",
    [
        "cdef long x = 3\ncdef unsigned long y = <long>(x) + sizeof(long)\n",
        "cdef long (*f)(int)\ndef g(long x, long y): ...\n",
        "# isinstance(x, long)\n",
        '"""Like this:\n\nx = long(y)\n"""\n',
        "long = int\nx = long(y)\n",
        "from six import integer as long\nx = long(y)\n",
        "IF PY2:\n    x = long(y)\n",
        "x = [long]\n",
    ],
)
def test_long_as_a_type_of_c_or_of_its_own_is_not(source: str) -> None:
    assert asked(source) is None


def test_only_what_is_surely_translated_counts() -> None:
    source = "x = long(y)\n"
    assert asked(source, setup="setup(ext_modules=[Extension('thing', ['thing.c'])])\n") is None
    assert asked(source, path="tests/thing.pyx") is None
    files = {"setup.py": SETUP, "thing.pyx": "", "tests/deep/it.pyx": source}
    assert asked_of_tools(files) == {}
    assert asked_of_tools({**files, "thing.pyx": source}) == {CYTHON_LONG: "thing.pyx:1"}
