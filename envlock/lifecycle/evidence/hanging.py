"""Find the rank that does not take part in what others wait for, from the Python stacks they left.

Waiting ranks are inside a communication library. The one that they wait for is elsewhere in Python, or left
no stack at all: a process that is stopped, or whose node is, writes nothing.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from envlock.model.proving.probing import Unfinished

_MAIN = "in run_rank"
_LIBRARIES = "/back_ends/"
_AS_LONG = 0.9
"""A rank that has been in its phase for less than this fraction of the others' time may have yet to write."""
_FRAME = re.compile(r'File "([^"]+)", line (\d+) in (\S+)')


def absent(standing: Sequence[Unfinished], stacks: Mapping[str, str]) -> dict[Unfinished, str]:
    """Map the ranks that are not in a communication library, though others are, to where they are instead.

    Those inside one are never named: some may have come a call or a phase further than others before all had
    to wait.

    Args:
        standing: ranks that have not ended.
        stacks: ``host-pid`` -> the stacks that each wrote.
    """
    frames = _standing_in(standing, stacks)
    inside = waiting(standing, stacks)
    found = {}
    for one in standing if inside else ():
        if not frames[one] and one.seconds >= _AS_LONG * min(other.seconds for other in inside):
            found[one] = "it left no stack: the process is stopped, or its node is"
        elif frames[one] and one not in inside:
            found[one] = f"it is in {frames[one][0]}"
    return found


def waiting(standing: Sequence[Unfinished], stacks: Mapping[str, str]) -> list[Unfinished]:
    """Return the ranks whose stacks show that they are inside a communication library."""
    frames = _standing_in(standing, stacks)
    return [one for one in standing if any(_LIBRARIES in frame for frame in frames[one])]


def _standing_in(standing: Sequence[Unfinished], stacks: Mapping[str, str]) -> dict[Unfinished, list[str]]:
    return {one: _frames(stacks.get(f"{one.host}-{one.pid}", "")) for one in standing}


def _frames(text: str) -> list[str]:
    """Return the frames of the thread that runs the rank, innermost first, as last written (faulthandler)."""
    threads = [block for block in re.split(r"(?m)^(?=Thread |Current thread )", text) if _MAIN in block]
    last = threads[-1] if threads else ""
    return [f"{file}, line {line}, {name}" for file, line, name in _FRAME.findall(last)]
