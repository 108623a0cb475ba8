"""Checks of a knowledge base beyond its form: every fact must refuse and accept what its examples say."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from itertools import combinations, groupby, product

from envlock.judging.complement import complement
from envlock.judging.judge import judge
from envlock.model.component import DISTRIBUTION_PREFIX, Range
from envlock.model.frozen import dataclass
from envlock.model.knowing.entries import entries
from envlock.model.knowing.fact import Condition, Fact, Severity, Source, pins_of
from envlock.model.knowing.finding import Assignment, Chosen
from envlock.model.knowing.knowledge import Knowledge
from envlock.model.knowing.recipe import Recipe
from envlock.model.near_names import near_names

_MISSPELT = 0.8
"""From which similarity, 0 to 1, one name is taken for a misspelling of another."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """A problem to fix in a knowledge base.

    Attributes:
        file: the document it is in; empty where it concerns the whole.
        where: the fact, build or component.
        message: what is wrong.
        hint: what to do about it.
    """

    file: str
    where: str
    message: str
    hint: str


def lint_knowledge(knowledge: Knowledge) -> tuple[Problem, ...]:
    """Return all problems, in the order of the documents."""
    problems = [problem for fact in knowledge.facts for problem in _fact(fact, knowledge)]
    problems += [
        Problem(
            file=lapsed.file,
            where=lapsed.fact,
            message=f"the decision of {lapsed.owner} against this fact ended on {lapsed.expires}",
            hint="the fact is in force again: take the decision out, or make it anew",
        )
        for lapsed in knowledge.lapsed
    ]
    problems += _contradictions(tuple(knowledge.facts))
    problems += _said_twice(knowledge.facts)
    problems += _order(tuple(knowledge.facts))
    for (kind, key), says in entries(knowledge).items():
        if kind != "fact" and (sources := getattr(says, "sources", None)) is not None:
            problems += _sources("", f"{kind} {key}", sources)
    problems += _unread(knowledge)
    problems += _names(knowledge)
    return tuple(problems)


def _fact(fact: Fact, knowledge: Knowledge) -> Iterator[Problem]:
    yield from _sources(fact.file, fact.id, fact.sources)
    for dispute in fact.disputed:
        yield from _sources(fact.file, f"{fact.id}.disputed", dispute.sources)
    if not fact.reason.strip():
        yield Problem(file=fact.file, where=fact.id, message="no reason", hint="say what fails, in one line")
    for condition in (*fact.when, *fact.then):
        where = f"{fact.id}.{condition.component}"
        system = knowledge.systems.get(condition.component)
        if system is not None and condition.range.words_only and system.unknown_words(condition.range.text):
            hint = f"words are {', '.join(system.vocabulary)}"
            message = f"{condition.range.text!r} is not one of its values"
            yield Problem(file=fact.file, where=where, message=message, hint=hint)
        if not condition.range.text and condition.via is None and not condition.range.words_only:
            hint = 'write "*" for every version'
            yield Problem(file=fact.file, where=where, message="an empty range", hint=hint)
        elif not condition.range.words_only and not _overlap(condition.range, condition.range):
            text = condition.range.text
            hint = "mend the bounds"
            yield Problem(file=fact.file, where=where, message=f"no version is in {text!r}", hint=hint)
    for condition in fact.then:
        if any(_same_range(condition, other) for other in fact.when):
            yield Problem(
                file=fact.file,
                where=f"{fact.id}.{condition.component}",
                message="demands what it presupposes",
                hint="a fact that refuses the combination itself has no then",
            )
    yield from _examples(fact, knowledge)


def _contradictions(facts: Sequence[Fact]) -> Iterator[Problem]:
    """Report two facts with the same condition that leave no version which satisfies both.

    Facts that merely overlap may do so: together they say that the versions to which both apply are
    compatible with nothing.
    """
    same: dict[object, list[Fact]] = {}
    for fact in facts:
        if fact.severity is Severity.REFUSE and fact.then:
            same.setdefault(frozenset((c.component, c.range.text, c.via) for c in fact.when), []).append(fact)
    for one, other in (pair for group in same.values() for pair in combinations(group, 2)):
        for mine, theirs in product(one.then, other.then):
            if mine.component == theirs.component and not _overlap(mine.range, theirs.range):
                yield Problem(
                    file=other.file,
                    where=f"{other.id}.{theirs.component}",
                    message=f"contradicts {one.id}: no version of {mine.component} is in both ranges",
                    hint="say what holds once, and in disputed = [...] what another source says",
                )


def _overlap(one: Range, other: Range) -> bool:
    """Whether some version or word is in both ranges."""
    if one.words_only or other.words_only:
        return one.everything or other.everything or not one.listed.isdisjoint(other.listed)
    return any(
        _labels_overlap(mine.label, theirs.label)
        and not (mine.specifiers & theirs.specifiers).is_unsatisfiable()
        for mine, theirs in product(one.parts, other.parts)
    )


def _labels_overlap(one: str | None, other: str | None) -> bool:
    """Whether some label may match both patterns: if they differ, one pattern has to match the other."""
    if one is None or other is None:
        return True
    return fnmatchcase(one, other) or fnmatchcase(other, one)


def _examples(fact: Fact, knowledge: Knowledge) -> Iterator[Problem]:
    for kind, examples, refused in (("refuses", fact.refuses, True), ("accepts", fact.accepts, False)):
        if not examples:
            yield Problem(
                file=fact.file,
                where=fact.id,
                message=f"no example that it {kind}",
                hint=f"add {kind} = [{{ NAME = VERSION, ... }}]",
            )
        for example in examples:
            found = {finding.fact for finding in judge(_assignment(pins_of(example)), knowledge).findings}
            if (fact.id in found) is not refused:
                yield Problem(
                    file=fact.file,
                    where=fact.id,
                    message=f"does not {'refuse' if refused else 'accept'} {example}",
                    hint="mend the ranges or the example",
                )


def _said_twice(facts: Iterable[Fact]) -> Iterator[Problem]:
    """Report facts that say the same as an earlier one about the same combinations."""
    said: dict[object, Fact] = {}
    for fact in facts:
        first = said.setdefault((frozenset(fact.when), frozenset(fact.then), fact.severity), fact)
        if first is not fact:
            yield Problem(
                file=fact.file,
                where=fact.id,
                message=f"says what {first.id} says",
                hint=f"take it out, and its sources into {first.id}",
            )


def _assignment(example: Mapping[str, str]) -> Assignment:
    return {component: (Chosen(version=version),) for component, version in example.items()}


def _same_range(one: Condition, other: Condition) -> bool:
    return one.component == other.component and one.range == other.range


def _order(facts: Sequence[Fact]) -> Iterator[Problem]:
    for file, group in groupby(facts, key=lambda fact: fact.file):
        ids = [fact.id for fact in group]
        for before, after in zip(ids, sorted(ids), strict=True):
            if before != after:
                yield Problem(
                    file=file, where=before, message="facts are not sorted", hint=f"put {after} here"
                )
                break


def _sources(file: str, where: str, sources: tuple[Source, ...]) -> Iterator[Problem]:
    if not sources:
        yield Problem(file=file, where=where, message="no source", hint="say where it was read, and when")
    for source in sources:
        if not source.title.strip():
            yield Problem(file=file, where=where, message="a source without title", hint="say where")


def _unread(knowledge: Knowledge) -> Iterator[Problem]:
    """Report variables that a recipe sets for releases whose builds silently ignore them.

    This covers described variables, and others that begin with the name of a distribution that has some.
    """
    described = {(variable.distribution, variable.name): variable.range for variable in knowledge.variables}
    with_variables = {variable.distribution for variable in knowledge.variables}
    for recipe in knowledge.recipes:
        own = f"{recipe.distribution.upper().replace('-', '_')}_"
        for name in sorted(_set_by(recipe)):
            where = f"recipe {recipe.distribution} {recipe.range.text}, {name}"
            read = described.get((recipe.distribution, name))
            if read is None:
                if recipe.distribution in with_variables and name.startswith(own):
                    hint = "describe it in a [[variable]], or mend the name"
                    yield Problem(file="", where=where, message="no release is known to read it", hint=hint)
            elif (rest := complement(read)) is not None and _overlap(recipe.range, rest):
                message = f"the builds of {recipe.distribution} {read.text} alone read it"
                yield Problem(file="", where=where, message=message, hint="divide the recipe there")


def _set_by(recipe: Recipe) -> set[str]:
    parts = [recipe.variables]
    parts += [
        part
        for adjustment in recipe.adjustments
        for part in (adjustment.variables, adjustment.otherwise, adjustment.append)
    ]
    return {name for part in parts for name in part}


def _names(knowledge: Knowledge) -> Iterator[Problem]:
    """Report undescribed names: a system component's, or an example's that its fact does not mention.

    A needed distribution that no fact mentions must be named in the need's own reason, so that a typo shows.
    """
    for where, name in _system_names(knowledge):
        if name not in knowledge.systems:
            yield _unknown("", where, name)
    spoken_of = {condition.component for fact in knowledge.facts for condition in (*fact.when, *fact.then)}
    for need in knowledge.needs:
        name = need.component.removeprefix(DISTRIBUTION_PREFIX)
        is_mentioned = name in spoken_of or name in need.reason.lower().replace("_", "-")
        if name not in knowledge.systems and (not is_mentioned or _misspelt(name, knowledge)):
            yield _unknown("", f"need of {need.distribution}", need.component)
    for fact in knowledge.facts:
        known = {condition.component for condition in (*fact.when, *fact.then)}
        for name in sorted(known):
            if _misspelt(name, knowledge):
                yield _unknown(fact.file, fact.id, name)
        for name in {name for example in (*fact.refuses, *fact.accepts) for name in pins_of(example)}:
            if name not in knowledge.systems and not knowledge.names_in_facts(name) & {*known, *fact.unless}:
                yield _unknown(fact.file, fact.id, name)


def _misspelt(name: str, knowledge: Knowledge) -> bool:
    """Whether a distribution's name is close to that of a system component.

    A misspelt name has the right first letter: ``pyhton`` is ``python``, but ``cython`` is something else.
    """
    alike = [system for system in knowledge.systems if system[:1] == name[:1]]
    return name not in knowledge.systems and bool(near_names(name, alike, alike=_MISSPELT))


def _system_names(knowledge: Knowledge) -> Iterator[tuple[str, str]]:
    for provider in knowledge.providers:
        yield f"provider {provider.distribution}", provider.component
    for system in knowledge.systems.values():
        for member in system.members:
            yield f"members of {system.name}", member


def _unknown(file: str, where: str, name: str) -> Problem:
    hint = "add it to components.toml, or mend the name"
    return Problem(file=file, where=where, message=f"{name!r} is not described", hint=hint)
