"""Several places at once: remote and local indexes, folders and pages of links."""

from __future__ import annotations

import hashlib

import pytest

from envlock.model.errors import SurroundingsError

NAME = "foo-1.0-py3-none-any.whl"


@pytest.fixture
def folder(tmp_path, wheel):
    """A folder index and a folder of files, both with the same wheel."""
    content = wheel("foo", "1.0", "Requires-Dist: bar")
    (tmp_path / "links").mkdir()
    (tmp_path / "links" / NAME).write_bytes(content)
    (tmp_path / "simple" / "foo").mkdir(parents=True)
    (tmp_path / "simple" / "foo" / "index.html").write_text(f'<a href="../../links/{NAME}">{NAME}</a>')
    return tmp_path


def files(catalogue, name="foo"):
    return [file for release in catalogue.releases(name) for file in release.files]


def test_one_file_in_three_places_is_one_file_with_the_remote_address(server, catalogue, folder):
    content = (folder / "links" / NAME).read_bytes()
    link = server.file(NAME, content)
    server.page("foo", link.replace("<a ", '<a data-upload-time="2020-01-01T00:00:00Z" '))
    index = (folder / "simple").as_uri()
    one = catalogue(extra_index_urls=(index,), find_links=(str(folder / "links"),))
    (file,) = files(one)
    assert file.url == f"{server.url}/files/{NAME}"
    assert file.upload_time is not None
    assert file.size == len(content)
    server.requests.clear()
    assert one.local_file(file) == folder / "links" / NAME
    assert [str(requirement) for requirement in one.metadata("foo", file).requires_dist] == ["bar"]
    assert server.requests == []


def test_a_main_index_in_a_folder_does_not_hide_the_remote_address(server, catalogue, folder):
    server.page("foo", server.file(NAME, (folder / "links" / NAME).read_bytes()))
    one = catalogue(index_url=(folder / "simple").as_uri(), extra_index_urls=(f"{server.url}/simple",))
    assert [file.url for file in files(one)] == [f"{server.url}/files/{NAME}"]


@pytest.mark.parametrize("as_url", [False, True])
def test_a_file_of_a_links_folder_only_has_its_hash_computed(catalogue, folder, as_url):
    links = folder / "links"
    one = catalogue(index_url="", find_links=(links.as_uri() if as_url else str(links),))
    (file,) = files(one)
    assert file.url == (links / NAME).as_uri()
    assert file.sha256 == hashlib.sha256((links / NAME).read_bytes()).hexdigest()
    assert one.local_file(file) == links / NAME


def test_names_of_a_links_folder_are_told_apart_however_they_are_spelled(catalogue, folder):
    links = folder / "links"
    for name in ("Foo_Bar-1.0.tar.gz", "foo.bar-2.0-py3-none-any.whl", "FOO-bar-3.0.zip", "foobar-4.0.zip"):
        (links / name).write_bytes(b"any")
    one = catalogue(index_url="", find_links=(str(links),))
    found = [file.filename for file in files(one, "foo-bar")]
    assert found == ["FOO-bar-3.0.zip", "foo.bar-2.0-py3-none-any.whl", "Foo_Bar-1.0.tar.gz"]
    assert [file.filename for file in files(one)] == [NAME]


def test_another_file_of_the_same_name_stays_another(server, catalogue, folder, wheel):
    server.page("foo", server.file(NAME, wheel("foo", "1.0")))
    one = catalogue(find_links=(str(folder / "links"),))
    assert [file.url.partition(":")[0] for file in files(one)] == ["http", "file"]


def test_a_changed_local_file_has_another_hash(catalogue, folder):
    path = folder / "links" / NAME
    before = files(catalogue(index_url="", find_links=(str(path),)))[0].sha256
    path.write_bytes(path.read_bytes() + b"more")
    assert files(catalogue(index_url="", find_links=(str(path),)))[0].sha256 != before


def test_pages_of_links(server, catalogue, folder, wheel):
    link = server.file("bar-2.0-py3-none-any.whl", wheel("bar", "2.0"))
    server.page("../links", link)
    server.routes["/links.html"] = server.routes.pop("/simple/../links/")
    page = folder / "page.html"
    page.write_text(f'<a href="links/{NAME}">{NAME}</a><a href="links/gone-1.0.tar.gz">gone</a>')
    one = catalogue(index_url="", find_links=(f"{server.url}/links.html", str(page), str(folder / "absent")))
    assert [file.filename for file in files(one, "bar")] == ["bar-2.0-py3-none-any.whl"]
    assert [file.filename for file in files(one)] == [NAME]
    assert files(one, "gone") == []
    assert [path for path, _ in server.requests].count("/links.html") == 1


def test_a_token_in_the_address_of_links_opens_them(server, catalogue, wheel, cache):
    link = server.file("bar-2.0-py3-none-any.whl", wheel("bar", "2.0"))
    server.page("../links", link)
    server.routes["/links.html?token=secret"] = server.routes.pop("/simple/../links/")
    one = catalogue(index_url="", find_links=(f"{server.url}/links.html?token=secret",))
    assert [file.filename for file in files(one, "bar")] == ["bar-2.0-py3-none-any.whl"]
    assert not any(b"secret" in path.read_bytes() for path in cache.root.rglob("*") if path.is_file())


def test_local_pages_may_lead_elsewhere(server, catalogue, folder, wheel):
    link = server.file("foo-2.0-py3-none-any.whl", wheel("foo", "2.0")).replace('"/', f'"{server.url}/')
    page = folder / "simple" / "foo" / "index.html"
    page.write_text(page.read_text() + link)
    (folder / "page.html").write_text(link)
    index = catalogue(index_url=(folder / "simple").as_uri())
    assert [release.text for release in index.releases("foo")] == ["2.0", "1.0"]
    links = catalogue(index_url="", find_links=(str(folder / "page.html"),))
    assert [file.url for file in files(links)] == [f"{server.url}/files/foo-2.0-py3-none-any.whl"]


def test_an_index_whose_folder_is_gone_is_not_passed_by(catalogue, folder):
    """As one that answers "unauthorised": what is ours would be taken from elsewhere."""
    one = catalogue(index_url=(folder / "simple").as_uri(), extra_index_urls=((folder / "gone").as_uri(),))
    with pytest.raises(SurroundingsError, match="cannot be read"):
        one.releases("foo")


def test_an_index_knows_no_more_than_its_folder(catalogue, folder):
    assert list(catalogue(index_url=(folder / "simple").as_uri()).releases("bar")) == []
