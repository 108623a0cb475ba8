"""The ``envlock`` program, also run as ``python -m envlock``.

Its imports take a tenth of a second, and many where the disk is far: an interrupt during them is heeded too.
"""

from __future__ import annotations

import gc
import os
import signal


def _end(_kind: int, _frame: object) -> None:
    """Exit at once: nothing has begun yet that could be left halfway."""
    try:
        os.write(2, b"interrupted\n")
    finally:
        os._exit(130)


# Imports and the objects of a solve stay alive and form hardly any cycles: collecting them would be in vain.
gc.set_threshold(200_000)
for _kind in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
    if signal.getsignal(_kind) is not signal.SIG_IGN:  # as in a shell's background, or under nohup
        signal.signal(_kind, _end)

from envlock.cli import main  # noqa: E402 - which heeds them from here on

if __name__ == "__main__":
    main()
