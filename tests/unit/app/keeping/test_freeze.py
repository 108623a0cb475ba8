from __future__ import annotations

import datetime as dt
from dataclasses import replace
from pathlib import Path

import pytest

from envlock.app.keeping.freeze import freeze, thaw
from envlock.app.project import Options, Project, open_project
from envlock.app.solving.inputs import digest_of_inputs
from envlock.edges.lock_files import read_own_lock, write_lock
from envlock.lifecycle.freeze import refuse_if_frozen
from envlock.model.errors import RefusedError, RequestError
from tests.locks import distribution, lock

TODAY = dt.date(2026, 11, 21)
DAY = dt.date(2027, 6, 30)
MANIFEST = '# Ours.\n\n[groups.thesis]\npython = "3.7"\n\n# The others.\n\n[groups.other]\n'


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr("envlock.app.keeping.freeze.today", lambda: TODAY)
    (tmp_path / "envlock.toml").write_text(MANIFEST)
    path = tmp_path / "locks" / "local" / "pylock.thesis.toml"
    write_lock(path, lock(distribution("gensim", "3.8.1"), group="thesis"))
    return tmp_path


def opened(folder: Path) -> Project:
    return open_project(Options(project=folder))


def test_a_frozen_group_refuses_until_thawed(folder: Path):
    outcome = freeze(opened(folder), "thesis", DAY, "thesis A\n is handed in")
    assert (outcome.freeze.until, outcome.freeze.reason) == (DAY, "thesis A is handed in")
    assert outcome.before is None
    assert outcome.lock.lock.group == "thesis"
    group = opened(folder).manifest.group("thesis")
    with pytest.raises(RefusedError, match="frozen until 2027-06-30"):
        refuse_if_frozen(group, TODAY)
    thawed = thaw(opened(folder), "thesis", "reviewers ask for more")
    assert thawed.freeze == outcome.freeze
    refuse_if_frozen(opened(folder).manifest.group("thesis"), TODAY)
    comment = (
        "# thawed 2026-11-21: reviewers ask for more (was frozen until 2027-06-30: thesis A is handed in)\n"
    )
    expected = MANIFEST.replace('python = "3.7"\n', f'python = "3.7"\n{comment}')
    assert (folder / "envlock.toml").read_text() == expected


def test_a_lock_that_answers_something_else_is_told(folder: Path):
    """What is frozen is the lock, so somebody who has just changed the manifest should hear of it."""
    project = opened(folder)
    path = project.need_lock("thesis")
    inputs = digest_of_inputs(project.manifest.group("thesis"), project.manifest)
    write_lock(path, replace(read_own_lock(path).lock, inputs=inputs))
    assert not freeze(project, "thesis", DAY, "A").outdated
    thaw(opened(folder), "thesis", "B")
    manifest = folder / "envlock.toml"
    manifest.write_text(manifest.read_text().replace('python = "3.7"', 'python = "3.7"\nrequires = ["six"]'))
    assert freeze(opened(folder), "thesis", DAY, "A").outdated
    # What asks for something else while it is frozen is what the freeze keeps out.
    assert not freeze(opened(folder), "thesis", dt.date(2027, 12, 31), "A").outdated


def test_a_freeze_can_be_prolonged_and_not_shortened(folder: Path):
    freeze(opened(folder), "thesis", DAY, "A")
    longer = freeze(opened(folder), "thesis", dt.date(2027, 12, 31), "B")
    assert longer.before is not None
    assert longer.before.until == DAY
    with pytest.raises(RefusedError) as caught:
        freeze(opened(folder), "thesis", DAY, "A")
    assert caught.value.code == "frozen-longer"
    assert opened(folder).manifest.group("thesis").frozen == longer.freeze


@pytest.mark.parametrize(
    ("group", "until", "reason", "code"),
    [
        ("other", DAY, "x", "not-locked"),
        ("thesis", dt.date(2026, 11, 20), "x", "freeze-past"),
        ("thesis", DAY, "  ", "reason-missing"),
        ("nobody", DAY, "x", "unknown-group"),
    ],
)
def test_wrong_requests_leave_the_manifest_alone(
    folder: Path, group: str, until: dt.date, reason: str, code: str
):
    with pytest.raises(RequestError) as caught:
        freeze(opened(folder), group, until, reason)
    assert caught.value.code == code
    assert caught.value.hint
    assert (folder / "envlock.toml").read_text() == MANIFEST


def test_thaw_needs_a_promise_and_a_reason(folder: Path):
    with pytest.raises(RequestError) as caught:
        thaw(opened(folder), "thesis", "x")
    assert caught.value.code == "not-frozen"
    freeze(opened(folder), "thesis", DAY, "A")
    with pytest.raises(RequestError) as caught:
        thaw(opened(folder), "thesis", "")
    assert caught.value.code == "reason-missing"
