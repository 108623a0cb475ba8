"""Tests without a mark stay on this machine."""

from __future__ import annotations

import socket

import pytest


@pytest.mark.parametrize("family", [socket.AF_INET, socket.AF_INET6])
def test_nobody_leaves(family: socket.AddressFamily):
    elsewhere = (
        "192.0.2.1" if family is socket.AF_INET else "2001:db8::1"
    )  # for documentation: RFC 5737, 3849
    with socket.socket(family) as one, pytest.raises(AssertionError, match=elsewhere):
        one.connect((elsewhere, 80))


def test_the_loopback_is_home():
    with socket.create_server(("127.0.0.1", 0)) as server:
        socket.create_connection(server.getsockname()).close()
