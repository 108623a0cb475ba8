"""Collisions of wheels over a small index: lists of files by range requests, kept by hash."""

from __future__ import annotations

import datetime as dt
import hashlib
import io
import zipfile
from collections.abc import Mapping

import pytest

from envlock.app.solving.collisions import find_collisions
from envlock.edges.index.catalogue import IndexCatalogue
from envlock.judging.collisions import as_conflict
from envlock.model.component import Via
from envlock.model.errors import SurroundingsError
from envlock.model.knowing.fact import Severity
from envlock.model.locked.pins import DistributionPin
from envlock.model.published.catalogue import DistFile
from tests.shipped import KNOWLEDGE

TODAY = dt.date(2026, 11, 21)


def wheel(
    name: str, version: str, files: Mapping[str, str], *, ballast: int = 0, record: bool = True
) -> bytes:
    target = io.BytesIO()
    info = f"{name.replace('-', '_')}-{version}.dist-info"
    rows = [
        f"{path},sha256={hashlib.sha256(text.encode()).hexdigest()[:8]},{len(text)}"
        for path, text in files.items()
    ]
    with zipfile.ZipFile(target, "w") as archive:
        archive.writestr("big", bytes(ballast))
        archive.writestr(f"{info}/METADATA", f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")
        if record:
            archive.writestr(f"{info}/RECORD", "\n".join([*rows, f"{info}/RECORD,,", ""]))
    return target.getvalue()


def test_a_shared_object_of_two_owners_is_refused_and_other_files_are_told(server, catalogue) -> None:
    made = {
        "one": {"lib/x.so.2": "a", "lib/x.h": "a", "ns/__init__.py": ""},
        "two": {"lib/x.so.2": "b", "lib/x.h": "b", "ns/__init__.py": ""},
        "three": {"three-1.data/platlib/lib/y.so": "c", "three-1.data/scripts/tool": "c"},
        "four": {"lib/y.so": "d", "../../../bin/tool": "d"},
    }
    opened = catalogue()
    pins = [pin(server, opened, name, wheel(name, "1", files)) for name, files in made.items()]
    found = find_collisions(pins, opened, KNOWLEDGE, TODAY)
    assert [(finding.severity, sorted(finding.components), finding.fact) for finding in found] == [
        (Severity.REFUSE, ["four", "three"], "native-collision"),
        (Severity.REFUSE, ["one", "two"], "native-collision"),
        (Severity.WARN, ["four", "three"], "native-collision"),
        (Severity.WARN, ["one", "two"], "native-collision"),
    ]
    assert found[1].message == "one 1 and two 1 both own lib/x.so.2, with different content"
    assert [source.title for source in found[1].sources] == [
        "RECORD of one-1-py3-none-any.whl",
        "RECORD of two-1-py3-none-any.whl",
    ]


def test_folders_whose_names_have_commas_are_told_as_they_are(server, catalogue) -> None:
    made = {"one": {'"a,b/x.so"': "a", "x.py": ""}, "two": {'"a,b/x.so"': "b", "y.py": ""}}
    opened = catalogue()
    pins = [pin(server, opened, name, wheel(name, "1", files)) for name, files in made.items()]
    (found,) = find_collisions(pins, opened, KNOWLEDGE, TODAY)
    assert found.message == "one 1 and two 1 both own a,b/x.so, with different content"


def test_the_same_content_twice_is_no_collision(server, catalogue) -> None:
    opened = catalogue()
    pins = [pin(server, opened, name, wheel(name, "1", {"ns/x.so": "a"})) for name in ("one", "two")]
    assert find_collisions(pins, opened, KNOWLEDGE, TODAY) == ()


@pytest.mark.parametrize(
    ("versions", "components"),
    [
        ({"nvidia-cuda-runtime": "13.0.96", "nvidia-cuda-runtime-cu12": "12.2.140"}, 2),
        ({"nvidia-cuda-runtime": "13.0.96", "cuda-toolkit": "13.0.2"}, 0),
        ({"nvidia-nccl-cu12": "2.16.5", "nvidia-nccl-cu13": "2.28.9"}, 2),
        ({"nvidia-cudnn-cu12": "8.9.4.25", "nvidia-cudnn-cu13": "9.19.0.56"}, 2),
        ({"nvidia-cudnn-cu12": "9.10.2.21", "nvidia-nccl-cu12": "2.27.3"}, 0),
    ],
)
def test_one_library_in_two_versions_is_refused(server, catalogue, versions, components) -> None:
    opened = catalogue()
    pins = [
        pin(server, opened, name, wheel(name, version, {}), version) for name, version in versions.items()
    ]
    found = find_collisions(pins, opened, KNOWLEDGE, TODAY)
    assert [len(finding.components) for finding in found] == [components] * bool(components)


def test_a_list_costs_little_and_is_read_once(server, catalogue) -> None:
    content = wheel("one", "1", {"lib/x.so": "a"}, ballast=1 << 20)
    opened = catalogue()
    pins = [pin(server, opened, "one", content)]
    before = opened.http.received
    find_collisions(pins, opened, KNOWLEDGE, TODAY)
    assert 0 < opened.http.received - before < 1 << 18
    offline = catalogue(offline=True)
    kept, read = (catalogue.installed([pins[0].file])[0] for catalogue in (offline, opened))
    assert (kept.tops, kept.files) == (read.tops, read.files)
    assert offline.http.received == 0


def test_a_wheel_without_a_list_is_refused(server, catalogue) -> None:
    """No installer takes it; another version may do, so that a solve goes round it."""
    opened = catalogue()
    pins = [pin(server, opened, "one", wheel("one", "1", {}, record=False))]
    (found,) = find_collisions(pins, opened, KNOWLEDGE, TODAY)
    assert found.severity is Severity.REFUSE
    assert "one-1-py3-none-any.whl cannot be read" in found.message
    (condition,) = as_conflict(found, KNOWLEDGE).when
    assert (condition.component, condition.via) == ("one", Via.WHEEL)
    assert condition.range.contains("1")
    assert not condition.range.contains("1.1")


@pytest.mark.parametrize("path", ["shared/" + "a" * 140_000, "shared/a\rb"])
def test_a_list_that_is_no_table_is_told(server, catalogue, path) -> None:
    opened = catalogue()
    pins = [pin(server, opened, name, wheel(name, "1", {path: ""})) for name in ("one", "two")]
    with pytest.raises(SurroundingsError, match="1-py3-none-any\\.whl cannot be read"):
        find_collisions(pins, opened, KNOWLEDGE, TODAY)


def pin(
    server: object, catalogue: IndexCatalogue, name: str, content: bytes, version: str = "1"
) -> DistributionPin:
    filename = f"{name.replace('-', '_')}-{version}-py3-none-any.whl"
    server.page(name, server.file(filename, content))  # type: ignore[attr-defined]
    (release,) = catalogue.releases(name)
    file: DistFile = release.files[0]
    return DistributionPin(
        component=name, name=name, version=version, file=file, requires_python="", extras=(),
        dependencies=(), asked_by=(), facts=(), build=None,
    )  # fmt: skip
