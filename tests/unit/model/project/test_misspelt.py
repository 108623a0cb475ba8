"""Requirements as other tools spell them, and what the error tells to write."""

from __future__ import annotations

import pytest

from envlock.model.project.misspelt import meant_by

PLACE = "https://example.org/files"


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("numpy=1.26", "numpy==1.26"),
        ("numpy=1.26.*", "numpy==1.26.*"),
        ("numpy 1.26", "numpy==1.26"),
        ("requests[socks] 2.31.0", "requests[socks]==2.31.0"),
        ("numpy@1.26", "numpy==1.26"),
        ("idna~=3", "idna~=3.0"),
        ("idna==3.7 --hash=sha256:0f4c", "idna==3.7"),
        (f"{PLACE}/idna-3.7-py3-none-any.whl", f"idna @ {PLACE}/idna-3.7-py3-none-any.whl"),
        (f"{PLACE}/idna-3.7.tar.gz#sha256=0f", f"idna @ {PLACE}/idna-3.7.tar.gz#sha256=0f"),
        ("git+https://example.org/a.git@v1#egg=ours", "ours @ git+https://example.org/a.git@v1#egg=ours"),
        ("git+https://example.org/a.git@v1", "NAME @ git+https://example.org/a.git@v1"),
        ("six; python_versio < '3'", "six; python_version < '3.9'"),
        ("", "torch==1.4.0"),
    ],
)
def test_what_was_meant(text: str, meant: str):
    assert (
        meant_by(text, "Expected a marker variable or quoted string" if ";" in text else "Expected") == meant
    )
