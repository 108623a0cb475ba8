"""Names that people use: several components where values tell which, and else one."""

from __future__ import annotations

import datetime as dt

import pytest

from envlock.model.errors import RequestError
from envlock.model.knowing.fact import Likeness
from envlock.model.knowing.knowledge import Knowledge
from envlock.model.knowing.knowledge_codec import KnowledgeDecoder
from envlock.model.knowing.other_name import OtherName

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


def named_for(**tables: list[str]) -> dict[str, object]:
    source = {"title": "https://docs.example/install", "checked": "2026-11-27"}
    return {"named-for": [{"name": "for-cuda-12", **tables, "sources": [source]}]}


def test_names_of_one_form_have_a_name_in_facts() -> None:
    told = named_for(patterns=["*-cu12", "*-cu12[0-9]"], without=["nvidia-*"])
    knowledge = KnowledgeDecoder().components(told, "components.toml").finish("digest")
    assert knowledge.names_in_facts("cucim-cu12") == {"cucim-cu12", "for-cuda-12"}
    assert knowledge.names_in_facts("spconv-cu121") == {"spconv-cu121", "for-cuda-12"}
    assert knowledge.names_in_facts("nvidia-nccl-cu12") == {"nvidia-nccl-cu12"}
    assert knowledge.names_in_facts("cucim") == {"cucim"}


def test_a_form_of_names_is_told_once() -> None:
    decoder = KnowledgeDecoder().components(named_for(patterns=["*-cu12"]), "components.toml")
    with pytest.raises(RequestError, match="already defined"):
        decoder.components(named_for(patterns=["*-cu13"]), "more.toml")


def test_which_builds_ask_for_another_version_is_told_once() -> None:
    tables = [
        {"distribution": "triton", "labels": [label], "reason": "r", "sources": SOURCES}
        for label in ("cpu", "xpu")
    ]
    decoder = KnowledgeDecoder().components({"by-build": tables[:1] * 2}, "components.toml")
    assert decoder.finish("digest").by_build == {"triton": ("cpu",)}
    with pytest.raises(RequestError, match="already given"):
        decoder.components({"by-build": tables[1:]}, "components.toml")


def test_of_names_that_begin_alike_the_longest_counts() -> None:
    gpu = OtherName(component="gpu_cc", values={"titan": "3.5", "titanv": "7.0"})
    assert [gpu.version(text) for text in ("Titan", "Titan V", "TITAN V CEO", "V100")] == [
        "3.5",
        "7.0",
        "7.0",
        None,
    ]


def test_a_likeness_counts_numbers_that_a_version_leaves_out() -> None:
    assert Likeness(component="torch", numbers=2).range("2").text == "==2.0.*"
