"""``check``: judge a combination that somebody wrote down, locked or installed, without a solve."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from contextlib import ExitStack, nullcontext
from dataclasses import field, replace
from functools import cache as cache_of
from functools import partial
from pathlib import Path
from types import MappingProxyType

from envlock.app.checking.assigned import interpreters_of, listed_choices, node_choices
from envlock.app.checking.code_check import Subject, code_findings
from envlock.app.checking.dependency_check import ListedVersions, dependency_findings, newest_declarations
from envlock.app.checking.metadata_check import Declare, metadata_findings, python_of
from envlock.app.checking.nothing_to_check import nothing_to_check
from envlock.app.pins import read_extras, read_pins
from envlock.edges.building.requirements import read_build_requirements
from envlock.edges.cache import Cache
from envlock.edges.clock import today
from envlock.edges.code.queries import OpenedFiles, ReleaseFiles
from envlock.edges.code.reading import read_setups
from envlock.edges.declarations import read_declarations
from envlock.edges.decoded_knowledge import load_decoded
from envlock.edges.listed_versions import read_listed_versions
from envlock.judging.contradictions import contradiction_findings
from envlock.judging.implied import machine_of
from envlock.judging.judge import joined, judge
from envlock.judging.malformed_requirements import malformed_findings
from envlock.judging.nearest_versions import with_nearest_versions
from envlock.judging.needless_builds import without_needless_builds
from envlock.judging.published_files import PYTHONS
from envlock.judging.removed_names import BUILD_TOOLS, as_finding, missing_names
from envlock.judging.required_extras import with_required_extras
from envlock.judging.source_builds import from_source, with_builds_judged
from envlock.judging.unnamed_requirements import DependencyPin, naming_pinners, pinned_dependencies
from envlock.judging.unpinned_requirements import THE_FILE, unpinned_requirements
from envlock.model.component import PYTHON, Via
from envlock.model.frozen import dataclass
from envlock.model.knowing.finding import Assignment, Finding, Judgement, Verdict
from envlock.model.knowing.knowledge import Knowledge, index_name
from envlock.model.near_names import OF_DISTRIBUTION, near_names
from envlock.model.progress import Progress, Silent
from envlock.model.project.target import Target
from envlock.model.published.declaration import NOTHING_DECLARED, Declaration, Declared
from envlock.model.published.listing import Listing

_READING = "asking the indexes and reading code"
"""What takes long, and only the first time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Checked:
    """A judgement, and what was judged.

    Attributes:
        judgement: what the knowledge base says.
        assignment: the combination.
        listing: what was read of the combination; ``None`` where all of it was named.
        target: the target whose fixed components took part; empty where none was asked for.
        joined: these fixed components with their versions.
        pythons: the interpreters that may be meant where none is named: the target's, or all.
        unread: component -> why its metadata was left out.
        pinned: component -> the release that comes along unnamed, and took part.
        further: likewise, what comes along with those and has yet to take part.
        declared: what the distributions declare in their metadata.
        ranges_compared: whether the ranges in a file were compared with the rest.
    """

    judgement: Judgement
    assignment: Assignment
    listing: Listing | None = None
    target: str = ""
    joined: tuple[tuple[str, str], ...] = ()
    pythons: tuple[str, ...] = PYTHONS
    unread: Mapping[str, str] = field(default_factory=dict)
    pinned: Mapping[str, DependencyPin] = field(default_factory=dict)
    further: Mapping[str, DependencyPin] = field(default_factory=dict)
    declared: Declared = NOTHING_DECLARED
    ranges_compared: bool = False


def check_combination(
    pins: Sequence[str],
    cache: Cache,
    indexes: OpenedFiles | None = None,
    *,
    overlays: Sequence[Path] = (),
    listing: Listing | None = None,
    target: Target | None = None,
    progress: Progress | None = None,
) -> Checked:
    """Judge a combination by the shipped knowledge base, what the index tells, and the code of what is named.

    Args:
        pins: as for ``judge_combination``.
        cache: keeps the decoded knowledge base, and what releases declare.
        indexes: opens the package indexes; ``None`` where they may not be asked.
        overlays: folders that add to the knowledge base.
        listing: as for ``judge_combination``.
        target: as for ``judge_combination``.
        progress: shows when indexes are asked.

    Raises:
        RequestError: as ``judge_combination``, or the knowledge base cannot be read.
    """
    knowledge = load_decoded(cache, overlays)
    day = today()
    extras = read_extras(pins, knowledge)

    with ExitStack() as stack:
        opened = None if indexes is None else _opened_once(indexes, stack, progress or Silent())

        def declare(wanted: Mapping[str, tuple[str, str]], python: str) -> Declared:
            read = read_declarations(wanted, cache, opened, today=day, python=python)
            return read.with_extras(extras)

        unpinned = unpinned_requirements(listing, read_pins(pins, knowledge), knowledge, day)
        judged = partial(judge_combination, pins, knowledge, listing=listing, target=target, declare=declare)
        checked = judged(unpinned=unpinned)
        while checked.further:
            checked = judged(unpinned=unpinned, pinned={**checked.pinned, **checked.further})
        if listing is not None:
            contradictions = contradiction_findings(listing, knowledge, day)
            checked = replace(checked, judgement=joined(checked.judgement, contradictions, {}))
            if listing.solved:
                return checked
        declarations = checked.declared.declarations
        along: Mapping[str, Declaration] = {}
        is_complete = listing is not None and listing.complete
        if checked.judgement.verdict is not Verdict.INCOMPATIBLE and not is_complete:
            listed = partial(read_listed_versions, cache=cache, opened=opened, today=day)
            findings = _dependency_findings(checked, knowledge, declare, listed)
            judgement = joined(checked.judgement, findings, {})
            checked = replace(checked, judgement=judgement, ranges_compared=opened is not None)
            along = newest_declarations(checked.assignment, declarations, knowledge, declare, listed)
        subject = Subject(
            assignment=checked.assignment,
            declarations=declarations,
            along=along,
            pinned=checked.pinned,
            apart=unpinned,
            is_all=listing is not None and not listing.passed_over,
        )
        found = code_findings(subject, knowledge, cache, opened, checked.judgement.findings)
        found = naming_pinners(found, checked.pinned, knowledge, machine_of(checked.assignment))
        judgement = joined(checked.judgement, found, {})
        if is_complete:
            return replace(checked, judgement=judgement)
        built = from_source(judgement, checked.assignment, knowledge)
        sdists = {release.component: (index_name(release.component), release.version) for release in built}
        builds = read_build_requirements(sdists, cache, opened)
        setups = read_setups(sdists, cache, opened, today=day)
    missing = missing_names(checked.assignment, setups, declarations, knowledge, tools=BUILD_TOOLS)
    gone = tuple(map(as_finding, missing))
    judgement = with_builds_judged(judgement, built, builds, knowledge)
    return replace(checked, judgement=joined(judgement, gone, {}))


def _dependency_findings(
    checked: Checked, knowledge: Knowledge, declare: Declare, listed: ListedVersions
) -> tuple[Finding, ...]:
    """Return the findings on dependencies that nobody named."""
    declarations, assignment = checked.declared.declarations, checked.assignment
    named = [
        component for component in declarations if component not in checked.pinned and component != THE_FILE
    ]
    found = dependency_findings(assignment, declarations, knowledge, declare, listed, named, checked.pythons)
    return naming_pinners(found, checked.pinned, knowledge, machine_of(assignment))


def _opened_once(indexes: OpenedFiles, stack: ExitStack, progress: Progress) -> OpenedFiles:
    """Open the indexes once for all callers: dependencies are looked up after what requires them.

    What is known already needs no index and comes at once: only from here on is there anything to wait for.
    """

    @cache_of
    def catalogue() -> ReleaseFiles:
        stack.enter_context(progress.task(_READING))
        return stack.enter_context(indexes())

    return lambda: nullcontext(catalogue())


def judge_combination(
    pins: Sequence[str],
    knowledge: Knowledge,
    *,
    listing: Listing | None = None,
    target: Target | None = None,
    declare: Declare | None = None,
    pinned: Mapping[str, DependencyPin] = MappingProxyType({}),
    unpinned: Mapping[str, Declaration] = MappingProxyType({}),
) -> Checked:
    """Judge a combination; named pins override what the source lists, and that overrides the target.

    Args:
        pins: ``NAME==VERSION``, for ``launcher`` a word; a local version (``+cu118``) says which build; a
            GPU may be named once for each generation. Extras count in what ``declare`` finds out.
        knowledge: what to judge by.
        listing: what is installed or locked together.
        target: the target whose driver, GPUs and C library take part.
        declare: finds out what distributions declare, for the interpreter that is named;
            ``None`` to do without.
        pinned: what nobody named, and comes along because the metadata of what is named pins it.
        unpinned: the unpinned requirements of a file, in the form of a release's declaration.

    Returns:
        The judgement; also unknown where no index lists a release, or its metadata could not be read, and the
        knowledge base does not cover its distribution, since nothing then speaks of it.

    Raises:
        RequestError: a pin is malformed, its version is invalid, or one component has two versions.
    """
    named = read_pins(pins, knowledge)
    listed = {} if listing is None else listed_choices(listing, knowledge)
    node = {} if target is None else node_choices(target, listed | named, knowledge)
    coming = {component: (pin.chosen,) for component, pin in pinned.items()}
    assignment = node | coming | listed | named
    if not named and not listed.keys() - {PYTHON} and not (listing and listing.contradictions):
        raise nothing_to_check(listing)
    judgement = judge(assignment, knowledge)
    declared, stated = NOTHING_DECLARED, tuple[Finding, ...]()
    locked = listing is not None and listing.complete
    pythons = (interpreters_of(target) if target else ()) or PYTHONS
    if declare is not None:
        declared = declare(_to_declare(assignment, listing, named, knowledge), python_of(assignment))
        declarations = with_required_extras(
            declared.declarations, knowledge, python_of(assignment), machine_of(assignment)
        )
        declared = replace(declared, declarations={**declarations, **unpinned})
        stated = metadata_findings(assignment, declared.declarations, knowledge, declare, pythons=pythons)
        if not locked:
            stated = (*stated, *malformed_findings(assignment, declared.declarations, knowledge))
    # What a file lists was installed together, by whatever interpreter has wheels of it.
    meant = (python_of(assignment),) if python_of(assignment) else pythons if listing else ()
    judgement = without_needless_builds(judgement, assignment, declared.declarations, knowledge, meant)
    unknown, unread = _unknown_and_unread(declared, pinned, knowledge)
    releases = {component: declaration.versions for component, declaration in declared.declarations.items()}
    whole = joined(with_nearest_versions(judgement, assignment, knowledge, releases), stated, unknown)
    findings = naming_pinners(whole.findings, pinned, knowledge, machine_of(assignment))
    return Checked(
        judgement=replace(whole, findings=findings),
        assignment=assignment,
        unread=unread,
        pinned=pinned,
        further={} if locked else pinned_dependencies(assignment, declared.declarations, knowledge),
        declared=declared,
        listing=listing,
        target=target.name if target else "",
        pythons=pythons,
        joined=tuple(
            (component, chosen.version)
            for component, instances in node.items()
            for chosen in instances
            if assignment[component] is instances
        ),
    )


def _unknown_and_unread(
    declared: Declared, pinned: Collection[str], knowledge: Knowledge
) -> tuple[dict[str, str], dict[str, str]]:
    """Return why nothing is known of some components, and why the metadata of others was left out.

    The former are those that the knowledge base does not cover either; what came along is not among them.
    """
    unlisted = {name: f"{why}{_near(name, knowledge)}" for name, why in declared.unlisted.items()}
    unread = {name: why for name, why in declared.unread.items() if name not in pinned}
    unknown = {name: why for name, why in (unread | unlisted).items() if knowledge.covered(name) is None}
    left_out = {**declared.unread, **declared.unlisted}
    return unknown, {name: why for name, why in left_out.items() if name not in unknown}


def _near(name: str, knowledge: Knowledge) -> str:
    """Return the question whether another distribution was meant, of those that the knowledge base covers."""
    meant = knowledge.distributed_as(name)
    near = [meant] if meant else near_names(name, knowledge.coverage, most=2, alike=OF_DISTRIBUTION)
    return f"; did you mean {' or '.join(near)}?" if near else ""


def _to_declare(
    assignment: Assignment, listing: Listing | None, named: Collection[str], knowledge: Knowledge
) -> dict[str, tuple[str, str]]:
    """Return the distributions whose metadata counts: none of the system's, a site's or a resolver's."""
    return {
        component: (index_name(component), instances[0].version)
        for component, instances in assignment.items()
        if component not in knowledge.systems
        and instances[0].via is not Via.SITE
        and (component in named or not (listing and listing.solved))
    }
