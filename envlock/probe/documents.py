"""JSON files, written so that a reader never sees a partial one."""

import json
import os
from typing import Any


def read(path: str) -> Any:
    """Read the document in a file."""
    with open(path, encoding="utf-8") as stream:
        return json.load(stream)


def write(path: str, document: Any) -> None:
    """Write a document completely or not at all."""
    write_text(path, text(document) + "\n")


def text(document: Any) -> str:
    """Return a document as one line."""
    return json.dumps(document, sort_keys=True)


def write_text(path: str, content: str) -> None:
    """Write a temporary file beside the target and rename it (atomic within one file system)."""
    beside = "%s.%d.tmp" % (path, os.getpid())
    with open(beside, "w", encoding="utf-8") as stream:
        stream.write(content)
    os.replace(beside, path)
