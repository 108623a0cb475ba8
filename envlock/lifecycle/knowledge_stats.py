"""How much a knowledge base holds, family by family, and how well it is sourced."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from itertools import groupby
from pathlib import PurePath

from envlock.model.frozen import dataclass
from envlock.model.knowing.fact import Evidence, Fact, Severity, Source
from envlock.model.knowing.knowledge import Knowledge


@dataclass(frozen=True, slots=True, kw_only=True)
class FamilyStats:
    """One file of facts.

    Attributes:
        name: the file's name without its suffix.
        facts: how many facts it holds.
        primary: how many of them have a primary source: what the project itself wrote or published, or a run.
        disputed: how many of them are contradicted by another source.
        severities: the number of facts of each severity.
        evidence: the number of facts of each evidence class.
        examples: how many examples prove them.
    """

    name: str
    facts: int
    primary: int
    disputed: int
    severities: Mapping[Severity, int]
    evidence: Mapping[Evidence, int]
    examples: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Stats:
    """A whole knowledge base.

    Attributes:
        families: the files of facts, sorted by name.
        entries: the number of entries of each other kind.
        components: how many components it says something about.
    """

    families: tuple[FamilyStats, ...]
    entries: Mapping[str, int]
    components: int


def knowledge_stats(knowledge: Knowledge) -> Stats:
    """Count what a knowledge base holds."""
    by_file = sorted(knowledge.facts, key=_family)
    return Stats(
        families=tuple(_count(name, list(facts), knowledge) for name, facts in groupby(by_file, key=_family)),
        entries={
            "builds": sum(map(len, knowledge.bundles.values())),
            "changes": sum(map(len, knowledge.changes.values())),
            "recipes": len(knowledge.recipes),
            "removed names": sum(len(one.names) for some in knowledge.removals.values() for one in some),
            "providers": len(knowledge.providers),
            "carriers": len(knowledge.carriers),
            "needs": len(knowledge.needs),
            "flavours": len(knowledge.flavours),
            "system components": len(knowledge.systems),
            "coverages": len(knowledge.coverage),
        },
        components=len(known_components(knowledge)),
    )


def known_components(knowledge: Knowledge) -> frozenset[str]:
    """Return every component that the knowledge base says something about."""
    spoken = {c.component for fact in knowledge.facts for c in (*fact.when, *fact.then)}
    spoken |= {
        *knowledge.systems,
        *knowledge.coverage,
        *knowledge.flavours,
        *knowledge.bundles,
        *knowledge.changes,
    }
    spoken |= {recipe.distribution for recipe in knowledge.recipes}
    return frozenset(spoken)


def _is_primary(source: Source, knowledge: Knowledge) -> bool:
    """Whether the source is the project's own text or publication, or a report of a run."""
    return not any(prefix in source.title for prefix in knowledge.secondhand)


def _family(fact: Fact) -> str:
    return PurePath(fact.file).stem


def _count(name: str, facts: Iterable[Fact], knowledge: Knowledge) -> FamilyStats:
    all_facts = list(facts)
    return FamilyStats(
        name=name,
        facts=len(all_facts),
        primary=sum(any(_is_primary(source, knowledge) for source in fact.sources) for fact in all_facts),
        disputed=sum(bool(fact.disputed) for fact in all_facts),
        severities=Counter(fact.severity for fact in all_facts),
        evidence=Counter(fact.evidence for fact in all_facts),
        examples=sum(len(fact.refuses) + len(fact.accepts) for fact in all_facts),
    )
