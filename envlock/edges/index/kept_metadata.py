"""Core metadata in the forms in which the cache keeps it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from envlock.analysis.requirement_repair import RULES
from envlock.edges.cache import Form
from envlock.model.published.metadata import Dependency, Metadata

FIELDS_FORM: Form = {
    "requires_dist": tuple,
    "requires_python": str,
    "provides_extra": tuple,
    "build_requires": tuple,
}
"""How the cache keeps raw fields: as ``dataclasses.asdict`` gives them."""


READ_FORM: Form = (str, [(str, tuple, str, str, str, str)], str, tuple, tuple, tuple, bool)
"""How the cache keeps decoded metadata; the version of the decoding rules comes first."""


def pack(metadata: Metadata) -> tuple[object, ...]:
    """Return the form in which the cache keeps decoded metadata."""
    return (
        RULES,
        [tuple(dependency) for dependency in metadata.requires_dist],
        metadata.requires_python,
        tuple(sorted(metadata.provides_extra)),
        metadata.build_requires,
        metadata.notes,
        metadata.has_slips,
    )


def unpack(document: Sequence[Any]) -> Metadata | None:
    """Invert ``pack``; ``None`` if it was decoded by other rules."""
    rules, requires_dist, requires_python, provides_extra, build_requires, notes, has_slips = document
    if rules != RULES:
        return None
    return Metadata(
        requires_dist=tuple(map(Dependency._make, requires_dist)),
        requires_python=requires_python,
        provides_extra=frozenset(provides_extra),
        build_requires=build_requires,
        notes=notes,
        has_slips=has_slips,
    )
