"""Typed getters over parsed TOML and JSON; every error names the path of the value it is about."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TypeVar

from envlock.model.errors import RequestError
from envlock.model.near_names import near_names

T = TypeVar("T")
_INDEX = r"\[\d+\]"
_VARIABLE = r"[A-Za-z_][A-Za-z0-9_]*"
_CONTROL = r"[\x00-\x08\x0a-\x1f\x7f]"


class Table:
    """One table of a decoded document, read key by key; keys that were never read are an error.

    The path grows on the way down, so that an error says ``facts[3].when.driver`` and not just ``driver``.
    """

    __slots__ = ("_file", "_items", "_path", "_read")

    def __init__(self, items: Mapping[str, object], *, file: str, path: str = "") -> None:
        self._items = items
        self._file = file
        self._path = path
        self._read: set[str] = set()

    def path(self, key: str = "") -> str:
        """The dotted path of a key of this table."""
        return ".".join(part for part in (self._path, key) if part)

    def error(self, message: str, *, key: str = "", hint: str = "") -> RequestError:
        """Return an error about one key of this table, ready to raise."""
        where = self._file + (f", {self.path(key)}" if self.path(key) else "")
        return RequestError("invalid-document", message, where=where, hint=hint)

    def names(self) -> Iterator[str]:
        """The keys as written, in order."""
        return iter(self._items)

    def has(self, key: str) -> bool:
        """Whether a key, which counts as known from here on, is present."""
        self._read.add(key)
        return key in self._items

    def _get(self, key: str) -> object:
        self._read.add(key)
        if key not in self._items:
            near = near_names(key, [item for item in self._items if item not in self._read])
            hint = f"rename {near[0]!r}, if that is what you meant" if near else f"add {key} = ..."
            raise self.error(f"the key {key!r} is missing", key=key, hint=hint)
        return self._items[key]

    def text(self, key: str, default: str | None = None) -> str:
        """A string."""
        self._read.add(key)
        if default is not None and key not in self._items:
            return default
        value = self._get(key)
        if not isinstance(value, str):
            scalar = isinstance(value, int | float | dt.date | dt.time)
            hint = f'{"put it in quotes" if scalar else "write"}: {key} = "..."'
            raise self.error(f"expected a string, found {_kind(value)}", key=key, hint=hint)
        return value

    def flag(self, key: str, *, default: bool) -> bool:
        """A boolean."""
        self._read.add(key)
        value = self._items.get(key, default)
        if not isinstance(value, bool):
            hint = f"write {key} = true or {key} = false, without quotes"
            raise self.error(f"expected true or false, found {_kind(value)}", key=key, hint=hint)
        return value

    def integer(self, key: str, default: int | None = None) -> int:
        """A whole number."""
        self._read.add(key)
        value = self._items.get(key, default) if default is not None else self._get(key)
        if isinstance(value, bool) or not isinstance(value, int):
            raise self.error(f"expected a whole number, found {_kind(value)}", key=key)
        return value

    def number(self, key: str, default: float | None = None) -> float:
        """A number, whole or not."""
        self._read.add(key)
        value = self._items.get(key, default) if default is not None else self._get(key)
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise self.error(f"expected a number, found {_kind(value)}", key=key)
        return value

    def document(self, key: str) -> Mapping[str, object]:
        """A sub-table as parsed, for parts that may hold any JSON; a missing key is an empty one."""
        self._read.add(key)
        value = self._items.get(key, {})
        if not isinstance(value, Mapping):
            raise self.error(f"expected a table, found {_kind(value)}", key=key)
        return value

    def documents(self, key: str) -> tuple[Mapping[str, object], ...]:
        """A list of tables as parsed; a missing key is an empty list."""
        self._read.add(key)
        value = self._items.get(key, [])
        if not isinstance(value, list) or not all(isinstance(item, Mapping) for item in value):
            raise self.error(f"expected a list of tables, found {_kinds(value)}", key=key)
        return tuple(value)

    def date(self, key: str) -> dt.date:
        """A date, written as a TOML date or an ISO string."""
        value = self._get(key)
        if isinstance(value, dt.datetime):
            return value.date()
        if isinstance(value, dt.date):
            return value
        if isinstance(value, str):
            try:
                return dt.date.fromisoformat(value)
            except ValueError:
                pass
        found = repr(value) if isinstance(value, str) else _kind(value)
        hint = f"write the year, the month and the day: {key} = 2026-01-31"
        raise self.error(f"expected a date such as 2026-01-31, found {found}", key=key, hint=hint)

    def moment(self, key: str) -> dt.datetime:
        """A date with a time, as an ISO string."""
        try:
            return dt.datetime.fromisoformat(self.text(key))
        except ValueError:
            raise self.error("expected a time such as 2026-01-31T12:00:00+00:00", key=key) from None

    def texts(self, key: str) -> tuple[str, ...]:
        """A list of strings; a missing key is an empty list."""
        self._read.add(key)
        value = self._items.get(key, [])
        if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
            hint = f'write {key} = ["{value}"]' if isinstance(value, str) else f'write {key} = ["...", "..."]'
            raise self.error(f"expected a list of strings, found {_kinds(value)}", key=key, hint=hint)
        return tuple(value)

    def numbers(self, key: str) -> tuple[float, ...]:
        """A list of numbers, whole or not; a missing key is an empty list."""
        self._read.add(key)
        value = self._items.get(key, [])
        if not isinstance(value, list) or not all(type(item) in (int, float) for item in value):
            raise self.error(f"expected a list of numbers, found {_kinds(value)}", key=key)
        return tuple(value)

    def choice(self, key: str, choices: type[T] | Callable[[str], T], default: str | None = None) -> T:
        """A member of an enumeration, written as its value."""
        text = self.text(key, default)
        try:
            return choices(text)  # type: ignore[call-arg]
        except ValueError:
            known = [str(member.value) for member in choices] if isinstance(choices, type) else []  # type: ignore[attr-defined]
            hint = f"one of: {', '.join(known)}" if known else ""
            raise self.error(f"unknown value {text!r}", key=key, hint=hint) from None

    def table(self, key: str) -> Table:
        """A sub-table; a missing key is an empty one."""
        self._read.add(key)
        value = self._items.get(key, {})
        if not isinstance(value, Mapping):
            hint = f"write {key} = {{ ... }}, with keys and values between the braces"
            raise self.error(f"expected a table, found {_kind(value)}", key=key, hint=hint)
        return Table(value, file=self._file, path=self.path(key))

    def tables(self, key: str) -> Iterator[Table]:
        """A list of tables; a missing key is an empty list."""
        self._read.add(key)
        value = self._items.get(key, [])
        if not isinstance(value, list) or not all(isinstance(item, Mapping) for item in value):
            hint = f"write [[{re.sub(_INDEX, '', self.path(key))}]] on a line of its own before each"
            raise self.error(f"expected a list of tables, found {_kinds(value)}", key=key, hint=hint)
        for index, item in enumerate(value):
            yield Table(item, file=self._file, path=f"{self.path(key)}[{index}]")

    def mapping(self, key: str) -> dict[str, str]:
        """A table of strings; a missing key is an empty one."""
        table = self.table(key)
        return {name: table.text(name) for name in table.names()}

    def variables(self, key: str) -> dict[str, str]:
        """A table of environment variables that shells and programs accept; a missing key is an empty one."""
        table = self.table(key)
        for name in table.names():
            if not re.fullmatch(_VARIABLE, name):
                hint = "use ASCII letters, digits and _, and begin with no digit"
                raise table.error(f"{name!r} is not a name for a variable", key=name, hint=hint)
            if re.search(_CONTROL, table.text(name)):
                hint = "remove the control characters"
                raise table.error("the value contains control characters", key=name, hint=hint)
        return self.mapping(key)

    def raw(self, key: str) -> object:
        """The value as parsed, for the few places that accept more than one shape."""
        return self._get(key)

    def only(self, known: Iterable[str]) -> None:
        """Refuse keys that are not among those that are known."""
        names = sorted(known)
        for key in self._items:
            if key not in names:
                near = near_names(key, names)
                hint = f"did you mean {near[0]!r}?" if near else f"known keys: {', '.join(names)}"
                raise self.error(f"unknown key {key!r}", key=key, hint=hint)

    def done(self) -> None:
        """Refuse keys that nobody read: a misspelt key must never be silently ignored."""
        self.only(self._read)


_KINDS = {
    bool: "a boolean",
    int: "a number",
    float: "a number",
    str: "a string",
    list: "a list",
    dt.date: "a date",
    dt.datetime: "a date with its time",
    dt.time: "a time of day",
    type(None): "nothing",
}


def _kind(value: object) -> str:
    if isinstance(value, Mapping):
        return "a table"
    return _KINDS.get(type(value), type(value).__name__)


def _kinds(value: object) -> str:
    """What was found in place of a list, or the kinds of a list's items."""
    if not isinstance(value, list):
        return _kind(value)
    return f"a list with {' and '.join(dict.fromkeys(map(_kind, value)))}"


def table_within(document: object, *keys: str) -> Mapping[str, object]:
    """Return a table within tables of others' documents, which may hold anything; empty for none."""
    for key in keys:
        document = document.get(key) if isinstance(document, Mapping) else None
    return document if isinstance(document, Mapping) else {}
