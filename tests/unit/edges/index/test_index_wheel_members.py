"""Members of a wheel on a server, in parts, and which of them are fetched for what is looked through."""

import io
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from envlock.edges.cache import Cache
from envlock.edges.index.http import Http, Part
from envlock.edges.index.wheel_members import WheelMembers, wheel_members
from envlock.model.errors import SurroundingsError
from envlock.model.published.catalogue import DistFile

SOURCES = {f"big/m{number}.py": f"name_{number} = {number}\n".encode() for number in range(3)}


class _Remote(Http):
    """One file, and the spans that were fetched of it."""

    def __init__(self, content: bytes, *, in_parts: bool = True) -> None:
        self.content = content
        self.spans: list[str] = []
        self._in_parts = in_parts

    def get_part(self, url: str, span: str) -> Part | None:
        self.spans.append(span)
        if not self._in_parts:
            return None
        first, _, last = span.rpartition("-")
        start = int(first) if first else max(0, len(self.content) - int(last))
        stop = int(last) + 1 if first else len(self.content)
        return Part(start=start, total=len(self.content), content=self.content[start:stop])


def archive(method: int = zipfile.ZIP_DEFLATED) -> bytes:
    """Two neighbours, and one behind a large library."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", method) as opened:
        for name in ("big/m0.py", "big/m1.py", "big/lib.so", "big/data.bin", "big/m2.py"):
            content = SOURCES.get(name, bytes(1 << 18))
            opened.writestr(name, content, zipfile.ZIP_STORED if name not in SOURCES else method)
    return packed.getvalue()


@pytest.fixture(name="of")
def _of(tmp_path: Path) -> Callable[[Http], WheelMembers]:
    file = DistFile(
        filename="big-1.0-py3-none-any.whl", url="https://index.example/big", sha256="0" * 64, size=1 << 30
    )

    def members(http: Http) -> WheelMembers:
        found = wheel_members(file, http, Cache(tmp_path / "cache"), map)
        assert found is not None
        return found

    return members


@pytest.mark.parametrize("method", [zipfile.ZIP_DEFLATED, zipfile.ZIP_STORED])
def test_neighbours_come_in_one_piece_and_once(of: Callable[[Http], WheelMembers], method: int) -> None:
    remote = _Remote(archive(method))
    found = of(remote)
    assert set(found.names) == {*SOURCES, "big/lib.so"}
    before = len(remote.spans)
    assert found.read(list(SOURCES)) == SOURCES
    assert len(remote.spans) == before + 2
    again = _Remote(b"")
    assert of(again).read(list(SOURCES)) == SOURCES
    assert again.spans == []


def test_what_is_served_as_a_whole_alone_has_no_members(tmp_path: Path) -> None:
    file = DistFile(filename="big-1.0-py3-none-any.whl", url="https://index.example/big", sha256="", size=1)
    assert wheel_members(file, _Remote(archive(), in_parts=False), Cache(tmp_path), map) is None


def test_a_member_that_is_not_where_it_should_be_is_an_error(of: Callable[[Http], WheelMembers]) -> None:
    remote = _Remote(archive())
    found = of(remote)
    remote.content = bytes(len(remote.content))
    with pytest.raises(SurroundingsError) as caught:
        found.read(["big/m2.py"])
    assert caught.value.code == "broken-file"
