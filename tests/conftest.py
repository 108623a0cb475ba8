"""What all tests share: only those that say so by their mark leave this machine."""

from __future__ import annotations

import atexit
import gc
import ipaddress
import os
import signal
import socket
import sys
import tempfile
import tomllib
from collections.abc import Generator, Iterator
from contextlib import contextmanager, nullcontext
from unittest.mock import patch
from urllib.parse import urlsplit

import hypothesis
import pytest
import xxhash
from packaging.pylock import Pylock

from envlock.edges import decoded_knowledge, lock_files
from envlock.edges.index.client import Client
from envlock.model.knowing.knowledge import Knowledge
from envlock.model.locked.lock import Lock

# Each of a thousand commands in one process would load the same frozen knowledge from the same bytes. The
# decoder that is kept as well reads on, and is loaded anew.
_UNPACKED: dict[bytes, Knowledge] = {}
_unpack = decoded_knowledge.unpacked


def unpacked_once(content: bytes) -> object:
    """What bytes of the cache hold; knowledge is loaded once."""
    key = xxhash.xxh3_128_digest(content)  # Python's own hash of millions of bytes takes ten times as long
    if key in _UNPACKED:
        return _UNPACKED[key]
    state = _unpack(content)
    if isinstance(state, Knowledge):
        _UNPACKED[key] = state
    return state


decoded_knowledge.unpacked = unpacked_once
_lock_bytes = lock_files.lock_bytes


def valid_lock_bytes(lock: Lock) -> bytes:
    """A lock's bytes, which are valid by PEP 751 or the test that writes them fails."""
    content = _lock_bytes(lock)
    Pylock.from_dict(tomllib.loads(content.decode()))
    return content


lock_files.lock_bytes = valid_lock_bytes
# Tests start hundreds of processes that import what this one has: they find it compiled, whatever
# PYTHONDONTWRITEBYTECODE says to them.
sys.dont_write_bytecode = False
# A shell starts what it puts into the background deaf to Ctrl-C, nohup to a closed terminal, and children
# inherit that.
signal.signal(signal.SIGINT, signal.default_int_handler)
signal.signal(signal.SIGHUP, signal.SIG_DFL)
# What a property says does not depend on how fast a machine is that has other things to do.
hypothesis.settings.register_profile("any-machine", deadline=None)
hypothesis.settings.load_profile("any-machine")
_MAY_LEAVE = ("live", "cluster", "gpu")
_CACHE = tempfile.TemporaryDirectory(prefix="envlock-tests-")
atexit.register(_CACHE.cleanup)
_SETTINGS = {
    "ENVLOCK_CACHE_DIR": _CACHE.name,
    "PIP_CONFIG_FILE": os.devnull,
    "PIP_INDEX_URL": "http://127.0.0.1:1/simple",
    "PIP_RETRIES": "0",
}


class LeftTheMachineError(AssertionError):
    """A test without a mark tried to reach another machine."""


@contextmanager
def at_home() -> Iterator[None]:
    """In this process only the loopback and sockets in the file system can be connected to.

    Nor do the user's cache and settings count: the index of pip's configuration is one that nobody answers.
    """
    connect, of = socket.socket.connect, Client.of

    def guarded(self: socket.socket, address: object) -> None:
        if isinstance(address, tuple) and not ipaddress.ip_address(address[0]).is_loopback:
            raise LeftTheMachineError(address)
        connect(self, address)

    def asked(self: Client, url: str) -> object:  # whose sockets are not Python's
        host = urlsplit(url).hostname or "localhost"
        if host != "localhost" and not host.startswith("127."):
            raise LeftTheMachineError(url)
        return of(self, url)

    sockets = patch.object(socket.socket, "connect", guarded)
    with sockets, patch.object(Client, "of", asked), patch.dict(os.environ):
        for name in [name for name in os.environ if name.startswith(("PIP_", "UV_", "ENVLOCK_"))]:
            del os.environ[name]
        os.environ |= _SETTINGS
        yield


# Thousands of tests, what they import and the knowledge base stay: to look through them for garbage again and
# again took a twentieth of the suite's time.
gc.set_threshold(50_000)


def pytest_collection_finish() -> None:
    gc.collect()
    gc.freeze()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    marked = any(item.get_closest_marker(mark) for mark in _MAY_LEAVE)
    with nullcontext() if marked else at_home():
        return (yield)
