from __future__ import annotations

import errno

import pytest

from envlock.edges.system_refusals import refusal_of_the_system
from envlock.model.errors import RequestError


def test_a_refusal_of_the_system_is_no_bug_and_a_file_that_is_gone_may_be_one() -> None:
    told = refusal_of_the_system(
        PermissionError(errno.EACCES, "Permission denied", "/srv/another/envlock.toml")
    )
    assert told is not None
    assert (told.code, told.where, told.why) == (
        "system-refuses",
        "/srv/another/envlock.toml",
        "Permission denied",
    )
    assert refusal_of_the_system(FileNotFoundError(errno.ENOENT, "No such file", "/srv/another")) is None
    assert refusal_of_the_system(ValueError("no file at all")) is None


@pytest.mark.parametrize(
    ("name", "where", "hint"),
    [
        (b"/srv/m\xfcller/p", r"/srv/m\xfcller/p", "give the file or folder another name"),
        ("/srv/müller/p".encode(), "/srv/müller/p", "export LC_ALL=C.UTF-8"),
    ],
    ids=["latin-1 in a path", "a locale without the letters"],
)
def test_a_name_that_is_no_text_is_told(name: bytes, where: str, hint: str) -> None:
    with pytest.raises(UnicodeEncodeError) as raised:
        f"$ uv venv '{name.decode('ascii', 'surrogateescape')}' --seed".encode()
    told = refusal_of_the_system(raised.value)
    assert isinstance(told, RequestError)
    assert (told.code, told.where, told.hint) == ("name-not-utf8", where, hint)


def test_text_that_another_encoding_lacks_is_a_bug() -> None:
    with pytest.raises(UnicodeEncodeError) as raised:
        "müller".encode("ascii")
    assert refusal_of_the_system(raised.value) is None


def test_a_number_of_thousands_of_digits_is_no_bug() -> None:
    with pytest.raises(ValueError, match="digits") as raised:
        int("9" * 5000)
    told = refusal_of_the_system(raised.value)
    assert isinstance(told, RequestError)
    assert (told.code, "value has 5000 digits" in told.why) == ("number-too-long", True)


def test_a_name_of_thousands_of_letters_is_no_bug() -> None:
    told = refusal_of_the_system(OSError(errno.ENAMETOOLONG, "File name too long", "x" * 300))
    assert isinstance(told, RequestError)
    assert (told.code, told.where) == ("name-too-long", "x" * 300)
