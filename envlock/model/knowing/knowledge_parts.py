"""What the decoders of knowledge documents share: names of components, ranges, versions, sources."""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import TypeVar

from packaging.requirements import InvalidRequirement, Requirement
from packaging.utils import canonicalize_name

from envlock.model.component import (
    InvalidSpecifier,
    Range,
    is_version,
)
from envlock.model.decode import Table
from envlock.model.knowing.fact import Source
from envlock.model.knowing.knowledge import SystemComponent, identifier

V = TypeVar("V")


class Names:
    """The names reserved for system components, and what every other name then means.

    Attributes:
        systems: the system components by name.
        reserved: canonical spelling -> name of a system component.
    """

    __slots__ = ("reserved", "systems")

    def __init__(self) -> None:
        self.systems: dict[str, SystemComponent] = {}
        self.reserved: dict[str, str] = {}

    def add(self, component: SystemComponent) -> None:
        """Reserve a name."""
        self.systems[component.name] = component
        self.reserved[str(canonicalize_name(component.name))] = component.name

    def name(self, text: str) -> str:
        """Return the identifier for a name as a document writes it."""
        return identifier(text, self.reserved)

    def are_words(self, component: str) -> bool:
        """Whether a component's values are words rather than versions."""
        return component in self.systems and self.systems[component].words


def frozen(items: Mapping[str, V]) -> Mapping[str, V]:
    """Return a read-only copy of a mapping."""
    return MappingProxyType(dict(items))


def read_range(table: Table, key: str, *, default: str | None = None, words: bool = False) -> Range:
    """Read a range of versions or words; an error names its path."""
    text = table.text(key, default)
    try:
        return Range.words(text) if words else Range.versions(text)
    except InvalidSpecifier:
        hint = 'write PEP 440 specifiers such as ">=3.0,<3.1.4", several joined by "||"'
        raise table.error(f"{text!r} is not a range of versions", key=key, hint=hint) from None


def read_version(table: Table, key: str) -> str:
    """Read a version; an error names its path."""
    text = table.text(key)
    if not is_version(text):
        raise table.error(f"{text!r} is not a version", key=key)
    return text


def read_requirements(table: Table, key: str) -> tuple[str, ...]:
    """Read a list of requirements; an error names its path."""
    texts = table.texts(key)
    for text in texts:
        try:
            Requirement(text)
        except InvalidRequirement as error:
            raise table.error(f"{text!r} is not a valid requirement: {error}", key=key) from None
    return texts


def read_sources(table: Table) -> tuple[Source, ...]:
    """Read where a statement was found, and when."""
    sources = []
    for part in table.tables("sources"):
        sources.append(Source(title=part.text("title"), checked=part.date("checked")))
        part.done()
    return tuple(sources)


def read_pattern(table: Table, key: str, default: str | None = None) -> str:
    """Read a regular expression.

    Raises:
        RequestError: it is not one.
    """
    text = table.text(key) if default is None else table.text(key, default)
    check_pattern(table, key, text)
    return text


def read_spelling(table: Table) -> tuple[str, str]:
    """Read another way to write a version: its pattern, and the version that it means.

    Raises:
        RequestError: the pattern is not a regular expression.
    """
    spelling = read_pattern(table, "pattern"), table.text("version")
    table.done()
    return spelling


def check_pattern(table: Table, key: str, text: str) -> None:
    """Refuse a text that is not a regular expression.

    Raises:
        RequestError: it is not one.
    """
    try:
        re.compile(text)
    except re.error as error:
        raise table.error(f"{text!r} is not a regular expression: {error}", key=key) from None
