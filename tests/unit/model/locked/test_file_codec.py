"""How a lock writes the one file of a pin."""

from __future__ import annotations

import pytest

from envlock.model.decode import Table
from envlock.model.locked.file_codec import decode_file, encode_file, own_of_file
from envlock.model.published.catalogue import DistFile, ListedBy

LISTED = {"sha256": "a" * 64, "size": 7}
PYTORCH = ListedBy("pytorch", "https://example.org/simple")


@pytest.mark.parametrize(
    ("file", "key"),
    [
        (DistFile(filename="foo-1.0.tar.gz", url="https://example.org/foo-1.0.tar.gz", **LISTED), "sdist"),
        (
            DistFile(filename="foo-1.0.tar.bz2", url="https://example.org/foo-1.0.tar.bz2", **LISTED),
            "archive",
        ),
        (
            DistFile(filename="foo-1.0.tar.bz2", url="https://example.org/x#sub", index=PYTORCH, **LISTED),
            "archive",
        ),
        (
            DistFile(filename="foo-1.0.tar.gz", url="https://example.org/v1.0.tar.gz", direct=True, **LISTED),
            "archive",
        ),
    ],
    ids=["sdist", "bzip2", "bzip2 of another index", "named by the manifest"],
)
def test_what_is_written_is_read_again(file: DistFile, key: str) -> None:
    own = own_of_file(file) | ({"index": file.index.name} if file.index else {})
    written = encode_file(file)
    assert key in written
    assert decode_file(Table(written, file="lock"), Table(own, file="lock")) == file
