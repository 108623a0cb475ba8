"""Which rank does not take part in what others wait for: told by the Python stacks they left.

Ranks that wait are inside a communication library. The one that they wait for is elsewhere in Python, or left
no stack at all: a process that is stopped, or whose node is, writes nothing.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from envlock.model.proving.probing import Unfinished

_MAIN = "in run_rank"
_LIBRARIES = "/back_ends/"
_AS_LONG = 0.9
"""A rank that is in the phase for less than this part of the others' time had no reason yet to write."""
_FRAME = re.compile(r'File "([^"]+)", line (\d+) in (\S+)')


def absent(standing: Sequence[Unfinished], stacks: Mapping[str, str]) -> dict[Unfinished, str]:
    """Those that are not in a communication library as others are, and where they are instead.

    Of those inside one nobody is named: some may have come a call or a phase further than others before
    all had to wait.

    Args:
        standing: ranks that did not come to their end.
        stacks: ``host-pid`` -> what each wrote of its stacks.
    """
    frames = {one: _frames(stacks.get(f"{one.host}-{one.pid}", "")) for one in standing}
    inside = [one for one in standing if any(_LIBRARIES in frame for frame in frames[one])]
    found = {}
    for one in standing if inside else ():
        if not frames[one] and one.seconds >= _AS_LONG * min(other.seconds for other in inside):
            found[one] = "it left no stack: the process is stopped, or its node is"
        elif frames[one] and one not in inside:
            found[one] = f"it is in {frames[one][0]}"
    return found


def _frames(text: str) -> list[str]:
    """The frames of the thread that runs the rank, the innermost first, as last written (faulthandler)."""
    threads = [block for block in re.split(r"(?m)^(?=Thread |Current thread )", text) if _MAIN in block]
    last = threads[-1] if threads else ""
    return [f"{file}, line {line}, {name}" for file, line, name in _FRAME.findall(last)]
