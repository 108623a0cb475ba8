"""Sets of nodes as Slurm, PBS and ClusterShell write them: ``node[01-04,07]``."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from math import prod

from envlock.model.counting import first_of

MOST_NODES = 65_536
"""More nodes than any cluster has; a range beyond it is a slip of the keyboard."""

_MOST_CHARACTERS = 120
_BETWEEN = re.compile(r",(?![^\[\]]*\])")
"""A comma that is not within brackets."""

_NAME = re.compile(r"[A-Za-z0-9_][\w.@-]*")
"""A name or an IPv4 address, for ssh with a user before it."""

_PATTERN = re.compile(rf"{_NAME.pattern}(?:\[[\d,-]+\][\w.-]*)+")
_RANGE = re.compile(r"(\d+)-(\d+)")


def expanded(text: str) -> Iterator[str]:
    """Yield the nodes of a list separated by commas, in its order, with each that is named again.

    >>> list(expanded("login, node[08-10]"))
    ['login', 'node08', 'node09', 'node10']

    Raises:
        ValueError: one of them is no name and no set of at most ``MOST_NODES``; its argument is that.
    """
    for part in filter(None, map(str.strip, _BETWEEN.split(text))):
        if _NAME.fullmatch(part):
            yield part
        elif _PATTERN.fullmatch(part) and _at_most(part) <= MOST_NODES:
            yield from _nodes(part)
        else:
            raise ValueError(part)


def folded(hosts: Collection[str]) -> str:
    """Return hosts as one set of nodes; the first of them, where their names follow no pattern.

    >>> folded(["node02", "node01", "login"]), folded([])
    ('login,node[01-02]', '')
    """
    if len(hosts) > 1 and all(map(_NAME.fullmatch, hosts)):
        from ClusterShell.NodeSet import RESOLVER_NOGROUP, NodeSet  # noqa: PLC0415 - slow, and rarely needed

        text = str(NodeSet.fromlist(hosts, resolver=RESOLVER_NOGROUP))
        if len(text) <= _MOST_CHARACTERS:
            return text
    return first_of(sorted(hosts))


def folded_ranks(numbers: Collection[int]) -> str:
    """Return numbers of ranks as ranges.

    >>> folded_ranks([3]), folded_ranks([7, 1, 2, 3])
    ('3', '1-3,7')
    """
    if len(numbers) > 1:
        from ClusterShell.RangeSet import RangeSet  # noqa: PLC0415

        text = str(RangeSet.fromlist(map(str, numbers)))
        if len(text) <= _MOST_CHARACTERS:
            return text
    return first_of([*map(str, sorted(numbers))])


def _at_most(pattern: str) -> int:
    """Return an upper bound of how many nodes the ranges of a pattern mean, without making them."""
    return prod(max(1, int(last) - int(first) + 1) for first, last in _RANGE.findall(pattern))


def _nodes(pattern: str) -> Iterator[str]:
    from ClusterShell.NodeSet import RESOLVER_NOGROUP, NodeSet, NodeSetException  # noqa: PLC0415

    try:
        yield from NodeSet(pattern, resolver=RESOLVER_NOGROUP)
    except NodeSetException:
        raise ValueError(pattern) from None
