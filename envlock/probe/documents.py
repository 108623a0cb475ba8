"""JSON files: read whole, written so that a reader never sees half of one."""

import json
import os
from typing import Any


def read(path: str) -> Any:
    """The document in a file."""
    with open(path, encoding="utf-8") as stream:
        return json.load(stream)


def write(path: str, document: Any) -> None:
    """Write a document beside its place and move it there (rename is atomic within one file system)."""
    beside = "%s.%d.tmp" % (path, os.getpid())
    with open(beside, "w", encoding="utf-8") as stream:
        json.dump(document, stream, sort_keys=True)
        stream.write("\n")
    os.replace(beside, path)
