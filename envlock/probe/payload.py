"""What ranks contribute to a reduction, and the exact sum that must come back.

Values are integers small enough that every partial sum is exact in every type, in any order of summation:
element i of rank r is ``(i % 7 + 1) * (r % 16 + 1)``, so n ranks sum to at most 112 n, exact in float32 up to
149,796 ranks. In float16, exact only up to 2048, it is ``(i % 7 + r) % 2``. Values depend on the rank (a rank
counted twice or left out shows) and on the position (shifted data shows).
"""

from typing import Iterable, List

WIDTH = {"int32": 4, "int64": 8, "float16": 2, "float32": 4, "float64": 8}
"""Bytes of one element by type, in the order of testing."""

PERIOD = 7
"""After how many elements values repeat; odd, so that it matches no power of two by which code may be off."""

MOST_RANKS = {"float16": 2048}
"""The number of ranks beyond which sums are not exact, for types where that may occur."""

_LADDER = (8, 1 << 10, 12340, (1 << 14) + 24, 1 << 16, 1 << 20, (1 << 22) + 8, 1 << 24, 1 << 26, 1 << 28)
"""Message sizes in bytes: eager and rendezvous protocols, even and odd lengths."""

ALWAYS = 1 << 20
"""Bytes up to which every size is tried, however long it takes."""

UNALIGNED = 12340
"""The size that is also tried with a buffer that begins one element after an allocation."""


def sizes(max_bytes: int) -> List[int]:
    """Return message sizes up to the largest that the plan allows, which is included."""
    largest = max(8, max_bytes // 8 * 8)
    return [size for size in _LADDER if size < largest] + [largest]


def contribution(rank: int, dtype: str) -> List[int]:
    """Return one period of what a rank contributes."""
    if dtype == "float16":
        return [(i + rank) % 2 for i in range(PERIOD)]
    return [(i + 1) * (rank % 16 + 1) for i in range(PERIOD)]


def expected(members: Iterable[int], dtype: str) -> List[int]:
    """Return one period of the sum over these ranks."""
    members = list(members)
    if dtype == "float16":
        odd = sum(rank % 2 for rank in members)
        return [len(members) - odd if i % 2 else odd for i in range(PERIOD)]
    factor = sum(rank % 16 + 1 for rank in members)
    return [(i + 1) * factor for i in range(PERIOD)]


def block(sender: int, receiver: int) -> List[int]:
    """Return one period of what one rank sends another, small enough for float16.

    It differs among 97 neighbours that send to one rank, and among those to which one rank sends.
    """
    factor = (sender * 31 + receiver * 17) % 97 + 1
    return [(i + 1) * factor for i in range(PERIOD)]
