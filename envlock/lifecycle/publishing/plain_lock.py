"""A lock with nothing but what PEP 751 defines, for tools that stumble over other tools' tables."""

from __future__ import annotations

from collections.abc import Mapping

from envlock.model.locked.lock import Lock, encode_lock


def plain_lock(lock: Lock) -> dict[str, object]:
    """Return the lock's document without any ``tool`` table."""
    document = _without_tool(encode_lock(lock))
    packages = document["packages"]
    assert isinstance(packages, list)  # noqa: S101 - by PEP 751
    return {**document, "packages": [_without_tool(package) for package in packages]}


def _without_tool(table: Mapping[str, object]) -> dict[str, object]:
    return {key: value for key, value in table.items() if key != "tool"}
