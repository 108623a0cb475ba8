"""Names that people use: several components where values tell which, and else one."""

from __future__ import annotations

import datetime as dt

import pytest

from envlock.model.errors import RequestError
from envlock.model.knowledge import Knowledge
from envlock.model.knowledge_codec import KnowledgeDecoder

SOURCES = [{"title": "a page", "checked": dt.date(2026, 11, 24)}]
V100 = {"names": ["gpu"], "is": "gpu_cc", "values": [{"version": "7.0", "names": ["V100"]}]}
MI100 = {"names": ["gpu"], "is": "gpu_gfx", "values": [{"version": "gfx908", "names": ["MI100"]}]}


def base(*called: dict[str, object]) -> Knowledge:
    tables = [{**one, "sources": SOURCES} for one in called]
    return KnowledgeDecoder().components({"called": tables}, "components.toml").finish("digest")


def test_a_name_whose_values_tell_speaks_of_several_components() -> None:
    both = base(V100, MI100, V100).called["gpu"]
    assert [(one.component, one.version("MI100")) for one in both] == [
        ("gpu-cc", None),
        ("gpu-gfx", "gfx908"),
    ]


@pytest.mark.parametrize("other", [{"names": ["gpu"], "is": "driver"}, {"names": ["GPU"], "is": "driver"}])
def test_a_components_own_name_means_nothing_else(other: dict[str, object]) -> None:
    for tables in ((V100, other), (other, V100), (other, {**other, "is": "cuda"})):
        with pytest.raises(RequestError, match="already means something else"):
            base(*tables)
