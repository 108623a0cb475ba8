"""Metadata and files: by parts, by metadata file, by download; hashes and a cache that may be damaged."""

from __future__ import annotations

import hashlib
import threading

import pytest

from envlock.edges.index import kept_metadata
from envlock.model.errors import SurroundingsError
from tests.patience import wait_until

MIB = 1 << 20
NAME = "foo-1.0-py3-none-any.whl"


def only_file(catalogue):
    (release,) = catalogue.releases("foo")
    return release.files[0]


def metadata(catalogue):
    return catalogue.metadata("foo", only_file(catalogue))


def test_newest_a_large_wheel_comes_in_parts(server, catalogue, wheel):
    headers = ("Requires-Dist: bar>=2", "Requires-Python: >=3.6", "Provides-Extra: My_Extra")
    server.page("foo", server.file(NAME, wheel("foo", "1.0", *headers, ballast=MIB)))
    one = catalogue()
    found = metadata(one)
    assert [str(requirement) for requirement in found.requires_dist] == ["bar>=2"]
    assert (str(found.requires_python), found.provides_extra) == (">=3.6", {"my-extra"})
    assert one.http.received < MIB / 4
    assert [span for path, span in server.requests if path.startswith("/files/")] == ["bytes=-65536"]


def test_members_before_the_tail_are_fetched_by_their_place(server, catalogue, wheel):
    content = wheel("foo", "1.0", "Requires-Dist: bar", *(f"Classifier: {n:090}" for n in range(2000)))
    server.page("foo", server.file(NAME, content))
    assert [str(requirement) for requirement in metadata(catalogue()).requires_dist] == ["bar"]
    assert len(content) > 150_000


def test_of_the_next_release_as_much_is_asked_for_at_once_as_the_last_one_took(server, catalogue, wheel):
    lines = [f"Classifier: {n:090}" for n in range(2000)]
    names = [f"foo-{version}-py3-none-any.whl" for version in ("2.0", "1.0")]
    made = (wheel("foo", name.split("-")[1], "Requires-Dist: bar", *lines, ballast=MIB) for name in names)
    links = (server.file(name, content) for name, content in zip(names, made, strict=True))
    server.page("foo", "".join(links))
    one = catalogue()
    for release in one.releases("foo"):
        assert [str(each) for each in one.metadata("foo", release.files[0]).requires_dist] == ["bar"]
    asked = [path.rpartition("/")[2] for path, _ in server.requests if path.startswith("/files/")]
    assert asked == [names[0], names[0], names[1]]


def test_a_server_without_ranges_gives_the_whole_file(server, catalogue, wheel):
    server.page("foo", server.file(NAME, wheel("foo", "1.0", "Requires-Dist: bar"), ranges=False))
    one = catalogue()
    assert [str(requirement) for requirement in metadata(one).requires_dist] == ["bar"]
    server.requests.clear()
    assert one.local_file(only_file(one)).name == NAME
    assert server.requests == []


@pytest.mark.parametrize("stated", ["true", "hash", "wrong", "gone"])
def test_the_metadata_file_of_the_index(server, catalogue, wheel, stated):
    link = server.file(NAME, wheel("foo", "1.0", "Requires-Dist: from-wheel"))
    content = b"Metadata-Version: 2.1\nName: foo\nVersion: 1.0\nRequires-Dist: from-sidecar\n"
    digest = hashlib.sha256(b"other" if stated == "wrong" else content).hexdigest()
    attribute = "true" if stated in ("true", "gone") else f"sha256={digest}"
    server.page("foo", link.replace("<a ", f'<a data-core-metadata="{attribute}" '))
    if stated != "gone":
        server.file(f"{NAME}.metadata", content)
    if stated == "wrong":
        with pytest.raises(SurroundingsError) as caught:
            metadata(catalogue())
        assert caught.value.code == "hash-mismatch"
    else:
        (requirement,) = metadata(catalogue()).requires_dist
        assert requirement.name == ("from-wheel" if stated == "gone" else "from-sidecar")


@pytest.mark.parametrize(
    ("stated", "told"),
    [("1.0.0", ""), ("2.0", "of version 2.0"), ("1.0+cu1", "1.0+cu1"), ("9" * 5000, "of version 999")],
)
def test_a_wheel_of_another_version_than_its_name_says(server, catalogue, wheel, stated, told):
    """No installer takes it, so that a lock with it would be none."""
    server.page("foo", server.file(NAME, wheel("foo", stated)))
    if not told:
        assert metadata(catalogue()).requires_dist == ()
        return
    with pytest.raises(SurroundingsError) as caught:
        metadata(catalogue())
    assert caught.value.code == "broken-file"
    assert told in caught.value.why


def test_a_login_page_is_no_metadata(server, catalogue, wheel):
    link = server.file(NAME, wheel("foo", "1.0"))
    server.page("foo", link.replace("<a ", '<a data-core-metadata="true" '))
    server.file(f"{NAME}.metadata", b"<html><form action=/login><input></form></html>")
    with pytest.raises(SurroundingsError) as caught:
        metadata(catalogue())
    assert caught.value.code == "index-error"
    assert "login page" in caught.value.why


@pytest.mark.parametrize(
    "foreign", [("a",), [], {"requires_dist": 1}, {"download": ("1",)}, {"path": 1}, "text"]
)
def test_documents_of_another_version_are_as_if_not_there(server, catalogue, cache, wheel, foreign):
    content = wheel("foo", "1.0", "Requires-Dist: bar", record="foo/ballast,,0\n")
    server.page("foo", server.file(NAME, content))
    digest = hashlib.sha256(content).hexdigest()

    def look():
        one = catalogue()
        assert [r.name for r in metadata(one).requires_dist] == ["bar"]
        (found,) = one.installed([only_file(one)])
        assert (found.tops, found.files) == ({"foo"}, {"foo/ballast": ""})
        assert one.summaries([only_file(one)])[0].download == len(content)
        kinds = [path.name for path in cache.root.iterdir()]
        asked = [(kind, key) for kind in kinds for key in (digest, f"{digest} {NAME}")]
        return [(kind, key) for kind, key in asked if cache.read(kind, key)]

    kept = look()
    assert len(kept) >= 3
    for one in kept:
        cache.write(*one, foreign)
    assert sorted(look()) == sorted(kept)


def test_metadata_is_kept_for_ever(server, catalogue, wheel):
    server.page("foo", server.file(NAME, wheel("foo", "1.0", "Requires-Dist: bar")))
    first = metadata(catalogue())
    server.routes.clear()
    assert metadata(catalogue(offline=True)) == first


def test_what_other_rules_decoded_is_decoded_again_from_what_is_kept(server, catalogue, wheel, monkeypatch):
    """As after an update of the library that reads specifiers."""
    server.page("foo", server.file(NAME, wheel("foo", "1.0", "Requires-Dist: bar")))
    with monkeypatch.context() as before:
        before.setattr(kept_metadata, "RULES", "others")
        first = metadata(catalogue())
    server.routes.clear()
    assert metadata(catalogue(offline=True)) == first


def test_who_goes_from_release_to_release_finds_the_next_ones_begun(server, catalogue, wheel):
    names = [f"foo-{n}.0-py3-none-any.whl" for n in range(9, 0, -1)]
    server.page(
        "foo",
        "".join(server.file(name, wheel("foo", name[4:7], f"Requires-Dist: b{name[4]}")) for name in names),
    )
    one = catalogue()
    files = [release.files[0] for release in one.releases("foo")]

    def asked():
        return {path.rpartition("/")[2] for path, _ in server.requests if path.startswith("/files/")}

    one.prefetch_metadata("foo", files[0])
    one.metadata("foo", files[0])
    assert asked() == set(names[:1])
    one.metadata("foo", files[1])
    wait_until(lambda: asked() == set(names[:4]))
    one.metadata("foo", files[2])
    one.metadata("foo", files[3])
    assert asked() == set(names[:4])
    one.metadata("foo", files[4])
    wait_until(lambda: asked() == set(names))
    assert [r.name for r in one.metadata("foo", files[8]).requires_dist] == ["b1"]
    assert len(server.requests) == len(names) + 1


def test_what_is_in_the_cache_begins_nothing(server, catalogue, wheel):
    names = ["foo-2.0-py3-none-any.whl", "foo-1.0-py3-none-any.whl"]
    server.page("foo", "".join(server.file(name, wheel("foo", name[4:7])) for name in names))
    newest = catalogue().releases("foo")[0].files[0]
    first = catalogue()
    first.prefetch_metadata("foo", newest)
    first.metadata("foo", newest)
    again = catalogue()
    again.releases("foo")
    again.metadata("foo", newest)
    again.close()
    assert not any("foo-1.0" in path for path, _ in server.requests)


def test_who_asks_early_is_told_as_soon_as_it_is_there(server, catalogue, wheel):
    server.page("foo", server.file(NAME, wheel("foo", "1.0", "Requires-Dist: bar")))
    told = []

    def ask(one):
        file = one.releases("foo")[0].files[0]
        one.prefetch_metadata("foo", file, lambda metadata: told.append(metadata.requires_dist[0].name))
        one.prefetch_metadata("foo", file, lambda metadata: told.append(metadata.requires_dist[0].name))

    ask(catalogue())
    assert wait_until(lambda: len(told) == 2)
    ask(catalogue())  # it is kept now, and yet the pages that it leads to may be old
    assert told == ["bar"] * 4
    ask(catalogue(offline=True))
    assert len(told) == 4


def test_what_comes_too_late_is_told_to_nobody(server, catalogue, wheel, caplog):
    server.page("foo", server.file(NAME, wheel("foo", "1.0", "Requires-Dist: bar"), pause_s=0.2))
    one = catalogue()
    begun = []

    def begin(_):
        begun.append(1)
        one.prefetch(["bar"])

    one.prefetch_metadata("foo", one.releases("foo")[0].files[0], begin)
    assert wait_until(lambda: any(NAME in path for path, _ in server.requests))
    one.close()
    assert begun == [1]
    assert caplog.records == []
    assert not any("bar" in path for path, _ in server.requests)


def test_metadata_ends_where_the_description_begins(server, catalogue, wheel):
    content = wheel("foo", "1.0", "Requires-Dist: bar", "", "Requires-Dist: of-an-example")
    server.page("foo", server.file(NAME, content))
    assert [r.name for r in metadata(catalogue()).requires_dist] == ["bar"]


def test_offline_names_the_missing_metadata(server, catalogue, wheel):
    server.page("foo", server.file(NAME, wheel("foo", "1.0")))
    catalogue().releases("foo")
    with pytest.raises(SurroundingsError) as caught:
        metadata(catalogue(offline=True))
    assert caught.value.code == "offline-miss"
    assert caught.value.where.endswith(NAME)


def test_a_wheel_that_is_none(server, catalogue):
    server.page("foo", server.file(NAME, b"<html>moved</html>"))
    with pytest.raises(SurroundingsError) as caught:
        metadata(catalogue())
    assert (caught.value.code, caught.value.where) == ("broken-file", NAME)


def test_old_slips_are_mended_and_the_unreadable_left_out_with_a_note(server, catalogue, wheel):
    headers = (
        "Requires-Dist: a (>=1.0.*)",
        "Requires-Dist: b>=1.0<2",
        "Requires-Dist: c (what?)",
        "Requires-Dist: -e .",
    )
    server.page("foo", server.file(NAME, wheel("foo", "1.0", *headers, "Requires-Python: >=2.7.*,")))
    found = metadata(catalogue())
    assert [str(requirement) for requirement in found.requires_dist] == ["a>=1.0", "b<2,>=1.0", "c"]
    assert str(found.requires_python) == ">=2.7"
    assert len(found.notes) == 2
    assert "c (what?)" in found.notes[0]
    assert "-e ." in found.notes[1]


def test_a_file_is_downloaded_once_and_its_progress_told(server, catalogue, cache, wheel):
    content = wheel("foo", "1.0", ballast=MIB)
    server.page("foo", server.file(NAME, content))
    told = []
    one = catalogue()
    file = only_file(one)
    one._files._progress = lambda *step: told.append(step)
    path = one.local_file(file)
    assert path.read_bytes() == content
    assert told[-1] == (NAME, len(content), len(content))
    server.routes.clear()
    assert catalogue(offline=True).local_file(file) == path


def test_a_file_with_another_hash_is_refused_and_not_kept(server, catalogue, cache, wheel):
    server.page("foo", server.file(NAME, wheel("foo", "1.0")))
    server.routes[f"/files/{NAME}"].content = b"altered"
    one = catalogue()
    with pytest.raises(SurroundingsError) as caught:
        one.local_file(only_file(one))
    assert caught.value.code == "hash-mismatch"
    assert hashlib.sha256(b"altered").hexdigest() in caught.value.why
    assert not [path for path in (cache.root / "files").rglob("*") if path.is_file()]


def test_a_download_cut_off_leaves_nothing(server, catalogue, cache, wheel):
    server.page("foo", server.file(NAME, wheel("foo", "1.0", ballast=MIB), cut=True))
    one = catalogue()
    with pytest.raises(SurroundingsError) as caught:
        one.local_file(only_file(one))
    assert caught.value.code == "index-unreachable"
    assert not [path for path in (cache.root / "files").rglob("*") if path.is_file()]


def test_damaged_files_of_the_cache_are_fetched_again(server, catalogue, cache, wheel):
    content = wheel("foo", "1.0", "Requires-Dist: bar")
    server.page("foo", server.file(NAME, content))
    one = catalogue()
    path = one.local_file(only_file(one))
    metadata(one)
    for kept in cache.root.rglob("*"):
        if kept.is_file():
            kept.write_bytes(kept.read_bytes()[:-3])
    again = catalogue()
    assert [str(requirement) for requirement in metadata(catalogue(retries=0)).requires_dist] == ["bar"]
    assert again.local_file(only_file(again)).read_bytes() == content == path.read_bytes()


def test_a_file_without_a_hash_is_kept_by_its_address(server, catalogue, wheel):
    link = server.file(NAME, wheel("foo", "1.0", "Requires-Dist: bar"))
    server.page("foo", link.partition("#")[0] + f'">{NAME}</a>')
    one = catalogue()
    file = only_file(one)
    assert file.sha256 == ""
    path = one.local_file(file)
    assert [str(requirement) for requirement in metadata(one).requires_dist] == ["bar"]
    path.write_bytes(b"damaged")
    assert one.local_file(file).read_bytes() != b"damaged"


def test_many_threads_get_the_same_answer(server, catalogue, wheel):
    server.page("foo", server.file(NAME, wheel("foo", "1.0", "Requires-Dist: bar", ballast=MIB)))
    one = catalogue()
    answers: list[object] = []

    def ask():
        answers.append((metadata(one), one.local_file(only_file(one))))

    threads = [threading.Thread(target=ask) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(answers) == 8
    assert all(answer == answers[0] for answer in answers)
    assert [path for path, _ in server.requests].count("/simple/foo/") == 1
