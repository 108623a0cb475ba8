"""Sets of nodes, and that folding loses none of them."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from envlock.model.node_sets import MOST_NODES, expanded, folded, folded_ranks

HOST = st.from_regex(r"[a-c]{1,2}(0?[0-9]{1,2})?(-ib)?(\.x)?", fullmatch=True)


def test_sets_keep_the_order_in_which_they_are_named() -> None:
    assert [*expanded("login, node[08-10],")] == ["login", "node08", "node09", "node10"]
    assert folded(["node02", "node01", "login"]) == "login,node[01-02]"
    assert folded([]) == ""
    assert folded_ranks([7, 1, 2, 3]) == "1-3,7"


@given(st.sets(HOST, min_size=1, max_size=6))
def test_folding_loses_nothing(hosts: set[str]) -> None:
    assert sorted(expanded(folded(hosts))) == sorted(hosts)


def test_names_without_a_pattern_are_the_first_of_them() -> None:
    hosts = [f"n{number * number * 7919 % 10007}" for number in range(200)]
    assert folded(hosts) == "n0, n1003, n1035, n1039 and 196 more"
    assert folded(["x y", "@all"]) == "@all, x y"
    assert folded_ranks([number * number for number in range(200)]) == "0, 1, 4, 9 and 196 more"
    assert folded_ranks(range(4, 4096)) == "4-4095"


@pytest.mark.parametrize(
    "text", ["n[1-99999999999]", f"n[0-{MOST_NODES}]", "n[1", "n[1]]", "n[a]", "[1-2]", "n%s"]
)
def test_what_is_no_set_is_told(text: str) -> None:
    with pytest.raises(ValueError, match=f"^{re.escape(text)}$"):
        [*expanded(f"a,{text}")]
