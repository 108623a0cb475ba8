"""What commands print with ``--json``, held against the published schema."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

FILE = Path(__file__).parents[1] / "schemas/output.schema.json"
SCHEMA: Mapping[str, Any] = json.loads(FILE.read_text())


@cache
def _validator(definition: str) -> Any:
    """Return what documents of one kind are held against; its import takes seconds, and few tests need it."""
    from jsonschema import Draft202012Validator

    return Draft202012Validator({**SCHEMA, "oneOf": [{"$ref": f"#/$defs/{definition}"}]})


def definition_of(document: Mapping[str, Any]) -> str:
    """Return which definition describes a document; empty where its command has no schema yet."""
    command = document["schema"].split("/")[1]
    if "error" in document:
        return "error"
    if command == "solve":
        return "fleet" if "locks" in document else "locked" if document["solved"] else "refused"
    return command if command in SCHEMA["$defs"] else ""


def hold_against_schema(document: Mapping[str, Any]) -> None:
    """Raise ``jsonschema.ValidationError`` where a document is not as published."""
    if definition := definition_of(document):
        _validator(definition).validate(document)
