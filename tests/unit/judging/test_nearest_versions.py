"""The versions that are told as ways out of a refusal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from envlock.judging.judge import judge
from envlock.judging.nearest_versions import with_nearest_versions
from envlock.model.knowing.finding import Chosen, Fix
from envlock.model.knowing.knowledge import Knowledge
from tests.unit.judging.test_judge import LABELS, TORCH, base, fact


def fixes(
    knowledge: Knowledge,
    named: Mapping[str, str | Sequence[str]],
    listed: Mapping[str, Sequence[str]] = {},
) -> dict[str, dict[str, Fix]]:
    """The ways out that a judgement tells: by the fact that refuses, and by component."""
    assignment = {
        name: tuple(Chosen(version=one) for one in ([versions] if isinstance(versions, str) else versions))
        for name, versions in named.items()
    }
    found = with_nearest_versions(judge(assignment, knowledge), assignment, knowledge, listed).findings
    return {one.fact: {fix.component: fix for fix in one.fixes} for one in found}


def versions(found: Mapping[str, Fix]) -> dict[str, tuple[str, ...]]:
    return {name: fix.versions for name, fix in found.items()}


SERVER = fact("server", {"server": ">=2,<3"}, {"client": "<5"})
LISTED = {"server": ("1.0", "1.9", "2.0", "2.5", "3.0rc1", "3.0", "4.0"), "client": ("3.0", "4.0", "5.0")}


def test_they_are_the_nearest_below_and_above_that_the_index_lists() -> None:
    found = fixes(base(SERVER), {"server": "2.5", "client": "5.0"}, LISTED)
    assert versions(found["server"]) == {"server": ("1.9", "3.0"), "client": ("4.0",)}


def test_none_is_told_that_another_fact_refuses() -> None:
    other = fact("other", {"server": ">=1.5,<2 || >=3,<4"}, {"python": ">=3.9"})
    named = {"server": "2.5", "client": "5.0", "python": "3.8"}
    assert versions(fixes(base(SERVER, other), named, LISTED)["server"])["server"] == ("1.0", "4.0")


def test_one_that_brings_a_warning_is_told() -> None:
    warned = fact("warned", {"server": ">=3"}, {"python": ">=3.9"}, severity="warn")
    named = {"server": "2.5", "client": "5.0", "python": "3.8"}
    assert versions(fixes(base(SERVER, warned), named, LISTED)["server"])["server"] == ("1.9", "3.0")


def test_they_end_all_that_is_said_of_the_same_components_if_any_do() -> None:
    also = fact("also", {"server": "<4"}, {"client": "<4"})
    found = fixes(base(SERVER, also), {"server": "2.5", "client": "5.0"}, LISTED)
    assert versions(found["server"]) == versions(found["also"]) == {"server": ("4.0",), "client": ("3.0",)}
    never = fact("never", {"server": "*"}, {"client": "<4"})
    found = fixes(base(SERVER, never), {"server": "2.5", "client": "5.0"}, LISTED)
    assert versions(found["server"]) == {"server": ("1.9", "3.0"), "client": ("3.0",)}


def test_of_what_no_index_lists_those_count_that_facts_are_tried_with() -> None:
    tried = fact(
        "tried",
        {"server": ">=2,<3"},
        {"client": "<5"},
        refuses=[{"server": "2.5", "client": "5.0"}],
        accepts=[{"server": "2.5", "client": "4.7"}, {"server": "1.8", "client": "5.0"}],
    )
    named = {"server": "2.5", "client": "5.0"}
    assert versions(fixes(base(tried), named)["tried"]) == {"server": ("1.8",), "client": ("4.7",)}
    listed = fixes(base(tried), named, {"client": ("4.0", "5.0")})
    assert versions(listed["tried"]) == {"server": ("1.8",), "client": ("4.0",)}


def test_they_have_the_label_of_the_build_that_they_replace() -> None:
    tried = fact(
        "tried",
        {"torch": "<2"},
        {"server": "<2"},
        refuses=[{"torch": "1.13.0+cu117", "server": "2.0"}],
        accepts=[
            {"torch": "2.0.0+cpu", "server": "2.0"},
            {"torch": "2.0.1+cu117", "server": "2.0"},
            {"torch": "2.1.0", "server": "2.0"},
        ],
    )
    named = {"torch": "1.13.0+cu117", "server": "2.0"}
    assert versions(fixes(base(tried), named)["tried"])["torch"] == ("2.0.1+cu117",)
    for listed, told in ((("2.0.1", "2.1.0"), ("2.0.1+cu117",)), (("2.1.0",), ())):
        found = fixes(base(tried), named, {"torch": listed})
        assert versions(found["tried"])["torch"] == told


def test_another_label_of_the_same_release_is_told_alone() -> None:
    found = fixes(base(LABELS), {"torch": "2.7.0+cpu", "vision": "0.22.0"}, {"torch": ("2.6.0", "2.7.0")})
    assert versions(found["labels"]) == {"torch": ("2.7.0",), "vision": ("0.22.0+cpu",)}


def test_no_label_is_told_that_is_outside_of_the_range() -> None:
    kept = fact("kept", {"vision": "+cpu"}, {"torch": ">=2 +cpu"})
    found = fixes(base(kept), {"vision": "0.1+cpu", "torch": "1.9.0"})
    assert versions(found["kept"])["torch"] == ()


def test_a_label_that_another_fact_refuses_is_not_told() -> None:
    gpus = fact("gpus", {"torch": ">=2 +", "gpu_cc": "<7"})
    named = {"torch": "2.7.0+cpu", "vision": "0.22.0", "gpu_cc": "6.1"}
    found = fixes(base(LABELS, gpus), named)
    assert versions(found["labels"]) == {"vision": ("0.22.0+cpu",)}


def test_only_distributions_have_labels() -> None:
    knowledge = base(fact("gpus", {"torch": "+cu130", "gpu_cc": "<7.5"}))
    found = fixes(knowledge, {"torch": "2.9.0+cu130", "gpu_cc": "6.1"})
    assert versions(found["gpus"]) == {"torch": ("2.9.0",), "gpu_cc": ()}


def test_of_a_library_inside_a_wheel_the_wheel_is_changed() -> None:
    needs = fact("driver", {"cuda": ">=10"}, {"driver": ">=418"})
    named = {"torch": "1.4.0", "driver": "410.48"}
    listed = {"torch": ("1.3.0", "1.4.0", "1.5.0"), "cuda": ("9.2", "10.1")}
    assert versions(fixes(base(needs, builds=[TORCH]), named, listed)["driver"]) == {
        "cuda": (),
        "driver": (),
        "torch": ("1.3.0", "1.5.0"),
    }
    beside = fixes(base(needs, builds=[TORCH]), {**named, "cuda": "9.2"}, listed)["driver"]
    assert versions(beside) == {"cuda": (), "driver": (), "torch": ("1.3.0", "1.5.0")}


def test_where_several_are_present_no_single_version_is_told() -> None:
    """A node with GPUs of two generations: one of them is refused, and both stay."""
    gpus = fact("gpus", {"torch": ">=2"}, {"gpu_cc": ">=7.5"})
    listed = {"torch": ("1.13.0", "2.0.0")}
    found = fixes(base(gpus), {"torch": "2.0.0", "gpu_cc": ("6.1", "8.0")}, {**listed, "gpu_cc": ("7.5",)})
    assert versions(found["gpus"]) == {"torch": ("1.13.0",), "gpu_cc": ()}


def test_parts_of_a_range_that_others_refuse_are_left_out_unless_all_are() -> None:
    parts = fact("parts", {"client": ">=5"}, {"server": "<2 || >=3"})
    later = fact("later", {"server": ">=3"}, {"client": "<5"})
    named = {"server": "2.5", "client": "5.0"}
    assert fixes(base(parts, later), named, LISTED)["parts"]["server"].range == "<2"
    unlisted = {"server": ("1.0", "2.5")}
    assert fixes(base(parts, later), named, unlisted)["parts"]["server"].range == "<2 || >=3"
    earlier = fact("earlier", {"server": "<2"}, {"client": "<5"})
    assert fixes(base(parts, later, earlier), named, LISTED)["parts"]["server"].range == "<2 || >=3"


def test_what_only_warns_has_no_ways_out() -> None:
    found = fixes(base({**SERVER, "severity": "warn"}), {"server": "2.5", "client": "5.0"}, LISTED)
    assert versions(found["server"]) == {"server": (), "client": ()}


def test_of_words_those_are_told_that_the_fact_takes() -> None:
    """A site may say so: here ranks of an MPI are started by these alone."""
    rule = fact("site", {"openmpi": ">=4"}, {"launcher": "srun|mpirun"})
    found = fixes(base(rule), {"openmpi": "4.1.4", "launcher": "jsrun"}, {"openmpi": ("3.1.6", "4.1.4")})
    assert found["site"]["launcher"] == Fix(component="launcher", range="srun|mpirun")
    assert found["site"]["openmpi"].versions == ("3.1.6",)
