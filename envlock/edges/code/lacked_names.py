"""Names that releases read on import, looked up in the files of the one that should have them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from envlock.analysis.imports.holdings import Holdings
from envlock.analysis.imports.running import AS_MODULE
from envlock.edges.code.contents import read_contents
from envlock.edges.code.queries import ReleaseFiles
from envlock.edges.code.release_reads import BROKEN
from envlock.model.errors import SurroundingsError
from envlock.model.published.code_reads import CodeReads


def lacked_names(
    name: str, version: str, readers: Sequence[CodeReads], catalogue: ReleaseFiles, python: str
) -> Sequence[tuple[str, ...]]:
    """Return what a holder lacks of what each reader reads; nothing at all if its file cannot be fetched now.

    A holder of which not everything is visible lacks nothing.

    Args:
        name: the holder's name on an index.
        version: its version.
        readers: what others read.
        catalogue: where its files are.
        python: the interpreter whose wheel is analysed (``3.11``); empty for the newest.
    """
    try:
        contents = read_contents(catalogue, name, version, python)
        if contents is None:
            return ()
        read = [_by_python(code) for code in readers]
        contents.prefetch(wanted for names in read for wanted in names)
        holdings = Holdings(
            contents.modules if contents.tells_all else {},
            is_whole=contents.is_whole,
            compiled=contents.compiled,
        )
        return [tuple(_lacking(holdings, names)) for names in read]
    except (SurroundingsError, *BROKEN):
        return ()


def _lacking(holdings: Holdings, names: Sequence[str]) -> Iterable[str]:
    """Return what a distribution lacks of the names that one reads, each once."""
    imported = {_plainly(name) for name in names if name.endswith(f".{AS_MODULE}")}
    return dict.fromkeys(_plainly(name) for name in names if holdings.lacks(name, imported))


def _by_python(code: CodeReads) -> list[str]:
    """Return what Python code reads, whatever is present; compiled reads say more (``numpy.C_API_1``)."""
    places = code.among(frozenset().union(*code.beside)).on_import
    return sorted(name for name, where in places.items() if ":" in where)


def _plainly(name: str) -> str:
    return name.removesuffix(f".{AS_MODULE}")
