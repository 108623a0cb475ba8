"""Core metadata: its fields as written, and their decoding into what the solver needs."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

from packaging.utils import canonicalize_name

from envlock.analysis.requirement_repair import (
    has_a_slip,
    is_a_condition,
    read_marker,
    read_requirement,
    read_specifiers,
    read_without_unreadable,
)
from envlock.model.frozen import dataclass
from envlock.model.published.metadata import Dependency, Metadata

if TYPE_CHECKING:
    from packaging.metadata import RawMetadata

_BLANK_LINE = rb"\r?\n\r?\n|\r\r"

DEFAULT_BUILD_REQUIRES = ("setuptools>=40.8.0", "wheel")
"""What PEP 517 assumes of a source tree that states nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fields:
    """Core metadata fields exactly as written, slips included, so that repairs can improve later."""

    requires_dist: tuple[str, ...]
    requires_python: str
    provides_extra: tuple[str, ...]
    build_requires: tuple[str, ...] = ()


def read_fields(content: bytes) -> Fields:
    """Read a METADATA or PKG-INFO file."""
    return to_fields(read_raw(content))


def to_fields(raw: RawMetadata) -> Fields:
    """Pick the fields that matter here."""
    return Fields(
        requires_dist=tuple(raw.get("requires_dist", ())),
        requires_python=raw.get("requires_python", ""),
        provides_extra=tuple(raw.get("provides_extra", ())),
    )


def read_raw(content: bytes) -> RawMetadata:
    """Parse all fields of a METADATA or PKG-INFO file except the description below them."""
    from packaging.metadata import parse_email  # noqa: PLC0415 - with Python's email; what is read is cached

    fields = re.split(_BLANK_LINE, content, maxsplit=1)[
        0
    ]  # the description follows, which may be a whole book
    return parse_email(fields + b"\n")[0]


def to_metadata(fields: Fields) -> Metadata:
    """Decode; unreadable specifiers are dropped with a note, because published files never change."""
    read = [_read_dependency(text) for text in fields.requires_dist]
    requires_dist = tuple(one for one, _ in read if one is not None)
    notes = [note for _, note in read if note]
    requires_python = read_specifiers(fields.requires_python)
    if requires_python is None:
        notes.append(f"Requires-Python {fields.requires_python!r} cannot be read and does not count")
    return Metadata(
        requires_dist=requires_dist,
        requires_python=str(requires_python or ""),
        provides_extra=frozenset(canonicalize_name(extra) for extra in fields.provides_extra),
        build_requires=fields.build_requires,
        has_slips=any(map(has_a_slip, fields.requires_dist)),
        notes=tuple(notes),
    )


@lru_cache(maxsize=16384)
def _read_dependency(text: str) -> tuple[Dependency | None, str]:
    """Decode a dependency, with a note if part of it does not count; other releases often repeat it."""
    body, _, condition = text.partition(";")
    if is_a_condition(body):
        return None, f"the requirement {text!r} is a condition in the place of a name and does not count"
    # Extras repeat the same requirements, and many requirements share a marker: each is read once.
    plain = _read_plain(body) if condition and "@" not in body else None
    marker = _read_marker(condition) if plain is not None else None
    if plain is not None and marker is not None:
        return plain._replace(marker=marker, text=f"{plain.text}; {marker}"), ""
    requirement = read_requirement(text)
    if requirement is not None:
        return Dependency.of(requirement), ""
    requirement = read_without_unreadable(text)
    if requirement is None:
        return None, f"the requirement {text!r} cannot be read and does not count"
    note = f"of the requirement {text!r} only {str(requirement)!r} can be read and counts"
    return Dependency.of(requirement), note


@lru_cache(maxsize=16384)
def _read_plain(text: str) -> Dependency | None:
    requirement = read_requirement(text)
    return None if requirement is None else Dependency.of(requirement)


@lru_cache(maxsize=4096)
def _read_marker(text: str) -> str | None:
    marker = read_marker(text)
    return None if marker is None else str(marker)
