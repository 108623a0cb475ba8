"""Where the ranks of PyTorch's process group meet: a file in the shared folder, or rank 0 by TCP.

PyTorch locks such a file by flock(2), which Lustre refuses without its mount option of that name, and NFS
without its lock manager. It cuts the path where a query or a fragment of a URL would begin, and decodes none.
"""

import fcntl
import os
import socket
import time

from . import documents
from .placement import host_name

_PAUSE_S = 0.1


def meeting_place(path: str, rank: int, seconds: float) -> str:
    """Return the URL for ``init_process_group``; the same on all ranks, as rank 0 says.

    Nodes may have mounted the folder with different options, so that some could lock files and others not.

    Args:
        path: the file to meet in, in a folder that every rank sees.
        rank: this rank's number.
        seconds: how long to wait for rank 0 to say where it is.
    """
    told = path + "-place"
    if rank == 0:
        in_file = not {"?", "#"} & set(path) and _can_lock(path + "-lock")
        url = "file://" + path if in_file else "tcp://%s:%d" % (host_name(), _free_port())
        documents.write(told, {"url": url})
    deadline = time.monotonic() + seconds
    while not os.path.exists(told) and time.monotonic() < deadline:
        time.sleep(_PAUSE_S)
    place = documents.read(told)["url"]
    return str(place)


def _can_lock(path: str) -> bool:
    with open(path, "w", encoding="ascii") as stream:
        try:
            fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            return False
    return True


def _free_port() -> int:
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as trying:
        trying.bind(("", 0))
        return int(trying.getsockname()[1])
