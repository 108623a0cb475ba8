"""The published schema of what ``--json`` prints; every JSON test of the command line is held against it."""

from __future__ import annotations

import json

import pytest
from jsonschema import Draft202012Validator, ValidationError

from tests.documents import SCHEMA, definition_of, hold_against_schema


def test_the_schema_is_one() -> None:
    Draft202012Validator.check_schema(SCHEMA)


def test_no_command_is_described_in_vain() -> None:
    described = {one["$ref"].removeprefix("#/$defs/") for one in SCHEMA["oneOf"]}
    kinds = {SCHEMA["$defs"][name]["properties"]["schema"].get("const", "") for name in described}
    told = {"check", "solve", "status", "diff", "impact", "why", "why-not"}
    assert kinds == {"", *(f"envlock/{name}/1" for name in told)}


@pytest.mark.parametrize("arguments", [("check", "horovod==0.19.0", "openmpi==3.1.3"), ("status",)])
def test_what_is_printed_is_described(site, envlock, arguments) -> None:
    site.manifest('[groups.tiny]\nrequires = ["alpha"]\n')
    document = json.loads(envlock(*arguments, "--offline", "--json").out)
    assert definition_of(document) == arguments[0]
    with pytest.raises(ValidationError):
        hold_against_schema({**document, "undescribed": 1})
    for key in set(SCHEMA["$defs"][arguments[0]]["required"]) - {"schema"}:
        with pytest.raises(ValidationError):
            hold_against_schema({name: value for name, value in document.items() if name != key})
