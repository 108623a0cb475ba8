"""What passes the door to the network: redirects, credentials, certificates, and who may interrupt."""

from __future__ import annotations

import datetime as dt
import os
import signal
import socket
import ssl
import subprocess
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import SimpleNamespace
from urllib.parse import quote, unquote

import pytest
import trustme

from envlock.edges.index.http import Http
from envlock.edges.index.refusals import unreachable
from envlock.edges.pip_configuration import IndexConfiguration, proxy_for
from envlock.model.errors import SurroundingsError
from tests.conftest import LeftTheMachineError
from tests.patience import PATIENCE_S
from tests.unit.edges.index.conftest import Route, serving

BROKEN = b"-----BEGIN CERTIFICATE-----\nZm9v\n-----END CERTIFICATE-----\n"


@pytest.fixture
def http(monkeypatch):
    monkeypatch.setenv("NETRC", "/dev/null")
    made = []

    def make(index_url="", backoff_s=0.0, **options):
        settings = {"index_url": index_url, "retries": 1, "timeout_s": PATIENCE_S} | options
        made.append(Http(IndexConfiguration(**settings), offline=False, backoff_s=backoff_s))
        return made[-1]

    yield make
    for each in made:
        each.close()


@pytest.fixture
def other():
    """A second host: the same loopback by another port."""
    with serving() as started:
        yield started


def refused(call, *arguments):
    with pytest.raises(SurroundingsError) as caught:
        call(*arguments)
    return caught.value


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_links_are_relative_to_where_redirects_led(server, http, status):
    server.routes["/old/"] = Route(content=b"", status=status, headers={"Location": "../new/?a=1"})
    server.routes["/new/?a=1"] = Route(content=b"here")
    answer = http().get(f"{server.url}/old/")
    assert (answer.status, answer.content, answer.url) == (200, b"here", f"{server.url}/new/?a=1")


@pytest.mark.parametrize("told", ["7", "Wed, 21 Oct 2026 07:28:07 GMT"])
def test_who_is_asked_to_come_back_later_does(server, http, monkeypatch, told):
    monkeypatch.setattr(time, "time", lambda: dt.datetime(2026, 10, 21, 7, 28, tzinfo=dt.UTC).timestamp())
    waited = []  # here alone: the heartbeat that an earlier test left in this process sleeps as well
    monkeypatch.setattr("envlock.edges.index.http.time", SimpleNamespace(sleep=waited.append))
    server.routes["/a/"] = Route(content=b"here", failures=1, headers={"Retry-After": told})
    assert http().get(f"{server.url}/a/").content == b"here"
    assert sum(waited) == 7.0


def test_pauses_grow_but_not_for_ever(server, http, monkeypatch):
    waited = []
    monkeypatch.setattr("envlock.edges.index.http.time", SimpleNamespace(sleep=waited.append))
    server.routes["/a/"] = Route(content=b"here", failures=6)
    assert http(retries=6, backoff_s=8.0).get(f"{server.url}/a/").content == b"here"
    assert waited == [8.0, 16.0, 32.0, 64.0, 120.0, 120.0]


def test_who_is_asked_to_come_back_much_later_is_told(server, http):
    server.routes["/a/"] = Route(content=b"", status=429, headers={"Retry-After": "900"})
    error = refused(http().get, f"{server.url}/a/")
    assert (error.code, error.why) == ("index-error", "it asks to come back after 900 s")
    assert len(server.requests) == 1


def test_who_waits_in_vain_is_told_how_to_wait_longer(server, http):
    server.routes["/a/"] = Route(content=b"", pause_s=1.0)
    error = refused(http(timeout_s=0.2, retries=0).get, f"{server.url}/a/")
    assert error.code == "index-unreachable"
    assert "PIP_TIMEOUT" in error.hint


def test_redirects_without_end(server, http):
    server.routes["/a/"] = Route(content=b"", status=302, headers={"Location": "/a/"})
    error = refused(http().get, f"{server.url}/a/")
    assert error.code == "index-error"
    assert "redirects" in error.message
    assert len(server.requests) == 31


def test_a_host_gets_no_credentials_of_another(server, other, http):
    server.routes["/a/"] = Route(
        content=b"", status=302, headers={"Location": f"{other.url}/b/"}, password="Basic bWU6eA=="
    )
    other.routes["/b/"] = Route(content=b"no secret")
    seen = []
    answer = other.answer
    other.answer = lambda handler: (seen.append(handler.headers.get("Authorization")), answer(handler))
    url = server.url.replace("http://", "http://me:x@")
    assert http(url).get(f"{server.url}/a/").content == b"no secret"
    assert seen == [None]


def test_a_host_gets_its_own_credentials_after_a_redirect(server, other, http):
    server.routes["/a/"] = Route(content=b"", status=302, headers={"Location": f"{other.url}/b/"})
    other.routes["/b/"] = Route(content=b"secret", password="Basic bWU6eA==")
    url = other.url.replace("http://", "http://me:x@")
    assert http(url).get(f"{server.url}/a/").content == b"secret"


def test_a_part_a_whole_and_none(server, http):
    server.routes["/f"] = Route(content=b"0123456789")
    server.routes["/g"] = Route(content=b"0123456789", ranges=False)
    server.routes["/h"] = Route(content=b"", status=404, ranges=False)
    one = http()
    part = one.get_part(f"{server.url}/f", "-4")
    assert (part.start, part.total, part.content) == (6, 10, b"6789")
    assert one.get_part(f"{server.url}/g", "0-3") is None
    assert refused(one.get_part, f"{server.url}/h", "0-3").code == "file-gone"
    assert one.received == 4


@pytest.mark.parametrize("url", ["no-url", "ftp://127.0.0.1/simple/"])
def test_what_is_no_address(http, url):
    assert refused(http().get, url).code == "index-unreachable"


def test_tests_do_not_leave_the_machine(http):
    """Neither this client nor Python's sockets: 192.0.2.1 is nobody's (RFC 5737)."""
    for host in ("192.0.2.1", "index.example"):
        with pytest.raises(LeftTheMachineError):
            http().get(f"http://{host}/simple/")
    with socket.socket() as one, pytest.raises(LeftTheMachineError):
        one.connect(("192.0.2.1", 80))


def test_who_interrupts_does_not_wait_for_a_silent_server(server, http):
    server.routes["/slow/"] = Route(content=b"", pause_s=PATIENCE_S)
    one = http()
    before = time.monotonic()
    threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()
    with pytest.raises(KeyboardInterrupt):
        one.get(f"{server.url}/slow/")
    assert time.monotonic() - before < PATIENCE_S / 2


@pytest.fixture
def authority():
    return trustme.CA()


@pytest.fixture
def proven(authority):
    """A server that proves by the authority who it is, and wants to know who asks where that is told."""
    made = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            location = unquote(self.path[1:])
            self.send_response(302 if location else 200)
            self.send_header("Location", location)
            self.send_header("Content-Length", "2")
            self.end_headers()
            self.wfile.write(b"ok")

        def log_message(self, *args):
            pass

    def make(*, asks_who=False):
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        authority.issue_cert("localhost").configure_cert(context)
        if asks_who:
            context.verify_mode = ssl.CERT_REQUIRED
            authority.configure_trust(context)
        served = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        served.socket = context.wrap_socket(served.socket, server_side=True)
        served.handle_error = lambda *_: None
        thread = threading.Thread(target=served.serve_forever, args=(0.01,))
        thread.start()
        made.append((served, thread))
        return f"https://localhost:{served.server_port}/"

    yield make
    for served, thread in made:
        served.shutdown()
        thread.join()
        served.server_close()


def test_a_certificate_of_an_unknown_authority(proven, http):
    error = refused(http(retries=0).get, proven())
    assert error.code == "index-unreachable"
    assert error.message == "localhost cannot prove its identity"
    assert "certificate" in error.why
    assert "for this machine it is 20" in error.hint


def test_a_certificate_that_has_expired_is_told_with_days():
    said = "certificate expired: verification time 1796001129 (UNIX), but certificate is not valid after "
    error = unreachable("https://index.example/", ValueError(f"{said}1577836800 (218164329 seconds ago)"))
    days = "certificate expired: verification time 2026-11-30, but certificate is not valid after 2020-01-01"
    assert error.why == days


@pytest.mark.parametrize(
    ("variables", "configured", "told"),
    [
        ({}, "", ""),
        ({"HTTPS_PROXY": "http://me:x@proxy:1"}, "", "proxy http://proxy:1"),
        ({"https_proxy": "http://proxy:1", "no_proxy": "local, .index.example"}, "", ""),
        ({"https_proxy": "http://proxy:1", "NO_PROXY": "dex.example"}, "", "proxy http://proxy:1"),
        ({"HTTP_PROXY": "http://proxy:1"}, "", ""),
        ({"all_proxy": "socks5://proxy:1"}, "", "proxy socks5://proxy:1"),
        ({"NO_PROXY": "*"}, "http://ours:1", "proxy http://ours:1"),
    ],
)
def test_the_proxy_that_was_asked_is_named(monkeypatch, variables, configured, told):
    for name in ("HTTPS_PROXY", "HTTP_PROXY", "ALL_PROXY", "NO_PROXY"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.lower(), raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    url = "https://index.example/simple/"
    why = unreachable(url, OSError("refused"), proxy_for(url, configured)).why
    assert why == (f"OSError: refused, asked through the {told}" if told else "OSError: refused")


def test_an_authority_of_the_configuration(proven, authority, http, tmp_path):
    authority.cert_pem.write_to_path(str(tmp_path / "ca.pem"))
    other = trustme.CA().cert_pem.bytes()
    bundle = tmp_path / "bundle.pem"  # the second of two, and a remark before each
    bundle.write_bytes(b"# one\n" + other + b"# two\n" + authority.cert_pem.bytes())
    assert http(cert=str(tmp_path / "ca.pem")).get(proven()).content == b"ok"
    assert http(cert=str(bundle)).get(proven()).content == b"ok"
    folder = tmp_path / "certs"
    (folder / "more").mkdir(parents=True)
    (folder / "README").write_text("no certificate\n")
    bundle.rename(folder / "1f2e3d4c.0")
    assert http(cert=str(folder)).get(proven()).content == b"ok"


def test_credentials_are_not_sent_where_a_redirect_leaves_tls(
    server, proven, authority, http, tmp_path, monkeypatch
):
    authority.cert_pem.write_to_path(str(tmp_path / "ca.pem"))
    netrc = tmp_path / "netrc"
    netrc.write_text("machine localhost login me password x\n")
    netrc.chmod(0o600)
    monkeypatch.setenv("NETRC", str(netrc))
    server.routes["/a/"] = Route(content=b"secret", password="Basic bWU6eA==")
    plain = f"http://localhost:{server.http.server_port}/a/"
    one = http(cert=str(tmp_path / "ca.pem"))
    assert one.get(plain).content == b"secret"  # asked for as such, it is sent
    assert one.get(proven() + quote(plain, safe="")).status == 401


def test_a_trusted_host_need_not_prove_itself(proven, http):
    url = proven()
    assert http(trusted_hosts=("localhost",)).get(url).content == b"ok"
    assert http(trusted_hosts=(url.split("/")[2],)).get(url).content == b"ok"
    assert refused(http(trusted_hosts=("localhost:1",), retries=0).get, url).code == "index-unreachable"


def test_a_certificate_of_the_client(proven, authority, http, tmp_path):
    url = proven(asks_who=True)
    authority.cert_pem.write_to_path(str(tmp_path / "ca.pem"))
    authority.issue_cert("me@example.org").private_key_and_cert_chain_pem.write_to_path(
        str(tmp_path / "me.pem")
    )
    both = {"cert": str(tmp_path / "ca.pem"), "client_cert": str(tmp_path / "me.pem")}
    assert http(**both).get(url).content == b"ok"
    assert refused(http(cert=both["cert"], retries=0).get, url).code == "index-unreachable"


@pytest.mark.parametrize("option", ["cert", "client_cert"])
@pytest.mark.parametrize(
    "content",
    [None, b"", b"no certificate", b"-----BEGIN CERTIFICATE-----\nZm9v\n-----END CERTIFICATE-----\n"],
)
def test_a_certificate_file_that_cannot_be_used(server, http, tmp_path, option, content):
    file = tmp_path / "some.pem"
    if content is not None:
        file.write_bytes(content)
    error = refused(http(**{option: str(file)}).get, f"{server.url}/a/")
    assert (error.code, error.status, error.where) == ("certificate-unreadable", 3, str(file))
    assert error.why
    assert server.requests == []


@pytest.mark.parametrize(
    ("proxy", "where"),
    [("not a proxy", "not a proxy"), ("me:s3/cret@not a proxy", "...@not a proxy")],
)
def test_a_proxy_whose_address_cannot_be_read(server, http, proxy, where):
    error = refused(http(proxy=proxy).get, f"{server.url}/a/")
    assert (error.code, error.status, error.where) == ("invalid-proxy", 3, where)
    assert "s3" not in error.why
    assert server.requests == []


def test_a_proxy_is_asked_in_place_of_the_index(server, http):
    server.routes["http://127.0.0.1:1/a/"] = Route(content=b"through it")
    assert http(proxy=server.url).get("http://127.0.0.1:1/a/").content == b"through it"


def test_the_thread_that_asked_first_may_end(server):
    """In a process of its own, for what went wrong was a crash, by which thread had loaded the library."""
    server.routes["/a/"] = Route(content=b"here")
    program = f"""
import threading
from envlock.edges.index.http import Http
from envlock.edges.index.refusals import unreachable
from envlock.edges.pip_configuration import IndexConfiguration, proxy_for
configuration = IndexConfiguration(index_url="", retries=0, timeout_s={PATIENCE_S})
for _ in range(20):
    http = Http(configuration, offline=False, backoff_s=0.0)
    asking = threading.Thread(target=http.get, args=("{server.url}/a/",))
    asking.start()
    asking.join()
"""
    asked = subprocess.run([sys.executable, "-c", program], capture_output=True, check=False)
    assert (asked.returncode, len(server.requests)) == (0, 20), asked.stderr
