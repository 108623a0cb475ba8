"""Pages over HTTP: forms, freshness, failures."""

from __future__ import annotations

import datetime as dt
import json
import time

import pytest
from packaging.version import Version

from envlock.edges.index.credentials import IndexAuth
from envlock.edges.index.json_page import read_json_index
from envlock.edges.index.page_rows import Row
from envlock.edges.index.pages import PAGES, STATES
from envlock.model.errors import SurroundingsError
from tests.patience import wait_until
from tests.unit.edges.index.conftest import Route

LINK = '<a href="/files/foo-{0}-py3-none-any.whl#sha256={1}">foo-{0}-py3-none-any.whl</a>'
WHEEL = LINK.format("1.0", "a" * 64)


def versions(catalogue, name="foo"):
    return [str(release.version) for release in catalogue.releases(name)]


def error_of(catalogue, name="foo"):
    with pytest.raises(SurroundingsError) as caught:
        catalogue.releases(name)
    return caught.value


def test_html_attributes_are_read(server, catalogue):
    server.page(
        "foo",
        '<a href="../../files/foo-1.0-2x-cp37-cp37m-manylinux1_x86_64.manylinux2010_x86_64.whl'
        f'#sha256={"ABCD" * 16}"'
        ' data-requires-python="&gt;=3.6" data-upload-time="2020-01-02T03:04:05.123456Z"'
        ' data-yanked="broken" data-dist-info-metadata="sha256=ef">foo</a>',
    )
    (release,) = catalogue().releases("Foo")
    (file,) = release.files
    assert file.url == f"{server.url}/files/foo-1.0-2x-cp37-cp37m-manylinux1_x86_64.manylinux2010_x86_64.whl"
    assert (file.sha256, file.requires_python, file.yanked, file.build) == (
        "abcd" * 16,
        ">=3.6",
        "broken",
        (2, "x"),
    )
    assert file.upload_time == dt.datetime(2020, 1, 2, 3, 4, 5, 123456, tzinfo=dt.UTC)
    assert {str(tag) for tag in file.tags} == {
        "cp37-cp37m-manylinux1_x86_64",
        "cp37-cp37m-manylinux2010_x86_64",
    }


@pytest.mark.parametrize(
    ("fragment", "sha256"),
    [
        (f"#egg=foo&amp;sha256={'ABCD' * 16}", "abcd" * 16),
        (f"#sha256={'ABCD' * 16}&amp;egg=foo", "abcd" * 16),
        ("#md5=abcd", ""),
        ("#subdirectory=sha256", ""),
        ("", ""),
    ],
)
def test_the_hash_is_read_wherever_it_stands_in_a_link(server, catalogue, fragment: str, sha256: str):
    server.page("foo", f'<a href="/files/foo-1.0-py3-none-any.whl{fragment}">foo</a>')
    ((file,),) = [release.files for release in catalogue().releases("foo")]
    assert file.sha256 == sha256


def test_json_says_the_same_and_more(server, catalogue):
    file = {
        "filename": "foo-1.0.tar.gz",
        "url": "../../files/foo-1.0.tar.gz",
        "hashes": {"sha256": "AB" * 32},
        "requires-python": ">=3.6",
        "size": 12,
        "upload-time": "2020-01-02T03:04:05Z",
        "yanked": True,
    }
    wheel = {"filename": "foo-1.0-py3-none-any.whl", "url": "w.whl", "hashes": {}, "yanked": False}
    document = {"meta": {"api-version": "1.1"}, "name": "foo", "files": [file, wheel]}
    server.page("foo", json.dumps(document), kind="application/vnd.pypi.simple.v1+json")
    (release,) = catalogue().releases("foo")
    first, second = release.files
    assert (first.filename, first.url, first.yanked) == (
        "foo-1.0-py3-none-any.whl",
        f"{server.url}/simple/foo/w.whl",
        None,
    )
    assert (second.url, second.sha256, second.size, second.yanked) == (
        f"{server.url}/files/foo-1.0.tar.gz",
        "ab" * 32,
        12,
        "",
    )
    assert second.upload_time == dt.datetime(2020, 1, 2, 3, 4, 5, tzinfo=dt.UTC)


def test_a_hash_that_is_none_leads_to_no_other_place(server, catalogue, tmp_path):
    server.file("foo-1.0.tar.gz", b"\x1f\x8b of foo")
    json_page(
        server, ONE | {"url": "/files/foo-1.0.tar.gz", "hashes": {"sha256": "../" * 9 + str(tmp_path)[1:]}}
    )
    one = catalogue()
    (release,) = one.releases("foo")
    (file,) = release.files
    assert file.sha256 == ""
    place = one.local_file(file)
    assert place.read_bytes() == b"\x1f\x8b of foo"
    assert not (tmp_path / place.name).exists()


ONE = {"filename": "foo-1.0.tar.gz", "url": "foo-1.0.tar.gz", "hashes": {}}
TWO = {"filename": "foo-2.0.tar.gz", "url": "foo-2.0.tar.gz", "hashes": {}}


def json_page(server, *files, version="1.1"):
    document = {"meta": {"api-version": version}, "name": "foo", "files": list(files)}
    server.page("foo", json.dumps(document), kind="application/vnd.pypi.simple.v1+json")


def test_what_an_index_leaves_empty_may_be_null(server, catalogue):
    empty = dict.fromkeys(("size", "requires-python", "upload-time", "yanked", "core-metadata"))
    json_page(server, ONE | empty)
    (release,) = catalogue().releases("foo")
    (file,) = release.files
    assert (file.size, file.requires_python, file.upload_time, file.yanked) == (0, "", None, None)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        *(("hashes", None), ("hashes", ["sha256"]), ("hashes", {"sha256": 1}), ("size", "large")),
        *(("requires-python", 3), ("upload-time", 0), ("core-metadata", ["sha256"])),
    ],
)
def test_a_field_of_another_type_costs_that_field(server, catalogue, field, value):
    json_page(server, ONE | {"requires-python": ">=3.6", "size": 7, field: value}, TWO)
    newer, older = catalogue().releases("foo")
    (file,) = older.files
    assert (newer.text, older.text) == ("2.0", "1.0")
    assert file.size == (0 if field == "size" else 7)
    assert file.requires_python == ("" if field == "requires-python" else ">=3.6")


@pytest.mark.parametrize(
    "odd", [ONE | {"filename": None}, ONE | {"url": 1}, ONE | {"yanked": {}}, "foo", None]
)
def test_a_file_that_cannot_be_read_costs_that_file(server, catalogue, odd):
    json_page(server, odd, TWO)
    assert versions(catalogue()) == ["2.0"]


def test_a_page_of_which_nothing_can_be_read_is_no_listing(server, catalogue):
    json_page(server, ONE | {"url": 1}, ONE | {"yanked": {}})
    error = error_of(catalogue())
    assert error.code == "index-error"
    assert "$.files" in error.why


def test_another_version_of_the_api_is_named_whatever_its_files_look_like(server, catalogue):
    json_page(server, {"name": "foo-1.0.tar.gz"}, version="2.0")
    assert error_of(catalogue()).why == "it speaks version 2.0 of the simple API"


@pytest.mark.parametrize(
    ("fields", "asked"),
    [
        ({"core-metadata": {"sha256": "AB"}, "dist-info-metadata": False}, "ab"),
        ({"core-metadata": False, "dist-info-metadata": {"sha256": "ab"}}, None),
        ({"data-dist-info-metadata": True}, ""),
        ({"dist-info-metadata": {"md5": "ab"}}, ""),
        ({}, None),
    ],
)
def test_the_newer_name_of_the_metadata_file_counts(fields, asked):
    document = {"meta": {"api-version": "1.0"}, "files": [ONE | fields]}
    (row,) = read_json_index(json.dumps(document).encode(), "https://example.org/foo/").rows
    assert Row._make(row).sidecar == asked


@pytest.mark.parametrize(
    ("told", "status"),
    [
        ({"status": "archived", "reason": "use bar"}, ("archived", "use bar")),
        ({"status": "deprecated"}, ("deprecated", "")),
        ({"status": "active"}, ("", "")),
        ({"status": "of tomorrow", "reason": None}, ("of tomorrow", "")),
        ("archived", ("", "")),
        (None, ("", "")),
    ],
)
def test_the_status_of_a_project(server, catalogue, told, status):
    """PEP 792, in JSON and in HTML, and as the cache has it."""
    document = {"meta": {"api-version": "1.4"}, "files": [ONE], "project-status": told}
    server.page("foo", json.dumps(document), kind="application/vnd.pypi.simple.v1+json")
    word, reason = status
    meta = f'<meta name="pypi:project-status" content="{word}">' * bool(word)
    meta += f'<meta name="pypi:project-status-reason" content="{reason}">' * bool(reason)
    server.page("bar", f"<html><head>{meta}</head><body><a href=bar-1.0.tar.gz>x</a></body></html>")
    for name in ("foo", "bar", "foo", "bar"):
        found = catalogue().releases(name)
        assert (found.status, found.texts) == (status, ["1.0"])


def test_nothing_of_a_quarantined_project_is_taken(server, catalogue):
    """Whatever a mirror still lists; what another place has under that name is another project."""
    document = {"meta": {"api-version": "1.4"}, "files": [ONE], "project-status": {"status": "quarantined"}}
    server.page("foo", json.dumps(document), kind="application/vnd.pypi.simple.v1+json")
    found = catalogue().releases("foo")
    assert (found.status.quarantined, len(found)) == (True, 0)
    server.routes["/private/foo/"] = Route(content=b"<a href=foo-2.0.tar.gz>x</a>")
    found = catalogue(extra_index_urls=(f"{server.url}/private",)).releases("foo")
    assert (found.status, list(found.texts)) == (("", ""), ["2.0"])


def test_releases_are_newest_first_and_unreadable_names_left_out(server, catalogue):
    names = [
        "foo-1.9.tar.gz",
        "foo-1.10.tar.gz",
        "foo-1.0.win32-py2.4.exe",
        "foo-1.x.tar.gz",
        "bar-2.0.tar.gz",
    ]
    names += ["foo-2.0rc1-py3-none-any.whl", "foo-2.0-py3-none.whl", "foo-1.10.0-py3-none-any.whl"]
    server.page("foo", "".join(f'<a href="/files/{name}">{name}</a>' for name in names))
    releases = catalogue().releases("foo")
    assert [release.version for release in releases] == [Version("2.0rc1"), Version("1.10"), Version("1.9")]
    assert [file.filename for file in releases[1].files] == ["foo-1.10.0-py3-none-any.whl", "foo-1.10.tar.gz"]


def test_an_unknown_distribution_has_no_releases_even_offline_later(server, catalogue):
    assert not catalogue().releases("foo")
    assert not catalogue(offline=True).releases("foo")


def test_a_page_from_a_clock_that_ran_ahead_is_asked_for_again(server, catalogue, monkeypatch):
    server.page("foo", WHEEL)
    real = time.time
    with monkeypatch.context() as ahead:
        ahead.setattr(time, "time", lambda: real() + 10 * 365 * 86400)
        versions(catalogue())
    server.requests.clear()
    assert versions(catalogue()) == ["1.0"]
    assert len(server.requests) == 1


def test_a_fresh_page_is_not_asked_for_again(server, catalogue):
    server.page("foo", WHEEL)
    assert versions(catalogue()) == versions(catalogue()) == ["1.0"]
    assert len(server.requests) == 1


def test_a_stale_page_is_revalidated_by_its_etag(server, catalogue):
    route = server.page("foo", WHEEL, headers={"ETag": '"one"', "Cache-Control": "max-age=0"})
    assert versions(catalogue()) == ["1.0"]
    route.content = b"never sent: the server says 304"
    assert versions(catalogue()) == ["1.0"]
    route.content, route.headers["ETag"] = LINK.format("2.0", "b" * 64).encode(), '"two"'
    assert versions(catalogue()) == ["2.0"]
    assert len(server.requests) == 3


def test_no_store_is_obeyed(server, catalogue):
    server.page("foo", WHEEL, headers={"Cache-Control": "no-store"})
    assert versions(catalogue()) == ["1.0"]
    assert error_of(catalogue(offline=True)).code == "offline-miss"


def test_offline_takes_a_page_of_any_age_and_names_a_missing_one(server, catalogue):
    server.page("foo", WHEEL, headers={"Cache-Control": "no-cache"})
    versions(catalogue())
    server.requests.clear()
    assert versions(catalogue(offline=True)) == ["1.0"]
    error = error_of(catalogue(offline=True), "bar")
    assert (error.code, error.where) == ("offline-miss", f"{server.url}/simple/bar/")
    assert "--offline" in error.hint
    assert server.requests == []


def test_passing_failures_are_repeated(server, catalogue):
    server.page("foo", WHEEL, failures=2)
    assert versions(catalogue()) == ["1.0"]
    assert len(server.requests) == 3


def test_lasting_failures_are_an_error_and_not_kept(server, catalogue):
    route = server.page("foo", WHEEL, failures=100)
    error = error_of(catalogue())
    assert (error.code, error.status) == ("index-error", 3)
    assert "503" in error.message
    route.failures = 0
    assert versions(catalogue()) == ["1.0"]


def test_no_server_at_all(catalogue):
    error = error_of(catalogue(index_url="http://127.0.0.1:9/simple"))
    assert error.code == "index-unreachable"
    assert "127.0.0.1" in error.message


def test_an_answer_cut_off_on_the_way(server, catalogue):
    server.page("foo", WHEEL, cut=True)
    assert error_of(catalogue()).code == "index-unreachable"


@pytest.mark.parametrize(
    ("content", "why"),
    [
        ("<html><body><form action='/login'><input type=password></form></body></html>", "login page"),
        (
            "<form action='/in'><input></form><a href='/forgotten'>?</a><a href='/help.html'>help</a>",
            "login page",
        ),
        (f"<!DOCTYPE html><html><body>{WHEEL}<br/>\n<a hr", "cut off"),
        (
            f'<html><head><meta name="pypi:repository-version" content="2.0"></head>{WHEEL}</html>',
            "version 2.0",
        ),
    ],
)
def test_html_that_is_no_listing(server, catalogue, content, why):
    server.page("foo", content)
    error = error_of(catalogue())
    assert error.code == "index-error"
    assert why in error.why


@pytest.mark.parametrize(
    "content", ['{"meta": {"api-version": "1.0"}, "fil', "[]", '{"meta": {"api-version": "2.0"}}']
)
def test_json_that_is_no_listing(server, catalogue, content):
    server.page("foo", content, kind="application/json")
    assert error_of(catalogue()).code == "index-error"


def test_forbidden_means_absent_for_a_further_index_only(server, catalogue):
    server.page("foo", "", status=403)
    assert "403" in error_of(catalogue()).message
    server.routes["/more/foo/"] = server.page("foo", WHEEL)
    server.page("foo", "", status=403)
    further = catalogue(index_url=f"{server.url}/more", extra_index_urls=(f"{server.url}/simple",))
    assert versions(further) == ["1.0"]


def test_credentials_open_the_index_and_stay_out_of_everything(server, catalogue, cache):
    server.page("foo", WHEEL, password="Basic bWU6cEBzcw==")
    assert "~/.netrc" in error_of(catalogue()).hint
    url = server.url.replace("http://", "http://me:p%40ss@")
    (release,) = catalogue(index_url=f"{url}/simple").releases("foo")
    assert release.files[0].url == f"{server.url}/files/foo-1.0-py3-none-any.whl"
    kept = [path.read_bytes() for path in cache.root.rglob("*") if path.is_file()]
    assert kept
    assert not any(b"p%40ss" in content or b"p@ss" in content for content in kept)


def test_credentials_from_netrc(server, catalogue, monkeypatch, tmp_path):
    file = tmp_path / "netrc"
    file.write_text("machine 127.0.0.1 login me password p@ss\n")
    file.chmod(0o600)
    server.page("foo", WHEEL, password="Basic bWU6cEBzcw==")
    made = catalogue
    monkeypatch.setenv("NETRC", str(file))
    assert versions(made()) == ["1.0"]


def test_prefetch_asks_once_and_its_errors_come_when_asked(server, catalogue):
    server.page("foo", WHEEL)
    server.page("bad", "", status=500)
    one = catalogue(retries=0)
    one.prefetch(["foo", "bad", "foo"])
    assert versions(one) == ["1.0"]
    assert error_of(one, "bad").code == "index-error"
    assert sorted(path for path, _ in server.requests) == ["/simple/bad/", "/simple/foo/"]


def test_asking_again_rewrites_the_state_and_not_the_files(server, catalogue, cache):
    server.page("foo", WHEEL, headers={"ETag": '"1"', "Cache-Control": "max-age=0"})
    assert versions(catalogue()) == ["1.0"]
    (pages,) = (path for path in (cache.root / PAGES).rglob("*") if path.is_file())
    before = pages.stat().st_mtime_ns
    assert versions(catalogue()) == ["1.0"]
    assert pages.stat().st_mtime_ns == before
    assert len(server.requests) == 2


def test_files_and_state_of_two_writers_are_no_page(server, catalogue, cache):
    server.page("foo", WHEEL, headers={"ETag": '"1"'})
    assert versions(catalogue()) == ["1.0"]
    key = f"{server.url}/simple/foo/"
    cache.write(PAGES, key, ("of another answer", []))
    assert versions(catalogue()) == ["1.0"]
    assert len(server.requests) == 2


@pytest.mark.parametrize("kind", [PAGES, STATES])
@pytest.mark.parametrize(
    "foreign", [{"rows": []}, ("digest", {}), ("digest", [{"filename": 1}]), [1, 2], "text", 7]
)
def test_what_another_version_kept_is_as_if_it_were_not_there(server, catalogue, cache, kind, foreign):
    server.page("foo", WHEEL)
    assert versions(catalogue()) == ["1.0"]
    if isinstance(foreign, tuple):  # of the right state, and yet of another form
        foreign = (cache.read(STATES, f"{server.url}/simple/foo/")[3], foreign[1])
    cache.write(kind, f"{server.url}/simple/foo/", foreign)
    assert versions(catalogue()) == ["1.0"]
    assert len(server.requests) == 2


def test_a_slow_index_is_waited_for_and_a_silent_one_is_not(server, catalogue):
    server.page("foo", WHEEL, pause_s=0.3)
    assert versions(catalogue()) == ["1.0"]
    server.page("bar", WHEEL, pause_s=60.0)
    error = error_of(catalogue(timeout_s=0.2, retries=1), "bar")
    assert (error.code, error.status) == ("index-unreachable", 3)
    assert "Timeout" in error.why
    assert wait_until(lambda: len(server.requests) == 3)  # the server may come to the last one later
    assert [path for path, _ in server.requests] == ["/simple/foo/", "/simple/bar/", "/simple/bar/"]


def test_a_fresh_page_is_read_without_another_thread(server, catalogue, monkeypatch):
    server.page("foo", WHEEL)
    assert versions(catalogue()) == ["1.0"]
    with catalogue() as again:
        monkeypatch.setattr(again, "_pool", None)
        again.prefetch(["foo"])
        assert versions(again) == ["1.0"]
        monkeypatch.undo()


def test_a_version_that_keeps_pages_in_another_form_leaves_ours_alone(
    server, catalogue, monkeypatch: pytest.MonkeyPatch
):
    route = server.page("foo", WHEEL, headers={"Cache-Control": "max-age=0"})
    assert versions(catalogue()) == ["1.0"]
    with monkeypatch.context() as other:
        for name in ("PAGES", "STATES"):
            other.setattr(f"envlock.edges.index.pages.{name}", f"{name.lower()}-of-another")
        route.content = route.content.replace(b"1.0", b"2.0")
        assert versions(catalogue()) == ["2.0"]
    assert versions(catalogue(offline=True)) == ["1.0"]


def test_a_netrc_that_is_no_utf8_is_as_none(tmp_path):
    file = tmp_path / "netrc"
    file.write_bytes("machine example.org login me password Größe\n".encode("latin-1"))
    assert IndexAuth((), file).header("https://example.org/simple/") is None
