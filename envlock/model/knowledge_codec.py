"""Decoding the documents of a knowledge base into its types."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Self, TypeVar

from packaging.requirements import InvalidRequirement, Requirement
from packaging.utils import canonicalize_name

from envlock.model.component import (
    DISTRIBUTION_PREFIX,
    InvalidSpecifier,
    InvalidVersion,
    Layer,
    Range,
    Via,
    parse_version,
)
from envlock.model.decode import Table
from envlock.model.knowledge import (
    Adjustment,
    Bundle,
    Carrier,
    Change,
    Condition,
    Covered,
    Evidence,
    Fact,
    Knowledge,
    Need,
    Provider,
    Recipe,
    Severity,
    Source,
    SystemComponent,
)

V = TypeVar("V")


class KnowledgeDecoder:
    """Decodes the documents of a knowledge base; later documents (a site's overlay) add to earlier ones."""

    def __init__(self) -> None:
        self._systems: dict[str, SystemComponent] = {}
        self._reserved: dict[str, str] = {}
        self._facts: dict[str, Fact] = {}
        self._providers: list[Provider] = []
        self._bundles: list[Bundle] = []
        self._changes: list[Change] = []
        self._recipes: list[Recipe] = []
        self._needs: list[Need] = []
        self._flavours: dict[str, str] = {}
        self._coverage: dict[str, Covered] = {}
        self._carriers: list[Carrier] = []
        self._secondhand: list[str] = []

    def components(self, document: Mapping[str, object], file: str) -> Self:
        """Decode ``components.toml``: reserved names, virtual components, providers, needs, flavours."""
        root = Table(document, file=file)
        for table in root.tables("component"):
            name = table.text("name")
            component = SystemComponent(
                name=name,
                title=table.text("title"),
                layer=table.choice("layer", Layer),
                fixed=table.flag("fixed", default=False),
                words=table.flag("words", default=False),
                members=table.texts("members"),
            )
            table.done()
            self._systems[name] = component
            self._reserved[str(canonicalize_name(name))] = name
        for table in root.tables("provider"):
            self._providers.append(
                Provider(
                    component=self._name(table.text("component")),
                    distribution=self._name(table.text("distribution")),
                    devel=tuple(self._name(name) for name in table.texts("devel")),
                    variables=_frozen(table.mapping("variables")),
                    sources=_sources(table),
                )
            )
            table.done()
        for table in root.tables("need"):
            self._needs.append(
                Need(
                    distribution=self._name(table.text("distribution")),
                    range=_range(table, "versions", default=""),
                    component=self._name(table.text("component")),
                    reason=table.text("reason"),
                )
            )
            table.done()
        for table in root.tables("flavour"):
            self._flavours[self._name(table.text("distribution"))] = self._name(table.text("of"))
            table.done()
        self._carriers += [self._carrier(table) for table in root.tables("carrier")]
        for table in root.tables("second-hand"):
            self._secondhand.append(table.text("address"))
            table.text("why")
            table.done()
        root.done()
        return self

    def _carrier(self, table: Table) -> Carrier:
        carrier = Carrier(
            distribution=self._name(table.text("distribution")),
            range=_range(table, "versions", default=""),
            component=self._name(table.text("component")),
            digits=table.integer("digits", 0),
            sources=_sources(table),
        )
        table.done()
        return carrier

    def facts(self, document: Mapping[str, object], file: str) -> Self:
        """Decode a file of ``facts/``."""
        root = Table(document, file=file)
        for table in root.tables("fact"):
            fact = Fact(
                id=table.text("id"),
                when=self._conditions(table.table("when")),
                then=self._conditions(table.table("then")),
                severity=table.choice("severity", Severity, Severity.REFUSE.value),
                evidence=table.choice("evidence", Evidence),
                reason=table.text("reason"),
                cause=table.text("cause", ""),
                sources=_sources(table),
                refuses=self._examples(table, "refuses"),
                accepts=self._examples(table, "accepts"),
                file=file,
            )
            table.done()
            if not fact.when:
                raise table.error(f"fact {fact.id!r} has no condition", key="when", hint="name a component")
            if fact.id in self._facts:
                other = self._facts[fact.id].file
                raise table.error(f"the fact {fact.id!r} is already in {other}", key="id")
            self._facts[fact.id] = fact
        root.done()
        return self

    def builds(self, document: Mapping[str, object], file: str) -> Self:
        """Decode a file of ``builds/``."""
        root = Table(document, file=file)
        for table in root.tables("build"):
            bundle = Bundle(
                distribution=self._name(table.text("distribution")),
                range=_range(table, "versions"),
                label=table.text("label", ""),
                components=_frozen({self._name(k): v for k, v in table.mapping("bundles").items()}),
                compute_capabilities=table.texts("compute-capabilities"),
                sources=_sources(table),
            )
            table.done()
            self._bundles.append(bundle)
        root.done()
        return self

    def changes(self, document: Mapping[str, object], file: str) -> Self:
        """Decode a file of ``changes/``."""
        root = Table(document, file=file)
        for table in root.tables("change"):
            change = Change(
                distribution=self._name(table.text("distribution")),
                version=_version(table, "version"),
                breaking=table.flag("breaking", default=True),
                old=table.text("old"),
                new=table.text("new", ""),
                note=table.text("note", ""),
                sources=_sources(table),
            )
            table.done()
            self._changes.append(change)
        root.done()
        return self

    def recipes(self, document: Mapping[str, object], file: str) -> Self:
        """Decode a file of ``recipes/``."""
        root = Table(document, file=file)
        for table in root.tables("recipe"):
            recipe = Recipe(
                distribution=self._name(table.text("distribution")),
                range=_range(table, "versions", default=""),
                build_requires=_requirements(table, "build-requires"),
                after=tuple(self._name(name) for name in table.texts("after")),
                variables=_frozen(table.mapping("variables")),
                adjustments=tuple(self._adjustment(part) for part in table.tables("adjust")),
                sources=_sources(table),
            )
            table.done()
            self._recipes.append(recipe)
        root.done()
        return self

    def covers(self, document: Mapping[str, object], file: str) -> Self:
        """Decode ``coverage.toml``."""
        root = Table(document, file=file)
        for table in root.tables("coverage"):
            name = self._name(table.text("component"))
            self._coverage[name] = Covered(
                component=name, version=_version(table, "up-to"), checked=table.date("checked")
            )
            table.done()
        root.done()
        return self

    def finish(self, digest: str) -> Knowledge:
        """The knowledge base decoded so far; ``digest`` names its exact content."""
        return Knowledge(
            systems=_frozen(self._systems),
            facts=tuple(self._facts.values()),
            providers=tuple(self._providers),
            bundles=tuple(self._bundles),
            changes=tuple(self._changes),
            recipes=tuple(self._recipes),
            needs=tuple(self._needs),
            flavours=_frozen(self._flavours),
            coverage=_frozen(self._coverage),
            digest=digest,
            carriers=tuple(self._carriers),
            secondhand=tuple(self._secondhand),
            _reserved=_frozen(self._reserved),
        )

    def _name(self, text: str) -> str:
        if text.startswith(DISTRIBUTION_PREFIX):
            return DISTRIBUTION_PREFIX + str(canonicalize_name(text.removeprefix(DISTRIBUTION_PREFIX)))
        canonical = str(canonicalize_name(text))
        return self._reserved.get(canonical, canonical)

    def _conditions(self, table: Table) -> tuple[Condition, ...]:
        return tuple(self._condition(table, key) for key in table.keys())  # noqa: SIM118

    def _condition(self, table: Table, key: str) -> Condition:
        name = self._name(key)
        words = name in self._systems and self._systems[name].words
        value = table.raw(key)
        if isinstance(value, str):
            return Condition(component=name, range=_range(table, key, words=words))
        inner = table.table(key)
        via = inner.choice("via", Via) if inner.has("via") else None
        condition = Condition(
            component=name,
            range=_range(inner, "versions", default="", words=words),
            via=via,
            without=tuple(self._name(flavour) for flavour in inner.texts("without")),
        )
        inner.done()
        return condition

    def _adjustment(self, table: Table) -> Adjustment:
        adjustment = Adjustment(
            when=self._conditions(table.table("when")),
            variables=_frozen(table.mapping("variables")),
            otherwise=_frozen(table.mapping("otherwise")),
            append=_frozen(table.mapping("append")),
        )
        table.done()
        return adjustment

    def _examples(self, table: Table, key: str) -> tuple[Mapping[str, str], ...]:
        examples = []
        for example in table.tables(key):
            names = list(example.keys())
            examples.append(_frozen({self._name(name): example.text(name) for name in names}))
        return tuple(examples)


def _frozen(items: Mapping[str, V]) -> Mapping[str, V]:
    return MappingProxyType(dict(items))


def _range(table: Table, key: str, *, default: str | None = None, words: bool = False) -> Range:
    text = table.text(key, default)
    try:
        return Range.words(text) if words else Range.versions(text)
    except InvalidSpecifier:
        hint = 'write PEP 440 specifiers such as ">=3.0,<3.1.4", several joined by "||"'
        raise table.error(f"{text!r} is no range of versions", key=key, hint=hint) from None


def _version(table: Table, key: str) -> str:
    text = table.text(key)
    try:
        parse_version(text)
    except InvalidVersion:
        raise table.error(f"{text!r} is no version", key=key) from None
    return text


def _requirements(table: Table, key: str) -> tuple[str, ...]:
    texts = table.texts(key)
    for text in texts:
        try:
            Requirement(text)
        except InvalidRequirement as error:
            raise table.error(f"{text!r} is no requirement: {error}", key=key) from None
    return texts


def _sources(table: Table) -> tuple[Source, ...]:
    sources = []
    for part in table.tables("sources"):
        sources.append(Source(title=part.text("title"), checked=part.date("checked")))
        part.done()
    return tuple(sources)
