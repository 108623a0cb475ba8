"""Runs an envlock command that is killed before its n-th change of a file; see ``killing.py``.

    python dying.py POINT DELAY_S COUNT_FILE ARGUMENTS...

With POINT 0 nothing is killed, and COUNT_FILE gets how many changes there were. With a delay the kill comes
that much later, in the middle of whatever is done then by this process or a program that it started.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
from pathlib import Path

CHANGES = frozenset(
    f"os.{name}" for name in ("chmod", "link", "mkdir", "remove", "rename", "rmdir", "symlink", "truncate")
) | {"subprocess.Popen"}


def changes(event: str, arguments: tuple[object, ...]) -> bool:
    """Whether an audit event (PEP 578) tells of a change in the file system, or of a program."""
    if event != "open":
        return event in CHANGES
    flags = arguments[2]
    return isinstance(flags, int) and bool(flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT))


def die() -> None:
    """As ``kill -9`` would have it: nothing is cleared away."""
    os.kill(os.getpid(), signal.SIGKILL)


def main() -> int:
    """Run the command; the result is its exit status, if it comes to that."""
    point, delay_s, count_file, *arguments = sys.argv[1:]
    seen = 0

    def watch(event: str, values: tuple[object, ...]) -> None:
        nonlocal seen
        if changes(event, values):
            seen += 1
            if seen == int(point):
                if not float(delay_s):
                    die()
                late = threading.Timer(float(delay_s), die)
                late.daemon = True
                late.start()

    from envlock.cli import run

    sys.addaudithook(watch)
    status = run(arguments)
    total = seen
    Path(count_file).write_text(str(total))
    return status


if __name__ == "__main__":
    sys.exit(main())
