"""How far a solve goes before it refuses a request."""

from enum import IntEnum


class Effort(IntEnum):
    """How far a solve goes before it refuses a request, and in doing so; each step includes those before."""

    TRY = 0
    """It runs no build backend, which would lead to more builds: the answer would only be a better one."""
    ANSWER = 1
    """It also runs backends for what only they know, and gives no reasons: others are tried next."""
    EXPLAIN = 2
    """It gives the reasons, reduced to what conflicts."""
    REMEDY = 3
    """It also finds what would end the refusal, which takes most of the time."""
