"""Whether a call can be bound to a definition: Python itself is the measure."""

import ast

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from envlock.analysis.functions.calls import Call, Parameters

NAMES = ("a", "b", "c", "d")


def refusal(definition: str, call: str) -> str:
    """What is wrong with ``f(call)`` of ``def f(definition)``."""
    (function,) = ast.parse(f"def f({definition}): ...").body
    called = ast.parse(f"f({call})", mode="eval").body
    assert isinstance(function, ast.FunctionDef)
    assert isinstance(called, ast.Call)
    return Parameters.of(function.args).refusal(Call.of(called))


def fails(definition: str, call: str) -> bool:
    """What Python says of it."""
    scope: dict[str, object] = {}
    exec(f"def f({definition}): ...", scope)
    try:
        eval(f"f({call})", scope)
    except TypeError:
        return True
    return False


@st.composite
def definitions(draw: st.DrawFn) -> str:
    """Parameters of each kind, with defaults and without."""
    kinds = [draw(st.sampled_from("/-*")) for _ in NAMES[: draw(st.integers(0, 4))]]
    ordered = list(zip(sorted(kinds, key="/-*".index), NAMES, strict=False))
    first_default = draw(st.integers(0, 4))
    takes_more, takes_any = draw(st.booleans()), draw(st.booleans())
    parts: list[str] = []
    for place, (kind, name) in enumerate(ordered):
        before = ordered[place - 1][0] if place else ""
        if before == "/" != kind:
            parts.append("/")
        if kind == "*" != before:
            parts.append("*more" if takes_more else "*")
        has_default = draw(st.booleans()) if kind == "*" else place >= first_default
        parts.append(f"{name}=0" if has_default else name)
    if ordered and ordered[-1][0] == "/":
        parts.append("/")
    if takes_more and "*more" not in parts:
        parts.append("*more")
    return ", ".join([*parts, *(["**others"] if takes_any else [])])


@st.composite
def calls(draw: st.DrawFn) -> str:
    """Arguments by place and by name, some of no parameter."""
    named = draw(st.lists(st.sampled_from((*NAMES, "unknown")), unique=True, max_size=3))
    return ", ".join(["0"] * draw(st.integers(0, 4)) + [f"{name}=0" for name in named])


@given(definitions(), calls())
@example("a, /, b", "0, a=0")
@example("a, /, **others", "0, a=0")
@example("a, /, **others", "a=0")
@example("a, *more, b", "0, 0, 0")
def test_a_call_is_refused_where_python_refuses_it(definition: str, call: str) -> None:
    assert bool(refusal(definition, call)) is fails(definition, call)


@given(definitions(), calls(), st.sampled_from(("*()", "")), st.sampled_from(("**{}", "")))
def test_what_gives_more_than_its_text_is_refused_only_where_nothing_more_would_help(
    definition: str, call: str, more: str, others: str
) -> None:
    whole = ", ".join(filter(None, (more, call, others)))
    if refusal(definition, whole):
        assert fails(definition, whole)


@pytest.mark.parametrize(
    ("definition", "call", "told"),
    [
        ("a, b=0", "0, sparse=1", "with sparse=, which it does not take"),
        ("*, a", "0, 0", "with 2 arguments by place, of which it takes none"),
        ("a", "0, 0", "with 2 arguments by place, of which it takes 1"),
        ("a, *, b=0", "0, 0", "with 2 arguments by place, of which it takes 1"),
        ("*, a=0", "0", "with 1 argument by place, of which it takes none"),
        ("a", "0, a=0", "with a= twice"),
        ("a, b", "0", "without b, which it asks for"),
        ("a, b", "*it", ""),
        ("a, b", "c=0, **it", "with c=, which it does not take"),
        ("a, **it", "0, c=0", ""),
    ],
)
def test_it_is_told_in_a_few_words(definition: str, call: str, told: str) -> None:
    assert refusal(definition, call) == told


def test_behind_a_veil_only_a_name_counts_that_the_veil_does_not_have() -> None:
    taken = Parameters(
        ("a",), 0, frozenset(), frozenset({"a"}), takes_more=False, takes_any=False, veil="old"
    )
    assert taken.refusal(Call(0, ("a", "new"), is_open=False)) == "with new=, which it does not take"
    assert not taken.refusal(Call(0, ("a", "old"), is_open=False))
    assert not taken.refusal(Call(3, (), is_open=False))


def test_what_the_object_takes_is_not_given() -> None:
    taken = Parameters(
        ("self", "a"), 1, frozenset(), frozenset({"self", "a"}), takes_more=False, takes_any=False
    )
    bound = taken.bound()
    assert bound is not None
    assert (bound.placed, bound.unnamed, bound.required) == (("a",), 0, frozenset({"a"}))
    assert Parameters((), 0, frozenset(), frozenset(), takes_more=True, takes_any=False).bound() is None
