"""The code of Jupyter notebooks (nbformat 3 and 4) as one program; none of it is run."""

from __future__ import annotations

import json
import re
import tokenize
from collections.abc import Iterator, Mapping
from contextlib import suppress

from envlock.analysis.syntax_trees import parsed
from envlock.model.frozen import dataclass

_PYTHON_CELLS = ("%%time", "%%timeit", "%%capture", "%%prun", "%%memit")
"""Cell magics whose cells hold Python; the cells of all others hold something else."""
_MAGIC = re.compile(r"^(?P<indent>\s*)(?:[%!?]|[\w.]+\?{1,2}\s*$|(?P<name>[\w, ]+)=\s*[%!])")
"""Lines of IPython's own syntax; names that they assign become ``None``."""
_TIMED = re.compile(r"^\s*%(?:time|timeit|prun|memit)\s+(?:-[A-Za-z]+(?:\s*[\w.]+)?\s+)*(?P<code>[^-\s].*)$")
"""Line magics that run a statement, as measurements do; their options are left out."""
_LINE_END = re.compile(r"\r\n|\r|\n")
"""The ends of lines as Python counts them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Notebook:
    """The code of a notebook.

    Attributes:
        text: its cells one after the other, as Python; lines of IPython's own syntax do nothing.
        cells: for each line of the text, the number of its cell among all cells, counted from 1, and the line
            in it.
        unread: the numbers of cells that are no Python, and why.
    """

    text: str
    cells: tuple[tuple[int, int], ...]
    unread: tuple[tuple[int, str], ...]


def read_notebook(content: bytes) -> Notebook:
    """Read a notebook.

    Raises:
        ValueError: it is no notebook.
    """
    document = json.loads(content)
    if not isinstance(document, dict):
        raise ValueError("no notebook: no JSON object")  # noqa: TRY004 - one error for whatever is no notebook
    lines, cells, unread = list[str](), list[tuple[int, int]](), list[tuple[int, str]]()
    for number, source in _sources(document):
        text = _plain(source)
        try:
            parsed("\n".join(text))
        except (SyntaxError, ValueError) as error:
            unread.append((number, str(error)))
            continue
        lines += text
        cells += [(number, line) for line in range(1, len(text) + 1)]
    return Notebook(text="\n".join(lines), cells=tuple(cells), unread=tuple(unread))


def _sources(document: Mapping[str, object]) -> Iterator[tuple[int, str]]:
    """Yield the source of each code cell with its number among all cells."""
    sheets = document.get("worksheets")
    holders = [document, *(sheets if isinstance(sheets, list) else [])]
    listed = (
        holder["cells"]
        for holder in holders
        if isinstance(holder, dict) and isinstance(holder.get("cells"), list)
    )
    for number, cell in enumerate((cell for cells in listed for cell in cells), 1):
        if isinstance(cell, dict) and cell.get("cell_type") == "code":
            source = cell.get("source", cell.get("input", ""))
            yield number, "".join(map(str, source)) if isinstance(source, list) else str(source)


def _plain(source: str) -> list[str]:
    """Return the lines of a cell as Python, without changing their number."""
    lines = _LINE_END.split(source)
    first = next((line for line in lines if line.strip()), "")
    if first.startswith("%%") and not first.startswith(_PYTHON_CELLS):
        return [""] * len(lines)
    result, goes_on = list[str](), False
    for line in lines:
        if goes_on:  # a command to the shell, over several lines
            result.append("")
        elif (match := _MAGIC.match(line)) is None or _is_open(result):
            result.append(line)
            continue
        else:
            result.append(_line(line, match))
        goes_on = line.rstrip().endswith("\\")
    return result


def _is_open(lines: list[str]) -> bool:
    """Whether a statement, a bracket or a text goes on after these lines: a ``%`` is Python's then."""
    if lines and lines[-1].rstrip().endswith("\\"):
        return True
    try:
        for _ in tokenize.generate_tokens(iter([f"{line}\n" for line in lines]).__next__):
            pass
    except tokenize.TokenError:
        return True
    except SyntaxError:
        return False
    return False


def _line(line: str, match: re.Match[str]) -> str:
    if match["name"]:
        return f"{match['indent']}{match['name'].strip()} = None"
    timed = _TIMED.match(line)
    if timed is not None:
        with suppress(SyntaxError, ValueError):
            parsed(timed["code"])
            return f"{match['indent']}{timed['code']}"
    return f"{match['indent']}pass"
