"""Names in a manifest's target that the knowledge base does not have, or has otherwise."""

from __future__ import annotations

from dataclasses import replace

import pytest

from envlock.app.target_names import need_known_names
from envlock.model.errors import RequestError
from envlock.model.project.target import Offer
from tests.memory import machine
from tests.shipped import KNOWLEDGE


def bringing(name: str, version: str = "1.0") -> None:
    target = replace(machine(), distributions=(Offer(component=name, version=version),))
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


@pytest.mark.parametrize("version", ["0.28.x", "new"])
def test_a_distribution_of_the_site_has_one_version(version: str):
    with pytest.raises(RequestError, match="is not a version of horovod") as refused:
        bringing("horovod", version)
    assert refused.value.code == "invalid-version"


def test_a_python_among_the_components_would_count_for_nothing():
    target = replace(machine(), offers=(Offer(component="python", version="3.9.1"),))
    with pytest.raises(RequestError, match="Pythons are not among its components") as refused:
        need_known_names(target, KNOWLEDGE, "envlock.toml")
    assert ".interpreter]]" in refused.value.hint


@pytest.mark.parametrize("machine_name", ["x86_64", "aarch64", "ppc64le", "s390x", "i686"])
def test_architectures_that_there_are(machine_name: str):
    need_known_names(replace(machine(), machine=machine_name), KNOWLEDGE, "envlock.toml")


@pytest.mark.parametrize(
    ("written", "hint"), [("x86_46", '"x86_64"'), ("arm64", '"aarch64"'), ("VAX", "one of aarch64, armv7l")]
)
def test_an_architecture_of_none_would_leave_no_wheel_without_saying_why(written: str, hint: str):
    with pytest.raises(RequestError, match="not an architecture") as refused:
        need_known_names(replace(machine(), machine=written), KNOWLEDGE, "envlock.toml")
    assert hint in refused.value.hint
