from __future__ import annotations

import os

import pytest
from pip._internal.configuration import Configuration
from pip._internal.models.index import PyPI

from envlock.edges.pip_configuration import configuration_files, read_pip_configuration
from envlock.model.errors import RequestError


@pytest.fixture
def home(tmp_path, monkeypatch):
    """A home and a site of our own, and none of the machine's variables."""
    for name in os.environ:
        if name.startswith(("PIP_", "XDG_")):
            monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("XDG_CONFIG_DIRS", str(tmp_path / "site"))
    monkeypatch.setattr("sys.prefix", str(tmp_path / "prefix"))
    monkeypatch.setenv("PIP_CONFIG_FILE", str(tmp_path / "chosen.conf"))
    return tmp_path


def put(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def test_nothing_configured_is_the_librarys_own_default(home):
    found = read_pip_configuration({"HOME": str(home), "PIP_CONFIG_FILE": os.devnull})
    assert found.index_url == PyPI.simple_url
    assert (found.extra_index_urls, found.find_links, found.cert, found.timeout_s) == ((), (), "", 15.0)


def test_the_files_are_those_of_pip_in_its_order(home):
    pips = [file for _, files in Configuration(isolated=False).iter_config_files() for file in files]
    assert [str(file) for file in configuration_files(os.environ)] == pips


def test_an_index_may_be_a_folder_as_for_pip(home):
    (home / "simple").mkdir()
    found = read_pip_configuration({"HOME": str(home), "PIP_INDEX_URL": f"{home}/simple/"})
    assert found.index_url == (home / "simple").as_uri()


@pytest.mark.parametrize("address", ["mirror.example.org/simple", "ftp://example.org/simple", "/no/folder"])
@pytest.mark.parametrize("option", ["PIP_INDEX_URL", "PIP_EXTRA_INDEX_URL"])
def test_what_is_no_address_of_an_index_is_told(home, option, address):
    with pytest.raises(RequestError, match="not an index's address"):
        read_pip_configuration({"HOME": str(home), option: address})


def test_later_files_and_variables_win(home, monkeypatch):
    put(
        home / "site/pip/pip.conf",
        "[global]\nindex-url = http://site/simple/\nclient-cert = /site.pem\ntimeout = 30\n",
    )
    put(
        home / "home/.config/pip/pip.conf",
        "[global]\nindex_url = http://user/simple\n[install]\nretries = 1\n",
    )
    put(home / "chosen.conf", "[global]\nretries = 7\nextra-index-url =\n    http://a/\n    file:///b\n")
    found = read_pip_configuration()
    assert (found.index_url, found.client_cert, found.timeout_s) == ("http://user/simple", "/site.pem", 30.0)
    assert found.retries == 1, "[install] of any file is above [global] of all, as in pip"
    assert found.extra_index_urls == ("http://a", "file:///b")
    monkeypatch.setenv("PIP_INDEX_URL", "http://variable/simple")
    monkeypatch.setenv("PIP_FIND_LINKS", "/one ./two")
    monkeypatch.setenv("PIP_TRUSTED_HOST", "host:8080")
    monkeypatch.setenv("PIP_EXTRA_INDEX_URL", "")
    found = read_pip_configuration()
    assert found.index_url == "http://variable/simple"
    assert found.find_links == ("/one", "./two")
    assert found.trusted_hosts == ("host:8080",)
    assert found.extra_index_urls == ("http://a", "file:///b")


@pytest.mark.parametrize(
    ("variables", "cert"),
    [
        ({"REQUESTS_CA_BUNDLE": "/site.pem", "CURL_CA_BUNDLE": "/curl.pem"}, "/site.pem"),
        ({"REQUESTS_CA_BUNDLE": "", "CURL_CA_BUNDLE": "/curl.pem"}, "/curl.pem"),
        ({"REQUESTS_CA_BUNDLE": "/site.pem", "PIP_CERT": "/own.pem"}, "/own.pem"),
    ],
)
def test_certificates_are_those_that_pip_would_trust(home, variables, cert):
    found = read_pip_configuration({"HOME": str(home), "PIP_CONFIG_FILE": os.devnull, **variables})
    assert found.cert == cert


def test_no_index(home):
    environment = {
        "HOME": str(home),
        "PIP_NO_INDEX": "1",
        "PIP_EXTRA_INDEX_URL": "http://a",
        "PIP_FIND_LINKS": "/l",
    }
    found = read_pip_configuration(environment | {"PIP_CONFIG_FILE": os.devnull})
    assert (found.index_url, found.extra_index_urls, found.find_links) == ("", (), ("/l",))


NO_NUMBERS = ("timeout = soon", "timeout = inf", "timeout = nan", "retries = -1")


@pytest.mark.parametrize("text", ["no section", *(f"[global]\n{option}\n" for option in NO_NUMBERS)])
def test_what_cannot_be_read(home, text):
    put(home / "chosen.conf", text)
    with pytest.raises(RequestError) as caught:
        read_pip_configuration()
    assert caught.value.code == "invalid-pip-configuration"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("htps://me:s3cret@host/simple", "htps://host/simple"),
        ("https://me:s3cret@host:99999/simple", "https://host:99999/simple"),
        ("https://me:s3/cret@host/simple", "...@host/simple"),
        ("https:/me:s3cret@host/simple", "...@host/simple"),
        ("me:s3cret@host/simple", "...@host/simple"),
        ("hst/simple?token=s3cret", "hst/simple"),
    ],
)
def test_what_is_no_address_is_told_without_its_password(home, monkeypatch, text, shown):
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    for option in ("INDEX_URL", "EXTRA_INDEX_URL"):
        with monkeypatch.context() as set_once:
            set_once.setenv(f"PIP_{option}", text)
            with pytest.raises(RequestError) as caught:
                read_pip_configuration()
        assert repr(shown) in caught.value.message
        assert "cret" not in f"{caught.value} {caught.value.hint}"


def test_a_page_of_links_is_an_address_as_well(home, monkeypatch):
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    monkeypatch.setenv("PIP_FIND_LINKS", "./wheels https://me:s3/cret@host/links")
    with pytest.raises(RequestError, match=r"find-links.*[.]{3}@host/links") as caught:
        read_pip_configuration()
    assert "cret" not in str(caught.value)
