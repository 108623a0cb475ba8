"""What code reads beside others, and where names of an interface are defined in the end."""

from __future__ import annotations

import datetime as dt

from envlock.model.published.api import Api, ApiState
from envlock.model.published.code_reads import CodeReads


def test_what_is_read_beside_others_is_read_where_all_of_them_are_there() -> None:
    beside = {frozenset({"peft", "torch"}): {"peft.PeftModel": "a.py:1"}}
    code = CodeReads(
        distribution="a", version="1", read=dt.date(2026, 1, 1), on_import={}, on_build={}, beside=beside
    )
    assert code.among(["torch"]).on_import == {}
    assert code.among(["torch", "peft", "numpy"]).on_import == {"peft.PeftModel": "a.py:1"}


def test_a_name_is_followed_to_where_it_is_defined_and_no_circle_is_endless() -> None:
    names = {"a.W": "a.models.W", "a.models": "a.core", "b": "c", "c": "b"}
    api = Api(state=ApiState.COMPARED, names=names)
    assert api.defined("a.W.train") == "a.core.W.train"
    assert api.defined("b.x") in {"b.x", "c.x"}
