"""Views of the knowledge base as a whole: inventory, one fact, search, lint, statistics, differences."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.text import Text

from envlock.app.kb import ComponentKnowledge, Hit
from envlock.judging.lint import Problem
from envlock.lifecycle.knowledge_diff import EntryChange, KnowledgeDiff
from envlock.lifecycle.knowledge_stats import Stats
from envlock.model.knowing.fact import Condition, Evidence, Fact, Severity, pins_of
from envlock.render.terminal.sheets import Sheet

SCHEMA = "envlock/kb/1"
_NOTHING = {False: "it does not work", True: "these do not go together"}


def inventory_text(found: Sequence[ComponentKnowledge], console: Console) -> None:
    """Print every component with how much is known of it."""
    counts = ("facts", "builds", "changes")
    table = Sheet("component", "what it is", "checked up to", *counts, numbers=counts)
    for known in found:
        table.add_row(
            Text(known.component, style="magenta"),
            Text(known.system.title if known.system else ""),
            Text(known.coverage.version if known.coverage else ""),
            *(str(len(part) or "") for part in (known.facts, known.builds, known.changes)),
        )
    console.print(table)
    console.print(Text(f"{len(found)} components; envlock kb show NAME tells all about one", style="dim"))


def inventory_document(found: Sequence[ComponentKnowledge]) -> dict[str, object]:
    """Return the same as a document for programs."""
    return {
        "schema": SCHEMA,
        "components": [
            {
                "component": known.component,
                "title": known.system.title if known.system else "",
                "checked_up_to": known.coverage.version if known.coverage else None,
                "facts": len(known.facts),
                "builds": len(known.builds),
                "changes": len(known.changes),
            }
            for known in found
        ],
    }


def why_text(fact: Fact, console: Console) -> None:
    """Print one fact with all that it rests on."""
    console.print(Text.assemble((fact.id, "bold"), f"  {fact.reason}"), soft_wrap=True)
    console.print()
    for label, parts in (("when", fact.when), ("unless", fact.unless), ("then", fact.then)):
        for part in parts:
            console.print(Text.assemble((f"  {label:<10}", "cyan"), str(part)), soft_wrap=True)
    if not fact.then:
        console.print(Text.assemble(("  then      ", "cyan"), _NOTHING[len(fact.when) > 1]), soft_wrap=True)
    console.print(Text.assemble(("  severity  ", "cyan"), fact.severity.value))
    console.print(Text.assemble(("  evidence  ", "cyan"), fact.evidence.value))
    if fact.cause:
        console.print(Text.assemble(("  cause     ", "cyan"), fact.cause), soft_wrap=True)
    for source in fact.sources:
        console.print(Text.assemble(("  source    ", "cyan"), str(source)), soft_wrap=True)
    for dispute in fact.disputed:
        text = f"{dispute.says} ({dispute.evidence})"
        console.print(Text.assemble(("  disputed  ", "yellow"), text), soft_wrap=True)
        for source in dispute.sources:
            console.print(Text.assemble(("            source  ", "cyan"), str(source)), soft_wrap=True)
    for label, examples, style in (("refuses", fact.refuses, "red"), ("accepts", fact.accepts, "green")):
        for example in examples:
            console.print(Text.assemble((f"  {label}   ", style), example), soft_wrap=True)
    console.print(Text.assemble(("  file      ", "cyan"), fact.file), soft_wrap=True)


def why_document(fact: Fact) -> dict[str, object]:
    """Return the same as a document for programs."""
    return {"schema": SCHEMA} | fact_document(fact)


def fact_document(fact: Fact) -> dict[str, object]:
    """Return one fact for programs."""
    return {
        "fact": fact.id,
        "severity": fact.severity.value,
        "evidence": fact.evidence.value,
        "when": [_condition_document(condition) for condition in fact.when],
        "unless": list(fact.unless),
        "then": [_condition_document(condition) for condition in fact.then],
        "reason": fact.reason,
        "cause": fact.cause,
        "sources": [source.document() for source in fact.sources],
        "disputed": [{"says": dispute.says, "evidence": dispute.evidence.value} for dispute in fact.disputed],
        "refuses": [pins_of(example) for example in fact.refuses],
        "accepts": [pins_of(example) for example in fact.accepts],
        "file": fact.file,
    }


def _condition_document(condition: Condition) -> dict[str, object]:
    like = condition.like
    return {
        "component": condition.component,
        "range": condition.range.text,
        "via": condition.via.value if condition.via else None,
        "without": list(condition.without),
        "like": {"component": like.component, "numbers": like.numbers} if like else None,
    }


def search_text(hits: Sequence[Hit], console: Console) -> None:
    """Print the places found."""
    table = Sheet("kind", "name", "says")
    for hit in hits:
        table.add_row(Text(hit.kind, style="cyan"), Text(hit.name, style="magenta"), Text(hit.text))
    if hits:
        console.print(table)
    console.print(Text(f"{len(hits)} found", style="dim"))


def search_document(hits: Sequence[Hit]) -> dict[str, object]:
    """Return the same as a document for programs."""
    return {
        "schema": SCHEMA,
        "hits": [{"kind": hit.kind, "name": hit.name, "text": hit.text} for hit in hits],
    }


def lint_text(problems: Sequence[Problem], console: Console) -> None:
    """Print what must be fixed, each with file and path."""
    for problem in problems:
        where = ", ".join(part for part in (problem.file, problem.where) if part)
        console.print(Text.assemble((f"{where}: ", "bold"), (problem.message, "red")), soft_wrap=True)
        if problem.hint:
            console.print(Text(f"  {problem.hint}", style="dim"), soft_wrap=True)
    verdict = f"{len(problems)} to fix" if problems else "nothing to fix"
    console.print(Text(verdict, style="bold red" if problems else "bold green"))


def lint_document(problems: Sequence[Problem]) -> dict[str, object]:
    """Return the same as a document for programs."""
    return {
        "schema": SCHEMA,
        "problems": [
            {"file": problem.file, "where": problem.where, "message": problem.message, "hint": problem.hint}
            for problem in problems
        ],
    }


def stats_text(stats: Stats, console: Console) -> None:
    """Print the families of facts, then everything else."""
    severities, evidence = tuple(Severity), tuple(Evidence)
    headings = (
        "facts",
        "primary",
        "disputed",
        *(severity.value for severity in severities),
        *(kind.value.partition("-")[0] for kind in evidence),
        "examples",
    )
    table = Sheet("family", *headings, numbers=headings)
    table.padding = (0, 1, 0, 0)  # with two, its eleven columns are wider than most terminals
    for family in stats.families:
        counts = (
            family.facts,
            family.primary,
            family.disputed,
            *(family.severities.get(severity, 0) for severity in severities),
            *(family.evidence.get(kind, 0) for kind in evidence),
            family.examples,
        )
        table.add_row(Text(family.name, style="magenta"), *(str(count or "") for count in counts))
    totals = (
        sum(family.facts for family in stats.families),
        sum(family.primary for family in stats.families),
        sum(family.disputed for family in stats.families),
        *(sum(family.severities.get(severity, 0) for family in stats.families) for severity in severities),
        *(sum(family.evidence.get(kind, 0) for family in stats.families) for kind in evidence),
        sum(family.examples for family in stats.families),
    )
    table.add_section()
    table.add_row(Text("all", style="bold"), *(str(total) for total in totals))
    console.print(table)
    parts = ", ".join(f"{count} {name}" for name, count in stats.entries.items())
    console.print(Text(f"{stats.components} components; {parts}"), soft_wrap=True)
    console.print(
        Text(
            "primary: at least one source is the project's own word, what it published, or a run", style="dim"
        ),
        soft_wrap=True,
    )


def stats_document(stats: Stats) -> dict[str, object]:
    """Return the same as a document for programs."""
    return {
        "schema": SCHEMA,
        "components": stats.components,
        "families": [
            {
                "family": family.name,
                "facts": family.facts,
                "primary": family.primary,
                "disputed": family.disputed,
                "severities": {severity.value: family.severities.get(severity, 0) for severity in Severity},
                "evidence": {kind.value: family.evidence.get(kind, 0) for kind in Evidence},
                "examples": family.examples,
            }
            for family in stats.families
        ],
        "entries": dict(stats.entries),
    }


def diff_text(diff: KnowledgeDiff, console: Console) -> None:
    """Print what was added, removed and changed."""
    for sign, style, found in (("+", "green", diff.added), ("-", "red", diff.removed)):
        for entry in found:
            console.print(Text(f"{sign} {entry.kind} {entry.key}", style=style), soft_wrap=True)
    for entry in diff.changed:
        console.print(Text(f"~ {entry.kind} {entry.key}", style="yellow"), soft_wrap=True)
        for change in entry.changes:
            console.print(
                Text.assemble(f"    {change.name}  ", (change.old or "nothing", "red")), soft_wrap=True
            )
            indent = " " * len(change.name)
            console.print(
                Text.assemble(f"    {indent}  ", (change.new or "nothing", "green")), soft_wrap=True
            )
    text = f"{len(diff.added)} added, {len(diff.removed)} removed, {len(diff.changed)} changed"
    console.print(Text("both say the same" if diff.empty else text, style="dim"))


def diff_document(diff: KnowledgeDiff) -> dict[str, object]:
    """Return the same as a document for programs."""
    return {
        "schema": SCHEMA,
        "added": [_entry_document(entry) for entry in diff.added],
        "removed": [_entry_document(entry) for entry in diff.removed],
        "changed": [_entry_document(entry) for entry in diff.changed],
    }


def _entry_document(entry: EntryChange) -> dict[str, object]:
    document: dict[str, object] = {"kind": entry.kind, "key": entry.key}
    if entry.changes:
        document["changes"] = {
            change.name: {"old": change.old, "new": change.new} for change in entry.changes
        }
    return document
