"""Tables that a narrow terminal shows as one block for each row, in place of cutting names into letters."""

from __future__ import annotations

from collections.abc import Container, Iterator

from rich import box
from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
from rich.padding import Padding
from rich.table import Column, Table
from rich.text import Text

_PROSE = 40
"""A cell of more characters is a sentence, which needs room for some words on a line."""
_LEAST_PROSE = 20
_LONGEST_WORD = 16
"""Longer words, such as paths, may be broken."""
_GAP = 2


class Sheet(Table):
    """A table with a rule below its headings, as all of ours have.

    Where the terminal has no room for the longest word of each column, each row is a block: its first cell,
    and below it the others, each behind its heading.

    Args:
        headings: the columns.
        wrap: the headings of those whose cells may wrap; ``None`` for all.
        numbers: the headings of those that are aligned to the right.
        title: stands above the table.
    """

    def __init__(
        self,
        *headings: str,
        wrap: Container[str] | None = None,
        numbers: Container[str] = (),
        title: str | None = None,
    ) -> None:
        super().__init__(
            box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, _GAP, 0, 0), title=title, title_justify="left"
        )
        for heading in headings:
            self.add_column(
                heading,
                overflow="fold",
                no_wrap=wrap is not None and heading not in wrap,
                justify="right" if heading in numbers else "left",
            )

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        if sum(_least(column) + _GAP for column in self.columns) <= options.max_width:
            yield from super().__rich_console__(console, options)
            return
        yield ""
        if self.title:
            yield self.title
        for row in zip(*(column.cells for column in self.columns), strict=True):
            yield from self._block(row, options.max_width)
        yield ""

    def _block(self, row: tuple[RenderableType, ...], width: int) -> Iterator[RenderableType]:
        """Yield what names a row, then its other non-empty cells, behind or else below their headings."""
        cells = [(_text(column.header), _text(cell)) for column, cell in zip(self.columns, row, strict=True)]
        named = [cells[0][1], *(cell for heading, cell in cells[1:] if not heading.plain)]
        if head := [cell for cell in named if cell.plain]:
            yield Text("  ").join(head)
        details = [(heading, cell) for heading, cell in cells[1:] if heading.plain and cell.plain]
        beside = (
            max((heading.cell_len for heading, _ in details), default=0) + 2 * _GAP + _LONGEST_WORD <= width
        )
        if not beside:
            for heading, cell in details:
                yield Padding(Text(heading.plain, style="dim"), (0, 0, 0, _GAP))
                yield Padding(cell, (0, 0, 0, 2 * _GAP))
            return
        rest = Table.grid(padding=(0, _GAP, 0, 0))
        rest.add_column(no_wrap=True)
        rest.add_column(overflow="fold")
        for heading, cell in details:
            rest.add_row(Text(heading.plain, style="dim"), cell)
        if rest.row_count:
            yield Padding(rest, (0, 0, 0, _GAP))


def _least(column: Column) -> int:
    """Return the width below which a column becomes unreadable."""
    cells = [_text(column.header), *map(_text, column.cells)]
    whole = max(cell.cell_len for cell in cells)
    if column.no_wrap:
        return whole
    words = max((len(word) for cell in cells for word in cell.plain.split()), default=0)
    longest = min(words, _LONGEST_WORD)
    return max(longest, column.min_width or 0, _LEAST_PROSE if whole > _PROSE else 0)


def _text(cell: RenderableType) -> Text:
    return cell if isinstance(cell, Text) else Text(str(cell))
