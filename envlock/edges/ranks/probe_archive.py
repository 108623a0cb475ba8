"""The probe as one file that any interpreter from Python 3.6 on can run: a zip archive of its package."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterator
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path

from envlock.edges.files import write_bytes

_PACKAGE = "probe"
_EPOCH = (1980, 1, 1, 0, 0, 0)
_ENTRY = """\
import sys

from probe.__main__ import main

sys.exit(main(sys.argv[1:]))
"""


def write_probe(path: Path) -> None:
    """Write the archive; the same sources give the same bytes.

    Raises:
        SurroundingsError: ``disk-full`` or ``not-writable``.
    """
    members = {"__main__.py": _ENTRY.encode()}
    members |= dict(_sources(files("envlock") / _PACKAGE, _PACKAGE))
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        for name in sorted(members):
            info = zipfile.ZipInfo(name, date_time=_EPOCH)
            info.compress_type = zipfile.ZIP_DEFLATED
            info.external_attr = 0o644 << 16
            archive.writestr(info, members[name])
    write_bytes(path, content.getvalue())


def _sources(folder: Traversable, inside: str) -> Iterator[tuple[str, bytes]]:
    for item in folder.iterdir():
        if item.is_dir():
            yield from _sources(item, f"{inside}/{item.name}")
        elif item.name.endswith(".py"):
            yield f"{inside}/{item.name}", item.read_bytes()
