"""Add the standard headers that C++ sources use and do not include, where a compiler says so.

The headers of older compilers brought others along. GCC 11, 12 and 13 each ended some of that
(https://gcc.gnu.org/gcc-11/porting_to.html and its successors), so that sources from before no longer
compile. A standard header more changes nothing else in a source; in a header that C reads as well, C is
kept from it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

_SUFFIXES = frozenset({".cc", ".cpp", ".cxx", ".h", ".hh", ".hpp", ".hxx"})
_WHERE = r"^(?P<file>[^:\n]+):\d+:\d+: "
_TOLD = re.compile(_WHERE + r"note: .* is defined in header \W<(?P<header>\w+)>", re.MULTILINE)
_MISSED = re.compile(
    _WHERE + r"error: \W(?:std::)?(?P<name>\w+)\W (?:is not a member of \Wstd\W|has not been declared)",
    re.MULTILINE,
)
_HEADERS = {
    "numeric_limits": "limits",
    "this_thread": "thread",
    "runtime_error": "stdexcept",
    "logic_error": "stdexcept",
    "invalid_argument": "stdexcept",
    "out_of_range": "stdexcept",
}
"""Names that GCC 12 itself tells no header for, by the porting guides."""


def add_forgotten_headers(output: str, tree: Path) -> list[str]:
    """Include, in the files of a source tree, what a compiler missed in them; return what was added where.

    Args:
        output: what the build printed: GCC's words, in any quotes.
        tree: the source tree, in which the compiler ran; files outside it are left alone.
    """
    added = []
    for name, header in sorted(set(_forgotten(output))):
        file, line = tree / name, f"#ifdef __cplusplus\n#include <{header}>\n#endif\n".encode()
        if file.suffix not in _SUFFIXES or not file.resolve().is_relative_to(tree.resolve()):
            continue
        text = file.read_bytes() if file.is_file() else line
        if line not in text:
            file.write_bytes(line + text)
            added.append(f"{name}: #include <{header}>")
    return added


def _forgotten(output: str) -> Iterator[tuple[str, str]]:
    """Yield the files that a compiler complained of, each with a header that it lacks."""
    for match in _TOLD.finditer(output):
        yield match["file"], match["header"]
    for missed in _MISSED.finditer(output):
        if header := _HEADERS.get(missed["name"]):
            yield missed["file"], header
