"""The one meaning of a fact."""

import datetime as dt
from collections.abc import Mapping
from dataclasses import replace

import pytest

from envlock.judging.complement import complement
from envlock.judging.judge import joined, judge, with_bundles
from envlock.model.component import Range, Via
from envlock.model.errors import RequestError
from envlock.model.knowing.fact import Severity
from envlock.model.knowing.finding import Chosen, Fix, Judgement, Verdict
from envlock.model.knowing.knowledge import Knowledge
from envlock.model.knowing.knowledge_codec import KnowledgeDecoder

SYSTEMS = [
    {"name": "slurm", "title": "Slurm", "layer": "core"},
    {"name": "cuda", "title": "CUDA", "layer": "core"},
    {"name": "cudnn", "title": "cuDNN", "layer": "core"},
    {"name": "driver", "title": "the driver", "layer": "core", "fixed": True},
    {"name": "gpu_cc", "title": "the GPU", "layer": "core", "fixed": True},
    {"name": "gpu_gfx", "title": "AMD's GPU", "layer": "core", "words": True, "fixed": True},
    {"name": "rocm", "title": "ROCm", "layer": "core"},
    {"name": "openmpi", "title": "Open MPI", "layer": "core"},
    {"name": "launcher", "title": "the launcher", "layer": "core", "words": True},
    {"name": "processor", "title": "the processor", "layer": "core", "words": True, "fixed": True},
]
UNCHECKED = "slurm"
COVERED = [
    *(one["name"] for one in SYSTEMS if not one.get("words") and one["name"] != UNCHECKED),
    *("torch", "tensorflow"),
]
SOURCES = [{"title": "a change log", "checked": dt.date(2026, 11, 20)}]


def fact(
    name: str, when: Mapping[str, object], then: Mapping[str, object] = {}, **more: object
) -> dict[str, object]:
    kept = {"id": name, "when": when, "then": then, "evidence": "documented", "reason": "it breaks"}
    return {**kept, "sources": SOURCES, **more}


def base(*facts: Mapping[str, object], builds: list[Mapping[str, object]] | None = None) -> Knowledge:
    decoder = KnowledgeDecoder()
    flavours = [{"distribution": "tensorflow-gpu", "of": "tensorflow"}]
    decoder.components({"component": SYSTEMS, "flavour": flavours}, "components.toml")
    decoder.facts({"fact": list(facts)}, "facts/a.toml")
    decoder.builds({"build": builds or []}, "builds/a.toml")
    rows = [{"component": name, "up-to": "20", "checked": "2026-11-20"} for name in COVERED]
    rows.append({"component": "horovod", "up-to": "0.28", "checked": "2026-11-20"})
    return decoder.covers({"coverage": rows}, "coverage.toml").finish("digest")


def verdict(knowledge: Knowledge, **versions: str) -> Judgement:
    named = {name.replace("__", "-"): (Chosen(version=version),) for name, version in versions.items()}
    return judge(named, knowledge)


OMPI = fact("ompi", {"horovod": "*", "openmpi": "==3.1.3"})
HVD = fact("hvd", {"tensorflow": ">=2.4"}, {"horovod": ">=0.21"})


def test_a_fact_without_then_refuses_the_combination() -> None:
    judgement = verdict(base(OMPI), horovod="0.19.0", openmpi="3.1.3")
    assert judgement.verdict is Verdict.INCOMPATIBLE
    assert [finding.message for finding in judgement.findings] == [
        "horovod 0.19.0 with openmpi 3.1.3: it breaks"
    ]


@pytest.mark.parametrize("version", ["3.1.2", "3.1.4", "4.0.0"])
def test_neighbours_are_fine(version: str) -> None:
    assert verdict(base(OMPI), horovod="0.19.0", openmpi=version).verdict is Verdict.COMPATIBLE


def test_what_is_absent_is_not_demanded() -> None:
    assert verdict(base(HVD), tensorflow="2.4.0").verdict is Verdict.COMPATIBLE


def test_then_must_hold_where_it_is_present() -> None:
    finding = verdict(base(HVD), tensorflow="2.4.0", horovod="0.20.3").findings[0]
    assert finding.components == {"tensorflow": "2.4.0", "horovod": "0.20.3"}
    assert finding.message == "tensorflow 2.4.0 needs horovod >=0.21, not horovod 0.20.3: it breaks"
    assert set(finding.fixes) == {
        Fix(component="tensorflow", range="<2.4"),
        Fix(component="horovod", range=">=0.21"),
    }


def test_a_flavour_counts_as_its_base_and_keeps_its_name() -> None:
    finding = verdict(base(HVD), tensorflow__gpu="2.4.0", horovod="0.20.3").findings[0]
    assert finding.components == {"tensorflow-gpu": "2.4.0", "horovod": "0.20.3"}


def test_every_instance_is_judged() -> None:
    knowledge = base(fact("gpu", {"gpu_cc": ">=8,<9"}, {"cuda": ">=11"}))
    gpus = (Chosen(version="7.5"), Chosen(version="8.6"))
    judgement = judge({"cuda": (Chosen(version="10.2"),), "gpu_cc": gpus}, knowledge)
    assert [finding.components["gpu_cc"] for finding in judgement.findings] == ["8.6"]


WHEEL_ONLY = fact(
    "wheel",
    {"tensorflow": {"versions": "<3", "via": "wheel"}},
    {"cuda": {"versions": "==10.*", "via": "site"}},
)


@pytest.mark.parametrize(
    ("tensorflow", "cuda", "refused"),
    [
        (Via.WHEEL, Via.SITE, True),
        (None, None, True),
        (Via.BUILD, Via.SITE, False),
        (Via.WHEEL, Via.WHEEL, False),
    ],
)
def test_a_way_limits_whom_a_condition_speaks_of(
    tensorflow: Via | None, cuda: Via | None, *, refused: bool
) -> None:
    stack = {
        "tensorflow": (Chosen(version="2.0", via=tensorflow),),
        "cuda": (Chosen(version="11.0", via=cuda),),
    }
    assert bool(judge(stack, base(WHEEL_ONLY)).findings) is refused


def test_what_speaks_of_named_ones_alone_says_nothing_of_the_nodes() -> None:
    """Whoever asks about a library and a GPU means to use them together; whoever solves for nodes may not."""
    knowledge = base(fact("gpu", {"boost": "<3"}, {"gpu_cc": {"versions": ">=7.5", "via": "named"}}))
    for via, refused in ((None, True), (Via.SITE, False)):
        gpus = (Chosen(version="7.0", via=via),)
        stack = {"boost": (Chosen(version="2.0", via=Via.WHEEL),), "gpu_cc": gpus}
        assert bool(judge(stack, knowledge).findings) is refused


TORCH = {
    "distribution": "torch",
    "versions": ">=1.4,<1.5",
    "bundles": {"cuda": "10.1", "cudnn": "7.6"},
    "compute-capabilities": ["3.7", "7.0", "7.5"],
    "sources": SOURCES,
}


def test_what_a_wheel_bundles_meets_the_node() -> None:
    knowledge = base(fact("driver", {"cuda": ">=10.1"}, {"driver": ">=418"}), builds=[TORCH])
    finding = verdict(knowledge, torch="1.4.0", driver="410.48").findings[0]
    assert finding.message.startswith(
        "cuda 10.1 (inside the torch wheel) needs driver >=418, not driver 410.48"
    )


def test_what_a_wheel_bundles_meets_no_other_distribution_and_no_other_copy() -> None:
    own = fact("own", {"tensorflow": "*"}, {"cudnn": ">=8"})
    toolkit = fact("toolkit", {"cudnn": "<8"}, {"cuda": "<11"})
    knowledge = base(own, toolkit, builds=[TORCH])
    assert verdict(knowledge, torch="1.4.0", tensorflow="2.5", cuda="11.8").findings == ()


def test_what_two_wheels_bundle_does_not_meet() -> None:
    other = {"distribution": "tensorflow", "versions": "*", "bundles": {"cuda": "11.8"}, "sources": SOURCES}
    knowledge = base(fact("toolkit", {"cudnn": "<8"}, {"cuda": "<11"}), builds=[TORCH, other])
    assert verdict(knowledge, torch="1.4.0", tensorflow="2.5").findings == ()


def test_what_a_wheel_bundles_silences_nothing() -> None:
    knowledge = base(fact("beside", {"torch": "*", "tensorflow": "*"}, unless=["cudnn"]), builds=[TORCH])
    assert verdict(knowledge, torch="1.4.0", tensorflow="2.5").findings
    assert not verdict(knowledge, torch="1.4.0", tensorflow="2.5", cudnn="8.1").findings


CPU_ONLY = {"distribution": "torch", "versions": ">=1.4,<1.5", "cpu-only": True, "sources": SOURCES}
ARM = {**TORCH, "label": "cu101", "machine": "aarch64"}


def test_a_build_without_gpu_code_is_refused_where_there_are_gpus_and_others_are_named() -> None:
    knowledge = base(builds=[TORCH, {**CPU_ONLY, "machine": "aarch64"}, ARM])
    (finding,) = verdict(knowledge, torch="1.4.0", gpu_cc="7.0", processor="aarch64").findings
    assert finding.severity is Severity.REFUSE
    assert finding.message == (
        "torch 1.4.0 with gpu_cc 7.0: "
        "the published build for aarch64 is for the processor alone, and sees no GPU"
    )
    assert [fix.range for fix in finding.fixes] == ["==1.4.0+cu101"]
    assert not verdict(knowledge, torch="1.4.0", gpu_cc="7.0", processor="x86_64").findings
    assert not verdict(knowledge, torch="1.4.0", processor="aarch64").findings


def test_who_asks_for_a_build_by_the_label_of_the_processor_is_warned() -> None:
    knowledge = base(builds=[TORCH, {**CPU_ONLY, "label": "cpu"}])
    (finding,) = verdict(knowledge, torch="1.4.0+cpu", gpu_cc="7.0").findings
    assert finding.severity is Severity.WARN
    assert [fix.range for fix in finding.fixes] == ["==1.4.0"]


ROCM = {
    "distribution": "torch",
    "versions": ">=1.4,<1.5",
    "label": "rocm6.0",
    "bundles": {"rocm": "6.0"},
    "gfx-targets": ["gfx90a", "gfx942"],
    "sources": SOURCES,
}


@pytest.mark.parametrize(
    ("gpu", "fine"), [("gfx90a", True), ("gfx942", True), ("gfx908", False), ("gfx90c", False)]
)
def test_code_for_a_gpu_of_amds_runs_on_no_other(gpu: str, *, fine: bool) -> None:
    judgement = verdict(base(builds=[TORCH, ROCM]), torch="1.4.0+rocm6.0", gpu_gfx=gpu)
    assert (judgement.verdict is Verdict.COMPATIBLE) is fine


@pytest.mark.parametrize(
    ("torch", "gpu", "fine", "told"),
    [
        ("1.4.0", {"gpu_gfx": "gfx90a"}, "==1.4.0+rocm6.0", "for GPUs of NVIDIA, and sees none of AMD"),
        ("1.4.0+rocm6.0", {"gpu_cc": "7.0"}, "==1.4.0", "for GPUs of AMD, and sees none of NVIDIA"),
    ],
)
def test_builds_for_another_makers_gpus_are_refused_and_the_others_named(
    torch: str, gpu: dict[str, str], fine: str, told: str
) -> None:
    (finding,) = verdict(base(builds=[TORCH, ROCM]), torch=torch, **gpu).findings
    assert finding.severity is Severity.REFUSE
    assert finding.message.endswith(told)
    assert [fix.range for fix in finding.fixes] == [fine]


def test_where_no_build_is_for_the_makers_gpus_that_is_told_and_no_more() -> None:
    judgement = verdict(base(builds=[TORCH]), torch="1.4.0", gpu_gfx="gfx90a")
    assert [(one.severity, one.fixes) for one in judgement.findings] == [(Severity.WARN, ())]
    known_by_its_toolkit = {**TORCH, "compute-capabilities": []}
    assert verdict(base(builds=[known_by_its_toolkit]), torch="1.4.0", gpu_gfx="gfx90a").findings
    known_by_nothing = {**known_by_its_toolkit, "bundles": {}}
    assert not verdict(base(builds=[known_by_nothing]), torch="1.4.0", gpu_gfx="gfx90a").findings


def test_other_releases_for_a_gpu_are_named_with_what_their_labels_begin_with() -> None:
    later = [{**ROCM, "versions": ">=1.5,<1.6", "label": label} for label in ("rocm6.0", "rocm6.1")]
    knowledge = base(builds=[{**TORCH, "versions": ">=1.3,<1.4"}, ROCM, *later])
    (finding,) = verdict(knowledge, torch="1.3.1", gpu_gfx="gfx942").findings
    assert [fix.range for fix in finding.fixes] == [">=1.4,<1.6 +rocm*"]


@pytest.mark.parametrize("via", [Via.BUILD, Via.SITE])
def test_what_was_built_here_bundles_nothing(via: Via) -> None:
    stack = {"torch": (Chosen(version="1.4.0", via=via),), "gpu_cc": (Chosen(version="8.0"),)}
    knowledge = base(builds=[TORCH])
    assert with_bundles(stack, knowledge) == stack
    assert judge(stack, knowledge).verdict is Verdict.COMPATIBLE


@pytest.mark.parametrize(
    ("gpu", "fine"),
    [("7.0", True), ("7.2", True), ("7.5", True), ("7.5.1", True), ("6.1", False), ("8.0", False)],
)
def test_machine_code_runs_within_its_generation(gpu: str, *, fine: bool) -> None:
    judgement = verdict(base(builds=[TORCH]), torch="1.4.0", gpu_cc=gpu)
    assert [finding.fact for finding in judgement.findings] == ([] if fine else ["gpu-not-in-build:torch"])


@pytest.mark.parametrize(
    ("gpu", "fine"), [("9.0", True), ("10.0", True), ("10.3", False), ("12.0", False), ("8.9", True)]
)
def test_code_for_one_architecture_alone_runs_on_no_later_one(gpu: str, *, fine: bool) -> None:
    build = {**TORCH, "compute-capabilities": ["8.0", "9.0a+PTX", "10.0a"]}
    judgement = verdict(base(builds=[build]), torch="1.4.0", gpu_cc=gpu)
    assert (judgement.verdict is Verdict.COMPATIBLE) is fine


def test_a_gpu_that_a_build_leaves_out_names_builds_that_run() -> None:
    other = {**TORCH, "label": "cu110", "compute-capabilities": ["8.0"]}
    later = {**TORCH, "versions": ">=1.5", "compute-capabilities": ["8.0+PTX"]}
    assert verdict(base(builds=[TORCH, other, later]), torch="1.4.0", gpu_cc="8.6").findings[0].fixes == (
        Fix(component="torch", range="==1.4.0+cu110"),
    )
    assert verdict(base(builds=[TORCH, later]), torch="1.4.0", gpu_cc="9.0").findings[0].fixes == (
        Fix(component="torch", range=">=1.5"),
    )


def test_a_waived_fact_becomes_a_note() -> None:
    stack = {"horovod": (Chosen(version="0.19.0"),), "openmpi": (Chosen(version="3.1.3"),)}
    judgement = judge(stack, base(OMPI), waived=frozenset({"ompi"}))
    assert judgement.verdict is Verdict.COMPATIBLE
    assert [finding.severity for finding in judgement.findings] == [Severity.NOTE]


def test_warnings_follow_refusals_and_change_nothing() -> None:
    warning = fact("a-warning", {"openmpi": "<4"}, severity="warn")
    judgement = verdict(base(warning, OMPI), horovod="0.19.0", openmpi="3.1.3")
    assert [finding.fact for finding in judgement.findings] == ["ompi", "a-warning"]
    assert verdict(base(warning), openmpi="3.1.3").verdict is Verdict.COMPATIBLE


@pytest.mark.parametrize(
    ("versions", "expected"),
    [
        ({"horovod": "0.28.1"}, Verdict.COMPATIBLE),
        ({"horovod": "0.29.0"}, Verdict.UNKNOWN),
        ({"some__addon": "99"}, Verdict.COMPATIBLE),
        ({"launcher": "srun"}, Verdict.COMPATIBLE),
        ({"tensorflow__gpu": "21.0"}, Verdict.UNKNOWN),
        ({UNCHECKED: "23.11"}, Verdict.UNKNOWN),
    ],
)
def test_beyond_coverage_nothing_is_fine(versions: dict[str, str], expected: Verdict) -> None:
    assert verdict(base(), **versions).verdict is expected


def test_a_distribution_may_be_named_as_one_though_no_component_has_its_name() -> None:
    told = fact("told", {"pypi:TensorFlow": "<2"}, {"pypi:torch": "<1.5"})
    assert verdict(base(told), tensorflow="1.15.2", torch="1.5.0").verdict is Verdict.INCOMPATIBLE


def test_facts_are_found_by_their_first_component() -> None:
    facts = base(OMPI, HVD).facts
    assert {name: [one.id for one in facts.of(name)] for name in facts.components} == {
        "horovod": ["ompi"],
        "tensorflow": ["hvd"],
    }


@pytest.mark.parametrize(
    ("text", "outside"),
    [
        ("==3.1.3", "!=3.1.3"),
        (">=2,<3", "<2 || >=3"),
        (">=2.0,<2.1.5 || >=3.1.0,<3.1.2", "<2.0 || >=2.1.5,<3.1.0 || >=3.1.2"),
        ("==1.5.1 || ==1.6.0", "!=1.5.1,!=1.6.0"),
        ("===3.7.0 || ==3.7.1", "!=3.7.0,!=3.7.1"),
        ("~=1.4.5", "!=1.4.* || <1.4.5"),
        ("~=1.4.post1", "!=1.* || <1.4.post1"),
        ("~=1!2.2rc1", "!=1!2.* || <1!2.2rc1"),
    ],
)
def test_complement(text: str, outside: str) -> None:
    found = complement(Range.versions(text))
    assert found is not None
    assert found.text == outside


@pytest.mark.parametrize("text", ["*", ">=1 || <2"])
def test_nothing_lies_outside_everything(text: str) -> None:
    assert complement(Range.versions(text)) is None


@pytest.mark.parametrize("text", ["+cu118", ">=2.1 +cu12* || <2.1", "===2004d"])
def test_what_other_labels_and_texts_there_are_is_not_known(text: str) -> None:
    assert complement(Range.versions(text)) is None


def test_flavours_that_a_condition_leaves_out_are_not_spoken_of() -> None:
    gpu = fact("gpu", {"tensorflow": {"versions": "<3", "without": ["tensorflow-gpu"]}}, {"cuda": "==10.*"})
    assert verdict(base(gpu), tensorflow="2.0", cuda="11.0").findings
    assert not verdict(base(gpu), tensorflow__gpu="2.0", cuda="11.0").findings
    new = fact("new", {"python": "*"}, {"tensorflow": {"versions": ">=2", "without": ["tensorflow-gpu"]}})
    assert verdict(base(new), python="3.9", tensorflow="1.15").findings
    assert not verdict(base(new), python="3.9", tensorflow__gpu="1.15").findings


TWINS = fact("twins", {"plugin": ">=2"}, {"torch": {"same-as": "plugin"}})
SERIES = fact("series", {"plugin": ">=2"}, {"torch": {"same-as": "plugin", "numbers": 2}})


@pytest.mark.parametrize(
    ("rule", "plugin", "torch", "fine"),
    [
        (TWINS, "2.1.3", "2.1.3", True),
        (TWINS, "2.1.3", "2.1.3+cu118", True),
        (TWINS, "2.1.3+cpu", "2.1.3", True),
        (TWINS, "2.1.3", "2.1.2", False),
        (TWINS, "2.1.3.post1", "2.1.3", False),
        (TWINS, "1.9", "2.1.3", True),
        (SERIES, "2.1.3", "2.1.9", True),
        (SERIES, "2.1.3", "2.10.0", False),
        (SERIES, "2", "2.0.1", True),
    ],
)
def test_versions_that_must_be_alike(rule: dict, plugin: str, torch: str, fine: bool) -> None:
    expected = Verdict.COMPATIBLE if fine else Verdict.INCOMPATIBLE
    assert verdict(base(rule), plugin=plugin, torch=torch).verdict is expected


def test_of_what_must_be_alike_either_may_follow_the_other() -> None:
    finding = verdict(base(SERIES), plugin="2.1.3", torch="2.2.0").findings[0]
    assert finding.message == "plugin 2.1.3 needs torch ==2.1.*, not torch 2.2.0: it breaks"
    assert set(finding.fixes) == {
        Fix(component="plugin", range="==2.2.*"),
        Fix(component="torch", range="==2.1.*"),
    }


def test_each_of_several_that_must_be_alike_is_told_alone() -> None:
    series = {"same-as": "plugin", "numbers": 2}
    both = fact("both", {"plugin": ">=2"}, {"horovod": {"same-as": "plugin"}, "torch": series})
    (finding,) = verdict(base(both), plugin="2.1.3", torch="2.1.3", horovod="2.2.0").findings
    assert set(finding.fixes) == {
        Fix(component="plugin", range="==2.2.0"),
        Fix(component="horovod", range="==2.1.3"),
    }


def test_what_a_fact_refused_is_not_refused_again_by_what_was_read() -> None:
    known = base(OMPI, fact("warned", {"openmpi": "*", "cuda": "*"}, severity="warn"))
    judgement = verdict(known, horovod="0.19.0", openmpi="3.1.3", cuda="11.8")
    refused, warned = judgement.findings
    read = [replace(one, fact="read", severity=Severity.REFUSE) for one in (refused, warned)]
    more = joined(judgement, read, {"slurm": "not looked at"})
    assert [one.fact for one in more.findings] == ["ompi", "read", "warned"]
    assert more.findings[1].components == warned.components
    assert more.uncovered == {"slurm": "not looked at"}
    assert joined(verdict(known, cuda="11.8"), (), more.uncovered).verdict is Verdict.UNKNOWN


def test_what_is_said_against_a_fact_is_told_with_its_cause() -> None:
    against = {"says": "it works for us", "evidence": "reported", "sources": SOURCES}
    told = fact("told", {"horovod": "*"}, disputed=[against])
    assert verdict(base(told), horovod="0.19.0").findings[0].cause == "disputed: it works for us (reported)"


def test_releases_that_were_not_numbered_alike_yet_may_go_with_what_came_then() -> None:
    finding = verdict(base(SERIES), plugin="2.1.3", torch="1.11.0").findings[0]
    assert set(finding.fixes) == {
        Fix(component="plugin", range="<2"),
        Fix(component="torch", range="==2.1.*"),
    }


@pytest.mark.parametrize(
    ("when", "then", "told"),
    [
        ({"plugin": "*", "cuda": "*"}, {"torch": {"same-as": "plugin"}}, "when names more than plugin"),
        ({"plugin": "*"}, {"torch": {"same-as": "cuda"}}, "when names more than cuda"),
        ({"plugin": "*"}, {"torch": {"same-as": "plugin", "numbers": -1}}, "-1 is not a count of numbers"),
        ({"plugin": {"same-as": "torch"}}, {"torch": "*"}, "same-as"),
    ],
)
def test_a_likeness_that_nothing_tells(when: dict, then: dict, told: str) -> None:
    with pytest.raises(RequestError, match=told):
        base(fact("odd", when, then))


LABELS = fact(
    "labels", {"torch": "+cpu", "vision": {"versions": ">=0.17 +", "via": "wheel"}, "processor": "x86_64"}
)


@pytest.mark.parametrize(
    ("torch", "vision", "more", "fine"),
    [
        ("2.7.0+cpu", "0.22.0", {}, False),
        ("2.7.0+cpu", "0.22.0", {"processor": "x86_64"}, False),
        ("2.7.0+cpu", "0.22.0", {"processor": "aarch64"}, True),
        ("2.7.0+cpu", "0.22.0+cpu", {}, True),
        ("2.7.0", "0.22.0", {}, True),
    ],
)
def test_labels_of_builds_on_nodes_of_the_usual_architecture(
    torch: str, vision: str, more: dict[str, str], fine: bool
) -> None:
    judgement = verdict(base(LABELS), torch=torch, vision=vision, **more)
    assert (judgement.verdict is Verdict.COMPATIBLE) is fine
    assert all(set(found.components) == {"torch", "vision", *more} for found in judgement.findings)


def test_ways_out_name_what_is_there_and_not_what_a_fact_calls_it() -> None:
    knowledge = base(fact("tf-2", {"tensorflow": "<2.4"}, {"horovod": "<0.21"}))
    (finding,) = verdict(knowledge, tensorflow__gpu="2.3.0", horovod="0.21.0").findings
    assert finding.fixes == (
        Fix(component="tensorflow-gpu", range=">=2.4"),
        Fix(component="horovod", range="<0.21"),
    )
