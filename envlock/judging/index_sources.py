"""What findings on code name as their source: files of releases, as the package index has them."""

from __future__ import annotations

import datetime as dt

from envlock.model.knowing.fact import Source
from envlock.model.published.code_reads import CodeReads


def on_index(what: str, read: dt.date) -> Source:
    """Return something on the package index as a source."""
    return Source(title=f"{what} on the package index", checked=read)


def modules_on_index(release: str, read: dt.date) -> Source:
    """Return the modules of a release, given as name and version, as a source."""
    return on_index(f"the modules of {release}", read)


def file_on_index(where: str, release: str, read: dt.date) -> Source:
    """Return the file of a release in which something stands (``pkg/a.py:12``) as a source."""
    return on_index(f"{where.partition(':')[0]} of {release}", read)


def file_of(code: CodeReads, where: str) -> Source:
    """Return the file in which code reads a name as a source."""
    return file_on_index(where, f"{code.distribution} {code.version}", code.read)
