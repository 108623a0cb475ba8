"""Targets that are written by hand: what the machine that solves must not add."""

from __future__ import annotations

import tomllib
from dataclasses import replace

import pytest
from packaging.requirements import Requirement

from envlock.model.decode import Table
from envlock.model.errors import RequestError
from envlock.model.project.target import Target, decode_target
from envlock.solve.request import applies
from tests.memory import interpreter

WRITTEN = """
machine = "aarch64"
[[interpreter]]
path = "/usr/bin/python3.9"
version = "3.9.2"
abi = "cp39"
markers = { platform_release = "5.14" }
"""


def target(text: str) -> Target:
    return decode_target(Table(tomllib.loads(text), file="envlock.toml"), "far", (interpreter("3.12.1"),))


@pytest.mark.parametrize(
    ("marker", "holds"),
    [
        ("python_version < '3.10'", True),
        ("python_full_version == '3.9.2'", True),
        ("implementation_version >= '3.10'", False),
        ("platform_machine == 'aarch64'", True),
        ("platform_release == '5.14'", True),
        ("platform_version == ''", True),
        ("sys_platform == 'linux' and os_name == 'posix'", True),
    ],
)
def test_no_marker_is_left_to_the_machine_that_solves(marker: str, holds: bool):
    (python,) = target(WRITTEN).interpreters
    assert applies(Requirement(f"a; {marker}"), python) is holds


@pytest.mark.parametrize(("version", "abi"), [("3.7.16", "cp37m"), ("3.8.1", "cp38"), ("3.14.0", "cp314")])
def test_of_an_interpreter_elsewhere_the_version_is_enough(version: str, abi: str):
    (python,) = target(f'[[interpreter]]\nversion = "{version}"').interpreters
    assert (python.path, python.version, python.abi) == ("", version, abi)


def test_an_interpreter_that_was_built_from_git_is_its_release():
    (python,) = target('[[interpreter]]\nversion = "3.11.5+"\n').interpreters
    assert (python.version, python.markers["python_full_version"]) == ("3.11.5", "3.11.5")


def test_the_architecture_tells_the_processors_family_where_nobody_does():
    (offer,) = target('machine = "aarch64"').offered("processor")
    assert offer.version == "aarch64"
    (named,) = target('machine = "aarch64"\ncomponents = { processor = "ppc64le" }').offered("processor")
    assert named.version == "ppc64le"


def test_interpreters_at_hand_are_taken_for_those_of_the_targets_machine():
    (python,) = target('machine = "aarch64"').interpreters
    assert python.markers["platform_machine"] == "aarch64"
    assert python.markers["python_version"] == "3.12"


@pytest.mark.parametrize(
    ("marker", "holds"),
    [
        ("platform_system == 'Linux' and sys_platform == 'linux'", True),
        ("platform_machine == 'x86_64'", True),
        ("platform_release == ''", True),
        ("python_full_version == '3.12.1'", True),
    ],
)
def test_of_a_laptop_of_another_system_the_interpreters_version_counts_alone(marker: str, holds: bool):
    """PyTorch asks for NVIDIA's wheels where ``platform_system == "Linux"``: a lock without them is wrong."""
    ours = interpreter("3.12.1")
    said = {"platform_system": "Darwin", "sys_platform": "darwin", "platform_release": "23.5.0"}
    mac = replace(ours, markers={**ours.markers, **said, "platform_machine": "arm64"})
    (there,) = decode_target(Table({}, file="envlock.toml"), "far", (mac,)).interpreters
    assert applies(Requirement(f"a; {marker}"), there) is holds


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("3.9.2", "three", "not a Python version"),
        ("3.9.2", "3", "not a Python version"),
        ("cp39", "abi3", "not an ABI of CPython 3.9"),
        ("cp39", "cp310", "not an ABI of CPython 3.9"),
        ("platform_release", "platform_relase", "unknown key 'platform_relase'"),
    ],
)
def test_an_interpreter_that_cannot_be(old: str, new: str, told: str):
    with pytest.raises(RequestError, match=told):
        target(WRITTEN.replace(old, new))


@pytest.mark.parametrize("name", ["zz zz", "", "-horovod"])
def test_a_distribution_of_the_site_bears_a_distributions_name(name: str):
    with pytest.raises(RequestError, match="is not a distribution's name"):
        target(f'[[distribution]]\nname = "{name}"\nversion = "1.0"')
