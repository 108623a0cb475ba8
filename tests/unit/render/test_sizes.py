from __future__ import annotations

import pytest

from envlock.render.terminal.sizes import size_text


@pytest.mark.parametrize(
    ("size", "text"),
    [
        (0, "0 B"),
        (999, "999 B"),
        (1_000, "1.0 kB"),
        (12_345, "12 kB"),
        (999_499, "999 kB"),
        (2_140_000_000, "2.1 GB"),
        (5_000_000_000_000_000, "5000 TB"),
    ],
)
def test_sizes(size: int, text: str):
    assert size_text(size, 3) == f"{text}, 3 inodes"
