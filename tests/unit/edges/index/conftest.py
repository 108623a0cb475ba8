"""A small package index on the loopback, which can fail in the ways that real ones do."""

from __future__ import annotations

import hashlib
import io
import tarfile
import threading
import time
import zipfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from envlock.edges.cache import Cache
from envlock.edges.index.catalogue import IndexCatalogue
from envlock.edges.pip_configuration import IndexConfiguration
from tests.patience import PATIENCE_S


@dataclass(kw_only=True)
class Route:
    """One path; the first ``failures`` requests get status 503, with ``cut`` the answer ends too early,
    and it comes after ``pause_s`` seconds."""

    content: bytes
    kind: str = "text/html"
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    failures: int = 0
    cut: bool = False
    ranges: bool = True
    password: str = ""
    pause_s: float = 0.0


class IndexServer:
    def __init__(self) -> None:
        self.routes: dict[str, Route] = {}
        self.requests: list[tuple[str, str]] = []
        """Path and Range header of every request."""
        server = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                with suppress(ConnectionError):  # a client that is kept waiting gives up, as it should
                    server.answer(self)

            def log_message(self, *args: object) -> None:
                pass

        self.http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.http.server_port}"
        self.thread = threading.Thread(target=self.http.serve_forever, args=(0.01,))

    def page(self, name: str, content: str, **options: object) -> Route:
        self.routes[f"/simple/{name}/"] = Route(content=content.encode(), **options)
        return self.routes[f"/simple/{name}/"]

    def file(self, filename: str, content: bytes, **options: object) -> str:
        """Offer a file; its link for a page."""
        self.routes[f"/files/{filename}"] = Route(content=content, kind="application/zip", **options)
        sha256 = hashlib.sha256(content).hexdigest()
        return f'<a href="/files/{filename}#sha256={sha256}">{filename}</a>'

    def answer(self, handler: BaseHTTPRequestHandler) -> None:
        self.requests.append((handler.path, handler.headers.get("Range", "")))
        route = self.routes.get(handler.path, Route(content=b"", status=404))
        time.sleep(route.pause_s)
        content, status, headers = route.content, route.status, dict(route.headers)
        if route.failures:
            route.failures -= 1
            content, status = b"", 503
        elif route.password and handler.headers.get("Authorization", "") != route.password:
            content, status = b"", 401
        elif headers.get("ETag", "none") == handler.headers.get("If-None-Match"):
            content, status = b"", 304
        elif route.ranges and (span := handler.headers.get("Range", "")):
            first, _, last = span.removeprefix("bytes=").partition("-")
            total = len(content)
            start = int(first) if first else max(0, total - int(last))
            content = content[start : int(last) + 1] if first else content[start:]
            headers["Content-Range"], status = f"bytes {start}-{start + len(content) - 1}/{total}", 206
        handler.send_response(status)
        for key, value in (
            {"Content-Type": route.kind, "Content-Length": str(len(content))} | headers
        ).items():
            handler.send_header(key, value)
        handler.end_headers()
        handler.wfile.write(content[: len(content) // 2] if route.cut else content)
        handler.close_connection = route.cut


@contextmanager
def serving() -> Iterator[IndexServer]:
    """An index that answers until the block ends."""
    started = IndexServer()
    started.thread.start()
    try:
        yield started
    finally:
        started.http.shutdown()
        started.thread.join()
        started.http.server_close()


@pytest.fixture
def server() -> Iterator[IndexServer]:
    with serving() as started:
        yield started


@pytest.fixture
def cache(tmp_path: Path) -> Cache:
    return Cache(tmp_path / "cache")


@pytest.fixture
def catalogue(
    server: IndexServer, cache: Cache, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Callable[..., IndexCatalogue]]:
    """Makes catalogues over the server, each as a new process would, on one cache."""
    monkeypatch.setenv("NETRC", "/dev/null")
    made: list[IndexCatalogue] = []

    def make(*, offline: bool = False, **options: object) -> IndexCatalogue:
        settings = {"index_url": f"{server.url}/simple", "retries": 2, "timeout_s": PATIENCE_S} | options
        made.append(IndexCatalogue(IndexConfiguration(**settings), cache, offline=offline, backoff_s=0.0))
        return made[-1]

    yield make
    for each in made:
        each.close()


@pytest.fixture
def wheel() -> Callable[..., bytes]:
    """Makes wheels: METADATA headers, and ballast bytes that do not compress away."""

    def make(name: str, version: str, *headers: str, ballast: int = 0, record: str = "") -> bytes:
        target = io.BytesIO()
        text = "\n".join(("Metadata-Version: 2.1", f"Name: {name}", f"Version: {version}", *headers, ""))
        with zipfile.ZipFile(target, "w") as archive:
            archive.writestr(f"{name}/ballast", bytes(ballast))
            archive.writestr(f"{name}-{version}.dist-info/METADATA", text)
            if record:
                archive.writestr(f"{name}-{version}.dist-info/RECORD", record)
        return target.getvalue()

    return make


@pytest.fixture
def sdist() -> Callable[[str, Mapping[str, str]], bytes]:
    """Makes sdists: path below the top folder -> text."""

    def make(top: str, files: Mapping[str, str]) -> bytes:
        target = io.BytesIO()
        with tarfile.open(fileobj=target, mode="w:gz") as archive:
            for path, text in files.items():
                member = tarfile.TarInfo(f"{top}/{path}")
                member.size = len(text.encode())
                archive.addfile(member, io.BytesIO(text.encode()))
        return target.getvalue()

    return make
