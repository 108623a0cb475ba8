"""Exceptions as results tell them."""

import os
import traceback


class WrongValueError(AssertionError):
    """A call gave other values than arithmetic does."""


def described(error: BaseException) -> str:
    """Return an exception's kind and text; where it has no text (``assert x``), the line that raised it."""
    text = str(error)
    for frame in traceback.extract_tb(error.__traceback__)[-1:]:
        text = text or "%s (%s:%s)" % (frame.line, os.path.basename(frame.filename), frame.lineno)
    return "%s: %s" % (type(error).__name__, text)
