"""What a machine says of itself, in the terms of the knowledge base."""

from __future__ import annotations

from dataclasses import replace

import pytest

from envlock.app import machine as looking
from envlock.app.machine import detect_machine
from envlock.model.project.target import Offer
from tests.memory import machine
from tests.shipped import KNOWLEDGE

ROCM = Offer(component="rocm", version="6.2")


@pytest.mark.parametrize(
    ("module", "driver"), [("6.8.5", ["6.2"]), ("6.16.13", ["30.30"]), ("6.16.1", []), ("6.99.1", [])]
)
def test_amds_driver_has_the_number_that_amds_table_gives_it(
    module: str, driver: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    offers = (Offer(component="amdgpu-module", version=module, note="module"), ROCM)
    found = replace(machine(), offers=offers)
    monkeypatch.setattr(looking, "detect_target", lambda signs, name, cache: replace(found, name=name))
    told = detect_machine(KNOWLEDGE, "node")
    assert [(one.component, one.version) for one in told.offers] == [
        *(("amdgpu", version) for version in driver),
        ("rocm", "6.2"),
    ]
    assert told.name == "node"
