"""Later releases that a refusal lets in: all that one release needs at once, not one name after the other."""

from __future__ import annotations

import datetime as dt
from dataclasses import replace

from envlock.model.locked.pins import Solved
from envlock.solve.refusing import refusal as refusing
from envlock.solve.request import Request
from envlock.solve.resolve import resolve
from tests.memory import MemoryCatalogue
from tests.unit.solve.test_remedies import _request
from tests.unit.solve.test_scenarios import knowledge_of

DAY = dt.date(2020, 6, 30)
OLD, NEW = dt.date(2020, 1, 1), dt.date(2022, 1, 1)


def _release(uploaded: dt.date, *needs: str) -> dict:
    return {"uploaded": uploaded, "requires": list(needs)}


def test_what_a_later_release_needs_is_let_in_at_once(monkeypatch) -> None:
    files = {name: {"1.0": _release(OLD), "2.0": _release(NEW)} for name in ("one", "two", "three")}
    files["asked"] = {"1.0": _release(OLD), "2.0": _release(NEW, *(f"{name}>=2" for name in files))}
    request = replace(_request(knowledge_of({}), ["asked>=2"]), as_of=DAY, era_of_pins=True)
    let_in: list[frozenset[str]] = []
    reopened = refusing.reopened

    def watched(solver, core) -> Request | None:
        wider = reopened(solver, core)
        if wider is not None:
            let_in.append(wider.reopened - solver.request.reopened)
        return wider

    monkeypatch.setattr(refusing, "reopened", watched)
    answer = resolve(request, knowledge_of({}), MemoryCatalogue(files))
    assert isinstance(answer, Solved)
    assert let_in == [{"asked"}, {"one", "two", "three"}]
