"""The hosts that a command line names."""

from __future__ import annotations

from collections import Counter

from envlock.model.errors import RequestError
from envlock.model.node_sets import MOST_NODES, expanded


def named_hosts(text: str | None) -> tuple[str, ...]:
    """Return the hosts in a list separated by commas, sets such as ``n[1-4]`` included; none for no list.

    Raises:
        RequestError: ``no-hosts``, ``not-a-host`` or ``host-twice``.
    """
    if text is None:
        return ()
    try:
        hosts = Counter(expanded(text))
    except ValueError as error:
        hint = f"--hosts n1,gpu[01-04], at most {MOST_NODES:,}; --ranks-per-node says how many ranks on each"
        message = f"{error.args[0]!r} is neither a host's name nor a set of hosts"
        raise RequestError("not-a-host", message, where="--hosts", hint=hint) from None
    if not hosts:
        raise RequestError("no-hosts", "--hosts names no host", where="--hosts", hint="--hosts n1,n2")
    (name, times), *_ = hosts.most_common(1)
    if times > 1:
        hint = f"--ranks-per-node {times} for as many ranks on each"
        raise RequestError("host-twice", f"{name} is named twice", where="--hosts", hint=hint)
    return tuple(hosts)
