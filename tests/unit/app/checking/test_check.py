"""``check``: pins that a person wrote."""

import datetime as dt
import shutil
import tarfile
from collections.abc import Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from envlock.app.checking.check import _dependency_findings, check_combination, judge_combination
from envlock.app.kb import lint, show
from envlock.edges.cache import Cache
from envlock.edges.listings.reading import read_listing
from envlock.model.errors import ExitStatus, RequestError
from envlock.model.knowing.fact import Severity
from envlock.model.knowing.finding import Verdict
from envlock.model.project.target import Interpreter, Offer, Target
from envlock.model.published.catalogue import Catalogue, DistFile
from envlock.model.published.declaration import Declaration, Declared, Published
from envlock.model.published.listing import Listed, Listing
from tests.memory import MemoryCatalogue
from tests.shipped import KNOWLEDGE


def test_pins_are_judged_together() -> None:
    judgement = judge_combination(["horovod==0.19.0", "openmpi==3.1.3"], KNOWLEDGE).judgement
    assert judgement.verdict is Verdict.INCOMPATIBLE
    assert judgement.findings[0].fact == "horovod-openmpi-3.1.3"
    assert judgement.findings[0].sources


def test_a_local_version_says_which_build() -> None:
    assert (
        judge_combination(["torch==2.9.0+cu126", "gpu_cc==6.0"], KNOWLEDGE).judgement.verdict
        is not Verdict.INCOMPATIBLE
    )
    assert (
        judge_combination(["torch==2.9.0+cu130", "gpu_cc==6.0"], KNOWLEDGE).judgement.verdict
        is Verdict.INCOMPATIBLE
    )


@pytest.mark.parametrize(
    ("pin", "means"),
    [
        ("gpu_cc==sm_90", "gpu_cc 9.0"),
        ("gpu_cc==90", "gpu_cc 9.0"),
        ("gpu_cc==compute_120a", "gpu_cc 12.0"),
    ],
)
def test_versions_are_read_as_compilers_spell_them(pin: str, means: str) -> None:
    findings = judge_combination([pin, "torch==1.4.0"], KNOWLEDGE).judgement.findings
    assert any(means in one.message for one in findings)


@pytest.mark.parametrize(("pin", "verdict"), [("R450", Verdict.INCOMPATIBLE), ("R570", Verdict.COMPATIBLE)])
def test_a_branch_of_the_driver_is_its_first_version(pin: str, verdict: Verdict) -> None:
    assert judge_combination([f"driver=={pin}", "cuda==cu124"], KNOWLEDGE).judgement.verdict is verdict


def test_names_are_read_in_any_spelling() -> None:
    assert (
        judge_combination(["Typing_Extensions==3.7.4.3", "torch==2.1.2"], KNOWLEDGE).judgement.verdict
        is Verdict.INCOMPATIBLE
    )


@pytest.mark.parametrize(
    ("pins", "verdict"),
    [
        (["numpy==1.16.5"], Verdict.COMPATIBLE),  # on Python 3.7
        (["numpy==1.16.5", "python==3.8"], Verdict.INCOMPATIBLE),
        (["numpy==1.10.4"], Verdict.INCOMPATIBLE),
    ],
)
def test_each_wheel_may_ask_for_something_else(pins: list[str], verdict: Verdict) -> None:
    """As opencv-python's of 2020 do, each for the NumPy that it was built with."""
    tags = ("cp36-cp36m", "cp37-cp37m", "cp38-cp38")
    wheels = [f"toy_cv-4.2-{tag}-manylinux1_x86_64.whl" for tag in tags]

    def declare(wanted: Mapping[str, tuple[str, str]], python: str) -> Declared:
        asked = "numpy>=1.17.3" if python in ("", "3.8") else "numpy>=1.14.5"
        told = Declaration(
            distribution="toy-cv",
            version="4.2",
            read=dt.date(2026, 1, 1),
            files=tuple(Published(filename=wheel, requires_python="") for wheel in wheels),
            requires_dist=(asked,),
            versions=("4.2",),
        )
        found = {component: told for component in wanted if component == "toy-cv"}
        return Declared(declarations=found, unread={}, unlisted={})

    assert judge_combination(["toy-cv==4.2", *pins], KNOWLEDGE, declare=declare).judgement.verdict is verdict


def test_of_what_nobody_could_ask_and_nobody_covers_nothing_is_known() -> None:
    def unreachable(wanted: Mapping[str, tuple[str, str]], python: str) -> Declared:
        return Declared(declarations={}, unread=dict.fromkeys(wanted, "not reached"), unlisted={})

    checked = judge_combination(["toy-cv==4.2", "torch==1.4.0"], KNOWLEDGE, declare=unreachable)
    assert checked.judgement.verdict is Verdict.UNKNOWN
    assert checked.judgement.uncovered == {"toy-cv": "not reached"}
    assert checked.unread == {"torch": "not reached"}


def test_a_launcher_is_a_word() -> None:
    pins = ["launcher==horovodrun", "mpich==3.3.2", "horovod==0.20.3"]
    assert judge_combination(pins, KNOWLEDGE).judgement.verdict is Verdict.INCOMPATIBLE
    assert (
        judge_combination(["launcher==mpirun", *pins[1:]], KNOWLEDGE).judgement.verdict
        is not Verdict.INCOMPATIBLE
    )


def test_several_gpus_may_be_named() -> None:
    findings = judge_combination(["torch==1.4.0", "gpu_cc==7.0", "gpu_cc==8.0"], KNOWLEDGE).judgement.findings
    assert {finding.components["gpu_cc"] for finding in findings} == {"8.0"}


@pytest.mark.parametrize(
    ("pin", "component", "version"),
    [
        ("impi==2019.8", "intelmpi", "2019.8"),
        ("Intel_MPI==2021.6", "intelmpi", "2021.6"),
        ("cudatoolkit==11.3", "cuda", "11.3"),
        ("pytorch==1.4.0", "torch", "1.4.0"),
        ("pypi:pytorch==1.0.2", "pytorch", "1.0.2"),
        ("gpu==V100", "gpu_cc", "7.0"),
        ("gpu==NVIDIA A100-SXM4-40GB", "gpu_cc", "8.0"),
        ("gpu==NVIDIA GeForce RTX 3080 Ti", "gpu_cc", "8.6"),
        ("gpu==A10", "gpu_cc", "8.6"),
        ("gpu==RTX 6000 Ada", "gpu_cc", "8.9"),
        ("gpu==MI250X", "gpu_gfx", "gfx90a"),
        ("gpu==AMD Instinct MI300A", "gpu_gfx", "gfx942"),
        ("gpu==Radeon Instinct MI25", "gpu_gfx", "gfx900"),
        ("gpu==AMD Radeon PRO W7900", "gpu_gfx", "gfx1100"),
        ("gpu==Radeon RX 7700S", "gpu_gfx", "gfx1102"),
        ("amdgpu_target==gfx90a", "gpu_gfx", "gfx90a"),
        ("os==CentOS 7.9", "glibc", "2.17"),
        ("os==SUSE Linux Enterprise Server 15 SP4", "glibc", "2.31"),
        ("gpu==NVIDIA A800-SXM4-80GB", "gpu_cc", "8.0"),
        ("os==ubuntu-20.04", "glibc", "2.31"),
        ("ubuntu==18.04.6", "glibc", "2.27"),
        ("centos==7", "glibc", "2.17"),
        ("interconnect==InfiniBand", "interconnect", "infiniband"),
        ("interconnect==OmniPath", "interconnect", "omni-path"),
        ("interconnect==EFA", "interconnect", "efa"),
        ("craympich==8.1.26", "cray-mpich", "8.1.26"),
    ],
)
def test_what_people_call_components_is_understood(pin: str, component: str, version: str) -> None:
    ((named, (chosen,)),) = judge_combination([pin], KNOWLEDGE).assignment.items()
    assert (named, chosen.version) == (component, version)


@pytest.mark.parametrize(
    ("pins", "verdict"),
    [
        (["cuda==12.0", "driver==525"], Verdict.COMPATIBLE),
        (["cuda==12.0", "driver==520"], Verdict.INCOMPATIBLE),
        (["jax==0.4.31", "cudnn==9"], Verdict.COMPATIBLE),
        (["jax==0.4.31", "cudnn==9.0"], Verdict.INCOMPATIBLE),
    ],
)
def test_what_is_told_by_its_branch_is_any_of_it(pins: list[str], verdict: Verdict) -> None:
    assert judge_combination(pins, KNOWLEDGE).judgement.verdict is verdict


def test_a_distribution_that_most_environments_have_is_no_word_for_a_machine() -> None:
    assert "distro" in judge_combination(["distro==1.9.0"], KNOWLEDGE).assignment


def test_what_is_no_word_for_a_machine_is_a_release_of_the_distribution_of_that_name() -> None:
    assert judge_combination(["arch==7.2.0"], KNOWLEDGE).assignment["arch"][0].version == "7.2.0"
    assert "processor" in judge_combination(["arch==x86_64"], KNOWLEDGE).assignment


def test_what_only_tells_a_component_steps_back_where_that_is_named() -> None:
    assignment = judge_combination(
        ["os==CentOS7", "glibc==2.28", "gpu==V100", "gpu==T4"], KNOWLEDGE
    ).assignment
    assert [one.version for one in assignment["glibc"]] == ["2.28"]
    assert [one.version for one in assignment["gpu_cc"]] == ["7.0", "7.5"]


@pytest.mark.parametrize(
    ("pins", "code"),
    [
        (["horovod"], "invalid-pin"),
        (["horovod=0.19.0"], "invalid-pin"),
        (["horovod=="], "invalid-pin"),
        (["==1"], "invalid-pin"),
        (["torch===1.4"], "invalid-pin"),
        (["torch==new"], "invalid-version"),
        (["torch==1.4.x"], "invalid-version"),
        (["openmpi==4.1.x"], "invalid-version"),
        (["cuda==12.x"], "invalid-version"),
        (["tor ch==1"], "invalid-name"),
        (["torch[opt einsum]==1"], "invalid-name"),
        (["openmpi[cuda]==4.1.4"], "invalid-name"),
        (["cpu-simd==avx9"], "unknown-word"),
        (["gpu==A1000"], "unknown-word"),
        (["machine==1.0"], "unknown-word"),
        (["arch==sparc64"], "unknown-word"),
        (["os==TempleOS"], "unknown-word"),
        (["torch==1.4", "torch==1.5"], "pinned-twice"),
        ([], "nothing-to-check"),
    ],
)
def test_bad_pins_are_refused(pins: list[str], code: str) -> None:
    with pytest.raises(RequestError) as caught:
        judge_combination(pins, KNOWLEDGE)
    assert caught.value.code == code
    assert caught.value.status is ExitStatus.BAD_REQUEST


def test_who_names_a_file_is_told_how() -> None:
    for name in ("requirements.txt", "locks/here", "uv.lock"):
        with pytest.raises(RequestError) as caught:
            judge_combination([name], KNOWLEDGE)
        assert caught.value.hint.endswith(f"envlock check --from {name}")


def test_show_gathers_all_of_a_component() -> None:
    shown = show("Horovod", KNOWLEDGE)
    assert "horovod-openmpi-3.1.3" in {fact.id for fact in shown.facts}
    assert {need.component for need in shown.needs} == {"mpi"}
    assert shown.coverage is not None
    assert shown.recipes
    assert {provider.distribution for provider in show("openmpi", KNOWLEDGE).providers} == {"pypi:openmpi"}
    assert "tensorflow-gpu" in show("tensorflow", KNOWLEDGE).flavours


def test_show_of_the_unknown_offers_names_that_are_near() -> None:
    with pytest.raises(RequestError) as caught:
        show("horovodd", KNOWLEDGE)
    assert "horovod" in caught.value.hint


def test_lint_catches_what_a_wrong_bound_gets_wrong(tmp_path) -> None:
    (tmp_path / "facts").mkdir()
    (tmp_path / "components.toml").write_text(
        '[[component]]\nname = "cuda"\ntitle = "CUDA"\nlayer = "core"\n'
    )
    (tmp_path / "facts" / "a.toml").write_text(
        """
[[fact]]
id = "b"
when = { cuda = "", cudda = "<2" }
evidence = "reported"
reason = "it breaks"
sources = []
refuses = [{ cuda = "11", cudda = "2" }]
accepts = [{ cuda = "11", cudda = "1" }]

[[fact]]
id = "a"
when = { torch = "<2" }
evidence = "reported"
reason = " "
sources = [{ title = "", checked = 2026-01-01 }]
refuses = [{ torch = "1", numpy = "2" }]
"""
    )
    messages = {problem.message for problem in lint(tmp_path)}
    assert messages == {
        "an empty range",
        "no source",
        "does not refuse cuda==11 cudda==2",
        "does not accept cuda==11 cudda==1",
        "'cudda' is not described",
        "no reason",
        "a source without title",
        "no example that it accepts",
        "'numpy' is not described",
        "facts are not sorted",
        "not in canonical form",
    }


def test_lint_asks_every_kind_of_entry_for_its_sources(tmp_path: Path) -> None:
    entry = '[[stand-in]]\ndistribution = "b"\nreplaces = ["c"]\nreason = "r"\n'
    entry += 'sources = [{ title = " ", checked = 2026-01-01 }]\n'
    (tmp_path / "components.toml").write_text(entry)
    found = {(problem.message, problem.where) for problem in lint(tmp_path)}
    assert ("a source without title", "stand-in b") in found


@pytest.mark.parametrize(
    ("needed", "reason", "known"),
    [
        ("torch-scatter", "its modules import torch_scatter at their top", True),
        ("torch-scater", "its modules import torch_scatter at their top", False),
        ("cuda", "it calls nvcc", True),
        ("cudda", "its modules import cudda", False),
        ("pypi:cuda", "it calls what the distribution cuda brings", True),
    ],
)
def test_lint_knows_what_is_needed(tmp_path: Path, needed: str, reason: str, known: bool) -> None:
    (tmp_path / "components.toml").write_text(
        '[[component]]\nname = "cuda"\ntitle = "CUDA"\nlayer = "core"\n\n'
        f'[[need]]\ndistribution = "torch-geometric"\ncomponent = "{needed}"\nreason = "{reason}"\n'
    )
    messages = {problem.message for problem in lint(tmp_path)}
    assert (f"'{needed}' is not described" not in messages) == known


DEMANDS = """\
[[fact]]
id = "{id}"
when = {{ torch = "<2" }}
then = {{ numpy = "{range}" }}
evidence = "reported"
reason = "r"
sources = [{{ title = "t", checked = 2026-01-01 }}]
refuses = [{{ torch = "1", numpy = "{bad}" }}]
accepts = [{{ torch = "1", numpy = "{good}" }}]
"""


@pytest.mark.parametrize(
    ("ranges", "messages"),
    [
        ((("<1.20", "1.20", "1.19"), (">=1.19", "1.18", "1.19")), []),
        (
            (("<1.20", "1.20", "1.18"), (">=1.20", "1.19", "1.20")),
            ["contradicts a: no version of numpy is in both ranges"],
        ),
        ((("<1.20", "1.20", "1.19"), ("<1.20", "1.21", "1.18")), ["says what a says"]),
        ((("<1,>2", "1.5", "0.5"),), ["no version is in '<1,>2'", "does not accept torch==1 numpy==0.5"]),
    ],
)
def test_lint_catches_contradictions_and_empty_ranges(tmp_path, ranges, messages) -> None:
    (tmp_path / "facts").mkdir()
    facts = [
        DEMANDS.format(id=name, range=text, bad=bad, good=good)
        for name, (text, bad, good) in zip("ab", ranges, strict=False)
    ]
    (tmp_path / "facts" / "a.toml").write_text("\n".join(facts))
    assert sorted(problem.message for problem in lint(tmp_path)) == sorted(messages)


def test_lint_catches_words_that_nothing_can_be(tmp_path) -> None:
    (tmp_path / "facts").mkdir()
    shutil.copy(Path(__file__).parents[4] / "knowledge/components.toml", tmp_path)
    text = DEMANDS.format(id="a", range="<1", bad="1", good="0").replace("<2", '<2", mpi-threads = "many')
    (tmp_path / "facts" / "a.toml").write_text(text)
    assert "'many' is not one of its values" in {problem.message for problem in lint(tmp_path)}


def test_lint_tells_a_document_that_is_not_of_its_form_as_one_problem(tmp_path) -> None:
    (tmp_path / "facts").mkdir()
    text = DEMANDS.format(id="a", range="<1", bad="1", good="0").replace("reason", "raeson")
    (tmp_path / "facts" / "a.toml").write_text(text)
    (problem,) = lint(tmp_path)
    assert problem.file.endswith("facts/a.toml")
    assert problem.where == "fact[0].reason"
    assert "'a'" in problem.hint


def gpu_node() -> Target:
    offers = (
        Offer(component="driver", version="410.48"),
        Offer(component="gpu_cc", version="7.0"),
        Offer(component="openmpi", version="3.1.3"),
    )
    return Target(name="gpu", os="", machine="x86_64", interpreters=(), offers=offers)


def test_a_target_joins_what_its_nodes_decide_and_not_what_they_offer() -> None:
    checked = judge_combination(["torch==1.4.0", "horovod==0.19.0"], KNOWLEDGE, target=gpu_node())
    found = {finding.fact for finding in checked.judgement.findings}
    assert found == {"cuda-10.1-driver", "horovod-gpu-operations"}
    assert checked.joined == (("driver", "410.48"), ("gpu_cc", "7.0"), ("processor", "x86_64"))


@pytest.mark.parametrize(
    ("pythons", "joined", "refused"),
    [
        (("3.11.9",), ("python", "3.11.9"), {"glibc": "2.17", "toy-lib": "1.0"}),
        (("3.11.9", "3.12.1"), ("glibc", "2.17"), {"glibc": "2.17", "toy-lib": "1.0"}),
        (("3.13.0", "3.14.0"), ("glibc", "2.17"), {"python": "3.14.0", "toy-lib": "1.0"}),
        ((), ("glibc", "2.17"), {"glibc": "2.17", "toy-lib": "1.0"}),
    ],
)
def test_the_interpreters_of_a_target_are_those_that_may_be_meant(
    pythons: tuple[str, ...], joined: tuple[str, str], refused: dict[str, str]
) -> None:
    """For the wheels for 3.11 and 3.12 the C library is too old; that others have none says nothing."""
    wheels = [f"toy_lib-1.0-cp{tag}-cp{tag}-manylinux_2_28_x86_64.whl" for tag in ("311", "312")]
    told = Declaration(
        distribution="toy-lib",
        version="1.0",
        read=dt.date(2026, 1, 1),
        files=tuple(Published(filename=wheel, requires_python="") for wheel in wheels),
        requires_dist=(),
        versions=("1.0",),
    )
    node = Target(
        name="old",
        os="",
        machine="x86_64",
        interpreters=tuple(Interpreter(path="", version=version, abi="", markers={}) for version in pythons),
        offers=(Offer(component="glibc", version="2.17"),),
    )
    declared = Declared(declarations={"toy-lib": told}, unread={}, unlisted={})
    checked = judge_combination(
        ["toy-lib==1.0"], KNOWLEDGE, target=node, declare=lambda _wanted, _python: declared
    )
    assert joined in checked.joined
    assert [dict(finding.components) for finding in checked.judgement.findings] == [refused]


def test_what_is_named_comes_before_the_target() -> None:
    checked = judge_combination(["torch==1.4.0", "driver==450.80.02"], KNOWLEDGE, target=gpu_node())
    assert checked.judgement.verdict is Verdict.COMPATIBLE
    assert checked.joined == (("gpu_cc", "7.0"), ("processor", "x86_64"))


def test_what_is_named_comes_before_what_is_listed(tmp_path) -> None:
    (tmp_path / "r.txt").write_text("numpy==2.0.0\ntorch==2.0.1\nopenmpi==4.1.8\n")
    found = judge_combination([], KNOWLEDGE, listing=read_listing(tmp_path / "r.txt"))
    assert "numpy-2-torch" in {finding.fact for finding in found.judgement.findings}
    assert found.assignment["openmpi"][0].version == "4.1.8"
    mended = judge_combination(["numpy==1.26.4"], KNOWLEDGE, listing=read_listing(tmp_path / "r.txt"))
    assert mended.judgement.verdict is Verdict.COMPATIBLE


@pytest.mark.parametrize(
    ("pins", "component", "versions"),
    [
        (["horovod==0.19.0", "openmpi==3.1.3"], "openmpi", ("3.1.2", "3.1.4")),
        (["torch==2.0.1", "numpy==2.0.0"], "numpy", ("1.26.4",)),
        (["torch==1.4.0", "gpu_cc==8.0"], "torch", ("1.13.0",)),
    ],
)
def test_the_nearest_versions_that_are_fine_are_told(pins, component, versions) -> None:
    fixes = [
        fix for finding in judge_combination(pins, KNOWLEDGE).judgement.findings for fix in finding.fixes
    ]
    assert versions in [fix.versions for fix in fixes if fix.component == component]


def test_a_nearest_version_ends_all_that_is_said_of_the_same_components() -> None:
    """pandas 1.3.3 has wheels for Python 3.10, which is no way out on Python 3.13."""
    found = judge_combination(["pandas==1.0.5", "python==3.13"], KNOWLEDGE).judgement.findings
    fixes = {fix.component: set[tuple[str, ...]]() for one in found for fix in one.fixes}
    for fix in (fix for one in found for fix in one.fixes):
        fixes[fix.component].add(fix.versions)
    assert len(found) > 1
    assert fixes == {"pandas": {("2.2.3",)}, "python": {("3.9",)}}


def test_a_nearest_version_is_one_that_the_index_lists() -> None:
    """Examples of facts make up a few that may come; no index has the 2.6.1 of torch-2.7-glibc."""
    told = Declaration(
        distribution="torch",
        version="2.9.0",
        read=dt.date(2026, 1, 1),
        files=(),
        requires_dist=(),
        versions=("2.9.0", "2.6.0", "2.5.1"),
    )
    declared = Declared(declarations={"torch": told}, unread={}, unlisted={})
    found = judge_combination(
        ["torch==2.9.0", "glibc==2.17"], KNOWLEDGE, declare=lambda _wanted, _python: declared
    ).judgement.findings
    assert [fix.versions for one in found for fix in one.fixes if fix.component == "torch"] == [("2.6.0",)]


def test_no_part_of_a_range_is_told_that_another_fact_refuses() -> None:
    """CUDA 13, which this driver cannot run either, is no way out of what CUDA 12 needs."""
    [found] = judge_combination(["cuda==12.8", "driver==470.82.01"], KNOWLEDGE).judgement.findings
    assert [fix.range for fix in found.fixes if fix.component == "cuda"] == ["<12.0"]


def test_a_nearest_version_is_fine_indeed() -> None:
    pins = {"tensorflow": "1.15.2", "protobuf": "4.21.0", "python": "3.7.9"}
    judged = judge_combination([f"{name}=={version}" for name, version in pins.items()], KNOWLEDGE).judgement
    assert judged.verdict is Verdict.INCOMPATIBLE
    tried = 0
    for finding in judged.findings:
        for fix in finding.fixes:
            for version in fix.versions:
                changed = [f"{name}=={v}" for name, v in {**pins, fix.component: version}.items()]
                facts = {one.fact for one in judge_combination(changed, KNOWLEDGE).judgement.findings}
                assert finding.fact not in facts
                tried += 1
    assert tried


def test_lint_tells_a_document_that_goes_on_after_its_end(tmp_path: Path) -> None:
    (tmp_path / "facts").mkdir()
    text = DEMANDS.format(id="a", range="<1.20", bad="1.20", good="1.19")
    (tmp_path / "facts" / "a.toml").write_text(text)
    assert list(lint(tmp_path)) == []
    (tmp_path / "facts" / "a.toml").write_text(text + "\n")
    (problem,) = lint(tmp_path)
    assert (problem.message, problem.hint) == (
        "not in canonical form",
        "the file should end before this line",
    )


def test_what_is_pinned_by_what_is_named_is_judged_too(tmp_path: Path) -> None:
    """As vLLM pins PyTorch, whose build decides about GPUs: the indexes are opened once for all of it."""
    opened = []
    releases = {
        "server": {"1.0": {"requires": ["middle==2.0"]}},
        "middle": {"2.0": {"requires": ["torch==2.5.1"]}},
        "torch": {"2.5.1": {}},
    }

    def indexes() -> AbstractContextManager[Catalogue]:
        opened.append(1)
        return nullcontext(MemoryCatalogue(releases))

    judged = check_combination(["server==1.0", "gpu_cc==12.0"], Cache(tmp_path), indexes).judgement
    assert judged.verdict is Verdict.INCOMPATIBLE
    assert any("(middle 2.0 pins torch 2.5.1)" in finding.message for finding in judged.findings)
    assert len(opened) == 1
    fine = check_combination(["server==1.0", "gpu_cc==9.0"], Cache(tmp_path), indexes).judgement
    assert fine.verdict is Verdict.COMPATIBLE


@pytest.mark.parametrize(
    ("pins", "verdict"),
    [
        (["server==1.0", "numpy==2.0.0"], Verdict.INCOMPATIBLE),
        (["server==1.0", "numpy==1.26.4"], Verdict.COMPATIBLE),
        (["server==1.0", "numpy==2.0.0", "torch==2.4.0"], Verdict.INCOMPATIBLE),  # by what it requires
        (["server==1.0", "words==1.0"], Verdict.INCOMPATIBLE),
        (["server==1.0", "words==0.9"], Verdict.COMPATIBLE),
        (["server==2.0", "numpy==2.0.0"], Verdict.COMPATIBLE),
        (["server==2.0", "words==1.0"], Verdict.COMPATIBLE),
    ],
)
def test_what_nobody_named_must_have_a_release_that_goes(
    pins: list[str], verdict: Verdict, tmp_path: Path
) -> None:
    """As AllenNLP asks for a PyTorch that no NumPy 2 goes with."""
    releases = {
        "server": {
            "1.0": {"requires": ["torch<1.9", "reader>=1.2,<2"]},
            "2.0": {"requires": ["torch", "reader"]},
        },
        "torch": {"1.8.0": {}, "1.7.1": {}, "2.4.0": {}},
        "reader": {"2.0": {}, "1.3": {"requires": ["words<1"]}, "1.2": {"requires": ["words<0.5"]}},
        "words": {"1.0": {}, "0.9": {}},
        "numpy": {"2.0.0": {}, "1.26.4": {}},
    }
    judged = check_combination(
        pins, Cache(tmp_path), lambda: nullcontext(MemoryCatalogue(releases))
    ).judgement
    assert judged.verdict is verdict


def test_what_left_the_index_and_is_kept_elsewhere_may_go(tmp_path: Path) -> None:
    """As jaxlib is by its publishers, of which the index lists late releases alone."""

    def checked(asks: str) -> tuple[Verdict, str]:
        releases = {"reader": {"1.0": {"requires": [asks]}}, "jaxlib": {"0.12.0": {}, "0.11.0": {}}}
        found = check_combination(
            ["reader==1.0", "python==3.10"],
            Cache(tmp_path / asks.replace(">", "")),
            lambda: nullcontext(MemoryCatalogue(releases)),
        )
        (told,) = found.judgement.findings
        return found.judgement.verdict, told.cause

    verdict, cause = checked("jaxlib>=0.1.37")
    assert (verdict, "issues/18368" in cause) == (Verdict.COMPATIBLE, True)
    assert checked("jaxlib>=0.11") == (Verdict.INCOMPATIBLE, "")


def test_a_requirements_file_leaves_what_it_asks_for_to_the_index(tmp_path: Path) -> None:
    """As Flask 1.1 alone, for which pip takes a Jinja2 that it does not go with."""
    releases = {
        "flask": {"1.1.2": {"requires": ["jinja2>=2.10.1"]}, "2.3.0": {"requires": ["jinja2>=3.1"]}},
        "jinja2": {"3.1.0": {}, "3.0.3": {}},
    }

    def found(text: str, *, complete: bool = False) -> list[tuple[Severity, str]]:
        (tmp_path / "r.txt").write_text(text)
        read = read_listing(tmp_path / "r.txt")
        assert not read.complete
        listing = replace(read, complete=complete)
        indexes = MemoryCatalogue(releases)
        checked = check_combination([], Cache(tmp_path), lambda: nullcontext(indexes), listing=listing)
        return [(one.severity, one.fact) for one in checked.judgement.findings if "jinja2" in one.message]

    assert found("flask==1.1.2\n") == [(Severity.WARN, "flask-jinja2-3.1")]
    assert not found("flask==1.1.2\njinja2==3.0.3\n")
    assert not found("flask==2.3.0\n")
    assert not found("flask==1.1.2\n", complete=True)


def test_extras_bring_what_they_ask_for(tmp_path: Path) -> None:
    """As ``tensorflow[and-cuda]`` does, whose cuDNN is another than the one that PyTorch pins."""
    releases = {
        "graph": {"1.0": {"requires": ["deep-lib==9.3; extra == 'and-cuda'"]}},
        "tensors": {"1.0": {"requires": ["deep-lib==9.1"]}},
        "deep-lib": {"9.1": {}, "9.3": {}},
    }

    def indexes() -> AbstractContextManager[Catalogue]:
        return nullcontext(MemoryCatalogue(releases))

    for pin, verdict in (
        ("graph==1.0", Verdict.COMPATIBLE),
        ("graph[and_cuda]==1.0", Verdict.INCOMPATIBLE),
        ("Graph [other, AND-CUDA] == 1.0", Verdict.INCOMPATIBLE),
    ):
        judged = check_combination([pin, "tensors==1.0"], Cache(tmp_path), indexes).judgement
        assert judged.verdict is verdict
    one = check_combination(["graph[and-cuda]==1.0", "deep-lib==9.1"], Cache(tmp_path), indexes).judgement
    assert one.verdict is Verdict.INCOMPATIBLE


@pytest.mark.parametrize("python", [[], ["python==3.11"]])
def test_extras_of_what_comes_along_bring_what_they_ask_for(python: list[str], tmp_path: Path) -> None:
    """As ``jax[cuda12]`` does, whose plug-in comes with a cuDNN that is none for PyTorch."""
    releases = {
        "graph": {"1.0": {"requires": ["plugin[with_libs]<=1.0,>=1.0; extra == 'gpu'"]}},
        "plugin": {"1.0": {"requires": ["deep-lib>=9.2; extra == 'with_libs'"]}},
        "tensors": {"1.0": {"requires": ["deep-lib==9.1"]}},
        "deep-lib": {"9.1": {}, "9.3": {}},
    }

    def indexes() -> AbstractContextManager[Catalogue]:
        return nullcontext(MemoryCatalogue(releases))

    for pin, verdict in (
        ("graph==1.0", Verdict.COMPATIBLE),
        ("graph[gpu]==1.0", Verdict.INCOMPATIBLE),
    ):
        judged = check_combination([pin, "tensors==1.0", *python], Cache(tmp_path), indexes).judgement
        assert judged.verdict is verdict


def test_what_is_built_with_a_pin_that_this_python_refuses_cannot_be_had(tmp_path: Path) -> None:
    """As scikit-learn 0.23.2 on Python 3.10: no wheel, and an sdist that pins NumPy 1.17.3 for its build."""
    files = [*(f"forest-1.0-cp3{n}-cp3{n}-manylinux2014_x86_64.whl" for n in (8, 9)), "forest-1.0.tar.gz"]
    asked = ["setuptools", "numpy==1.17.3; python_version >= '3.8'", "numpy==1.13.3; python_version < '3.8'"]
    releases = {
        "forest": {"1.0": {"files": files, "build-requires": asked}},
        "loose": {
            "1.0": {"files": [one.replace("forest", "loose") for one in files], "build-requires": ["numpy"]}
        },
    }
    cache = Cache(tmp_path)

    def indexes() -> AbstractContextManager[Catalogue]:
        return nullcontext(MemoryCatalogue(releases))

    for opened in (indexes, None):
        judged = check_combination(["forest==1.0", "python==3.10"], cache, opened).judgement
        (finding,) = judged.findings
        assert (judged.verdict, finding.fact) == (Verdict.INCOMPATIBLE, "build-requires")
        assert (
            "its sdist would have to be built: with numpy ==1.17.3, and numpy 1.17.3 needs" in finding.message
        )
        assert finding.fixes[0].versions == ("3.8", "3.9")
    assert check_combination(["forest==1.0", "python==3.9"], cache, indexes).judgement.findings == ()
    (warned,) = check_combination(["loose==1.0", "python==3.10"], cache, indexes).judgement.findings
    assert warned.fact == "wheels"


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        ("numpy~=1.23.3", "build-requires"),
        ("numpy>=1.21,<1.24", "build-requires"),
        ("numpy~=1.23.3; python_version < '3.12'", "wheels"),
        ("numpy>=1.23.3", "wheels"),
        ("numpy~=1.23", "wheels"),
        ("numpy<2", "wheels"),
        ("setuptools==40.*", "build-requires"),
        ("setuptools<65", "build-requires"),
        ("setuptools<69", "wheels"),
        ("setuptools!=65", "wheels"),
    ],
)
def test_what_is_built_with_releases_that_this_python_all_refuses_cannot_be_had(
    asked: str, told: str, tmp_path: Path
) -> None:
    """As ml-dtypes 0.2.0 on Python 3.12: an sdist that asks for NumPy 1.23, which ended with Python 3.11."""
    files = ["types-1.0-cp311-cp311-manylinux2014_x86_64.whl", "types-1.0.tar.gz"]
    releases = {"types": {"1.0": {"files": files, "build-requires": ["setuptools", asked]}}}
    indexes = partial(nullcontext, MemoryCatalogue(releases))
    (finding,) = check_combination(
        ["types==1.0", "python==3.12"], Cache(tmp_path), indexes
    ).judgement.findings
    assert finding.fact == told
    assert "setuptools 0" not in finding.message


class _WithSetup(MemoryCatalogue):
    """Has one sdist, whose ``setup.py`` imports what Python 3.12 took away."""

    def __init__(self, folder: Path) -> None:
        files = ["forest-1.0-cp39-cp39-manylinux2014_x86_64.whl", "forest-1.0.tar.gz"]
        super().__init__({"forest": {"1.0": {"files": files}}})
        self._sdist = folder / files[1]
        (folder / "setup.py").write_text("import imp\n")
        with tarfile.open(self._sdist, "w:gz") as archive:
            archive.add(folder / "setup.py", "forest-1.0/setup.py")

    def local_file(self, file: DistFile) -> Path:
        return self._sdist if file.filename == self._sdist.name else super().local_file(file)


def test_what_has_no_wheel_for_this_python_is_built_by_a_setup_that_must_run_on_it(tmp_path: Path) -> None:
    cache = Cache(tmp_path / "cache")

    def indexes() -> AbstractContextManager[Catalogue]:
        return nullcontext(_WithSetup(tmp_path))

    for opened in (indexes, None):
        judged = check_combination(["forest==1.0", "python==3.12"], cache, opened).judgement
        assert judged.verdict is Verdict.INCOMPATIBLE
        (told,) = [finding for finding in judged.findings if finding.fact == "removed-names"]
        assert "looks for imp when it is built (setup.py:1), which python 3.12 no longer has" in told.message
    for python in ("3.11", "3.9"):
        judged = check_combination(["forest==1.0", f"python=={python}"], cache, indexes).judgement
        assert judged.verdict is Verdict.COMPATIBLE


def test_c_that_an_old_cython_wrote_cannot_be_built(tmp_path: Path) -> None:
    """As gensim 3.8.3 on Python 3.11: no wheel, and an sdist whose C stops at longintrepr.h."""
    files = ["words-1.0-cp38-cp38-manylinux2014_x86_64.whl", "words-1.0.tar.gz"]
    releases = {"words": {"1.0": {"files": files, "translated": ["0.29.14"]}}}
    cache = Cache(tmp_path)

    def indexes() -> AbstractContextManager[Catalogue]:
        return nullcontext(MemoryCatalogue(releases))

    for opened in (indexes, None):
        judged = check_combination(["words==1.0", "python==3.11"], cache, opened).judgement
        (finding,) = judged.findings
        assert (judged.verdict, finding.fact) == (Verdict.INCOMPATIBLE, "translated-sources")
        assert (
            "Cython 0.29.14 wrote the C in its sdist, which Python 3.11 does not compile" in finding.message
        )
        assert finding.fixes[0].versions == ("3.8",)
    (warned,) = check_combination(["words==1.0", "python==3.10"], cache, indexes).judgement.findings
    assert warned.fact == "wheels"


@pytest.mark.parametrize(
    ("asked", "translates", "told"),
    [
        ("Cython>=0.29.24,<3", True, "build-requires"),
        ("Cython==0.29.33", True, "build-requires"),
        ("Cython>=0.29.24", True, "wheels"),
        ("Cython>=0.29.24,<3", False, "wheels"),
    ],
)
def test_what_cython_writes_must_compile(asked: str, translates: bool, told: str, tmp_path: Path) -> None:
    """As pandas 1.4.2 on Python 3.13: no wheel, and an sdist for a Cython whose C does not compile."""
    files = ["words-1.0-cp38-cp38-manylinux2014_x86_64.whl", "words-1.0.tar.gz"]
    entry = {"files": files, "build-requires": [asked], "translates": translates}
    cache = Cache(tmp_path)
    indexes = partial(nullcontext, MemoryCatalogue({"words": {"1.0": entry}}))
    for opened in (indexes, None):
        (finding,) = check_combination(["words==1.0", "python==3.13"], cache, opened).judgement.findings
        assert finding.fact == told


def test_what_a_file_pins_and_asks_for_otherwise_is_refused(tmp_path: Path) -> None:
    (tmp_path / "r.txt").write_text("numpy==1.26.4\nnumpy<1.26\n")
    listing = read_listing(tmp_path / "r.txt")
    judged = check_combination([], Cache(tmp_path / "cache"), listing=listing).judgement
    assert judged.verdict is Verdict.INCOMPATIBLE
    (finding,) = judged.findings
    assert finding.message == "numpy cannot be 1.26.4 and numpy<1.26: both are asked for"
    assert [Path(source.title).name for source in finding.sources] == ["r.txt, line 1", "r.txt, line 2"]


def test_what_a_file_asks_for_in_ranges_is_held_against_what_it_pins(tmp_path: Path) -> None:
    releases = {
        "torch": {"1.4.0": {}},
        "reader": {"1.0": {"requires": ["words<2"]}},
        "numpy": {"2.1.0": {}, "1.26.4": {}},
        "words": {"2.0": {}, "1.0": {}},
    }

    def checked(text: str, *pins: str) -> tuple[Verdict, list[str]]:
        (tmp_path / "r.txt").write_text(text)
        found = check_combination(
            pins,
            Cache(tmp_path / "cache"),
            lambda: nullcontext(MemoryCatalogue(releases)),
            listing=read_listing(tmp_path / "r.txt"),
        )
        assert found.ranges_compared is (
            found.judgement.verdict is not Verdict.INCOMPATIBLE or "numpy" in text
        )
        return found.judgement.verdict, [one.message for one in found.judgement.findings]

    verdict, (told,) = checked("torch==1.4.0\nnumpy>=2\n")
    assert verdict is Verdict.INCOMPATIBLE
    assert told.startswith("the file r.txt requires numpy >=2, of which no release goes with torch 1.4.0")
    assert checked("torch==1.4.0\nnumpy<2\n") == (Verdict.COMPATIBLE, [])
    verdict, (told,) = checked("torch==1.4.0\nnumpy\n")
    assert verdict is Verdict.COMPATIBLE
    assert "its newest release is none that goes" in told
    verdict, (told,) = checked("reader==1.0\nwords>=2\n")
    assert (verdict, told.endswith("no version is both")) == (Verdict.INCOMPATIBLE, True)
    assert checked("reader==1.0\nwords>=2\n", "words==1.0") == (Verdict.COMPATIBLE, [])


def test_ranges_that_nothing_is_in_are_refused_without_a_pin(tmp_path: Path) -> None:
    (tmp_path / "r.txt").write_text("numpy<1.20\nnumpy>=1.21\n")
    listing = read_listing(tmp_path / "r.txt")
    (finding,) = check_combination([], Cache(tmp_path / "cache"), listing=listing).judgement.findings
    assert finding.message == "numpy cannot be <1.20 and numpy>=1.21: both are asked for"
    assert not finding.components


def test_an_interpreter_alone_is_no_combination() -> None:
    """As of a conda file that names no version but Python's: nothing of it would be judged."""
    python = (Listed(name="python", version="3.7"),)
    listing = Listing(kind="a file", distributions=(), systems=python, passed_over=("numpy (a range)",))
    with pytest.raises(RequestError) as caught:
        judge_combination([], KNOWLEDGE, listing=listing)
    assert (caught.value.code, caught.value.where) == ("nothing-to-check", "a file: numpy (a range)")
    assert judge_combination(["python==3.7"], KNOWLEDGE).judgement.verdict is Verdict.COMPATIBLE


def test_a_file_that_pins_nothing_leads_to_a_solve(tmp_path: Path) -> None:
    (tmp_path / "r.txt").write_text("numpy\nscipy>=1.2\n")
    with pytest.raises(RequestError) as caught:
        judge_combination([], KNOWLEDGE, listing=read_listing(tmp_path / "r.txt"))
    assert caught.value.code == "nothing-to-check"
    assert "numpy, scipy>=1.2" in caught.value.where
    assert "envlock solve" in caught.value.hint


def test_what_goes_with_no_interpreter_is_named_in_the_order_of_the_request() -> None:
    names = [f"part{letter}" for letter in "hcfagbed"]

    def declare(wanted: Mapping[str, tuple[str, str]], python: str) -> Declared:
        found = {
            component: Declaration(
                distribution=component,
                version="1",
                read=dt.date(2026, 1, 1),
                files=(
                    Published(
                        filename=f"{component}-1-py3-none-any.whl",
                        requires_python="<3.8" if component == "middle" else ">=3.9",
                    ),
                ),
                requires_dist=("middle<2",) if component == names[0] else (),
                versions=("1",),
            )
            for component in wanted
        }
        return Declared(declarations=found, unread={}, unlisted={})

    pins = [f"{name}==1" for name in names]
    checked = judge_combination(pins, KNOWLEDGE, declare=declare)
    found = _dependency_findings(checked, KNOWLEDGE, declare, lambda _: {"middle": ("1",)})
    told = [one for one in found if "no release is for an interpreter" in one.message]
    assert [list(one.components) for one in told] == [names]
