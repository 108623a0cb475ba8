"""What a combination consists of besides what a person names."""

from __future__ import annotations

import io
import sys
from pathlib import Path

import pytest

from envlock.app.checking.combination import installed_together
from envlock.model.component import Via
from envlock.model.errors import RequestError

CONDA = """\
name: x
dependencies:
  - python=3.8
  - pytorch=1.7.1
  - pip:
    - horovod==0.21.0
    - old==1 ; python_version < "3.9"
    - protobuf>=3
"""


def given(monkeypatch: pytest.MonkeyPatch, content: bytes) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))


def test_a_conda_file_is_read_with_its_lines_for_pip(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "environment.yml").write_text(CONDA)
    given(monkeypatch, CONDA.encode())
    for source in (tmp_path / "environment.yml", Path("-")):
        found = installed_together(source)
        assert [(one.name, one.version, one.via) for one in found.distributions] == [
            ("torch", "1.7.1", Via.SITE),
            ("horovod", "0.21.0", None),
            ("old", "1", None),
        ]
        assert [(one.name, one.version) for one in found.systems] == [("python", "3.8")]
        assert found.ranges == ("protobuf>=3",)


def test_requirements_are_read_from_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    given(monkeypatch, b"torch==1.4.0\nnumpy>=2\n")
    found = installed_together(Path("-"))
    assert [(one.name, one.version) for one in found.distributions] == [("torch", "1.4.0")]
    assert (found.name, found.ranges) == ("standard input", ("numpy>=2",))


def test_a_lock_is_told_by_its_words(monkeypatch: pytest.MonkeyPatch) -> None:
    given(monkeypatch, b'version = 1\n[[package]]\nname = "torch"\nversion = "1.4.0"\n')
    assert installed_together(Path("-")).kind == "a uv.lock"


def test_a_mistake_on_standard_input_is_told_with_its_line(monkeypatch: pytest.MonkeyPatch) -> None:
    for content in (b"torch==1\ntorch = 1\n", b"torch==1\n\xff\n"):
        given(monkeypatch, content)
        with pytest.raises(RequestError) as caught:
            installed_together(Path("-"))
        assert caught.value.where == "standard input, line 2"
