"""What stands between the distributions that are named."""

from collections.abc import Sequence
from dataclasses import replace

import pytest
from packaging.specifiers import SpecifierSet

from envlock.judging.metadata_findings import REQUIRES_DIST
from envlock.judging.unnamed_dependencies import (
    MOST_TRIED,
    Tried,
    UnnamedDependency,
    dependency_finding,
    try_releases,
    unnamed_dependencies,
)
from envlock.model.knowing.fact import Severity
from envlock.model.knowing.finding import Chosen, Finding, Fix
from tests.shipped import KNOWLEDGE
from tests.unit.judging.test_declared import Declaration, declared


def asked(*declarations: Declaration, **named: str) -> dict[str, UnnamedDependency]:
    pins = {one.distribution: one.version for one in declarations} | named
    assignment = {name.replace("_", "-"): (Chosen(version=version),) for name, version in pins.items()}
    found = unnamed_dependencies(assignment, {one.distribution: one for one in declarations}, KNOWLEDGE)
    return {one.component: one for one in found}


def test_what_is_asked_for_and_not_named_stands_between() -> None:
    one = declared("thing", "1.0", "torch<1.9", "numpy<2", "free", "pinned==1.0", "nvidia-cudnn-cu12>=9")
    assert asked(one, numpy="1.26").keys() == {"torch", "free"}


def test_all_who_ask_have_a_say() -> None:
    found = asked(declared("thing", "1.0", "middle>=1.2"), declared("other", "2.0", "middle<2"))
    middle = found["middle"]
    assert middle.admitted(["2.1", "1.9", "1.9rc1", "1.2", "1.1"]) == ("1.9", "1.2")
    assert middle.description == "thing 1.0 and other 2.0 require middle <2,>=1.2"


def test_what_interpreters_ask_for_differently_is_known_where_one_is_named() -> None:
    one = declared("thing", "1.0", 'm<2; python_version < "3.12"', 'm>=2; python_version >= "3.12"')
    assert not asked(one)
    assert str(asked(one, python="3.11")["m"].specifier) == "<2"


def refusal(version: str, ranges: str = "", **components: str) -> Finding:
    return Finding(
        fact="a",
        severity=Severity.REFUSE,
        components={"middle": version, **components},
        message=f"middle {version} does not go",
        cause="",
        sources=(),
        fixes=(Fix(component="middle", range=ranges), Fix(component="numpy", range="<2")),
    )


def tried(versions: Sequence[str], fine: Sequence[str], ranges: str = "") -> tuple[list[str], str | None]:
    """The releases that were tried, and which refusal is told; ``None`` where nothing can be said."""
    asked: list[str] = []

    def refusals(version: str) -> tuple[Finding, ...]:
        asked.append(version)
        return () if version in fine else (refusal(version, ranges),)

    found = try_releases("middle", versions, refusals)
    told = None if found is None else "" if found.goes else found.newest[0].components["middle"]
    return asked, told


@pytest.mark.parametrize(
    ("fine", "ranges", "expected"),
    [
        (["5"], "", (["5"], "")),
        (["1"], "", (["5", "1"], "")),
        (["3"], "", (["5", "1", "4", "2", "3"], "")),
        ([], "", (["5", "1", "4", "2", "3"], "5")),
        ([], "<2", (["5", "1"], "5")),  # a fact speaks of all beyond its range
        ([], ">=6", (["5"], "5")),
    ],
)
def test_it_is_refused_where_each_release_is(
    fine: list[str], ranges: str, expected: tuple[list[str], str]
) -> None:
    assert tried(["5", "4", "3", "2", "1"], fine, ranges) == expected


def test_nothing_is_said_where_there_are_more_than_are_tried() -> None:
    versions = [str(number) for number in range(MOST_TRIED + 1, 0, -1)]
    asked, told = tried(versions, [])
    assert (len(asked), told) == (MOST_TRIED, None)
    assert tried(versions[:-1], [])[1] == versions[0]


@pytest.mark.parametrize(
    ("fact", "ranges", "goes"),
    [
        (REQUIRES_DIST, ("<2", "<2"), False),
        (REQUIRES_DIST, ("<2", "<3"), None),  # what lies between may ask for yet another
        ("a-fact", ("<2", "<2"), None),  # ... and a fact may not speak of it
    ],
)
def test_what_metadata_asks_for_at_both_ends_is_asked_for_between(
    fact: str, ranges: tuple[str, str], goes: bool | None
) -> None:
    versions = [str(number) for number in range(3 * MOST_TRIED, 0, -1)]

    def refusals(version: str) -> tuple[Finding, ...]:
        asked = Fix(component="numpy", range=ranges[int(version) > MOST_TRIED])
        return (replace(refusal(version), fact=fact, fixes=(asked,)),)

    found = try_releases("middle", versions, refusals)
    assert (None if found is None else found.goes) is goes


def test_releases_for_other_interpreters_do_not_count_among_those_that_are_tried() -> None:
    """Of ArviZ, 20 releases are for Pythons after 3.9, and none before them goes with SciPy 1.13."""
    versions = [str(number) for number in range(25, 0, -1)]

    def refusals(version: str) -> tuple[Finding, ...]:
        if int(version) > 5:
            return (replace(refusal(version, python="3.9"), fact="requires-python"),)
        return (refusal(version, scipy="1.13.0"),)

    tried = try_releases("middle", versions, refusals)
    assert tried is not None
    assert not tried.goes
    assignment = {"thing": (Chosen(version="1.0"),), "scipy": (Chosen(version="1.13.0"),)}
    assignment |= {"python": (Chosen(version="3.9"),)}
    found = dependency_finding(between(), tried, assignment, ["thing", "scipy"], "")
    assert found is not None
    assert found.components == {"thing": "1.0", "python": "3.9", "scipy": "1.13.0"}
    assert "of which no release goes with python 3.9 and scipy 1.13.0; of the newest" in found.message


def between() -> UnnamedDependency:
    return UnnamedDependency("middle", SpecifierSet("<2"), {"thing": declared("thing", "1.0", "middle<2")})


def test_who_requires_any_release_is_told_without_a_range() -> None:
    told = UnnamedDependency(
        "middle", SpecifierSet(), {"thing": declared("thing", "1.0", "middle")}
    ).description
    assert told == "thing 1.0 requires middle"


def test_the_refusal_is_told_of_those_that_are_named() -> None:
    assignment = {"thing": (Chosen(version="1.0"),), "numpy": (Chosen(version="2.0"),)}
    tried = Tried((refusal("1.9", numpy="2.0"),), goes=False)
    found = dependency_finding(between(), tried, assignment, ["thing"], "")
    assert found is not None
    assert found.severity is Severity.REFUSE
    assert found.components == {"thing": "1.0", "numpy": "2.0"}
    assert [fix.component for fix in found.fixes] == ["numpy"]
    assert found.sources[0].title == "metadata of thing 1.0"
    assert found.message == (
        "thing 1.0 requires middle <2, of which no release goes with numpy 2.0; "
        "of the newest: middle 1.9 does not go"
    )


def test_it_is_a_warning_where_releases_that_left_the_index_are_kept_elsewhere() -> None:
    assignment = {"thing": (Chosen(version="1.0"),), "numpy": (Chosen(version="2.0"),)}
    tried = Tried((refusal("1.9", "<1.8", numpy="2.0"),), goes=False)
    found = dependency_finding(between(), tried, assignment, ["thing"], "https://other.invalid/")
    assert found is not None
    assert (found.severity, found.fixes) == (Severity.WARN, ())
    assert found.cause.endswith("https://other.invalid/ tells where they are")


@pytest.mark.parametrize(
    ("specifier", "admits"),
    [("<2", True), ("", True), (">=1.1,<2", True), ("!=1.3", True), (">=1.5", False), (">1.4,<2", False)],
)
def test_releases_may_be_asked_for_that_come_before_those_that_are_listed(
    specifier: str, admits: bool
) -> None:
    assert UnnamedDependency("middle", SpecifierSet(specifier), {}).admits_before("1.5") is admits


def test_where_no_interpreter_is_named_none_is_told() -> None:
    assignment = {"thing": (Chosen(version="1.0"),), "young": (Chosen(version="3.0"),)}
    tried = Tried((refusal("1.9", python="3.15"),), goes=False)
    found = dependency_finding(between(), tried, assignment, ["thing", "young"], "")
    assert found is not None
    assert found.components == {"thing": "1.0", "young": "3.0"}
    assert found.message == (
        "thing 1.0 requires middle <2, of which no release is for an interpreter that young 3.0 is for"
    )


def test_it_is_a_warning_where_the_newest_alone_does_not_go() -> None:
    assignment = {"thing": (Chosen(version="1.0"),), "numpy": (Chosen(version="2.0"),)}
    newest = refusal("1.9", "<1.8", thing="1.0")
    found = dependency_finding(between(), Tried((newest,), goes=True), assignment, ["thing"], "")
    assert found is not None
    assert found.severity is Severity.WARN
    assert [(fix.component, fix.range) for fix in found.fixes] == [("middle", "<1.8")]
    assert found.message == (
        "thing 1.0 requires middle <2, and its newest release is none that goes: middle 1.9 does not go"
    )


def test_nothing_is_said_where_the_newest_goes_or_installers_know_that_it_does_not() -> None:
    assignment = {"thing": (Chosen(version="1.0"),)}
    by_metadata = replace(refusal("1.9"), fact="requires-dist")
    for newest in ((), (by_metadata,)):
        assert dependency_finding(between(), Tried(newest, goes=True), assignment, ["thing"], "") is None
