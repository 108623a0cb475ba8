"""A reduction whose result is not what arithmetic gives; and its codec."""

from __future__ import annotations

import math
from dataclasses import asdict
from enum import StrEnum

from envlock.model.decode import Table
from envlock.model.frozen import dataclass


class _NotFinite(StrEnum):
    NAN = "nan"
    MORE = "inf"
    LESS = "-inf"


@dataclass(frozen=True, slots=True, kw_only=True)
class WrongSum:
    """A reduction whose result is not what arithmetic gives.

    Attributes:
        case: element type, message size and way of calling, for users.
        index: the first wrong element.
        expected: what it should be.
        got: what it was.
        elements: how many elements were wrong.
    """

    case: str
    index: int
    expected: float
    got: float
    elements: int

    @property
    def text(self) -> str:
        """Where it is wrong, and in how much: one wrong bit is another fault than a whole wrong buffer."""
        many = f"; {self.elements} elements are wrong" if self.elements > 1 else ""
        return f"{self.case}, element {self.index}: expected {self.expected:g}, got {self.got:g}{many}"


def decode_wrong(table: Table) -> WrongSum:
    """Decode one.

    Raises:
        RequestError: its form is wrong.
    """
    return WrongSum(
        case=table.text("case"),
        index=table.integer("index"),
        expected=table.number("expected"),
        got=_got(table),
        elements=table.integer("elements"),
    )


def _got(table: Table) -> float:
    """Return what a sum came to; JSON has no word for what is no finite number, so that is text."""
    if not isinstance(table.raw("got"), str):
        return table.number("got")
    return float(table.choice("got", _NotFinite).value)


def encode_wrong(wrong: WrongSum) -> dict[str, object]:
    """Encode one as the report shows it; ``decode_wrong`` reads it back."""
    document: dict[str, object] = asdict(wrong)
    return document if math.isfinite(wrong.got) else document | {"got": str(wrong.got)}
