"""What ends a refusal: no release that its files speak against, and no more than is needed."""

from __future__ import annotations

import datetime as dt
from dataclasses import replace

import pytest

from envlock.model.errors import SurroundingsError
from envlock.model.knowing.fact import Fact
from envlock.model.knowing.knowledge import Covered, Knowledge
from envlock.model.locked.pins import Solved, Unsolvable
from envlock.model.project.manifest import decode_manifest
from envlock.model.project.target import Interpreter
from envlock.model.published.catalogue import DistFile, Releases
from envlock.model.published.metadata import Metadata
from envlock.solve.offers.shared import Shared
from envlock.solve.remedies.request_changes import dropped, other_interpreters, relaxed, rewritten
from envlock.solve.remedies.system_changes import _newest_for_node, system_changes
from envlock.solve.request import Request
from envlock.solve.resolve import resolve
from tests.memory import MemoryCatalogue, interpreter, machine
from tests.unit.solve.test_scenarios import knowledge_of

SOURCES = [{"title": "https://example.org", "checked": "2026-11-24"}]
CLASH = {
    "id": "clash",
    "when": {"one": "==1.0", "two": "==1.0"},
    "evidence": "reported",
    "reason": "both own a file",
    "sources": SOURCES,
}
SYSTEMS = [
    {"name": "driver", "title": "NVIDIA driver", "layer": "core", "fixed": True},
    {"name": "cuda", "title": "CUDA toolkit", "layer": "core"},
]
NEWEST_KNOWN = {"driver": "610", "cuda": "13.3"}
Amendments = list[list[tuple[str, str]]]


def _request(knowledge: Knowledge, requires: list[str], python: str = "3.11.7", **node: str) -> Request:
    group = decode_manifest({"groups": {"g": {"requires": requires}}}, "envlock.toml", knowledge).group("g")
    target = machine(python, **node)
    return Request(wishes=group.wishes, target=target, interpreter=target.interpreters[0])


def _remedies(
    knowledge: Knowledge,
    files: dict,
    requires: list[str],
    objections=lambda _: (),
    python: str = "3.11.7",
    others: list[Interpreter] | None = None,
    **node: str,
) -> Amendments:
    request = _request(knowledge, requires, python, **node)
    interpreters = (*request.target.interpreters, *(others or ()))
    request = replace(request, target=replace(request.target, interpreters=interpreters))
    refusal = resolve(request, knowledge, MemoryCatalogue(files), objections=objections)
    assert isinstance(refusal, Unsolvable)
    return [[(one.component, one.after) for one in remedy.amendments] for remedy in refusal.remedies]


def _of_two(objections) -> Amendments:
    knowledge = knowledge_of({"knowledge": {"fact": [CLASH]}})
    files = {
        name: {v: {"files": [f"{name}-{v}-py3-none-any.whl"]} for v in ("1.0", "1.1")}
        for name in ("one", "two")
    }
    return _remedies(knowledge, files, ["one==1.0", "two==1.0"], objections)


def _needing_drivers(*facts: tuple[str, str, str], **more: list) -> Knowledge:
    """Knowledge of what needs which driver at least."""
    written = [
        {
            "id": f"{name}-{number}-driver",
            "when": {name: versions},
            "then": {"driver": f">={least}"},
            "evidence": "documented",
            "reason": "NVIDIA says so",
            "sources": SOURCES,
        }
        for number, (name, versions, least) in enumerate(facts)
    ]
    knowledge = knowledge_of({"knowledge": {"component": SYSTEMS, "fact": written, **more}})
    day = dt.date(2026, 11, 24)
    known = {name: Covered(component=name, version=v, checked=day) for name, v in NEWEST_KNOWN.items()}
    return replace(knowledge, coverage=known)


def test_a_remedy_is_another_version():
    assert _of_two(lambda _: ()) == [[("one", "==1.1")], [("two", "==1.1")]]


def test_the_last_release_of_a_pins_major_version_comes_before_the_newest():
    fact = {**CLASH, "id": "before-1.9", "when": {"one": "<1.9"}}
    versions = ("1.0", "1.1", "1.2", "1.3", "1.9", "2.0")
    files = {"one": {v: {"files": [f"one-{v}-py3-none-any.whl"]} for v in versions}}
    knowledge = knowledge_of({"knowledge": {"fact": [fact]}})
    assert _remedies(knowledge, files, ["one==1.0"])[0] == [("one", "==1.9")]


def test_of_a_pins_major_version_the_last_release_of_the_other_pins_time_comes_first():
    fact = {**CLASH, "id": "before-1.5", "when": {"one": "<1.5", "two": "*"}}
    uploads = {"1.0": 2019, "1.1": 2020, "1.2": 2020, "1.3": 2021, "1.5": 2022, "1.9": 2025}
    files = {
        "one": {
            v: {"files": [f"one-{v}-py3-none-any.whl"], "uploaded": dt.date(year, 1, 1)}
            for v, year in uploads.items()
        },
        "two": {"3.0": {"files": ["two-3.0-py3-none-any.whl"], "uploaded": dt.date(2022, 6, 1)}},
    }
    knowledge = knowledge_of({"knowledge": {"fact": [fact]}})
    request = replace(
        _request(knowledge, ["one==1.0", "two==3.0"]), as_of=dt.date(2022, 7, 1), era_of_pins=True
    )
    refusal = resolve(request, knowledge, MemoryCatalogue(files))
    assert isinstance(refusal, Unsolvable)
    assert refusal.remedies[0].amendments[0].after == "==1.5"


@pytest.mark.parametrize(
    ("first", "others"),
    [
        *((first, "") for first in ("1.4", "1.5", "1.7", "1.8", "1.9")),
        ("1.5", " || >=1.9"),
        ("1.8", " || >=1.9"),
    ],
)
def test_of_many_series_the_nearest_that_works_is_proposed(first, others):
    """Whether the last of them works as well, or none of the newest does."""
    fact = {**CLASH, "id": "before", "when": {"one": f"<{first}{others}"}}
    versions = ("1.0", *(f"1.{minor}{patch}" for minor in range(1, 10) for patch in ("", ".post1")))
    files = {"one": {v: {"files": [f"one-{v}-py3-none-any.whl"]} for v in versions}}
    knowledge = knowledge_of({"knowledge": {"fact": [fact]}})
    assert _remedies(knowledge, files, ["one==1.0"])[0] == [("one", f"=={first}.post1")]


def test_a_remedy_may_take_what_a_solve_would_take_from_after_the_time() -> None:
    """keras 2.12.0, of TensorFlow's own time, brings JAX, which fits from half a year later on alone."""
    fact = {**CLASH, "id": "before-1.1", "when": {"one": "<1.1", "two": "*"}}
    days = {
        "one": {"1.0": (2021, 1), "1.1": (2022, 1)},
        "two": {"1.0": (2022, 1)},
        "three": {"1.0": (2021, 1), "2.0": (2022, 5)},
    }
    files = {
        name: {
            version: {"files": [f"{name}-{version}-py3-none-any.whl"], "uploaded": dt.date(*day, 1)}
            for version, day in some.items()
        }
        for name, some in days.items()
    }
    files["one"]["1.1"]["requires"] = ["three>=2"]
    knowledge = knowledge_of({"knowledge": {"fact": [fact]}})
    request = replace(
        _request(knowledge, ["one==1.0", "two==1.0"], "3.8.18"), as_of=dt.date(2022, 1, 31), era_of_pins=True
    )
    refusal = resolve(request, knowledge, MemoryCatalogue(files))
    assert isinstance(refusal, Unsolvable)
    (remedy,) = refusal.remedies
    assert [(one.component, one.after) for one in remedy.amendments] == [("one", "==1.1")]


def test_where_one_change_would_go_back_for_years_several_are_proposed_first() -> None:
    """As with AllenNLP 2.4 beside PyTorch 2 and spaCy 3.5: AllenNLP 0.2.1 of 2017 asks for neither."""
    days = {
        "one": {"0.2": 2017, "2.4": 2021},
        "two": {"1.8": 2021, "2.0": 2023},
        "three": {"3.0": 2021, "3.5": 2023},
    }
    files = {
        name: {
            version: {"files": [f"{name}-{version}-py3-none-any.whl"], "uploaded": dt.date(year, 1, 1)}
            for version, year in some.items()
        }
        for name, some in days.items()
    }
    files["one"]["2.4"]["requires"] = ["two<2", "three<3.5"]
    found = _remedies(knowledge_of({}), files, ["one==2.4", "two==2.0", "three==3.5"])
    assert found == [[("three", "==3.0"), ("two", "==1.8")], [("one", "==0.2")]]


def test_of_a_series_that_goes_on_for_years_what_came_while_it_was_new_is_proposed():
    """Nobody who pinned a release of 2021, which is gone, means one of 2026."""
    uploads = {"0.10.5": 2023, "0.10.11": 2024, "0.10.35": 2026, "1.0": 2026}
    files = {
        "one": {
            v: {"files": [f"one-{v}-py3-none-any.whl"], "uploaded": dt.date(year, 2, 1)}
            for v, year in uploads.items()
        }
    }
    assert _remedies(knowledge_of({}), files, ["one==0.8.6"])[0] == [("one", "==0.10.11")]


def _colliding(answer: Solved) -> tuple[Fact, ...]:
    """What is learned of releases that own the same files."""
    pins = {pin.component: f"=={pin.version}" for pin in answer.distributions}
    if len(pins) == 1:
        return ()
    written = {**CLASH, "id": "-".join([*pins, *pins.values()]).replace("==", ""), "when": pins}
    return tuple(knowledge_of({"knowledge": {"fact": [written]}}).facts)


def test_what_files_speak_against_is_no_remedy():
    """Where two builds of one library own the same files in all releases, only one can go."""
    assert _of_two(_colliding) == [[("one", "")], [("two", "")]]


def test_a_remedy_goes_around_what_files_speak_against():
    """The newest of what is brought does not go with the pin, as code tells that only an answer shows."""
    fact = {**CLASH, "when": {"one": "==1.0"}}
    files = {
        "one": {v: {"files": [f"one-{v}-py3-none-any.whl"], "requires": ["two"]} for v in ("1.0", "1.1")},
        "two": {v: {"files": [f"two-{v}-py3-none-any.whl"]} for v in ("1.0", "2.0")},
    }

    def objections(answer: Solved) -> tuple[Fact, ...]:
        newest = any((pin.component, pin.version) == ("two", "2.0") for pin in answer.distributions)
        return _colliding(answer) if newest else ()

    knowledge = knowledge_of({"knowledge": {"fact": [fact]}})
    assert _remedies(knowledge, files, ["one==1.0"], objections) == [[("one", "==1.1")]]


def test_an_interpreter_that_others_own_is_not_changed() -> None:
    request = _request(knowledge_of({"knowledge": {}}), ["one"])
    target = replace(request.target, interpreters=(*request.target.interpreters, interpreter("3.12.1")))
    request = replace(request, target=target)
    assert len([*other_interpreters(request, lambda one: one)]) == 1
    assert not [*other_interpreters(replace(request, owned={"python": "3.11.7"}), lambda one: one)]


def test_no_newer_driver_is_asked_for_than_the_answer_needs():
    """Behind what is refused first stands another fact, which the newest driver known gets past, too."""
    knowledge = _needing_drivers(("torch", "*", "580"), ("bindings", "*", "580.65.06"))
    files = {
        "torch": {"2.15.0": {"files": ["torch-2.15.0-py3-none-any.whl"], "requires": ["bindings"]}},
        "bindings": {"13.0": {"files": ["bindings-13.0-py3-none-any.whl"]}},
    }
    assert _remedies(knowledge, files, ["torch"], driver="565.57.01") == [[("driver", "580.65.06")]]


def test_a_build_for_the_processor_is_no_remedy_where_there_are_gpus():
    build = {"distribution": "torch", "versions": ">=2.11", "bundles": {"cuda": "13.0"}}
    knowledge = _needing_drivers(("cuda", ">=13", "580"), build=[build])
    versions = ("2.10.0", "2.11.0", "2.12.0", "2.12.0+cpu")
    files = {"torch": {one: {"files": [f"torch-{one}-py3-none-any.whl"]} for one in versions}}
    driver = {"driver": "535.129.03"}
    found = _remedies(knowledge, files, ["torch==2.11.0"], **driver, gpu_cc="8.0")
    assert found == [[("torch", "==2.10.0")], [("driver", "580")]]
    assert _remedies(knowledge, files, ["torch==2.11.0"], **driver)[0] == [("torch", "==2.12.0+cpu")]


def test_where_administrators_could_help_the_group_is_told_what_it_could_do_itself():
    """Both pins need a toolkit before 13, which the nodes lack: one pin alone cannot move."""
    need = [{"distribution": "attention", "component": "cuda", "reason": "it is compiled by nvcc"}]
    limits = [
        {**CLASH, "id": f"{name}-1-cuda", "when": {name: "<2"}, "then": {"cuda": "<13"}}
        for name in ("one", "two")
    ]
    driver = {**CLASH, "id": "cuda-12-driver", "when": {"cuda": ">=12.8,<13"}, "then": {"driver": ">=525"}}
    knowledge = knowledge_of({"knowledge": {"component": SYSTEMS, "fact": [driver, *limits], "need": need}})
    files = {
        name: {v: {"files": [f"{name}-{v}-py3-none-any.whl"]} for v in ("1.0", "2.0")}
        for name in ("one", "two", "attention")
    }
    wanted = ["one==1.0", "two==1.0", "attention"]
    found = _remedies(knowledge, files, wanted, driver="580.65.06", cuda="13.0")
    assert list(map(sorted, found)) == [[("cuda", "12.8")], [("one", "==2.0"), ("two", "==2.0")]]


def test_two_changes_are_one_remedy_in_whatever_order_they_were_found():
    """The older release has no wheel for the newer interpreter: either change leads to the other."""
    fact = {**CLASH, "id": "a-2", "when": {"a": ">=2"}}
    files = {
        "a": {
            "2.0": {"files": ["a-2.0-py3-none-any.whl"]},
            "1.0": {"files": ["a-1.0-cp311-cp311-manylinux_2_17_x86_64.whl"]},
        }
    }
    knowledge = knowledge_of({"knowledge": {"fact": [fact]}})
    older = [interpreter("3.11.7")]
    remedies = _remedies(knowledge, files, ["a>=2"], python="3.12.1", others=older)
    assert [sorted(one) for one in remedies] == [[("a", "==1.0"), ("python", "3.11.7")]]


def test_a_toolkit_that_the_driver_runs_is_asked_for_before_the_newest():
    need = [{"distribution": "attention", "component": "cuda", "reason": "it is compiled by nvcc"}]
    knowledge = _needing_drivers(("cuda", ">=12.8,<13", "525"), ("cuda", ">=13.0,<14", "580"), need=need)
    files = {"attention": {"2.8": {"files": ["attention-2.8-py3-none-any.whl"]}}}
    assert _remedies(knowledge, files, ["attention"], driver="525.147.05") == [[("cuda", "12.8")]]


def test_a_vendors_version_is_proposed_as_a_manifest_takes_it() -> None:
    system = {"name": "slurm", "title": "Slurm", "layer": "core"}
    knowledge = knowledge_of({"knowledge": {"component": [system]}})
    document = {"groups": {"g": {"requires": ["one"], "system": ["slurm>=24"]}}}
    group = decode_manifest(document, "envlock.toml", knowledge).group("g")
    target = machine("3.11.7", slurm="23.11.1-2.el8")
    request = Request(wishes=group.wishes, target=target, interpreter=target.interpreters[0])
    refusal = resolve(request, knowledge, MemoryCatalogue({"one": {"1.0": {}}}))
    assert isinstance(refusal, Unsolvable)
    proposed = [one.after for remedy in refusal.remedies for one in remedy.amendments if one.layer is None]
    assert proposed == ["==23.11.1"]
    document["groups"]["g"]["system"] = [f"slurm{proposed[0]}"]
    again = replace(request, wishes=decode_manifest(document, "envlock.toml", knowledge).group("g").wishes)
    assert isinstance(resolve(again, knowledge, MemoryCatalogue({"one": {"1.0": {}}})), Solved)


def test_of_two_texts_of_one_version_always_the_same_is_proposed() -> None:
    texts = ["13", "13.0", "13.0.0", "13.0.0.0", "13.0.0.0.0", "13.0.0.0.0.0"]
    facts = [
        {**CLASH, "id": f"cuda-{number}", "when": {"cuda": f">={text}"}, "then": {"driver": ">=580"}}
        for number, text in enumerate(texts)
    ]
    knowledge = knowledge_of({"knowledge": {"component": SYSTEMS, "fact": facts}})
    target = machine("3.11.7", driver="610")
    request = Request(wishes=(), target=target, interpreter=target.interpreters[0])
    assert [*_newest_for_node("cuda", request, knowledge)] == [texts[-1]]


def test_who_drops_a_wish_does_so_whatever_its_bounds_are_by_then() -> None:
    knowledge = knowledge_of({})
    group = decode_manifest({"groups": {"g": {"requires": ["one==1.0"]}}}, "envlock.toml", knowledge).group(
        "g"
    )
    target = machine("3.11.7")
    request = Request(wishes=group.wishes, target=target, interpreter=target.interpreters[0])
    (wish,) = request.wishes
    free, *_ = relaxed(wish, request, MemoryCatalogue({}), lambda one: one)
    assert dropped(wish).apply(free.apply(request)).wishes == ()


@pytest.mark.parametrize(("capability", "versions"), [("7.0", ["580"]), ("8.0", ["580", "610"])])
def test_no_driver_is_asked_for_that_is_not_for_the_nodes_gpus(capability: str, versions: list[str]) -> None:
    """As on nodes with V100s, for which driver 580 is the last."""
    gpus = {"name": "gpu_cc", "title": "compute capability", "layer": "core", "fixed": True}
    facts = [
        {**CLASH, "id": "driver-590", "when": {"driver": ">=590"}, "then": {"gpu_cc": ">=7.5"}},
        {**CLASH, "id": "new", "when": {"new": "*"}, "then": {"driver": ">=580"}},
    ]
    knowledge = knowledge_of({"knowledge": {"component": [*SYSTEMS, gpus], "fact": facts}})
    covered = Covered(component="driver", version="610", checked=dt.date(2026, 11, 1))
    knowledge = replace(knowledge, coverage={"driver": covered})
    manifest = decode_manifest({"groups": {"g": {"requires": ["new"]}}}, "envlock.toml", knowledge)
    target = machine("3.11.7", driver="418", gpu_cc=capability)
    request = Request(wishes=manifest.group("g").wishes, target=target, interpreter=target.interpreters[0])
    catalogue = MemoryCatalogue({"new": {"1.0": {}}})
    refusal = resolve(request, knowledge, catalogue)
    assert isinstance(refusal, Unsolvable)
    asked = [
        one.describe(None).after
        for way in system_changes(refusal, request, knowledge, catalogue)
        for one in way
    ]
    assert asked == versions


def test_a_library_of_no_version_is_asked_of_the_administrators():
    library = {"name": "libsound", "title": "a library", "layer": "core"}
    need = {"distribution": "sound", "component": "libsound", "reason": "it loads the library"}
    knowledge = knowledge_of({"knowledge": {"component": [library], "need": [need]}})
    files = {"sound": {"1.0": {"files": ["sound-1.0-py3-none-any.whl"]}}}
    assert _remedies(knowledge, files, ["sound"]) == [[("libsound", "")]]


def test_a_c_library_is_asked_for_by_older_names_of_platforms_as_well():
    """Before PEP 600 gave platforms numbers, manylinux2014 was glibc 2.17."""
    library = {"name": "glibc", "title": "C library", "layer": "core", "fixed": True}
    knowledge = knowledge_of({"knowledge": {"component": [library]}})
    files = {"tool": {"1.0": {"files": ["tool-1.0-cp311-cp311-manylinux2014_x86_64.whl"]}}}
    assert _remedies(knowledge, files, ["tool"], glibc="2.12") == [[("glibc", "2.17")]]


def test_a_build_environment_for_a_node_that_a_remedy_supposes_is_not_taken_for_the_real_one() -> None:
    """The C library that the remedy supposes takes a later build tool than that of the node."""
    systems = [
        {"name": "glibc", "title": "C library", "layer": "core", "fixed": True},
        {"name": "openmpi", "title": "Open MPI", "layer": "core"},
    ]
    fact = {**CLASH, "when": {"needs": "*"}, "then": {"glibc": ">=2.30"}, "unless": ["openmpi"]}
    knowledge = knowledge_of({"knowledge": {"component": systems, "fact": [fact]}})
    files = {
        "needs": {"1.0": {"files": ["needs-1.0.tar.gz"], "build-requires": ["tool"]}},
        "tool": {"1.0": {}, "2.0": {"files": ["tool-2.0-cp311-cp311-manylinux_2_30_x86_64.whl"]}},
    }
    catalogue, shared = MemoryCatalogue(files), Shared()
    refused = _request(knowledge, ["needs"], glibc="2.17", openmpi="4.1.6")
    refusal = resolve(refused, knowledge, catalogue, shared)
    assert isinstance(refusal, Unsolvable)
    assert [one.after for remedy in refusal.remedies for one in remedy.amendments] == ["2.30"]
    openmpi = decode_manifest({"groups": {"g": {"system": ["openmpi"]}}}, "envlock.toml", knowledge)
    fine = replace(refused, wishes=(*refused.wishes, *openmpi.group("g").wishes))
    answer = resolve(fine, knowledge, catalogue, shared)
    assert isinstance(answer, Solved)
    plan = answer.distributions[0].build
    assert plan is not None
    assert [pin.version for pin in plan.requires] == ["1.0"]


BEFORE_2_1 = {
    "id": "old-on-new-nodes",
    "when": {"driver": ">=580"},
    "then": {"cuda": ">=13"},
    "evidence": "documented",
    "reason": "nothing earlier runs there",
    "sources": SOURCES,
}


@pytest.mark.parametrize(
    ("requires", "as_of", "told"),
    [
        ("one", None, [[("prereleases", "one", "", "2.1rc1")]]),
        ("one<2.1a1", None, []),
        ("one==2.0", dt.date(2025, 12, 31), []),  # the pre-release came later
    ],
)
def test_pre_releases_are_a_remedy_where_the_newest_is_one(requires, as_of, told):
    builds = [{"distribution": "one", "versions": "<2.1", "bundles": {"cuda": "12.5"}}]
    knowledge = _needing_drivers(fact=[BEFORE_2_1], build=builds)
    days = {"1.9": dt.date(2024, 1, 1), "2.0": dt.date(2025, 1, 1), "2.1rc1": dt.date(2026, 1, 1)}
    files = {"one": {v: {"files": [f"one-{v}-py3-none-any.whl"], "uploaded": day} for v, day in days.items()}}
    request = replace(_request(knowledge, [requires], driver="580.65"), as_of=as_of)
    refusal = resolve(request, knowledge, MemoryCatalogue(files))
    assert isinstance(refusal, Unsolvable)
    found = [
        [(one.of, one.component, one.before, one.after) for one in remedy.amendments]
        for remedy in refusal.remedies
    ]
    assert [one for one in found if one[0][0] == "prereleases"] == told


def test_to_do_without_an_extra_is_a_remedy_that_is_told_as_that():
    files = {
        "one": {
            "2.0": {
                "files": ["one-2.0-py3-none-any.whl"],
                "requires": ["two==1.0; extra == 'gpu'"],
                "extras": ["gpu"],
            },
            "1.0": {"files": ["one-1.0-py3-none-any.whl"]},
        },
        "two": {"1.0": {"files": ["two-1.0-py3-none-any.whl"]}},
    }
    knowledge = _needing_drivers(("two", "*", "525"))
    request = _request(knowledge, ["one[gpu]"], driver="470.82")
    refusal = resolve(request, knowledge, MemoryCatalogue(files))
    assert isinstance(refusal, Unsolvable)
    told = [(one.of, one.component, one.before, one.after) for r in refusal.remedies for one in r.amendments]
    assert told == [("system", "driver", "470.82", "525"), ("extras", "one", "[gpu]", "2.0")]


class OnlyKnown(MemoryCatalogue):
    """An index that cannot be reached for pages beyond the ones at hand."""

    def releases(self, name: str) -> Releases:
        if name not in self.names:
            raise SurroundingsError("offline", f"no page of {name}")
        return super().releases(name)

    def __init__(self, files: dict) -> None:
        super().__init__(files)
        self.names = files.keys()


@pytest.mark.parametrize("catalogue", [MemoryCatalogue, OnlyKnown])
def test_what_is_built_for_one_cuda_has_a_sibling_for_another(catalogue):
    files = {
        f"arrays-cuda{major}x": {"1.5": {"files": [f"arrays_cuda{major}x-1.5-py3-none-any.whl"]}}
        for major in (11, 12)
    }
    knowledge = _needing_drivers(("arrays-cuda12x", "*", "525"), ("arrays-cuda11x", "*", "450"))
    request = _request(knowledge, ["arrays-cuda12x>=1"], driver="470.82")
    refusal = resolve(request, knowledge, catalogue(files))
    assert isinstance(refusal, Unsolvable)
    told = [(one.of, one.component, one.after) for r in refusal.remedies for one in r.amendments]
    assert told == [("system", "driver", "525"), ("name", "arrays-cuda12x", "arrays-cuda11x >=1")]


def test_an_extra_for_one_cuda_has_a_sibling_for_another():
    """As jax[cuda13], whose plugin has no code for older GPUs, and whose release has [cuda12] as well."""
    files = {
        "tracer": {
            "2.0": {
                "requires": ["plugin13; extra == 'cuda13'", "plugin12; extra == 'cuda12'"],
                "extras": ["cuda12", "cuda13"],
            }
        },
        "plugin13": {"2.0": {}},
        "plugin12": {"2.0": {}},
    }
    knowledge = _needing_drivers(("plugin13", "*", "580"))
    refusal = resolve(
        _request(knowledge, ["tracer[cuda13]>=2"], driver="535"), knowledge, MemoryCatalogue(files)
    )
    assert isinstance(refusal, Unsolvable)
    told = [(one.of, one.before, one.after) for r in refusal.remedies for one in r.amendments]
    assert ("name", "[cuda13] >=2", "tracer[cuda12] >=2") in told
    assert not [after for _, _, after in told if "cuda14" in after or "cuda11" in after]


def test_what_is_built_for_one_cuda_moves_to_another_together():
    """As RAPIDS, whose libraries of two CUDA majors do not work in one process."""
    files = {
        f"{name}-cu{major}": {"25.10": {"files": [f"{name}_cu{major}-25.10-py3-none-any.whl"]}}
        for name in ("frames", "models", "graphs")
        for major in (12, 13)
    }
    facts = [(f"{name}-cu13", "*", "580") for name in ("frames", "models", "graphs")]
    knowledge = _needing_drivers(*facts)
    wishes = ["frames-cu13==25.10", "models-cu13", "graphs-cu13"]
    refusal = resolve(_request(knowledge, wishes, driver="535"), knowledge, MemoryCatalogue(files))
    assert isinstance(refusal, Unsolvable)
    told = [[one.after for one in remedy.amendments] for remedy in refusal.remedies]
    assert ["frames-cu12 ==25.10", "models-cu12", "graphs-cu12"] in told


class Fetched(MemoryCatalogue):
    """An index that notes which files were opened for their metadata."""

    def __init__(self, files: dict) -> None:
        super().__init__(files)
        self.fetched: set[str] = set()

    def metadata(self, distribution: str, file: DistFile) -> Metadata:
        self.fetched.add(file.filename)
        return super().metadata(distribution, file)


@pytest.mark.parametrize(("size", "is_read"), [(19 << 20, True), (90 << 20, False)])
def test_no_large_sources_are_fetched_for_a_remedy(size, is_read):
    """As those of opencv-python, dozens of 90 MB each, some of which only a backend can read."""
    files = {
        "films": {
            "3.0": {"files": ["films-3.0-py3-none-any.whl"]},
            "2.0": {"files": ["films-2.0.tar.gz"], "size": size},
        },
        "setuptools": {"80.0": {}},
        "wheel": {"0.45": {}},
    }
    knowledge, catalogue = _needing_drivers(("films", ">=3", "525")), Fetched(files)
    refusal = resolve(_request(knowledge, ["films==3.0"], driver="470.82"), knowledge, catalogue)
    assert isinstance(refusal, Unsolvable)
    proposed = [one.after for remedy in refusal.remedies for one in remedy.amendments]
    assert ("==2.0" in proposed, "films-2.0.tar.gz" in catalogue.fetched) == (is_read, is_read)


def test_large_sources_that_the_request_led_to_stay_known_to_its_remedies():
    files = {
        "films": {"2.0": {"files": ["films-2.0.tar.gz"], "size": 90 << 20, "requires": ["one"]}},
        "one": {"2.0": {}, "1.0": {}},
        "setuptools": {"80.0": {}},
        "wheel": {"0.45": {}},
    }
    knowledge = _needing_drivers(("one", ">=2", "525"))
    request = _request(knowledge, ["films==2.0", "one==2.0"], driver="470.82")
    refusal = resolve(request, knowledge, MemoryCatalogue(files))
    assert isinstance(refusal, Unsolvable)
    told = [[(one.component, one.after) for one in remedy.amendments] for remedy in refusal.remedies]
    assert told == [[("driver", "525")], [("one", "==1.0")]]


def test_a_wish_for_a_word_leads_to_another_word():
    """As horovod-ops==nccl, where several wishes have to move at once."""
    ops = {"name": "ops", "title": "operations", "layer": "core", "words": True, "choices": ["mpi", "nccl"]}
    fact = {
        "id": "ops-one",
        "when": {"one": "*", "ops": "nccl"},
        "evidence": "reported",
        "reason": "it fails",
        "sources": SOURCES,
    }
    knowledge = knowledge_of({"knowledge": {"component": [ops], "fact": [fact]}})
    written = {"requires": ["one==1.0"], "system": ["ops==nccl"]}
    group = decode_manifest({"groups": {"g": written}}, "envlock.toml", knowledge).group("g")
    target = machine()
    request = Request(wishes=group.wishes, target=target, interpreter=target.interpreters[0])
    refusal = resolve(request, knowledge, MemoryCatalogue({"one": {"1.0": {}}}))
    assert isinstance(refusal, Unsolvable)
    told = [(one.component, one.before, one.after) for r in refusal.remedies for one in r.amendments]
    assert ("ops", "nccl", "mpi") in told
    words = next(wish for wish in group.wishes if wish.component == "ops")
    moved = rewritten(words, "mpi", request, lambda request: request).apply(request)
    assert isinstance(resolve(moved, knowledge, MemoryCatalogue({"one": {"1.0": {}}})), Solved)


def test_of_two_ways_to_make_the_same_changes_the_nearer_one_is_proposed():
    """The interpreter and the cut-off have to move; whichever is tried first is tried in its widest form."""
    day = dt.date(2023, 6, 1)
    files = {
        "one": {
            "2.0": {"requires-python": ">=3.9", "uploaded": day},
            "1.0": {"requires-python": ">=3.9", "uploaded": dt.date(2022, 6, 1), "yanked": True},
        },
        "setuptools": {"60.0": {"uploaded": dt.date(2021, 1, 1)}},
    }
    knowledge = knowledge_of({})
    request = _request(knowledge, ["one>=1"], "3.8.18")
    others = tuple(interpreter(version) for version in ("3.11.7", "3.10.13", "3.9.18"))
    target = replace(request.target, interpreters=(*request.target.interpreters, *others))
    request = replace(request, target=target, as_of=dt.date(2021, 6, 1))
    refusal = resolve(request, knowledge, MemoryCatalogue(files))
    assert isinstance(refusal, Unsolvable)
    told = [sorted((one.component, one.after) for one in r.amendments) for r in refusal.remedies]
    assert told == [[("as-of", "none"), ("python", "3.9.18")]]
