"""Standard output and error that fail no command: closed, left by their reader, or without some letters."""

from __future__ import annotations

import codecs
import io
import os
import sys
from typing import Any, BinaryIO, cast

_LEGIBLE = "envlock-legible"
_NAMES = {1: "standard output", 2: "standard error"}


class _Heard(io.FileIO):
    """A standard stream whose reader may have seen enough (``head``): what comes after that is thrown away.

    The command goes on and ends with the status that it would have had, which is its answer.
    """

    def write(self, data: Any, /) -> int:
        """Return how many bytes of the data need not be written again."""
        try:
            return super().write(data)
        except BrokenPipeError:
            with open(os.devnull, "wb") as nobody:  # noqa: PTH123 - a path takes longer
                os.dup2(nobody.fileno(), self.fileno())
            return memoryview(data).nbytes
        except OSError as error:
            error.filename = _NAMES[self.fileno()]
            raise


def _legible(error: UnicodeError) -> tuple[bytes, int]:
    r"""Write what an encoding lacks as an escape (``\xe9``), and bytes of paths that are no text as they are.

    The locale C of many schedulers and containers has nothing but ASCII.
    """
    if not isinstance(error, UnicodeEncodeError):
        raise error
    letter = error.object[error.start]
    if "\udc80" <= letter <= "\udcff":  # os.fsdecode made it of a byte (PEP 383)
        return bytes([ord(letter) - 0xDC00]), error.start + 1
    return letter.encode("ascii", "backslashreplace"), error.start + 1


def outlive_listeners() -> None:
    """Let nothing fail because of standard output and error.

    They may be closed (``>&-``, daemons), their reader may leave, and their encoding may lack letters.
    """
    codecs.register_error(_LEGIBLE, _legible)
    for number, name in ((1, "stdout"), (2, "stderr")):
        stream = getattr(sys, name)
        if stream is None:
            setattr(sys, name, open(os.devnull, "w"))  # noqa: PTH123, SIM115 - stays open to the end
            continue
        heard = _Heard(number, "wb", closefd=False)
        unbuffered = isinstance(stream.buffer, io.RawIOBase)  # by PYTHONUNBUFFERED
        wrapped = io.TextIOWrapper(
            cast("BinaryIO", heard if unbuffered else io.BufferedWriter(heard)),
            stream.encoding,
            _LEGIBLE,
            newline="\n",
            line_buffering=stream.line_buffering,
            write_through=stream.write_through,
        )
        setattr(sys, name, wrapped)
