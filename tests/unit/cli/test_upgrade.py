"""What a solve moves of a lock: nothing, all, or what is named and has to move with it."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import pytest

from envlock.app.solving import lock
from envlock.app.solving.answer import answer_within_layers
from envlock.edges.lock_files import read_lock
from envlock.model.errors import RefusedError
from tests.unit.cli.conftest import Said, Site

Envlock = Callable[..., Said]
SOLVE = ("solve", "tiny", "--target", "here", "--lock-only")
NEWER = "lab 1.0 goes with what the lock has; --upgrade-package lab takes 2.0, and moves what has to"
WISHES = '"model", "plot"'


def wishing(site: Site, wishes: str) -> None:
    site.manifest(f"[groups.tiny]\nrequires = [{wishes}]\n")


def pins(site: Site) -> Mapping[str, str]:
    return {pin.name: pin.version for pin in read_lock(site.lock).lock.distributions}


@pytest.fixture
def locked(site: Site, envlock: Envlock) -> Site:
    """A lock from before all second releases, of which the model's needs a later token."""
    site.offer("model", "1.0", ["token"])
    for name in ("plot", "token", "zeta"):
        site.offer(name, "1.0")
    wishing(site, WISHES)
    assert envlock(*SOLVE).status == 0
    site.offer("model", "2.0", ["token>=2", "plot"])
    for name in ("plot", "token"):
        site.offer(name, "2.0")
    return site


def test_nothing_moves_by_itself(locked: Site, envlock: Envlock):
    before = locked.lock.read_bytes()
    assert envlock(*SOLVE).status == 0
    assert locked.lock.read_bytes() == before


def test_one_takes_its_newest_and_what_has_to_move_with_it(locked: Site, envlock: Envlock):
    assert envlock(*SOLVE, "--upgrade-package", "Model").status == 0
    assert pins(locked) == {"model": "2.0", "plot": "1.0", "token": "2.0"}
    after = locked.lock.read_bytes()
    assert envlock(*SOLVE).status == 0
    assert locked.lock.read_bytes() == after


def test_what_others_need_moves_as_far_as_they_let_it(locked: Site, envlock: Envlock):
    wishing(locked, '"model<2", "plot"')
    assert envlock(*SOLVE, "-P", "token", "-P", "plot").status == 0
    assert pins(locked) == {"model": "1.0", "plot": "2.0", "token": "2.0"}


def test_all(locked: Site, envlock: Envlock):
    assert envlock(*SOLVE, "--upgrade").status == 0
    assert pins(locked) == {"model": "2.0", "plot": "2.0", "token": "2.0"}


def test_a_new_wish_moves_what_is_there_only_where_it_is_named(locked: Site, envlock: Envlock):
    locked.offer("lab", "1.0", ["plot"])
    locked.offer("lab", "2.0", ["plot>=2"])
    wishing(locked, f'{WISHES}, "lab"')
    said = envlock(*SOLVE)
    assert (pins(locked)["lab"], pins(locked)["plot"]) == ("1.0", "1.0")
    assert NEWER in said.out
    said = envlock(*SOLVE, "-P", "lab")
    assert (pins(locked)["lab"], pins(locked)["plot"]) == ("2.0", "2.0")
    assert "note" not in said.out


def test_an_answer_stands_though_nobody_can_tell_of_a_newer_one(
    locked: Site, envlock: Envlock, monkeypatch: pytest.MonkeyPatch
):
    locked.offer("lab", "1.0", ["plot"])
    locked.offer("lab", "2.0", ["plot>=2"])
    wishing(locked, f'{WISHES}, "lab"')

    def failing(*given: object, **named: object) -> object:
        if named["upgrade"]:
            raise RefusedError("too-deep", "no answer")
        return answer_within_layers(*given, **named)

    monkeypatch.setattr(lock, "answer_within_layers", failing)
    assert envlock(*SOLVE).status == 0
    assert pins(locked)["lab"] == "1.0"


def test_what_is_no_longer_wanted_need_not_be_asked_about(locked: Site, envlock: Envlock):
    wishing(locked, '"plot"')
    page = locked.index / "model" / "index.html"
    page.unlink()
    page.mkdir()  # whoever asks is told that the index cannot be read
    assert envlock(*SOLVE).status == 0
    assert pins(locked) == {"plot": "1.0"}


def test_a_new_wish_that_is_older_for_another_reason_is_no_news(locked: Site, envlock: Envlock):
    locked.offer("lab", "1.0", ["plot"])
    locked.offer("lab", "2.0", ["plot>=3"])
    wishing(locked, f'{WISHES}, "lab"')
    assert "note" not in envlock(*SOLVE).out
    assert pins(locked)["lab"] == "1.0"


def test_what_is_not_there_is_told(locked: Site, envlock: Envlock):
    said = envlock(*SOLVE, "-P", "tokn")
    assert said.status == 0
    assert "tokn is not in the lock, to be upgraded; did you mean token?" in said.out


def test_several_groups_at_once(locked: Site, envlock: Envlock):
    site_text = (locked.project / "envlock.toml").read_text()
    (locked.project / "envlock.toml").write_text(site_text + '\n[groups.other]\nrequires = ["zeta"]\n')
    assert envlock("solve", "--all-groups", "--target", "here", "--lock-only", "-P", "plot").status == 0
    assert pins(locked) == {"model": "1.0", "plot": "2.0", "token": "1.0"}
