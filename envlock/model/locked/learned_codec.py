"""What a lock keeps of the conflicts that its solve learned from files and code."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from envlock.model.component import InvalidSpecifier, Range, Via
from envlock.model.decode import Table
from envlock.model.knowing.fact import Condition


def encode_learned(learned: Mapping[str, tuple[Condition, ...]]) -> list[dict[str, object]]:
    """Encode conflicts by the names of their facts; equal ones give equal documents."""
    return [
        {"fact": name, "when": [_encode_condition(condition) for condition in when]}
        for name, when in sorted(learned.items())
    ]


def decode_learned(tables: Iterable[Table]) -> dict[str, tuple[Condition, ...]]:
    """Decode what ``encode_learned`` wrote.

    Raises:
        RequestError: a part is missing, or is not a range of versions.
    """
    return {
        table.text("fact"): tuple(_decode_condition(part) for part in table.tables("when"))
        for table in tables
    }


def _encode_condition(condition: Condition) -> dict[str, str]:
    via = {} if condition.via is None else {"via": condition.via.value}
    return {"component": condition.component, "versions": condition.range.text, **via}


def _decode_condition(table: Table) -> Condition:
    text = table.text("versions")
    try:
        versions = Range.versions(text)
    except InvalidSpecifier:
        raise table.error(f"{text!r} is not a range of versions", key="versions") from None
    via = table.choice("via", Via) if table.has("via") else None
    return Condition(component=table.text("component"), range=versions, via=via)
