"""Names in a manifest's target that the knowledge base does not have, or has otherwise."""

from __future__ import annotations

from dataclasses import replace

import pytest

from envlock.app.target_names import need_known_names
from envlock.model.errors import RequestError
from envlock.model.project.target import Offer
from tests.memory import machine
from tests.shipped import KNOWLEDGE


def bringing(name: str) -> None:
    target = replace(machine(), distributions=(Offer(component=name, version="1.0"),))
    need_known_names(target, KNOWLEDGE, "envlock.toml")


@pytest.mark.parametrize("name", ["horovod", "pypi:cuda"])
def test_a_distribution_of_the_site_is_known(name: str):
    bringing(name)


@pytest.mark.parametrize(
    ("name", "written"),
    [("cuda", "or pypi:cuda"), ("pypi:horovod", 'name = "horovod"'), ("pypi:CUDA", 'name = "pypi:cuda"')],
)
def test_no_solve_would_ever_ask_for_a_distribution_of_the_site(name: str, written: str):
    with pytest.raises(RequestError, match="component") as refused:
        bringing(name)
    assert refused.value.code == "unknown-component"
    assert refused.value.hint.endswith(written)
