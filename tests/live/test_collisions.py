"""torch for CUDA 13 beside TensorFlow's CUDA 12, on the real index: resolvers lock it without a word."""

from __future__ import annotations

import datetime as dt

import pytest

from envlock.app.solving.collisions import find_collisions
from envlock.edges.cache import Cache
from envlock.edges.index.catalogue import IndexCatalogue
from envlock.edges.pip_configuration import read_pip_configuration
from envlock.model.knowing.fact import Severity
from envlock.model.locked.pins import DistributionPin
from tests.shipped import KNOWLEDGE

pytestmark = pytest.mark.live

MIB = 1 << 20
PINS = {
    "torch": "2.11.0",
    "tensorflow": "2.15.1",
    "nvidia-nccl-cu12": "2.16.5",
    "nvidia-nccl-cu13": "2.28.9",
    "nvidia-cudnn-cu12": "8.9.4.25",
    "nvidia-cudnn-cu13": "9.19.0.56",
    "nvidia-cuda-runtime-cu12": "12.2.140",
    "nvidia-cuda-runtime": "13.0.96",
    "numpy": "1.26.4",
}


def pin(catalogue: IndexCatalogue, name: str, version: str) -> DistributionPin:
    files = next(release.files for release in catalogue.releases(name) if str(release.version) == version)
    wheel = next(
        file
        for file in files
        if file.is_wheel
        and any("x86_64" in tag.platform and tag.interpreter in {"cp311", "py3"} for tag in file.tags)
        and "linux" in file.filename
    )
    return DistributionPin(
        component=name, name=name, version=version, file=wheel, requires_python="", extras=(),
        dependencies=(), asked_by=(), facts=(), build=None,
    )  # fmt: skip


def test_two_cuda_majors_are_refused_with_their_owners(tmp_path):
    with IndexCatalogue(read_pip_configuration(), Cache(tmp_path)) as catalogue:
        pins = [pin(catalogue, name, version) for name, version in PINS.items()]
        before = catalogue.http.received
        found = find_collisions(pins, catalogue, KNOWLEDGE, dt.date(2026, 11, 21))
        received = catalogue.http.received - before
        assert not list(tmp_path.rglob("*.whl"))
        again = find_collisions(pins, catalogue, KNOWLEDGE, dt.date(2026, 11, 21))
        assert again == found
        assert catalogue.http.received - before == received
    assert received < 16 * MIB
    refused = [set(finding.components) for finding in found if finding.severity is Severity.REFUSE]
    for owners in (
        {"nvidia-cuda-runtime", "nvidia-cuda-runtime-cu12"},
        {"nvidia-cudnn-cu12", "nvidia-cudnn-cu13"},
        {"nvidia-nccl-cu12", "nvidia-nccl-cu13"},
    ):
        assert owners in refused
    assert any("libnccl.so.2" in finding.message for finding in found)
