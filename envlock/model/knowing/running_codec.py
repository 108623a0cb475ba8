"""Decoding of the documents of ``running/``."""

from __future__ import annotations

import re
from collections.abc import Mapping

from envlock.model.decode import Table
from envlock.model.knowing.knowledge_parts import (
    Names,
    check_pattern,
    frozen,
    read_pattern,
    read_range,
    read_sources,
)
from envlock.model.knowing.running import (
    OBSERVATIONS,
    Feature,
    Instructions,
    LibraryVersion,
    Plugin,
    ProcessManagement,
    Running,
    RunVariable,
    Signature,
)


class RunningDecoder:
    """Decodes what is known of running environments; later documents add to earlier ones."""

    def __init__(self, names: Names) -> None:
        self._names = names
        self._instructions: list[Instructions] = []
        self._plugins: list[Plugin] = []
        self._variables: list[RunVariable] = []
        self._features: list[Feature] = []
        self._signatures: dict[str, Signature] = {}
        self._managements: list[ProcessManagement] = []
        self._library_versions: list[LibraryVersion] = []

    def decode(self, document: Mapping[str, object], file: str) -> None:
        """Decode one document.

        Raises:
            RequestError: it has the wrong form, or a signature is defined twice or not found in its own
                example.
        """
        root = Table(document, file=file)
        self._instructions += [self._read_instructions(part) for part in root.tables("instructions")]
        self._plugins += [self._read_plugin(part) for part in root.tables("plugin")]
        self._variables += [self._read_variable(part) for part in root.tables("variable")]
        self._features += [self._read_feature(part) for part in root.tables("feature")]
        self._managements += [self._read_management(part) for part in root.tables("process-management")]
        self._library_versions += [
            self._read_library_version(part) for part in root.tables("library-version")
        ]
        for part in root.tables("signature"):
            signature = _signature(part)
            if signature.id in self._signatures:
                raise part.error(f"the signature {signature.id!r} is already defined", key="id")
            self._signatures[signature.id] = signature
        root.done()

    def finish(self) -> Running:
        """Return all that was decoded."""
        return Running(
            instructions=tuple(self._instructions),
            plugins=tuple(self._plugins),
            variables=tuple(self._variables),
            features=tuple(self._features),
            signatures=tuple(self._signatures.values()),
            managements=tuple(self._managements),
            library_versions=tuple(self._library_versions),
        )

    def _read_instructions(self, table: Table) -> Instructions:
        found = Instructions(
            distribution=self._names.name(table.text("distribution")),
            range=read_range(table, "versions"),
            machine=table.text("machine"),
            features=table.texts("features"),
            sources=read_sources(table),
        )
        table.done()
        return found

    def _read_plugin(self, table: Table) -> Plugin:
        found = Plugin(
            distribution=self._names.name(table.text("distribution")),
            range=read_range(table, "versions"),
            message=table.text("message"),
            sources=read_sources(table),
        )
        table.done()
        return found

    def _read_variable(self, table: Table) -> RunVariable:
        found = RunVariable(
            component=self._names.name(table.text("component")),
            range=read_range(table, "versions"),
            name=table.text("name"),
            pattern=read_pattern(table, "pattern", default=""),
            beside=table.text("beside", ""),
            message=table.text("message"),
            sources=read_sources(table),
        )
        table.done()
        return found

    def _read_feature(self, table: Table) -> Feature:
        found = Feature(
            distribution=self._names.name(table.text("distribution")),
            range=read_range(table, "versions"),
            variable=table.text("variable", ""),
            value=table.text("value", ""),
            modules=frozen(table.mapping("modules")),
            call=table.text("call"),
            expected=table.flag("expected", default=True),
            sources=read_sources(table),
        )
        table.done()
        return found

    def _read_management(self, table: Table) -> ProcessManagement:
        found = ProcessManagement(
            component=self._names.name(table.text("component")),
            range=read_range(table, "versions"),
            interfaces=table.texts("interfaces"),
            sources=read_sources(table),
        )
        if not found.interfaces:
            raise table.error("name at least one interface", key="interfaces")
        table.done()
        return found

    def _read_library_version(self, table: Table) -> LibraryVersion:
        found = LibraryVersion(
            component=self._names.name(table.text("component")),
            pattern=read_pattern(table, "pattern"),
            sources=read_sources(table),
        )
        if not re.compile(found.pattern).groups:
            raise table.error("the pattern has no group for the version", key="pattern")
        table.done()
        return found


def _signature(table: Table) -> Signature:
    observed = table.texts("observed")
    if unknown := sorted(set(observed) - set(OBSERVATIONS)):
        hint = f"one of {', '.join(OBSERVATIONS)}"
        raise table.error(f"{unknown[0]!r} is not an observation", key="observed", hint=hint)
    texts = table.texts("texts")
    for text in texts:
        check_pattern(table, "texts", text)
    if not observed and not texts:
        raise table.error("a signature needs texts or something observed", key="texts")
    found = Signature(
        id=table.text("id"),
        observed=observed,
        texts=texts,
        diagnosis=table.text("diagnosis"),
        action=table.text("action"),
        sources=read_sources(table),
        examples=table.texts("examples"),
        vague=table.flag("vague", default=False),
    )
    for example in found.examples:
        if not any(re.search(text, example) for text in texts):
            raise table.error(f"it does not match its own example {example!r}", key="examples")
    table.done()
    return found
