"""A collision of wheels as a conflict to solve around."""

from __future__ import annotations

import datetime as dt

from envlock.model.catalogue import Installed
from envlock.model.fact import Severity
from envlock.solve.collisions import Contents, as_conflict, same_files


def wheel(name: str, version: str, digest: str) -> Contents:
    return Contents(
        component=name,
        version=version,
        filename=f"{name}-{version}-py3-none-any.whl",
        files=(Installed(path="nvidia/lib.so.2", digest=digest),),
    )


def test_the_major_versions_that_met_do_not_go_together():
    today = dt.date(2026, 1, 31)
    (finding,) = same_files((wheel("a", "1.2", "x"), wheel("b", "3.4", "y")), today)
    fact = as_conflict(finding)
    assert fact.id == "native-collision:a-1+b-3"
    assert [str(condition) for condition in fact.when] == ["a ==1.*", "b ==3.*"]
    assert fact.severity is Severity.REFUSE


def test_another_major_is_another_conflict():
    today = dt.date(2026, 1, 31)
    facts = {
        as_conflict(finding).id
        for version in ("1.2", "2.0")
        for finding in same_files((wheel("a", version, "x"), wheel("b", "3.4", "y")), today)
    }
    assert facts == {"native-collision:a-1+b-3", "native-collision:a-2+b-3"}
