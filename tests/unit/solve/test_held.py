"""What a group keeps of the group that it extends."""

from __future__ import annotations

import pytest

from envlock.model.project.layers import Layers
from envlock.model.project.manifest import decode_manifest
from envlock.solve.held import held_components
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
