"""Knowledge out of the cache says what its documents say, and never what they said before."""

from __future__ import annotations

import os
import shutil
from collections.abc import Sequence
from pathlib import Path

import pytest

from envlock.edges import decoded_knowledge, knowledge_files
from envlock.edges.cache import Cache
from envlock.edges.decoded_knowledge import load_decoded
from envlock.edges.knowledge_files import Document, decode_upon, load_knowledge, shipped_knowledge
from envlock.model.errors import RequestError
from envlock.model.knowing.fact import Severity
from envlock.model.knowing.knowledge_codec import KnowledgeDecoder

FACT = """\
[[fact]]
id = "gensim-{number}"
when = {{ gensim = "=={number}" }}
evidence = "reported"
reason = "it forgets"
sources = [{{ title = "https://example.org/1", checked = 2026-01-31 }}]
refuses = [{{ gensim = "{number}" }}]
accepts = [{{ gensim = "3.8" }}]
"""


@pytest.fixture
def overlay(tmp_path: Path) -> Path:
    (tmp_path / "site/facts").mkdir(parents=True)
    (tmp_path / "site/facts/own.toml").write_text(FACT.format(number="1.0"))
    return tmp_path / "site"


@pytest.fixture
def cache(tmp_path: Path) -> Cache:
    return Cache(tmp_path / "cache")


@pytest.fixture(autouse=True)
def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The program's own base, a small one."""
    base = tmp_path / "program"
    (base / "facts").mkdir(parents=True)
    for name in ("components.toml", "facts/horovod.toml"):
        shutil.copy(shipped_knowledge() / name, base / name)
    for room in (decoded_knowledge, knowledge_files):
        monkeypatch.setattr(room, "shipped_knowledge", lambda: base)
    return base


@pytest.fixture
def beside(program: Path) -> Path:
    """Where the program's own base lies decoded."""
    return program / "__pycache__"


def files_of(*folders: Path) -> list[Path]:
    return [path for folder in folders for path in folder.rglob("*") if path.is_file()]


def refuse_to_decode(decoder: object, documents: object) -> None:
    raise AssertionError(documents)


@pytest.fixture
def decoded(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of the documents that were decoded."""
    names: list[str] = []

    def decode(decoder: KnowledgeDecoder, documents: Sequence[Document]) -> None:
        names.extend(one.name for one in documents)
        decode_upon(decoder, documents)

    monkeypatch.setattr(decoded_knowledge, "decode_upon", decode)
    return names


def test_what_is_kept_is_what_was_read(cache: Cache, monkeypatch: pytest.MonkeyPatch) -> None:
    first = load_decoded(cache)
    monkeypatch.setattr(decoded_knowledge, "decode_upon", refuse_to_decode)
    assert load_decoded(cache) == first == load_knowledge()


def test_a_changed_document_is_read_again(cache: Cache, overlay: Path) -> None:
    assert any(fact.id == "gensim-1.0" for fact in load_decoded(cache, [overlay]).facts)
    (overlay / "facts/own.toml").write_text(FACT.format(number="2.0"))
    names = {fact.id for fact in load_decoded(cache, [overlay]).facts}
    assert "gensim-2.0" in names
    assert "gensim-1.0" not in names


def refuse_to_read(directory: object, overlays: object) -> None:
    raise AssertionError(directory, overlays)


def test_files_that_are_as_they_were_are_not_read(
    cache: Cache, overlay: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(knowledge_files, "_SETTLED_NS", 0)
    first = load_decoded(cache), load_decoded(cache, [overlay])
    monkeypatch.setattr(decoded_knowledge, "collect", refuse_to_read)
    assert (load_decoded(cache), load_decoded(cache, [overlay])) == first


def test_files_that_changed_lately_are_read(cache: Cache, monkeypatch: pytest.MonkeyPatch) -> None:
    load_decoded(cache)
    monkeypatch.setattr(decoded_knowledge, "collect", refuse_to_read)
    with pytest.raises(AssertionError):
        load_decoded(cache)


def test_what_is_kept_is_not_written_again_while_files_are_too_new(cache: Cache, beside: Path) -> None:
    load_decoded(cache)
    before = {path: path.stat().st_ino for path in files_of(beside)}
    load_decoded(cache)
    assert {path: path.stat().st_ino for path in files_of(beside)} == before


def test_a_change_that_hides_its_time_is_seen(
    cache: Cache, overlay: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(knowledge_files, "_SETTLED_NS", 0)
    load_decoded(cache, [overlay])
    own = overlay / "facts/own.toml"
    before = own.stat()
    own.write_text(FACT.format(number="2.0"))
    os.utime(own, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert own.stat().st_size == before.st_size
    assert "gensim-2.0" in load_decoded(cache, [overlay]).facts


def test_a_file_more_or_less_is_seen(cache: Cache, overlay: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(knowledge_files, "_SETTLED_NS", 0)
    load_decoded(cache, [overlay])
    more = overlay / "facts/more.toml"
    more.write_text(FACT.format(number="2.0"))
    assert "gensim-2.0" in load_decoded(cache, [overlay]).facts
    more.unlink()
    assert "gensim-2.0" not in load_decoded(cache, [overlay]).facts


def test_what_was_cut_off_is_read_again(cache: Cache, beside: Path) -> None:
    first = load_decoded(cache)
    for kept in files_of(beside, cache.root):
        kept.write_bytes(kept.read_bytes()[:-100])
    assert load_decoded(cache) == first


def test_beside_the_program_there_is_one_of_each(
    cache: Cache, beside: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    load_decoded(cache)
    monkeypatch.setattr(decoded_knowledge, "code", lambda: "another state")
    load_decoded(cache)
    assert len(files_of(beside)) == 2
    assert files_of(cache.root) == []


def test_a_program_that_cannot_be_written_to_is_kept_in_the_cache(
    cache: Cache, beside: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    beside.write_text("a file where the folder should be")
    first = load_decoded(cache)
    monkeypatch.setattr(decoded_knowledge, "decode_upon", refuse_to_decode)
    assert load_decoded(cache) == first
    assert len(files_of(cache.root)) == 2


def test_beside_the_program_it_is_there_for_all_who_use_it(cache: Cache, beside: Path, overlay: Path) -> None:
    """Who installs for a site reads the base once, for everybody; what a user keeps is nobody else's."""
    umask = os.umask(0o022)
    try:
        load_decoded(cache)
        load_decoded(cache, [overlay])
    finally:
        os.umask(umask)
    assert {path.stat().st_mode & 0o777 for path in files_of(beside)} == {0o644}
    assert {path.stat().st_mode & 0o777 for path in files_of(cache.root)} == {0o600}


def test_overlays_are_kept_in_the_users_cache(cache: Cache, beside: Path, overlay: Path) -> None:
    load_decoded(cache)
    shipped = files_of(beside)
    load_decoded(cache, [overlay])
    assert files_of(beside) == shipped
    assert len(files_of(cache.root)) == 1


def test_overlays_go_upon_what_is_decoded(cache: Cache, overlay: Path, decoded: list[str]) -> None:
    load_decoded(cache)
    decoded.clear()
    assert load_decoded(cache, [overlay]) == load_knowledge(overlays=[overlay])
    assert decoded == ["facts/own.toml"]


def test_another_day_goes_upon_what_is_decoded(
    cache: Cache, decoded: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    first = load_decoded(cache)
    decoded.clear()
    monkeypatch.setattr(decoded_knowledge, "_KNOWLEDGE", "another")  # as good as another day: none is kept
    assert load_decoded(cache) == first
    assert decoded == []


def test_what_overlays_decide_is_kept_as_read(cache: Cache, overlay: Path, tmp_path: Path) -> None:
    decided = 'owner = "o"\nreason = "r"\nexpires = 2999-01-01\n'
    (overlay / "facts/own.toml").write_text(
        '[[fact]]\nid = "ours"\nwhen = { glibc = "<1" }\nevidence = "derived"\n'
        f'replaces = "horovod-gcc-13"\n{decided}'
        f'[[waive]]\nfact = "horovod-openmpi-3.1.3"\n{decided}'
    )
    (tmp_path / "more/facts").mkdir(parents=True)
    (tmp_path / "more/facts/own.toml").write_text(FACT.format(number="1.0"))
    overlays = [overlay, tmp_path / "more"]
    for _ in range(2):
        known = load_decoded(cache, overlays)
        assert known == load_knowledge(overlays=overlays)
        found = {fact.id: fact for fact in known.facts}
        assert "horovod-gcc-13" not in found
        assert "gensim-1.0" in found
        assert found["horovod-openmpi-3.1.3"].severity is Severity.NOTE


def test_a_cache_that_cannot_be_written_to_is_as_good_as_none(tmp_path: Path, beside: Path) -> None:
    beside.write_text("")
    (tmp_path / "file").write_text("")
    assert load_decoded(Cache(tmp_path / "file")) == load_knowledge()


def test_an_error_is_told_and_nothing_kept(cache: Cache, overlay: Path) -> None:
    (overlay / "facts/own.toml").write_text("[[fact]]\nid = 1\n")
    for _ in range(2):
        with pytest.raises(RequestError):
            load_decoded(cache, [overlay])


def test_the_keys_name_the_code(cache: Cache, decoded: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    load_decoded(cache)
    once = list(decoded)
    monkeypatch.setattr(decoded_knowledge, "code", lambda: "another state")
    load_decoded(cache)
    assert decoded == once * 2
