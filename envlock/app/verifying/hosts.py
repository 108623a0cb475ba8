"""The hosts that a command line names."""

from __future__ import annotations

import re

from envlock.model.errors import RequestError

_HOST = re.compile(r"[A-Za-z0-9_][\w.@-]*")
"""A name or an IPv4 address, for ssh with a user before it."""


def named_hosts(text: str | None) -> tuple[str, ...]:
    """Return the hosts in a list separated by commas; none where nobody gave one.

    Raises:
        RequestError: ``no-hosts``, ``not-a-host`` or ``host-twice``.
    """
    if text is None:
        return ()
    names = tuple(name for part in text.split(",") if (name := part.strip()))
    if not names:
        raise RequestError("no-hosts", "--hosts names none", where="--hosts", hint="--hosts n1,n2")
    for name in names:
        if not _HOST.fullmatch(name):
            raise RequestError(
                "not-a-host", f"{name!r} is no host's name", where="--hosts", hint=_meant(name)
            )
        if names.count(name) > 1:
            hint = f"--ranks-per-node {names.count(name)} for as many ranks on each"
            raise RequestError("host-twice", f"{name} is named twice", where="--hosts", hint=hint)
    return names


def _meant(name: str) -> str:
    if "[" in name or "]" in name:
        return "name each: scontrol show hostnames lists what Slurm's pattern means"
    return "names separated by commas; how many ranks each takes, --ranks-per-node says"
