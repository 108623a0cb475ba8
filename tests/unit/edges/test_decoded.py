"""What a cache kept becomes documents, and never runs what somebody wrote into it."""

from __future__ import annotations

import datetime as dt
import os
import pickle
from pathlib import Path

import pytest

import envlock.model.component
from envlock.edges import decoded
from envlock.edges.decoded import packed, unpacked
from envlock.model.component import Range, Via
from tests.shipped import KNOWLEDGE


class Makes:
    """Becomes the call of a function when it is unpacked."""

    def __init__(self, function: object, *arguments: object) -> None:
        self.call = function, arguments

    def __reduce__(self) -> tuple[object, tuple[object, ...]]:
        return self.call  # type: ignore[return-value]


def test_documents_come_back() -> None:
    facts = list(KNOWLEDGE.facts)[:50]
    assert unpacked(packed(facts)) == facts
    whole = unpacked(packed(KNOWLEDGE))
    assert whole is not None
    assert whole.digest == KNOWLEDGE.digest
    both = {"a": Range.versions(">=1"), "b": Range.words("x|y")}
    assert unpacked(packed(both)) == both
    days = dt.datetime(2026, 1, 1, tzinfo=dt.UTC), dt.date(2026, 1, 1)
    assert unpacked(packed(days)) == days


def test_members_of_enumerations_come_back_however_python_packs_them() -> None:
    assert unpacked(pickle.dumps(Makes(getattr, Via, "WHEEL"))) is Via.WHEEL
    assert unpacked(pickle.dumps(Makes(getattr, Via, "__init__"))) is None
    assert unpacked(pickle.dumps(Makes(getattr, Range, "versions"))) is None


@pytest.mark.parametrize("function", [os.mkdir, os.system, eval, getattr])
def test_nothing_else_is_called(tmp_path: Path, function: object) -> None:
    place = tmp_path / "made"
    assert unpacked(pickle.dumps([Makes(function, str(place), "x")])) is None
    assert not place.exists()


@pytest.mark.parametrize(
    "name", [b"cenvlock.model.component\nre.compile\n", b"cenvlock.model.component\nlru_cache\n"]
)
def test_nor_what_our_modules_import(name: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(envlock.model.component, "lru_cache", os.system, raising=False)
    assert unpacked(name + b".") is None


def test_what_was_decoded_by_other_code_is_not_taken(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(envlock.model, "__file__", str(tmp_path / "__init__.py"))
    module = tmp_path / "knowing/knowledge.py"
    module.parent.mkdir()
    module.write_text("a = 1\n")
    before = decoded.code.__wrapped__()
    assert decoded.code.__wrapped__() == before
    module.write_text("a = 1, 2\n")
    assert decoded.code.__wrapped__() != before
