"""Signs of failed builds in a knowledge base: each is found in its own example, and can be filled in."""

from __future__ import annotations

import pytest

from envlock.model.errors import RequestError
from envlock.model.knowing.knowledge import Knowledge
from envlock.model.knowing.knowledge_codec import KnowledgeDecoder

HEADER = {
    "id": "header",
    "pattern": r"error: (?P<name>\w+\.h): No such",
    "hint": "install {name}",
    "examples": ["error: a.h: No such file"],
}


def _decoded(*failures: object) -> Knowledge:
    return KnowledgeDecoder().recipes({"failure": list(failures)}, "failures.toml").finish("digest")


def test_what_was_found_is_filled_in() -> None:
    (failure,) = _decoded(HEADER).failures
    assert failure.advice("before\nerror: b.h: No such file") == "install b.h"
    assert failure.advice("error: b.c: No such file") is None


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"pattern": "("}, "'(' is not a regular expression"),
        ({"examples": ["error: a.c: No such file"]}, "it does not match its own example"),
        ({"hint": "install {library}"}, "'install {library}' cannot be filled in"),
        ({"hint": "install {"}, "'install {' cannot be filled in"),
        ({"hint": "install {}"}, "'install {}' cannot be filled in"),
    ],
)
def test_what_would_fail_when_a_build_has_failed_is_refused(changes: dict[str, object], why: str) -> None:
    with pytest.raises(RequestError, match=r"failures\.toml") as caught:
        _decoded(HEADER | changes)
    assert why in caught.value.message


def test_a_name_is_told_once() -> None:
    with pytest.raises(RequestError, match="already defined"):
        _decoded(HEADER, HEADER)
