"""Read from a program's syntax trees which imported things it uses, where, and with which arguments."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from envlock.analysis.program.own_code import OwnCode
from envlock.analysis.program.own_modules import OwnModules, module_path
from envlock.analysis.program.scopes import Known
from envlock.analysis.program.statements import Reader
from envlock.analysis.program.uses import UNKNOWN, Program, Use
from envlock.analysis.syntax_trees import parsed
from envlock.model.frozen import dataclass

_READINGS = 2
"""The first reading finds what the program's own functions and classes pass on, wherever they are defined."""


_LINE_END = re.compile(r"\r\n|\r|\n")
"""The ends of lines as Python counts them: form feeds are none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """What was read of a program.

    Attributes:
        programs: path of a file -> what it uses.
        unread: path of a file that is no Python of the running release, or is nested too deeply -> why.
    """

    programs: Mapping[str, Program]
    unread: Mapping[str, SyntaxError | ValueError]


def read_programs(sources: Mapping[str, str]) -> Reading:
    """Return what the files of a program use of its imports, also through each other.

    Args:
        sources: path of each file -> its text.
    """
    own = OwnCode(modules=OwnModules.of(sources))
    imported, stars = dict[str, list[str]](), dict[str, list[str]]()
    unread = dict[str, SyntaxError | ValueError]()
    for file, source in sources.items():
        try:
            imports = [
                one for one in ast.walk(parsed(source)) if isinstance(one, ast.Import | ast.ImportFrom)
            ]
        except (SyntaxError, ValueError) as error:
            unread[file] = error
            continue
        imported[file] = list(own.modules.imported(imports, file))
        stars[file] = list(dict.fromkeys(own.modules.starred(imports, file))) or [""]
    programs = dict[str, Program]()
    codes = {file: own.within(file) for file in _in_order(imported)}
    for _ in range(_READINGS):
        for file, code in codes.items():
            try:
                programs[file] = _read(sources[file], code, stars[file])
            except RecursionError:  # a sum of a thousand texts, a chain of some hundred branches
                unread[file] = ValueError("it is nested too deeply")
    return Reading(programs={file: programs[file] for file in sources if file not in unread}, unread=unread)


def _in_order(imported: Mapping[str, Iterable[str]]) -> Iterator[str]:
    """Yield files after those that they import; in a circle the first comes last."""
    files = {module_path(file): file for file in imported}
    begun = set[str]()
    for first in imported:
        ahead = [(first, iter(imported[first]))] if first not in begun else []
        begun.add(first)
        while ahead:
            file, modules = ahead[-1]
            further = next(
                (files[module] for module in modules if files.get(module, first) not in begun), None
            )
            if further is None:
                yield file
                ahead.pop()
            else:
                begun.add(further)
                ahead.append((further, iter(imported[further])))


def _read(source: str, own: OwnCode, stars: Sequence[str]) -> Program:
    """Read a file once; its text is parsed again, because trees of many files would fill the memory.

    Args:
        source: its text.
        own: what is known of the program so far.
        stars: the modules whose public names it imports all; one empty name for none.
    """
    tree, lines = parsed(source), _LINE_END.split(source)
    uses, imports, patched = list[Use](), set[str](), set[str]()
    for star in stars:  # a name can come from each of them
        guess, known = own.apart() if len(stars) > 1 else own, Known(star, sure=len(stars) == 1)
        readers = [
            Reader(file=own.file, lines=lines, star=known, own=guess)
            for _ in range(_READINGS if guess is not own else 1)
        ]
        for reader in readers:
            reader.module(tree)
        if guess is not own:
            own.take(guess)
        own.modules.keep(own.file, readers[-1].top)
        uses += readers[-1].uses
        imports |= readers[-1].imports
        patched |= guess.patched
    uses.sort(key=lambda use: (use.line, use.column, use.path))
    return Program(
        file=own.file,
        uses=tuple(dict.fromkeys(uses)),
        imports=frozenset(imports | {use.path.partition(".")[0] for use in uses} - {UNKNOWN}),
        patched=frozenset(patched),
    )
