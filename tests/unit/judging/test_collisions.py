"""A collision of wheels as a conflict to solve around."""

from __future__ import annotations

import datetime as dt
from functools import partial

import pytest

from envlock.judging.collisions import WheelContents, as_conflict, same_files
from envlock.model.knowing.fact import Severity
from envlock.model.locked.installed import Installed
from tests.shipped import KNOWLEDGE

_EMPTY = "sha256=47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU"
_UNIX = "sha256=jv2YF__bseklT3OWEzlqJ5qE24c4aWd5F4r0TTjOrWQ"
_WINDOWS = "sha256=F0UD44DuZCpVvI1PX5rW4FcKQ004ORdqeOhf4JsheIY"
"""What opencensus-context 0.1.1 and opencensus 0.7.10 record for the folder that they share."""


def wheel(name: str, version: str, digest: str) -> WheelContents:
    return WheelContents(
        component=name,
        version=version,
        filename=f"{name}-{version}-py3-none-any.whl",
        installed=Installed(["nvidia"], lambda: {"nvidia/lib.so.2": digest}),
    )


def test_the_major_versions_that_met_do_not_go_together():
    today = dt.date(2026, 1, 31)
    (finding,) = same_files((wheel("a", "1.2", "x"), wheel("b", "3.4", "y")), today)
    fact = as_conflict(finding, KNOWLEDGE)
    assert fact.id == "native-collision:a-1+b-3"
    assert [str(condition) for condition in fact.when] == ["a ==1.*", "b ==3.*"]
    assert fact.severity is Severity.REFUSE


def test_two_builds_of_one_library_do_not_go_together_in_any_version():
    """Past the major versions that met, a solve built one of 2026 beside one of 2022."""
    today = dt.date(2026, 1, 31)
    wheels = (wheel("opencv-python", "4.6", "x"), wheel("opencv-python-headless", "5.0", "y"))
    (finding,) = same_files(wheels, today)
    fact = as_conflict(finding, KNOWLEDGE)
    assert fact.id == "native-collision:opencv-python+opencv-python-headless"
    assert all(condition.range.contains(version) for condition in fact.when for version in ("3.4", "4.6"))


def test_an_epoch_belongs_to_the_major_version():
    (finding,) = same_files((wheel("a", "1!2.0", "x"), wheel("b", "3.4", "y")), dt.date(2026, 1, 31))
    one, _ = as_conflict(finding, KNOWLEDGE).when
    assert [one.range.contains(version) for version in ("1!2.0", "1!2.7", "2.0")] == [True, True, False]


def test_another_major_is_another_conflict():
    today = dt.date(2026, 1, 31)
    facts = {
        as_conflict(finding, KNOWLEDGE).id
        for version in ("1.2", "2.0")
        for finding in same_files((wheel("a", version, "x"), wheel("b", "3.4", "y")), today)
    }
    assert facts == {"native-collision:a-1+b-3", "native-collision:a-2+b-3"}


@pytest.mark.parametrize(
    ("path", "one", "other", "expected"),
    [
        ("ns/__init__.py", "sha256=a", "sha256=a", []),
        ("ns/__init__.py", "sha256=a", "sha256=b", [Severity.WARN]),
        ("shared.py", "sha256=a", "sha256=b", [Severity.WARN]),
        ("ns/tests/helpers.py", "sha256=a", "sha256=b", [Severity.WARN]),
        ("tests/helpers.py", "sha256=a", "sha256=b", [Severity.NOTE]),
        ("ns/__init__.py", _UNIX, _WINDOWS, []),
        ("ns/__init__.py", _UNIX, _EMPTY, []),
        ("ns/__init__.py", _UNIX, "sha256=a", [Severity.WARN]),
        ("LICENSE", "sha256=a", "sha256=b", [Severity.NOTE]),
        ("ns/core.cpython-311-x86_64-linux-gnu.so", "sha256=a", "sha256=b", [Severity.REFUSE]),
        ("ns/libcore.so.2", "sha256=a", "sha256=b", [Severity.REFUSE]),
        ("ns/libcore.so.2", "sha256=a", "sha256=a", []),
    ],
)
def test_one_file_of_two_owners(path: str, one: str, other: str, expected: list[Severity]) -> None:
    """Legacy namespaces bring one file each, the same; another is told, and a native one refused."""
    wheels = [
        WheelContents(
            component=name,
            version="1",
            filename=f"{name}-1.whl",
            installed=Installed(["ns"], partial(dict, {path: content, f"ns/{name}.py": "x"})),
        )
        for name, content in (("left", one), ("right", other))
    ]
    found = same_files(wheels, dt.date(2026, 11, 21))
    assert [finding.severity for finding in found] == expected
    assert all(finding.components == {"left": "1", "right": "1"} for finding in found)
