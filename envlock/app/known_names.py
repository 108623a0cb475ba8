"""Names in the knowledge base that a shell offers while a command is typed; none where it cannot be read."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from envlock.app.kb import base
from envlock.app.manifest_file import overlays_of
from envlock.model.errors import EnvlockError
from envlock.model.knowing.knowledge import Knowledge


def fact_names(folder: Path, overlays: Sequence[Path]) -> list[str]:
    """Return the identifiers of all facts."""
    known = _knowledge(folder, overlays)
    return list(known.facts.triggers) if known else []


def component_names(folder: Path, overlays: Sequence[Path]) -> list[str]:
    """Return the system components, and the components that facts begin with."""
    known = _knowledge(folder, overlays)
    return sorted({*known.systems, *known.facts.components}) if known else []


def _knowledge(folder: Path, overlays: Sequence[Path]) -> Knowledge | None:
    with suppress(EnvlockError, OSError):
        return base(overlays_of(folder, overlays))
    return None
