"""A lock that still answers what is asked is made real without asking an index."""

from __future__ import annotations

import shutil
from collections.abc import Callable

from envlock.edges.store.protection import unprotect
from tests.unit.cli.conftest import TINY, Said, Site

Envlock = Callable[..., Said]
REAL = ["--target", "real"]
SOLVE = ["solve", "tiny", *REAL]


def begin(site: Site, envlock: Envlock) -> bytes:
    """Lock and create, then take the environment away and the index's pages, but for the files themselves."""
    assert envlock(*SOLVE).status == 0
    for page in site.index.rglob("index.html"):
        page.unlink()
    forget(site)
    return (site.project / "locks/real/pylock.tiny.toml").read_bytes()


def forget(site: Site) -> None:
    """Take the store away."""
    unprotect(site.project / ".envlock")
    shutil.rmtree(site.project / ".envlock")


def test_nothing_is_asked_of_the_index(site: Site, envlock: Envlock) -> None:
    lock = begin(site, envlock)
    said = envlock(*SOLVE)
    assert said.status == 0, said.golden
    assert "tiny on real: unchanged" in said.out
    assert (site.project / "locks/real/pylock.tiny.toml").read_bytes() == lock
    assert envlock("repair", "tiny", *REAL, "--dry-run").status == 0
    for more in ("--upgrade", "--lock-only"):
        assert envlock(*SOLVE, more).status == 1  # these solve, and there is nothing to choose from


def test_another_question_is_solved(site: Site, envlock: Envlock) -> None:
    begin(site, envlock)
    site.manifest(TINY.replace('"alpha==2.0"', '"alpha>=2.0"'))
    assert envlock(*SOLVE).status == 1


def test_more_knowledge_is_asked_again(site: Site, envlock: Envlock) -> None:
    begin(site, envlock)
    overlay = site.root / "knowledge"
    (overlay / "facts").mkdir(parents=True)
    (overlay / "facts/site.toml").write_text(
        '[[fact]]\nid = "alpha-beta"\nreason = "they do not go together"\nevidence = "documented"\n'
        'when = { alpha = "==2.0" }\nthen = { beta = "<1.1" }\n'
        'sources = [{ title = "https://example.org/alpha", checked = 2026-11-21 }]\n'
        'refuses = [{ alpha = "2.0", beta = "1.1" }]\naccepts = [{ alpha = "2.0", beta = "1.0" }]\n'
    )
    said = envlock(*SOLVE, "--knowledge", str(overlay))
    assert said.status == 1, said.golden


def test_knowledge_that_says_the_same_is_asked_once(site: Site, envlock: Envlock) -> None:
    assert envlock(*SOLVE).status == 0
    overlay = site.root / "knowledge"
    (overlay / "facts").mkdir(parents=True)
    (overlay / "facts/site.toml").write_text(
        '[[fact]]\nid = "gamma-beta"\nreason = "they go together"\nevidence = "documented"\n'
        'when = { gamma = "==2.0" }\nthen = { beta = ">=1.1" }\n'
        'sources = [{ title = "https://example.org/alpha", checked = 2026-11-21 }]\n'
        'refuses = [{ gamma = "2.0", beta = "1.0" }]\naccepts = [{ gamma = "2.0", beta = "1.1" }]\n'
    )
    known = ["--knowledge", str(overlay)]
    assert envlock(*SOLVE, *known).status == 0  # asks the index, and finds what the lock has
    begin(site, envlock)
    assert envlock(*SOLVE, *known).status == 0


def test_a_file_that_is_another_one_now_is_told(site: Site, envlock: Envlock) -> None:
    begin(site, envlock)
    wheel = next(site.index.rglob("beta-1.1-*.whl"))
    wheel.write_bytes(wheel.read_bytes() + b"\0")
    said = envlock(*SOLVE)
    assert said.status == 3, said.golden
    assert "beta-1.1-py3-none-any.whl is not the file that was listed" in said.err
