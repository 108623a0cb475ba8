"""The page about the manifest: its example is one, and shows every key that is read."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import ClassVar

import pytest

from envlock.model.decode import Table
from envlock.model.errors import RequestError
from envlock.model.project.manifest import decode_manifest
from envlock.model.project.target import decode_target
from tests.shipped import KNOWLEDGE

PAGE = (Path(__file__).parents[2] / "docs" / "manifest.md").read_text()
EXAMPLE = tomllib.loads(re.findall(r"```toml\n(.*?)```", PAGE, re.DOTALL)[1])
NAMED_BY_THE_SITE = re.compile(r"^(groups|layers|targets|sources)\.[\w-]+")


class Recorded(Table):
    """A table that keeps itself for later."""

    __slots__ = ()
    all: ClassVar[list[Table]] = []

    def __init__(self, items: object, *, file: str, path: str = "") -> None:
        super().__init__(items, file=file, path=path)  # type: ignore[arg-type]
        self.all.append(self)


def part_of(table: Table) -> str:
    """The path of a table, for all tables of one kind the same."""
    return re.sub(r"\[\d+\]", "[]", NAMED_BY_THE_SITE.sub(r"\1.*", table.path()))


def test_the_example_shows_every_key_that_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("envlock.model.decode.Table", Recorded)
    monkeypatch.setattr("envlock.model.project.manifest.Table", Recorded)
    monkeypatch.setattr(Recorded, "all", [])
    manifest = decode_manifest(EXAMPLE, "docs/manifest.md", KNOWLEDGE)
    for name, target in manifest.targets.items():
        decode_target(target, name, ())
    read: dict[str, set[str]] = {}
    shown: dict[str, set[str]] = {}
    for table in Recorded.all:
        read.setdefault(part_of(table), set()).update(table._read)
        shown.setdefault(part_of(table), set()).update(table.names())
    assert len(read) > 10
    missing = {part: keys - shown[part] for part, keys in read.items() if keys - shown[part]}
    assert missing == {"": {"build-metadata"}}, "what the page does not show"
    assert "`build-metadata = false`" in PAGE


def test_the_smallest_manifest_is_one() -> None:
    smallest = re.findall(r"```toml\n(.*?)```", PAGE, re.DOTALL)[0]
    assert decode_manifest(tomllib.loads(smallest), "docs/manifest.md", KNOWLEDGE).group("stack").wishes


def test_a_misspelt_layer_is_told_those_there_are() -> None:
    with pytest.raises(RequestError) as caught:
        decode_manifest({"layers": {"inner": {"owner": "us"}}}, "envlock.toml", KNOWLEDGE)
    assert caught.value.hint == "known keys: core, discipline, framework"
