"""Code that runs because others import it."""

import datetime as dt
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

import pytest

from envlock.app.checking import code_check
from envlock.app.checking.code_check import Subject, code_findings
from envlock.edges.cache import Cache
from envlock.model.knowing.fact import Severity
from envlock.model.knowing.finding import Assignment, Chosen, Finding
from envlock.model.published.code_reads import CodeReads
from envlock.model.published.declaration import Declaration
from tests.shipped import KNOWLEDGE

DAY = dt.date(2022, 1, 1)
CURVES = {"astropy.units": "curves/__init__.py:1"}
UNITS = {"numpy.asscalar": "astropy/units/helpers.py:116"}


def declared(name: str, version: str, published: dt.date, *requires: str) -> Declaration:
    return Declaration(
        distribution=name,
        version=version,
        read=DAY,
        files=(),
        requires_dist=requires,
        versions=(version,),
        published=published,
    )


def subject(
    assignment: Assignment, declarations: Mapping[str, Declaration], along: Mapping[str, Declaration]
) -> Subject:
    return Subject(
        assignment=assignment, declarations=declarations, along=along, pinned=(), apart=(), is_all=False
    )


def told(monkeypatch: pytest.MonkeyPatch, folder: Path, curves: Mapping[str, str], numpy: str) -> list[str]:
    """What is found where a distribution reads names of astropy, whose own import reads none of NumPy's."""

    def read(
        wanted: Mapping[str, tuple[str, str]], *_: Any, parts: Mapping[str, Collection[str]] = {}, **__: Any
    ) -> dict[str, CodeReads]:
        def of(component: str) -> Mapping[str, str]:
            if component == "curves":
                return curves
            return UNITS if "astropy.units" in parts.get(component, ()) else {}

        return {
            component: CodeReads(
                distribution=name, version=version, read=DAY, on_import=of(component), on_build={}
            )
            for component, (name, version) in wanted.items()
        }

    monkeypatch.setattr(code_check, "read_code", read)
    monkeypatch.setattr(code_check, "read_lacking", lambda *_, **__: {})
    monkeypatch.setattr(code_check, "read_failing", lambda *_, **__: {})
    said = {
        "curves": declared("curves", "1.0", DAY, "astropy"),
        "astropy": declared("astropy", "5.0", dt.date(2021, 11, 1), "numpy"),
        "numpy": declared("numpy", numpy, dt.date(2022, 11, 1)),
    }
    assignment = {name: (Chosen(version=one.version),) for name, one in said.items()}
    found = code_findings(subject(assignment, said, {}), KNOWLEDGE, Cache(folder), None, ())
    return [one.message for one in found]


@pytest.mark.parametrize(
    ("curves", "numpy", "gone"),
    [
        (CURVES, "1.23.5", True),
        (CURVES, "1.22.4", False),
        ({"astropy": "curves/__init__.py:1"}, "1.23.5", False),
    ],
)
def test_what_others_import_of_a_distribution_runs(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, curves: Mapping[str, str], numpy: str, gone: bool
) -> None:
    found = told(monkeypatch, tmp_path, curves, numpy)
    expected = (
        "astropy 5.0 looks for numpy.asscalar when it is imported (astropy/units/helpers.py:116, by an import"
        " of curves), which numpy 1.23 no longer has"
    )
    assert found == ([expected] if gone else [])


def test_what_nobody_named_is_gone_by_the_bounds_of_who_asks_for_it(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    reads = {"numpy.asscalar": "curves/__init__.py:1"}

    def read(wanted: Mapping[str, tuple[str, str]], *_: Any, **__: Any) -> dict[str, CodeReads]:
        return {
            one: CodeReads(distribution=one, version="1.0", read=DAY, on_import=reads, on_build={})
            for one in wanted
        }

    monkeypatch.setattr(code_check, "read_code", read)
    monkeypatch.setattr(code_check, "read_lacking", lambda *_, **__: {})
    monkeypatch.setattr(code_check, "read_failing", lambda *_, **__: {})
    said = {
        "curves": declared("curves", "1.0", DAY),
        "grids": declared("grids", "2.0", DAY, "numpy>=1.23"),
    }
    versions = {"python": "3.11", **{name: one.version for name, one in said.items()}}
    assignment = {name: (Chosen(version=version),) for name, version in versions.items()}
    (found,) = code_findings(subject(assignment, said, {}), KNOWLEDGE, Cache(tmp_path), None, ())
    assert found.components == {"curves": "1.0", "grids": "2.0"}


@pytest.mark.parametrize(
    ("imported", "published", "gone"),
    [
        ("oldDep.designs", dt.date(2020, 1, 1), True),
        ("oldDep.designs", dt.date(2024, 6, 1), False),
        ("other", dt.date(2020, 1, 1), False),
    ],
)
def test_of_what_nobody_named_the_newest_release_is_read_if_it_is_from_before(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, imported: str, published: dt.date, gone: bool
) -> None:
    code = {"grids": {imported: "grids/__init__.py:1"}, "olddep": {"imp": "oldDep/designs.py:16"}}

    def read(wanted: Mapping[str, tuple[str, str]], *_: Any, **__: Any) -> dict[str, CodeReads]:
        return {
            one: CodeReads(distribution=one, version=version, read=DAY, on_import=code[one], on_build={})
            for one, (_, version) in wanted.items()
        }

    monkeypatch.setattr(code_check, "read_code", read)
    monkeypatch.setattr(code_check, "read_lacking", lambda *_, **__: {})
    monkeypatch.setattr(code_check, "read_failing", lambda *_, **__: {})
    said = {"grids": declared("grids", "2.0", dt.date(2024, 1, 1), "olddep")}
    assignment = {"python": (Chosen(version="3.12"),), "grids": (Chosen(version="2.0"),)}
    found = code_findings(
        subject(assignment, said, {"olddep": declared("olddep", "1.3", published)}),
        KNOWLEDGE,
        Cache(tmp_path),
        None,
        (),
    )
    assert [one.components for one in found] == ([{"grids": "2.0", "python": "3.12"}] if gone else [])


@pytest.mark.parametrize(
    ("severity", "read"),
    [(Severity.WARN, {("curves", "numpy"), ("numpy", "curves")}), (Severity.REFUSE, set())],
)
def test_functions_are_not_read_beside_what_is_refused_anyway(
    severity: Severity, read: set[tuple[str, str]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As those of vllm 0.8.5 beside transformers 4.46.3, which its metadata refuses: that took 20 s."""
    asked: set[tuple[str, str]] = set()

    def read_failing(
        _wanted: object, removed: Mapping[tuple[str, str], object], *_: Any, among: Any, **__: Any
    ) -> dict[tuple[str, str], object]:
        asked.update(among, (pair for pair in removed if pair[1] == "numpy"))
        return {}

    monkeypatch.setattr(code_check, "read_code", lambda *_, **__: {})
    monkeypatch.setattr(code_check, "read_lacking", lambda *_, **__: {})
    monkeypatch.setattr(code_check, "read_failing", read_failing)
    said = {"curves": declared("curves", "1.0", DAY, "numpy<1"), "numpy": declared("numpy", "2.0.0", DAY)}
    assignment = {name: (Chosen(version=one.version),) for name, one in said.items()}
    earlier = Finding(
        fact="requires-dist",
        severity=severity,
        components={"curves": "1.0", "numpy": "2.0.0"},
        message="no",
        cause="",
        sources=(),
        fixes=(),
    )
    code_findings(subject(assignment, said, {}), KNOWLEDGE, Cache(tmp_path), None, (earlier,))
    assert asked == read
