"""Programs of one file, as most tests of what a group's own code uses have them."""

from __future__ import annotations

from envlock.analysis.program.reading import read_programs
from envlock.analysis.program.uses import Program


def read_program(source: str, file: str) -> Program:
    """What a program of one file uses of its imports; raises what says why it cannot be read."""
    reading = read_programs({file: source})
    if reading.unread:
        raise reading.unread[file]
    return reading.programs[file]
