"""Messages grow for as long as patience lasts, and all ranks agree on when it ends."""

import time
from typing import Iterator, List

from .back_ends.base import BackEnd, World
from .gathering import everyones
from .payload import ALWAYS

_PER_S = 1e6


def in_time(
    back_end: BackEnd, world: World, sizes: List[int], patience_s: float, series: str
) -> Iterator[int]:
    """Yield growing sizes (bytes) until those beyond 1 MiB would take longer than the patience; collective.

    What the caller does with one size before it asks for the next predicts how long the next one will take:
    longer in proportion. The slowest rank decides for all. A patience of 0 seconds yields all sizes.
    """
    begin = entered = time.monotonic()
    last = 0
    for size in sizes:
        now = time.monotonic()
        if last <= ALWAYS:
            begin = now
        if patience_s and last and size > ALWAYS:
            expected = now - begin + (now - entered) * size / last
            label = "patience.%s.%d" % (series, size)
            if max(everyones(back_end, world, int(expected * _PER_S), label)) > patience_s * _PER_S:
                return
        entered, last = now, size
        yield size
