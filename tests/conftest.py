"""What all tests share: only those that say so by their mark leave this machine."""

from __future__ import annotations

import ipaddress
import socket
from collections.abc import Generator, Iterator
from contextlib import contextmanager, nullcontext
from unittest.mock import patch

import pytest

_MAY_LEAVE = ("live", "cluster", "gpu")


class LeftTheMachineError(AssertionError):
    """A test without a mark tried to reach another machine."""


@contextmanager
def at_home() -> Iterator[None]:
    """In this process only the loopback and sockets in the file system can be connected to."""
    connect = socket.socket.connect

    def guarded(self: socket.socket, address: object) -> None:
        if isinstance(address, tuple) and not ipaddress.ip_address(address[0]).is_loopback:
            raise LeftTheMachineError(address)
        connect(self, address)

    with patch.object(socket.socket, "connect", guarded):
        yield


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    marked = any(item.get_closest_marker(mark) for mark in _MAY_LEAVE)
    with nullcontext() if marked else at_home():
        return (yield)
