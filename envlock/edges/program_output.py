"""What a program that runs on prints: by lines as they come, or thrown away."""

from __future__ import annotations

import codecs
import io
import os
import selectors
import time
from collections.abc import Callable, Iterator

_LONGEST_LINE = 1 << 16
_LOOK_S = 0.2


def printed(output: int, has_ended: Callable[[], bool], *, grace_s: float) -> Iterator[str]:
    """Yield the lines of a program's output with their line ends; long ones in parts.

    A compiler's server, or whatever else a program leaves behind, may hold its output open for ever. So once
    the program has ended, more output is taken only while it comes without a pause, and not for long.

    Args:
        output: the output's file descriptor.
        has_ended: asked whether the program has.
        grace_s: for how many seconds after that output is taken at most.
    """
    utf_8 = codecs.getincrementaldecoder("utf-8")("replace")
    decoder = io.IncrementalNewlineDecoder(utf_8, translate=True)
    rest, last = "", float("inf")
    with selectors.DefaultSelector() as selector:
        selector.register(output, selectors.EVENT_READ)
        while time.monotonic() < last:
            if has_ended():  # asked before select: its last output comes, too
                last = min(last, time.monotonic() + grace_s)
            if not selector.select(_LOOK_S):
                if last < float("inf"):
                    break
                continue
            if not (chunk := os.read(output, _LONGEST_LINE)):
                break
            *lines, rest = (rest + decoder.decode(chunk)).split("\n")
            yield from (f"{line}\n" for line in lines)
            if len(rest) >= _LONGEST_LINE:
                yield rest
                rest = ""
    if rest := rest + decoder.decode(b"", final=True):
        yield rest


def drain(output: int) -> None:
    """Read on what nobody wants, then close it: a program whose pipe is full would wait for ever."""
    while os.read(output, _LONGEST_LINE):
        pass
    os.close(output)
