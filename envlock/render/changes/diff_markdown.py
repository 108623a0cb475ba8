"""The difference between two locks as Markdown, for the description of a merge request."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from envlock.app.diff import Examined, FileChanges, ProgramBreaks
from envlock.lifecycle.breaks import Break
from envlock.lifecycle.diff import Diff
from envlock.render.changes.breaks import UNDONE
from envlock.render.changes.code_breaks import certainty, why
from envlock.render.changes.diff import kept_text, rebuilt_text, releases_text, step_text, title_text
from envlock.render.changes.examined import (
    asked_texts,
    code_summary,
    interface_texts,
    licence_text,
    weight_text,
)

_SPECIAL = str.maketrans({character: f"\\{character}" for character in "\\`*_{}[]<#|"})


def diff_markdown(found: Examined) -> str:
    """Return what changes, what it breaks, and what of a program fails, most urgent first."""
    return "\n".join(_lines(found))


def _lines(found: Examined) -> Iterator[str]:
    diff = found.diff
    yield f"## {_plain(title_text(diff, found.asked))}"
    yield ""
    if diff.old.as_of != diff.new.as_of:
        yield from (f"{releases_text(diff)}.", "")
    if found.code is not None:
        yield from _code(found.code)
    yield from _breaks(diff.breaks)
    if diff.empty:
        yield f"Nothing differs: {kept_text(diff)} stay as they are."
    else:
        yield from _table(("component", "old", "new", "step"), _rows(diff))
        yield ""
        yield f"{kept_text(diff)} stay as they are."
    yield from _list("Built again, though the version stays", map(rebuilt_text, diff.rebuilt))
    yield from _list("Demands on the node", asked_texts(found))
    if found.files is not None and not diff.empty:
        yield from _files(found.files)
    yield from _list("Facts newly in play", (f"{name}: {text}" for name, text in diff.facts_in.items()))
    yield from _list("Facts no longer in play", (f"{name}: {text}" for name, text in diff.facts_gone.items()))


def _code(code: ProgramBreaks) -> Iterator[str]:
    yield f"### Your code: {code_summary(code)}"
    yield ""
    if code.breaks:
        rows = [
            (
                _in_cell(fault.use.place),
                _in_cell(fault.use.text),
                _plain(why(fault)),
                _in_cell(fault.new) if fault.new else "",
                certainty(fault),
            )
            for fault in code.breaks
        ]
        yield from _table(("where", "what", "why", "write instead", "how sure"), rows)
        yield ""
    for name, reason in code.unread:
        yield f"- {_code_span(name)} could not be read: {_plain(reason)}"
    if code.unread:
        yield ""


def _breaks(breaks: Sequence[Break]) -> Iterator[str]:
    certain, undone = [move for move in breaks if move.breaking], [move for move in breaks if move.undoes]
    for heading, found in (("Breaks for you", certain), (UNDONE, undone)):
        if found:
            yield f"### {heading}"
            yield ""
            yield from _moves(found)


def _moves(breaks: Sequence[Break]) -> Iterator[str]:
    for move in breaks:
        yield f"- **{_plain(move.component)}** {move.old} -> {move.new}"
        for rename in move.renames:
            if rename.old and rename.breaking:
                new = _code_span(rename.new) if rename.new else "gone"
                note = f" ({_plain(rename.note)})" if rename.note else ""
                yield f"  - {_code_span(rename.old)} -> {new}{note}"
    yield ""


def _rows(diff: Diff) -> Iterator[tuple[str, ...]]:
    if diff.python is not None:
        yield "python", diff.python.old.version, diff.python.new.version, step_text(diff.python)
    for movement in (diff.systems, diff.distributions):
        for move in movement.moved:
            yield _plain(move.new.component), move.old.version, move.new.version, _plain(step_text(move))
        yield from ((_plain(part.component), "", part.version, "added") for part in movement.added)
        yield from ((_plain(part.component), part.version, "", "removed") for part in movement.removed)


def _files(files: FileChanges) -> Iterator[str]:
    yield from _list("Files that differ", [weight_text(files.weight)])
    yield from _list(
        "Other licences", (licence_text(licence) for licence in files.licences if licence.changed)
    )
    yield from _list("Public interfaces", interface_texts(files))


def _table(headings: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    yield f"| {' | '.join(headings)} |"
    yield f"|{'---|' * len(headings)}"
    yield from (f"| {' | '.join(row)} |" for row in rows)


def _list(heading: str, lines: Iterable[str]) -> Iterator[str]:
    shown = list(lines)
    if shown:
        yield from ("", f"### {heading}", "")
    yield from (f"- {_plain(line)}" for line in shown)


def _plain(text: str) -> str:
    """Escape text of others, so that it is not taken for markup."""
    return text.translate(_SPECIAL)


def _code_span(text: str) -> str:
    """Format code as code, between more backticks in a row than it has itself (GFM, 6.3)."""
    ticks = "`" * (1 + max(map(len, re.findall("`+", text)), default=0))
    room = " " if text.startswith("`") or text.endswith("`") else ""
    return f"{ticks}{room}{text}{room}{ticks}"


def _in_cell(code: str) -> str:
    """Format code in a cell of a table, where a bar would end the cell even within code (GFM, 4.10)."""
    return _code_span(code).replace("|", "\\|")
