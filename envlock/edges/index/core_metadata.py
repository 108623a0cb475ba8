"""Core metadata: the raw fields as kept in the cache, and their decoding into what the solver needs."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import cast

from packaging.metadata import parse_email
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name

from envlock.edges.index.requirement_repair import read_requirement, read_specifiers
from envlock.model.catalogue import Metadata

DEFAULT_BUILD_REQUIRES = ("setuptools>=40.8.0", "wheel")
"""What PEP 517 says of a source tree that says nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fields:
    """Fields of core metadata as they were written, slips included, so that repairs can get better later."""

    requires_dist: tuple[str, ...]
    requires_python: str
    provides_extra: tuple[str, ...]
    build_requires: tuple[str, ...] = ()


def read_fields(content: bytes) -> Fields:
    """Read a METADATA or PKG-INFO file."""
    raw, _ = parse_email(content)
    return Fields(
        requires_dist=tuple(raw.get("requires_dist", ())),
        requires_python=raw.get("requires_python", ""),
        provides_extra=tuple(raw.get("provides_extra", ())),
    )


def to_document(fields: Fields) -> dict[str, object]:
    """The form in which the cache keeps fields."""
    return asdict(fields)


def from_document(document: object) -> Fields:
    """The inverse of ``to_document``."""
    kept = cast("dict[str, list[str]]", document)
    return Fields(
        requires_dist=tuple(kept["requires_dist"]),
        requires_python=cast("str", kept["requires_python"]),
        provides_extra=tuple(kept["provides_extra"]),
        build_requires=tuple(kept["build_requires"]),
    )


def to_metadata(fields: Fields) -> Metadata:
    """Decode; a specifier that nobody can read is left out with a note: published files never change."""
    notes: list[str] = []
    requires_dist = []
    for text in fields.requires_dist:
        requirement = read_requirement(text)
        if requirement is None:
            notes.append(f"the requirement {text!r} cannot be read and does not count")
        else:
            requires_dist.append(requirement)
    requires_python = read_specifiers(fields.requires_python)
    if requires_python is None:
        notes.append(f"Requires-Python {fields.requires_python!r} cannot be read and does not count")
    return Metadata(
        requires_dist=tuple(requires_dist),
        requires_python=requires_python or SpecifierSet(),
        provides_extra=frozenset(canonicalize_name(extra) for extra in fields.provides_extra),
        build_requires=fields.build_requires,
        notes=tuple(notes),
    )
