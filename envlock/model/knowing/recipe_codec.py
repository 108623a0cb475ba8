"""Decoding of recipes: what builds need, the variables they read, and the tools of their time."""

from __future__ import annotations

from collections.abc import Mapping

from envlock.model.decode import Table
from envlock.model.knowing.fact_codec import FactDecoder
from envlock.model.knowing.knowledge_parts import (
    Names,
    frozen,
    read_pattern,
    read_range,
    read_requirements,
    read_sources,
)
from envlock.model.knowing.recipe import (
    Adjustment,
    BuildFailure,
    BuildVariable,
    OldTool,
    OldTranslation,
    Recipe,
)
from envlock.model.knowing.source_edit import decode_edit


class RecipeDecoder:
    """Decodes recipe documents one after the other.

    Attributes:
        recipes: those decoded so far.
        variables: likewise, the environment variables of builds.
        old_tools: likewise.
        old_translations: likewise.
        failures: likewise, by name.
    """

    def __init__(self, names: Names, facts: FactDecoder) -> None:
        """Take names as components define them, and conditions as facts do."""
        self._names = names
        self._facts = facts
        self.recipes: list[Recipe] = []
        self.variables: list[BuildVariable] = []
        self.old_tools: list[OldTool] = []
        self.old_translations: list[OldTranslation] = []
        self.failures: dict[str, BuildFailure] = {}

    def decode(self, document: Mapping[str, object], file: str) -> None:
        """Decode a file of ``recipes/``.

        Raises:
            RequestError: something in it has the wrong form.
        """
        root = Table(document, file=file)
        for table in root.tables("recipe"):
            recipe = Recipe(
                distribution=self._names.name(table.text("distribution")),
                range=read_range(table, "versions", default=""),
                build_requires=read_requirements(table, "build-requires"),
                after=tuple(self._names.name(name) for name in table.texts("after")),
                variables=frozen(table.mapping("variables")),
                adjustments=tuple(self._adjustment(part) for part in table.tables("adjust")),
                sources=read_sources(table),
            )
            table.done()
            self.recipes.append(recipe)
        self.variables += [self._variable(table) for table in root.tables("variable")]
        self.old_tools += [self._old_tool(table) for table in root.tables("old-tool")]
        self.old_translations += [self._old_translation(table) for table in root.tables("old-translation")]
        for table in root.tables("failure"):
            failure = _failure(table)
            if failure.id in self.failures:
                raise table.error(f"the failure {failure.id!r} is already defined", key="id")
            self.failures[failure.id] = failure
        root.done()

    def _old_tool(self, table: Table) -> OldTool:
        old = OldTool(
            tool=self._names.name(table.text("tool")),
            range=read_range(table, "versions"),
            before=table.date("before"),
            python=read_range(table, "python", default=""),
            reason=table.text("reason"),
            sources=read_sources(table),
        )
        table.done()
        return old

    def _old_translation(self, table: Table) -> OldTranslation:
        old = OldTranslation(
            tool=self._names.name(table.text("tool")),
            range=read_range(table, "versions"),
            python=read_range(table, "python"),
            field=table.text("field", default=""),
            reason=table.text("reason"),
            sources=read_sources(table),
        )
        table.done()
        return old

    def _variable(self, table: Table) -> BuildVariable:
        variable = BuildVariable(
            distribution=self._names.name(table.text("distribution")),
            name=table.text("name"),
            range=read_range(table, "versions"),
            note=table.text("note"),
            sources=read_sources(table),
        )
        table.done()
        return variable

    def _adjustment(self, table: Table) -> Adjustment:
        adjustment = Adjustment(
            when=self._facts.conditions(table.table("when")),
            unless=self._facts.conditions(table.table("unless")),
            variables=frozen(table.mapping("variables")),
            otherwise=frozen(table.mapping("otherwise")),
            append=frozen(table.mapping("append")),
            build_requires=read_requirements(table, "build-requires"),
            edits=tuple(decode_edit(part) for part in table.tables("edit")),
        )
        table.done()
        return adjustment


def _failure(table: Table) -> BuildFailure:
    failure = BuildFailure(
        id=table.text("id"),
        pattern=read_pattern(table, "pattern"),
        hint=table.text("hint"),
        examples=table.texts("examples"),
        sources=read_sources(table),
    )
    for example in failure.examples:
        try:
            if failure.advice(example) is None:
                raise table.error(f"it does not match its own example {example!r}", key="examples")
        except (IndexError, KeyError, ValueError) as error:
            hint = "the hint can only use groups (?P<name>...) of the pattern"
            raise table.error(f"{failure.hint!r} cannot be filled in", key="hint", hint=hint) from error
    table.done()
    return failure
