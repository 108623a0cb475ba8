"""One file per node, to which all of its ranks append lines: no file storm, and nobody who gathers.

A rank appends what is new in its document in one write, which the kernel puts at the file's end whatever its
neighbours write (write(2), ``O_APPEND``); only one kernel writes to the file, since NFS guarantees this only
among the processes of one client. So what a rank said remains when its launcher kills all ranks at once, and
nobody's message waits for a gatherer. A line::

    {"host": "n1", "pid": 42, "step": 7, "phase": "mpi4py: hosts", "done": false,
     "set": [["mpi", "size", 4], ["back_ends", "torch-gloo", {...}]]}

A reader merges the lines of each process: ``set`` gives parts of its document by part and name, ``stacks``
text to append to the stacks it wrote before.
"""

import errno
import hashlib
import os

from .placement import host_name, machine

_MANY = 8


def node_name() -> str:
    """Return a name for this host and its boot, as hosts of one name are not one client of a file system."""
    return "%s-%s" % (host_name(), hashlib.sha256(machine().encode()).hexdigest()[:_MANY])


def append(folder: str, line: str) -> None:
    """Append one line; the line break before it separates it from one that was cut off."""
    data = ("\n%s\n" % line).encode()
    path = os.path.join(folder, "node-%s.jsonl" % node_name())
    file = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)
    try:
        written = os.write(file, data)
    finally:
        os.close(file)  # network file systems write on closing, and only then report errors
    if written != len(data):
        raise OSError(errno.ENOSPC, "only %d of %d bytes were written" % (written, len(data)), path)
