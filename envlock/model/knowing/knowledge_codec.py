"""Decoding of the documents of a knowledge base into its types."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from typing import Self

from envlock.model.component import USUAL_MACHINE, Layer, Via
from envlock.model.decode import Table
from envlock.model.knowing.by_component import ByComponent
from envlock.model.knowing.carried import Bundle, Carrier, Provider
from envlock.model.knowing.change import Change
from envlock.model.knowing.detection_codec import DetectionDecoder
from envlock.model.knowing.fact_codec import FactDecoder
from envlock.model.knowing.facts import Facts
from envlock.model.knowing.knowledge import Covered, KeptAt, Knowledge, StandIn, SystemComponent
from envlock.model.knowing.knowledge_parts import (
    Names,
    frozen,
    read_range,
    read_sources,
    read_spelling,
    read_version,
)
from envlock.model.knowing.need import EVERY_DISTRIBUTION, Need
from envlock.model.knowing.other_names_codec import OtherNamesDecoder
from envlock.model.knowing.recipe_codec import RecipeDecoder
from envlock.model.knowing.removal import Removal
from envlock.model.knowing.removal_codec import decode_removals
from envlock.model.knowing.running_codec import RunningDecoder


class KnowledgeDecoder:
    """Decodes the documents of a knowledge base; later documents (a site's overlay) add to earlier ones."""

    def __init__(self) -> None:
        self._names = Names()
        self._facts = FactDecoder(self._names)
        self._providers: list[Provider] = []
        self._bundles: list[Bundle] = []
        self._changes: list[Change] = []
        self._recipes = RecipeDecoder(self._names, self._facts)
        self._running = RunningDecoder(self._names)
        self._detection = DetectionDecoder(self._names)
        self._needs: list[Need] = []
        self._other_names = OtherNamesDecoder(self._names)
        self._coverage: dict[str, Covered] = {}
        self._carriers: list[Carrier] = []
        self._secondhand: list[str] = []
        self._stand_ins: list[StandIn] = []
        self._kept_at: dict[str, KeptAt] = {}
        self._by_build: dict[str, tuple[str, ...]] = {}
        self._interpreters: dict[str, dt.date] = {}
        self._removals: list[Removal] = []

    def components(self, document: Mapping[str, object], file: str) -> Self:
        """Decode ``components.toml``: reserved names, providers, needs, flavours, other names."""
        root = Table(document, file=file)
        for table in root.tables("component"):
            component = SystemComponent(
                name=table.text("name"),
                title=table.text("title"),
                layer=table.choice("layer", Layer),
                fixed=table.flag("fixed", default=False),
                words=table.flag("words", default=False),
                members=table.texts("members"),
                choices=table.texts("choices"),
                vocabulary=table.texts("vocabulary"),
                spellings=frozen(dict(map(read_spelling, table.tables("spellings")))),
            )
            if component.choices and not component.words:
                raise table.error("only a component of words has choices", key="choices", hint="words = true")
            if component.vocabulary and not component.words:
                raise table.error("only words have a vocabulary", key="vocabulary", hint="words = true")
            if self._names.systems.get(component.name, component) != component:
                raise table.error(f"{component.name!r} is already described differently", key="name")
            table.done()
            self._names.add(component)
        for table in root.tables("provider"):
            self._providers.append(
                Provider(
                    component=self._names.name(table.text("component")),
                    distribution=self._names.name(table.text("distribution")),
                    devel=tuple(self._names.name(name) for name in table.texts("devel")),
                    variables=frozen(table.mapping("variables")),
                    sources=read_sources(table),
                )
            )
            table.done()
        self._needs += [self._need(table) for table in root.tables("need")]
        self._stand_ins += [self._stand_in(table) for table in root.tables("stand-in")]
        for table in root.tables("kept-at"):
            self._kept(table)
        for table in root.tables("by-build"):
            self._differing(table)
        for table in root.tables("interpreter"):
            self._interpreters[table.text("series")] = table.date("released")
            read_sources(table)
            table.done()
        self._other_names.read(root)
        self._carriers += [self._carrier(table) for table in root.tables("carrier")]
        for table in root.tables("second-hand"):
            self._secondhand.append(table.text("address"))
            table.text("why")
            table.done()
        root.done()
        return self

    def _need(self, table: Table) -> Need:
        text = table.text("distribution")
        name = text if text == EVERY_DISTRIBUTION else self._names.name(text)
        need = Need(
            distribution=name,
            range=read_range(table, "versions", default="", words=self._names.are_words(name)),
            component=self._names.name(table.text("component")),
            reason=table.text("reason"),
            unless=self._facts.conditions(table.table("unless")),
            before=table.date("before") if table.has("before") else None,
            python=read_range(table, "python", default=""),
            via=table.choice("via", Via) if table.has("via") else None,
            beside=tuple(self._names.name(one) for one in table.texts("beside")),
        )
        if name == EVERY_DISTRIBUTION and need.before is None:
            raise table.error("a need of every distribution needs a day", key="before")
        table.done()
        return need

    def _stand_in(self, table: Table) -> StandIn:
        stand_in = StandIn(
            distribution=self._names.name(table.text("distribution")),
            replaces=tuple(self._names.name(name) for name in table.texts("replaces")),
            numbered_alike=table.flag("numbered-alike", default=True),
            reason=table.text("reason"),
            sources=read_sources(table),
        )
        table.done()
        return stand_in

    def _kept(self, table: Table) -> None:
        kept = KeptAt(
            distribution=self._names.name(table.text("distribution")),
            address=table.text("address"),
            more_files=table.flag("more-files", default=False),
            sources=read_sources(table),
        )
        if self._kept_at.setdefault(kept.distribution, kept) != kept:
            raise table.error(f"the place of {kept.distribution!r} is already given", key="distribution")
        table.done()

    def _differing(self, table: Table) -> None:
        """Decode what builds of one release require differently, and the labels of those builds."""
        name, labels = self._names.name(table.text("distribution")), table.texts("labels")
        if self._by_build.setdefault(name, labels) != labels:
            raise table.error(
                f"the builds that require another {name!r} are already given", key="distribution"
            )
        table.text("reason")
        read_sources(table)
        table.done()

    def _carrier(self, table: Table) -> Carrier:
        carrier = Carrier(
            distribution=self._names.name(table.text("distribution")),
            range=read_range(table, "versions", default=""),
            component=self._names.name(table.text("component")),
            digits=table.integer("digits", 0),
            sources=read_sources(table),
        )
        table.done()
        return carrier

    def facts(self, document: Mapping[str, object], file: str) -> Self:
        """Decode a file of ``facts/``."""
        self._facts.decode(document, file)
        return self

    def builds(self, document: Mapping[str, object], file: str) -> Self:
        """Decode a file of ``builds/``."""
        root = Table(document, file=file)
        for table in root.tables("build"):
            bundle = Bundle(
                distribution=self._names.name(table.text("distribution")),
                range=read_range(table, "versions"),
                label=table.text("label", ""),
                machine=table.text("machine", USUAL_MACHINE),
                components=frozen({self._names.name(k): v for k, v in table.mapping("bundles").items()}),
                compute_capabilities=table.texts("compute-capabilities"),
                gfx_targets=table.texts("gfx-targets"),
                cpu_only=table.flag("cpu-only", default=False),
                sources=read_sources(table),
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
                distribution=self._names.name(table.text("distribution")),
                version=read_version(table, "version"),
                breaking=table.flag("breaking", default=True),
                old=table.text("old"),
                new=table.text("new", ""),
                note=table.text("note", ""),
                sources=read_sources(table),
                of=table.texts("of"),
            )
            table.done()
            self._changes.append(change)
        root.done()
        return self

    def recipes(self, document: Mapping[str, object], file: str) -> Self:
        """Decode a file of ``recipes/``."""
        self._recipes.decode(document, file)
        return self

    def removals(self, document: Mapping[str, object], file: str) -> Self:
        """Decode a file of ``removals/``."""
        self._removals += decode_removals(document, file, self._names)
        return self

    def running(self, document: Mapping[str, object], file: str) -> Self:
        """Decode a file of ``running/``."""
        self._running.decode(document, file)
        return self

    def detection(self, document: Mapping[str, object], file: str) -> Self:
        """Decode ``detection.toml``."""
        self._detection.decode(document, file)
        return self

    def conda(self, document: Mapping[str, object], file: str) -> Self:
        """Decode ``conda.toml``."""
        root = Table(document, file=file)
        self._other_names.read_alone(root)
        root.done()
        return self

    def covers(self, document: Mapping[str, object], file: str) -> Self:
        """Decode ``coverage.toml``."""
        root = Table(document, file=file)
        for table in root.tables("coverage"):
            name = self._names.name(table.text("component"))
            if name in self._coverage:
                hint = "write what a site has tested as facts; coverage is given once"
                raise table.error(f"the coverage of {name!r} is already given", key="component", hint=hint)
            self._coverage[name] = Covered(
                component=name, version=read_version(table, "up-to"), checked=table.date("checked")
            )
            table.done()
        root.done()
        return self

    def finish(self, digest: str, today: dt.date = dt.date.min) -> Knowledge:
        """Return the knowledge base decoded so far; ``digest`` identifies its exact content.

        Decisions against facts that expired before ``today`` have no effect.
        """
        facts, lapsed = self._facts.finish(today)
        return Knowledge(
            systems=frozen(self._names.systems),
            facts=Facts.listed(facts),
            providers=tuple(self._providers),
            bundles=ByComponent.listed(self._bundles, lambda bundle: bundle.distribution),
            changes=ByComponent.listed(self._changes, lambda change: change.distribution),
            recipes=tuple(self._recipes.recipes),
            needs=tuple(self._needs),
            flavours=frozen(self._other_names.flavours),
            coverage=frozen(self._coverage),
            digest=digest,
            carriers=tuple(self._carriers),
            secondhand=tuple(self._secondhand),
            stand_ins=tuple(self._stand_ins),
            interpreters=frozen(self._interpreters),
            conda=frozen(self._other_names.conda),
            conda_alone=self._other_names.alone,
            modules=frozen(self._other_names.modules),
            called=frozen(self._other_names.called),
            named_for=frozen(self._other_names.named_for),
            kept_at=frozen(self._kept_at),
            by_build=frozen(self._by_build),
            lapsed=lapsed,
            variables=tuple(self._recipes.variables),
            old_tools=tuple(self._recipes.old_tools),
            old_translations=tuple(self._recipes.old_translations),
            failures=tuple(self._recipes.failures.values()),
            running=self._running.finish(),
            detection=self._detection.finish(),
            removals=ByComponent.listed(self._removals, lambda removal: removal.component),
            _reserved=frozen(self._names.reserved),
        )
