"""Judging a combination of components: the only definition of what a fact means."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import product

from envlock.judging.complement import complement
from envlock.judging.gpu_code import judge_gpu_code
from envlock.judging.implied import implied_components, machine_of
from envlock.model.component import PROCESSOR, USUAL_MACHINE, Range, Via
from envlock.model.frozen import dataclass
from envlock.model.knowing.fact import Condition, Fact, Severity
from envlock.model.knowing.finding import Assignment, Chosen, Finding, Fix, Judgement, Verdict
from envlock.model.knowing.knowledge import Knowledge

_RANK = {Severity.REFUSE: 0, Severity.WARN: 1, Severity.NOTE: 2}


@dataclass(frozen=True, slots=True, kw_only=True)
class _Instance:
    """One version of one component in a combination."""

    component: str
    chosen: Chosen


_Stack = Mapping[str, tuple[_Instance, ...]]

_USUAL = _Instance(component=PROCESSOR, chosen=Chosen(version=USUAL_MACHINE))
"""The architecture if none is named, which counts like something that came in a wheel."""


def judge(assignment: Assignment, knowledge: Knowledge, *, waived: frozenset[str] = frozenset()) -> Judgement:
    """Judge a combination by every fact that applies to it.

    For every choice of one instance per component of a fact's ``when`` that meets its condition, each
    instance of each component of its ``then`` must be inside the range. Absent components are never demanded.
    A flavour (``tensorflow-gpu``) counts as its base. A condition with a way (``via``), in ``when`` or
    ``then``, covers only instances that came that way or whose way is not known. A fact is silent where a
    component of its ``unless`` takes part in its own right. What published wheels bundle takes part as
    further instances, which meet the wheel that bundles them, what else it bundles, and the node.

    The verdict is unknown rather than compatible if a named component is newer than its coverage or is a
    system component that nobody has checked. A distribution without coverage is an ordinary add-on: what is
    wrong with it is in its metadata, and it never makes a verdict unknown.

    Args:
        assignment: the versions of each component.
        knowledge: the facts, builds and coverage.
        waived: identifiers of facts that somebody decided to override: their findings become notes.
    """
    full = with_bundles(assignment, knowledge)
    stack = _stack(full, knowledge)
    findings = [
        finding
        for name in stack
        for fact in knowledge.facts.of(name)
        if _concerns(fact, stack)
        for finding in _violations(fact, stack, knowledge)
    ]
    findings += judge_gpu_code(assignment, knowledge)
    findings = [replace(f, severity=Severity.NOTE) if f.fact in waived else f for f in findings]
    findings.sort(key=lambda f: (_RANK[f.severity], f.fact, sorted(f.components.items())))
    uncovered = dict(_uncovered(full, knowledge))
    return Judgement(verdict=_verdict(findings, uncovered), findings=tuple(findings), uncovered=uncovered)


def joined(judgement: Judgement, further: Iterable[Finding], unknown: Mapping[str, str]) -> Judgement:
    """Return a judgement with further findings and with components of which nothing is known.

    Findings about components that a fact already refused together are dropped.
    """
    refused = {frozenset(f.components) for f in judgement.findings if f.severity is Severity.REFUSE}
    new = [finding for finding in further if frozenset(finding.components) not in refused]
    findings = sorted((*judgement.findings, *new), key=lambda f: _RANK[f.severity])
    uncovered = {**unknown, **judgement.uncovered}
    return Judgement(verdict=_verdict(findings, uncovered), findings=tuple(findings), uncovered=uncovered)


def with_bundles(assignment: Assignment, knowledge: Knowledge) -> Assignment:
    """Return the combination together with what its published wheels bundle.

    A distribution that was built here or by the site bundles nothing of the published wheel. A library that a
    framework's wheel and its own wheel both give at one version is included once.
    """
    full = {component: list(chosen) for component, chosen in assignment.items()}
    own = {component for component in assignment if knowledge.carriers_of(component)}
    machine = machine_of(assignment)
    for component in sorted(assignment, key=own.__contains__):
        for chosen in assignment[component]:
            implied = implied_components(component, chosen.version, chosen.via, knowledge, machine)
            for inner, version in implied.items():
                inside = [instance for instance in full.setdefault(inner, []) if instance.bundled_in]
                is_given = any(instance.version == version for instance in inside) and component in own
                if not is_given and all(instance.bundled_in != component for instance in inside):
                    full[inner].append(Chosen(version=version, via=Via.WHEEL, bundled_in=component))
    return {component: tuple(chosen) for component, chosen in full.items()}


def _stack(assignment: Assignment, knowledge: Knowledge) -> _Stack:
    stack: dict[str, tuple[_Instance, ...]] = {}
    for component, instances in assignment.items():
        found = tuple(_Instance(component=component, chosen=chosen) for chosen in instances)
        for name in knowledge.names_in_facts(component):
            stack[name] = stack.get(name, ()) + found
    return {PROCESSOR: (_USUAL,), **stack}


def _concerns(fact: Fact, stack: _Stack) -> bool:
    """Whether the components of a fact are present: for most facts they are not, and no range is tested."""
    for condition in fact.when:
        if condition.component not in stack:
            return False
    if not fact.then:
        return True
    for condition in fact.then:  # noqa: SIM110 - a generator takes twice the time, and there are many facts
        if condition.component in stack:
            return True
    return False


def _violations(fact: Fact, stack: _Stack, knowledge: Knowledge) -> Iterator[Finding]:
    if any(not instance.chosen.bundled_in for name in fact.unless for instance in stack.get(name, ())):
        return
    meeting = [
        [instance for instance in stack.get(condition.component, ()) if _holds(condition, instance)]
        for condition in fact.when
    ]
    for combination in product(*meeting):
        if not _meet(combination, knowledge):
            continue
        if not fact.then:
            yield _finding(fact, combination, None)
            continue
        for condition in (then.beside(combination[0].chosen.version) for then in fact.then):
            for instance in stack.get(condition.component, ()):
                if _breaks(condition, instance) and _meet((*combination, instance), knowledge):
                    yield _finding(fact, (*combination, instance), condition)


def _holds(condition: Condition, instance: _Instance) -> bool:
    return instance.component not in condition.without and condition.holds(
        instance.chosen.version, instance.chosen.via
    )


def _breaks(condition: Condition, instance: _Instance) -> bool:
    return instance.component not in condition.without and condition.breaks(
        instance.chosen.version, instance.chosen.via
    )


def _meet(instances: Iterable[_Instance], knowledge: Knowledge) -> bool:
    """Whether instances meet: one inside a wheel meets the wheel, what else is inside, and the node."""
    present = tuple(instances)
    carriers = {instance.chosen.bundled_in for instance in present if instance.chosen.bundled_in}
    if not carriers:
        return True
    return len(carriers) == 1 and all(
        instance.component in carriers
        or instance.chosen.bundled_in in carriers
        or (instance.component in knowledge.systems and knowledge.systems[instance.component].fixed)
        for instance in present
    )


def _finding(fact: Fact, concerned: tuple[_Instance, ...], broken: Condition | None) -> Finding:
    instances = tuple(instance for instance in concerned if instance is not _USUAL)
    conditions = (*fact.when, broken) if broken is not None else fact.when
    # What a fact calls by what it is a flavour of, or by the form of its name.
    called = {one.component: instance.component for one, instance in zip(conditions, concerned, strict=True)}
    ranges = {condition.component: outside(condition) for condition in fact.when}
    if broken is not None:
        ranges |= _likewise(fact, instances)
        ranges[broken.component] = broken.range
    return Finding(
        fact=fact.id,
        severity=fact.severity,
        components={instance.component: instance.chosen.version for instance in instances},
        message=f"{_named(instances, broken)}: {fact.reason}",
        cause=_cause(fact),
        sources=(*fact.sources, *(source for dispute in fact.disputed for source in dispute.sources)),
        fixes=tuple(
            Fix(component=called[component], range=versions.text)
            for component, versions in ranges.items()
            if versions is not None
        ),
        inside={
            instance.component: instance.chosen.bundled_in
            for instance in instances
            if instance.chosen.bundled_in
        },
    )


def _likewise(fact: Fact, instances: tuple[_Instance, ...]) -> dict[str, Range]:
    """For components that must be alike, return the versions of one that match the other's.

    Where the fact does not cover those versions, there are none: before 2.0 torchaudio was not numbered like
    torch.
    """
    *_, other = instances
    spoken_of = {condition.component: condition.range for condition in fact.when}
    return {
        then.like.component: then.like.range(other.chosen.version)
        for then in fact.then
        if then.like is not None
        and then.component == other.component
        and spoken_of[then.like.component].contains(then.like.shared(other.chosen.version))
    }


def _cause(fact: Fact) -> str:
    """The cause of a fact, with what is said against it."""
    disputes = [f"disputed: {dispute.says} ({dispute.evidence})" for dispute in fact.disputed]
    return "; ".join(part for part in (fact.cause, *disputes) if part)


def outside(condition: Condition) -> Range | None:
    """The versions that do not meet a condition; ``None`` if there are none that a user could choose."""
    return None if condition.range.words_only else complement(condition.range)


def _named(instances: tuple[_Instance, ...], broken: Condition | None) -> str:
    texts = []
    for instance in instances:
        inside = f" (inside the {instance.chosen.bundled_in} wheel)" if instance.chosen.bundled_in else ""
        texts.append(f"{instance.component} {instance.chosen.version}{inside}")
    if broken is None:
        return " with ".join(texts)
    needed = f"{broken.component} {broken.range.text}"
    return f"{' with '.join(texts[:-1])} needs {needed}, not {texts[-1]}"


def _uncovered(assignment: Assignment, knowledge: Knowledge) -> Iterator[tuple[str, str]]:
    for component, instances in assignment.items():
        system = knowledge.systems.get(component)
        covered = knowledge.covered(component)
        if system is not None and system.words:
            continue
        if covered is None:
            if system is not None:
                yield component, f"nobody has checked {system.title} against the others yet"
            continue
        for chosen in instances:
            if covered.is_before(chosen.version):
                limit = f"{covered.version}, up to which it was checked on {covered.checked}"
                yield component, f"{component} {chosen.version} is newer than {limit}"


def _verdict(findings: Iterable[Finding], uncovered: Mapping[str, str]) -> Verdict:
    if any(finding.severity is Severity.REFUSE for finding in findings):
        return Verdict.INCOMPATIBLE
    return Verdict.UNKNOWN if uncovered else Verdict.COMPATIBLE
