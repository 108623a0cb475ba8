"""Whether a folder takes files: a full or read-only one ends what writes there, often without a word."""

import os
import tempfile


def without_room(folder: str, size: int) -> str:
    """Return why no file of this size can be made in a folder, with the folder; empty if one can.

    The space is really allocated (posix_fallocate(3)): what is free says nothing of quotas.
    """
    try:
        # Not by the process's number, which containers that share a folder may have in common.
        file, path = tempfile.mkstemp(prefix="probe-", dir=folder)
        try:
            os.posix_fallocate(file, 0, size)
        finally:
            os.close(file)
            os.unlink(path)
    except OSError as error:
        return "%s: %s" % (folder, error.strerror)
    return ""
