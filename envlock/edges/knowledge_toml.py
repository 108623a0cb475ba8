"""The canonical way to write a knowledge document, so that edits never differ in layout alone."""

from __future__ import annotations

import datetime as dt
import json
import re
from collections.abc import Iterable, Mapping
from itertools import takewhile
from typing import TypeGuard

_LONG = 300
"""Length of a list in characters beyond which each of its items gets its own line."""
_BARE = re.compile(r"[A-Za-z0-9_-]+")


def canonical_text(document: Mapping[str, object], header: str = "") -> str:
    """Return a document in canonical form.

    Tables and their keys keep the order in which they were written, with an empty line between tables. In a
    list of more than one table, or a long list of texts, each item gets its own line; tables that themselves
    hold tables (``recipe.adjust``) become blocks of their own after the rest of their table.

    Args:
        document: as parsed.
        header: comment lines to put first.
    """
    blocks = [header.rstrip("\n")] if header else []
    for kind, tables in document.items():
        for table in tables if isinstance(tables, list) else ():
            inner = {key: value for key, value in table.items() if _is_deep(value)}
            blocks.append(_block(kind, {key: table[key] for key in table if key not in inner}))
            blocks += [_block(f"{kind}.{_key(key)}", part) for key, parts in inner.items() for part in parts]
    return "\n\n".join(blocks) + "\n"


def header_of(text: str) -> str:
    """Return the comment lines that a document begins with."""
    return "\n".join(takewhile(lambda line: line.startswith("#"), text.splitlines()))


def _block(name: str, table: Mapping[str, object]) -> str:
    return "\n".join((f"[[{name}]]", *(f"{_key(key)} = {_value(value)}" for key, value in table.items())))


def _is_deep(value: object) -> TypeGuard[list[Mapping[str, object]]]:
    """Whether it is a list of tables, some of which hold tables themselves."""
    return isinstance(value, list) and any(
        isinstance(item, Mapping) and any(isinstance(part, Mapping) for part in item.values())
        for item in value
    )


def _key(key: str) -> str:
    return key if _BARE.fullmatch(key) else json.dumps(key)


def _value(value: object) -> str:
    if isinstance(value, list) and value and all(isinstance(item, Mapping) for item in value):
        if len(value) == 1:
            return f"[{_inline(value[0])}]"
        return _spread(value)
    inline = _inline(value)
    return _spread(value) if isinstance(value, list) and len(inline) > _LONG else inline


def _spread(values: Iterable[object]) -> str:
    return "".join(("[\n", *(f"  {_inline(value)},\n" for value in values), "]"))


def _inline(value: object) -> str:
    match value:
        case bool():
            return str(value).lower()
        case str():
            return json.dumps(value, ensure_ascii=False)
        case dt.date():
            return value.isoformat()
        case list():
            return f"[{', '.join(_inline(item) for item in value)}]"
        case Mapping():
            return f"{{ {', '.join(f'{_key(key)} = {_inline(item)}' for key, item in value.items())} }}"
    return str(value)
