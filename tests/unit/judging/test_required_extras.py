"""Extras that releases ask of each other."""

from dataclasses import replace

from envlock.judging.required_extras import with_required_extras
from envlock.model.component import USUAL_MACHINE
from tests.shipped import KNOWLEDGE
from tests.unit.judging.test_declared import Declaration, declared


def extras(*declarations: Declaration, python: str = "") -> dict[str, set[str]]:
    found = with_required_extras(
        {one.distribution: one for one in declarations}, KNOWLEDGE, python, USUAL_MACHINE
    )
    return {name: {*one.extras} for name, one in found.items() if one.extras}


def test_extras_are_asked_of_what_asks_in_turn() -> None:
    framework = declared("jax", "0.4.30", 'plugin[with_cuda]==0.4.30; extra == "cuda12"')
    plugin = declared("plugin", "0.4.30", 'libraries[all]>=1; extra == "with_cuda"')
    libraries = declared("libraries", "1.0")
    wanted = replace(framework, extras=frozenset({"cuda12"}))
    assert extras(wanted, plugin, libraries) == {
        "jax": {"cuda12"},
        "plugin": {"with_cuda"},
        "libraries": {"all"},
    }
    assert not extras(framework, plugin, libraries)


def test_extras_add_to_those_that_somebody_named() -> None:
    asking = declared("thing", "1.0", "other[one]")
    other = replace(declared("other", "1.0"), extras=frozenset({"two"}))
    assert extras(asking, other) == {"other": {"one", "two"}}


def test_extras_count_if_every_interpreter_in_question_gets_them() -> None:
    asking = declared("thing", "1.0", 'other[one]; python_version < "3.11"')
    other = declared("other", "1.0")
    assert not extras(asking, other)
    assert extras(asking, other, python="3.10") == {"other": {"one"}}
    assert not extras(asking, other, python="3.12")
