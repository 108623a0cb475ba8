"""The licence by the best field that tells it."""

from __future__ import annotations

import pytest

from envlock.edges.index.licence import read_licence

BSD = "Classifier: License :: OSI Approved :: BSD License\n"


@pytest.mark.parametrize(
    ("metadata", "licence"),
    [
        (f"Metadata-Version: 2.4\nLicense-Expression: MIT OR Apache-2.0\n{BSD}", "MIT OR Apache-2.0"),
        (f"Metadata-Version: 2.1\nLicense: whatever\n{BSD}", "BSD License"),
        (f"{BSD}Classifier: License :: OSI Approved :: MIT License\n", "BSD License, MIT License"),
        ("License: LGPL-2.1\n        and a long text\n", "LGPL-2.1"),
        ("License: UNKNOWN\n", ""),
        ("Classifier: License :: OSI Approved\n", ""),
        ("Name: a\n", ""),
    ],
)
def test_read_licence(metadata: str, licence: str):
    assert read_licence(metadata.encode()) == licence
