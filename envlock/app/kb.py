"""``kb``: look into a knowledge base, compare two of them, and check one against its own examples."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import zip_longest
from pathlib import Path

from envlock.edges.cache import Cache, default_root
from envlock.edges.decoded_knowledge import load_decoded
from envlock.edges.knowledge_files import (
    NO_KNOWLEDGE,
    Document,
    collect,
    decode_tables,
    is_whole,
    load_knowledge,
    load_knowledge_at,
    tables_of,
)
from envlock.edges.knowledge_toml import canonical_text, header_of
from envlock.judging.lint import Problem, lint_knowledge
from envlock.lifecycle.knowledge_diff import KnowledgeDiff, diff_knowledge
from envlock.lifecycle.knowledge_stats import Stats, knowledge_stats, known_components
from envlock.model.command_line import as_word
from envlock.model.errors import RequestError, SurroundingsError
from envlock.model.frozen import dataclass
from envlock.model.knowing.carried import Bundle, Carrier, Provider
from envlock.model.knowing.change import Change
from envlock.model.knowing.entries import entries, in_words
from envlock.model.knowing.fact import WARNED_OF, Fact
from envlock.model.knowing.knowledge import Covered, Knowledge, SystemComponent
from envlock.model.knowing.need import Need
from envlock.model.knowing.recipe import BuildVariable, Recipe
from envlock.model.near_names import near_names

_SENTENCES = ("reason", "message", "diagnosis", "title")
"""The fields in which an entry says in a sentence what it is about."""


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
        variables: what its build reads from the environment.
        needs: what it cannot work without, or what cannot work without it.
        providers: distributions that carry it.
        carriers: distributions that are its libraries, or the components whose libraries it is.
        base: the distribution that it is a flavour of, or itself.
        flavours: distributions that are flavours of it.
        coverage: up to which version it has been checked.
    """

    component: str
    system: SystemComponent | None
    facts: tuple[Fact, ...]
    builds: tuple[Bundle, ...]
    changes: tuple[Change, ...]
    recipes: tuple[Recipe, ...]
    variables: tuple[BuildVariable, ...]
    needs: tuple[Need, ...]
    providers: tuple[Provider, ...]
    carriers: tuple[Carrier, ...]
    base: str
    flavours: tuple[str, ...]
    coverage: Covered | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """One place of the knowledge base that matches the search.

    Attributes:
        kind: what it is: ``fact``, ``component``, ``change`` ...
        name: which one.
        text: what it says, in one line.
    """

    kind: str
    name: str
    text: str


def base(overlays: Sequence[Path]) -> Knowledge:
    """Return the knowledge base that envlock uses, with a site's own folders.

    Raises:
        RequestError: a folder is missing, or a document does not have the knowledge base's form.
    """
    return load_decoded(Cache(default_root()), overlays)


def lint(directory: Path | None = None, overlays: Sequence[Path] = ()) -> tuple[Problem, ...]:
    """Return the problems of a knowledge base; a base should have none.

    A document that does not even match its schema is the only problem reported: nothing is read beyond it.

    Raises:
        RequestError: a folder is no knowledge base at all.
    """
    try:
        documents = collect(directory, overlays)
        tables = [tables_of(document) for document in documents]
        found = lint_knowledge(decode_tables(documents, tables))
    except (RequestError, SurroundingsError) as error:
        if error.code == NO_KNOWLEDGE:
            raise
        file, _, path = error.where.partition(", ")
        hint = " ".join(part for part in (error.why, error.hint) if part)
        if directory is not None and not is_whole(directory):  # names mean nothing without those of the base
            adding = f"if it adds to a base: envlock kb lint --knowledge {as_word(directory)}"
            hint = "; ".join(filter(None, (hint, adding)))
        return (Problem(file=file, where=path, message=error.message, hint=hint),)
    return (*found, *_looks(documents, tables))


def _looks(documents: Sequence[Document], tables: Sequence[dict[str, object]]) -> Iterator[Problem]:
    """Yield a problem for each document not in canonical form, given with what its TOML says."""
    for document, its in zip(documents, tables, strict=True):
        text = document.content.decode()
        wanted = canonical_text(its, header_of(text))
        if text != wanted:
            pairs = zip_longest(text.split("\n"), wanted.split("\n"))
            number, line = next((n, new) for n, (old, new) in enumerate(pairs, 1) if old != new)
            yield Problem(
                file=document.file,
                where=f"line {number}",
                message="not in canonical form",
                hint=f"this line should be: {line}" if line else _nothing(line),
            )


def _nothing(line: str | None) -> str:
    return "the file should end before this line" if line is None else "this line should be empty"


def why(name: str, knowledge: Knowledge) -> Fact:
    """Return the fact of an identifier, which may be that of a warning which a lock goes around.

    Raises:
        RequestError: there is none.
    """
    fact = knowledge.facts.named(name.removeprefix(WARNED_OF))
    if fact is not None:
        return fact
    near = near_names(name, sorted(known.id for known in knowledge.facts), most=3, alike=0.5)
    raise RequestError(
        "unknown-fact",
        f"there is no fact {name!r}",
        hint=f"did you mean {' or '.join(near)}?" if near else "envlock kb search WORD finds facts by words",
    )


def search(words: Sequence[str], knowledge: Knowledge) -> tuple[Hit, ...]:
    """Return the places where every word occurs, ignoring case.

    Raises:
        RequestError: a word is blank, which occurs everywhere.
    """
    if not all(word.strip() for word in words):
        hint = "envlock kb search WORD; envlock kb show lists all components"
        raise RequestError("no-word", "a word to search for is empty", hint=hint)
    wanted = [word.casefold() for word in words]
    return tuple(hit for hit, text in _searched(knowledge) if all(word in text for word in wanted))


def _searched(knowledge: Knowledge) -> Iterator[tuple[Hit, str]]:
    for (kind, name), entry in sorted(entries(knowledge).items()):
        yield Hit(kind=kind, name=name, text=_line(entry)), f"{name} {in_words(entry)}".casefold()


def _line(entry: object) -> str:
    match entry:
        case Change():
            return f"{entry.old} -> {entry.new or 'gone'}" if entry.old else entry.new
        case Bundle():
            carried = ", ".join(f"{name} {version}" for name, version in entry.components.items())
            return f"for {entry.machine}: {carried or ('the processor alone' if entry.cpu_only else '')}"
        case Covered():
            return f"checked up to {entry.version}"
        case str() | tuple():
            return in_words(entry)
    return next((getattr(entry, name) for name in _SENTENCES if hasattr(entry, name)), "")


def stats(knowledge: Knowledge) -> Stats:
    """Return how much a knowledge base holds, and how well it knows it."""
    return knowledge_stats(knowledge)


def diff(old: str, new: str, folder: Path) -> KnowledgeDiff:
    """Compare two knowledge bases, each a folder or a git revision of one.

    ``REVISION`` means the repository's folder ``knowledge`` there; ``REVISION:PATH`` another folder.

    Raises:
        RequestError: one of them is no knowledge base.
        SurroundingsError: git does not answer.
    """
    return diff_knowledge(_knowledge_at(old, folder), _knowledge_at(new, folder))


def _knowledge_at(text: str, folder: Path) -> Knowledge:
    if Path(text).is_dir():
        return load_knowledge(Path(text))
    revision, _, path = text.partition(":")
    return load_knowledge_at(folder, revision, path or "knowledge")


def show(name: str, knowledge: Knowledge) -> ComponentKnowledge:
    """Return all that is known of a component, by the name that a person wrote.

    Raises:
        RequestError: nothing is known of a component of that name.
    """
    found = _about(knowledge.component(name), knowledge, _facts_by_component(knowledge))
    parts = (found.facts, found.builds, found.changes, found.recipes, found.needs, found.providers)
    if found.system is None and found.coverage is None and not any(parts):
        raise _unknown(name, knowledge)
    return found


def inventory(knowledge: Knowledge) -> tuple[ComponentKnowledge, ...]:
    """Return what is known of each component that anything is said of, by name."""
    facts = _facts_by_component(knowledge)
    return tuple(_about(component, knowledge, facts) for component in sorted(known_components(knowledge)))


def _facts_by_component(knowledge: Knowledge) -> dict[str, dict[str, Fact]]:
    """Map each component to the facts that name it, in ``when`` or in ``then``, by their identifiers."""
    found: dict[str, dict[str, Fact]] = {}
    for fact in knowledge.facts:
        for condition in (*fact.when, *fact.then):
            found.setdefault(condition.component, {})[fact.id] = fact
    return found


def _about(
    component: str, knowledge: Knowledge, facts: Mapping[str, Mapping[str, Fact]]
) -> ComponentKnowledge:
    names = {component, knowledge.flavour_of(component)}
    named = {identifier: fact for name in names for identifier, fact in facts.get(name, {}).items()}
    return ComponentKnowledge(
        component=component,
        system=knowledge.systems.get(component),
        facts=tuple(named[identifier] for identifier in sorted(named)),
        builds=tuple(
            b
            for distribution, bundles in knowledge.bundles.items()
            for b in bundles
            if distribution in names or component in b.components
        ),
        changes=tuple(change for name in sorted(names) for change in knowledge.changes.get(name, ())),
        recipes=tuple(recipe for recipe in knowledge.recipes if recipe.distribution in names),
        variables=tuple(variable for variable in knowledge.variables if variable.distribution in names),
        needs=tuple(n for n in knowledge.needs if n.distribution in names or n.component == component),
        providers=tuple(p for p in knowledge.providers if component in {p.component, p.distribution}),
        carriers=tuple(c for c in knowledge.carriers if component in {c.component, c.distribution}),
        base=knowledge.flavour_of(component),
        flavours=tuple(sorted(flavour for flavour, of in knowledge.flavours.items() if of == component)),
        coverage=knowledge.covered(component),
    )


def _unknown(name: str, knowledge: Knowledge) -> RequestError:
    near = near_names(name, sorted(known_components(knowledge)), most=3)
    hint = f"did you mean {' or '.join(near)}?" if near else "envlock kb show lists what there is"
    if "==" in name:
        hint = f"envlock kb show {name.partition('==')[0]}; to judge that version: envlock check {name}"
    return RequestError("unknown-component", f"the knowledge base knows nothing about {name!r}", hint=hint)
