"""``kb``: check a knowledge base by its own examples, and show what it knows of one component."""

from __future__ import annotations

from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path

from envlock.edges.knowledge_files import load_knowledge
from envlock.model.component import DISTRIBUTION_PREFIX
from envlock.model.errors import RequestError
from envlock.model.knowledge import (
    Bundle,
    Change,
    Covered,
    Fact,
    Knowledge,
    Need,
    Provider,
    Recipe,
    SystemComponent,
)
from envlock.solve.lint import Problem, lint_knowledge


@dataclass(frozen=True, slots=True, kw_only=True)
class ComponentKnowledge:
    """All that the knowledge base knows of one component.

    Attributes:
        component: its identifier.
        system: its description, if it is a system component.
        facts: the facts that name it, in ``when`` or in ``then``, by their identifiers.
        builds: what its published builds carry, or which builds carry it.
        changes: changes of its interface, oldest release first.
        recipes: how it is built.
        needs: what it cannot work without, or what cannot work without it.
        providers: distributions that carry it.
        flavours: distributions that are flavours of it.
        coverage: up to which version it has been checked.
    """

    component: str
    system: SystemComponent | None
    facts: tuple[Fact, ...]
    builds: tuple[Bundle, ...]
    changes: tuple[Change, ...]
    recipes: tuple[Recipe, ...]
    needs: tuple[Need, ...]
    providers: tuple[Provider, ...]
    flavours: tuple[str, ...]
    coverage: Covered | None


def lint(directory: Path | None = None) -> tuple[Problem, ...]:
    """Problems of a knowledge base beyond its form; none is what a base should have.

    Raises:
        RequestError: a document is not of the form that the schemas tell; the message has file and path.
    """
    return lint_knowledge(load_knowledge(directory))


def show(name: str, knowledge: Knowledge) -> ComponentKnowledge:
    """All that is known of a component, by the name that a person wrote.

    Raises:
        RequestError: nothing is known of a component of that name.
    """
    component = knowledge.component(name)
    names = {component, knowledge.flavour_of(component)}
    found = ComponentKnowledge(
        component=component,
        system=knowledge.systems.get(component),
        facts=tuple(
            fact
            for fact in sorted(knowledge.facts, key=lambda fact: fact.id)
            if any(condition.component in names for condition in (*fact.when, *fact.then))
        ),
        builds=tuple(b for b in knowledge.bundles if b.distribution in names or component in b.components),
        changes=tuple(change for change in knowledge.changes if change.distribution in names),
        recipes=tuple(recipe for recipe in knowledge.recipes if recipe.distribution in names),
        needs=tuple(n for n in knowledge.needs if n.distribution in names or n.component == component),
        providers=tuple(p for p in knowledge.providers if component in {p.component, p.distribution}),
        flavours=tuple(sorted(flavour for flavour, of in knowledge.flavours.items() if of == component)),
        coverage=knowledge.coverage.get(component) or knowledge.coverage.get(knowledge.flavour_of(component)),
    )
    parts = (found.facts, found.builds, found.changes, found.recipes, found.needs, found.providers)
    if found.system is None and found.coverage is None and not any(parts):
        raise _unknown(name, knowledge)
    return found


def _unknown(name: str, knowledge: Knowledge) -> RequestError:
    known = {*knowledge.systems, *knowledge.coverage, *knowledge.flavours}
    for fact in knowledge.facts:
        known |= {condition.component for condition in (*fact.when, *fact.then)}
    near = get_close_matches(name, sorted(known), n=3)
    return RequestError(
        "unknown-component",
        f"the knowledge base knows nothing of {name!r}",
        hint=f"did you mean {' or '.join(near)}?" if near else f"write {DISTRIBUTION_PREFIX}NAME or a name",
    )
