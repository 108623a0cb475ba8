"""View of all that is known of one component: ``envlock kb show NAME``."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from itertools import groupby

from rich.console import Console
from rich.text import Text

from envlock.app.kb import ComponentKnowledge
from envlock.model.knowing.carried import Bundle
from envlock.model.knowing.change import Change
from envlock.model.knowing.fact import Fact, Severity
from envlock.model.knowing.need import EVERY_DISTRIBUTION, Need
from envlock.model.knowing.recipe import Recipe
from envlock.render.knowing.kb import SCHEMA, fact_document
from envlock.render.terminal.sheets import Sheet

_MARKS = {Severity.REFUSE: ("", ""), Severity.WARN: ("warns: ", "yellow"), Severity.NOTE: ("note: ", "dim")}
_ALONE = "nothing else"
_RULE_WIDTH = 46
_BOUND = re.compile(r"\d+(?:\.\d+)*")


def component_text(shown: ComponentKnowledge, console: Console) -> None:
    """Print what it is, what it needs, how it gets along with others, and what its builds carry."""
    console.print(Text.assemble((shown.component, "bold"), _headline(shown)), soft_wrap=True)
    for label, text in _remarks(shown):
        console.print(Text.assemble((f"  {label:<9}", "cyan"), text), soft_wrap=True)
    if shown.facts:
        _facts_text(shown, console)
    if shown.builds:
        _builds_text(shown, console)
    if shown.changes:
        _changes_text(shown, console)
    if shown.variables:
        _variables_text(shown, console)


def _headline(shown: ComponentKnowledge) -> str:
    parts = [shown.system.title if shown.system else "a Python distribution"]
    if shown.system:
        parts.append("the node decides it" if shown.system.fixed else f"{shown.system.layer.value} layer")
    if shown.coverage:
        parts.append(f"checked up to {shown.coverage.version} on {shown.coverage.checked}")
    else:
        parts.append("not systematically checked")
    return f"  {', '.join(parts)}"


def _remarks(shown: ComponentKnowledge) -> Iterator[tuple[str, str]]:
    if shown.system and shown.system.members:
        yield "one of", ", ".join(shown.system.members)
    if shown.system and shown.system.choices:
        yield "choices", ", ".join(shown.system.choices)
    if words := _words(shown):
        yield "words", ", ".join(words)
    if shown.flavours:
        yield "flavours", ", ".join(shown.flavours)
    for provider in shown.providers:
        yield "carried", f"by the distribution {provider.distribution} ({provider.component})"
    for carrier in shown.carriers:
        yield "carried", f"by the distribution {carrier.distribution} ({carrier.component})"
    for need in shown.needs:
        yield "needs", f"{_needing(need)} needs {need.component}: {need.reason}"
    for recipe in shown.recipes:
        yield "built", f"{recipe.range.text or 'any version'}  {_recipe(recipe)}".rstrip()


def _words(shown: ComponentKnowledge) -> tuple[str, ...]:
    """Return the words that it can be; for a component that may be any word, those that facts name."""
    if shown.system is None or shown.system.vocabulary or shown.system.choices:
        return shown.system.vocabulary if shown.system else ()
    conditions = (condition for fact in shown.facts for condition in (*fact.when, *fact.then))
    named = (condition.range.listed for condition in conditions if condition.component == shown.component)
    return tuple(sorted(frozenset().union(*named)))


def _recipe(recipe: Recipe) -> str:
    """Return what a build is made against, what it can be made for, and what is always set for it."""
    words: dict[str, list[str]] = {}
    for condition in (one for part in recipe.adjustments for one in part.when if one.range.words_only):
        words.setdefault(condition.component, []).append(condition.range.text)
    parts = [f"against {', '.join(recipe.after)} where present" if recipe.after else ""]
    parts += [f"{name} {' or '.join(texts)} if asked for" for name, texts in words.items()]
    parts += [f"{name}={value}" for name, value in recipe.variables.items()]
    return "; ".join(filter(None, parts))


def _facts_text(shown: ComponentKnowledge, console: Console) -> None:
    """Print facts by the other party, so that one question is answered in one place."""
    names = {shown.component, shown.base}
    by_party = sorted(shown.facts, key=lambda fact: (_party(fact, names), _place(fact), fact.id))
    table = Sheet("together with", "this holds", "because (fact)")
    table.columns[1].max_width = _RULE_WIDTH
    for party, facts in groupby(by_party, key=lambda fact: _party(fact, names)):
        for number, fact in enumerate(facts):
            reason = Text.assemble(_MARKS[fact.severity], fact.reason, (f" ({fact.id})", "dim"))
            table.add_row(Text("" if number else party, style="magenta"), _rule(fact), reason)
    console.print(table)
    console.print(
        Text(f"facts: {len(shown.facts)}; envlock kb why FACT tells sources and examples", style="dim")
    )


def _rule(fact: Fact) -> Text:
    parties = " with ".join(str(condition) for condition in fact.when)
    if not fact.then:
        return Text.assemble(parties, (" does not work" if len(fact.when) == 1 else " do not work", "red"))
    needed = " and ".join(str(condition) for condition in fact.then)
    return Text.assemble(parties, (" needs " if len(fact.when) == 1 else " need ", "cyan"), needed)


def _party(fact: Fact, names: set[str]) -> str:
    others = [c.component for c in (*fact.when, *fact.then) if c.component not in names]
    return ", ".join(dict.fromkeys(others)) or _ALONE


def _place(fact: Fact) -> tuple[list[int], str]:
    """Return a fact's sort key among those of one party: the first version that it names, 1.6 before 1.10."""
    text = fact.when[0].range.text
    bound = _BOUND.search(text)
    return ([int(part) for part in bound[0].split(".")] if bound else [], text)


def _builds_text(shown: ComponentKnowledge, console: Console) -> None:
    table = Sheet("build", "label", "machine", "carries", "runs on GPUs of")
    for bundle in shown.builds:
        table.add_row(
            Text(f"{bundle.distribution} {bundle.range.text}", style="magenta"),
            Text(bundle.label),
            Text(bundle.machine),
            Text(", ".join(f"{name} {version}" for name, version in bundle.components.items())),
            Text(
                "none" if bundle.cpu_only else ", ".join((*bundle.compute_capabilities, *bundle.gfx_targets))
            ),
        )
    console.print(table)


def _changes_text(shown: ComponentKnowledge, console: Console) -> None:
    table = Sheet("since", "before", "now", "note")
    for change in shown.changes:
        table.add_row(
            Text(change.version, style="magenta"),
            Text(change.old, style="red" if change.breaking else ""),
            Text(change.new or "gone", style="green"),
            Text(change.note),
        )
    console.print(table)


def _variables_text(shown: ComponentKnowledge, console: Console) -> None:
    table = Sheet("its build reads", "in releases", "which")
    for variable in shown.variables:
        table.add_row(Text(variable.name, style="magenta"), Text(variable.range.text), Text(variable.note))
    console.print(table)


def _needing(need: Need) -> str:
    """Return who has a need: a distribution, or all published before a day, on some interpreters."""
    name = "every distribution" if need.distribution == EVERY_DISTRIBUTION else need.distribution
    versions = f" {need.range.text}" if need.range.text else ""
    day = f" published before {need.before}" if need.before else ""
    python = f" on Python {need.python.text}" if need.python.text else ""
    built = f" by {need.via.value}" if need.via else ""
    beside = f" beside {' or '.join(need.beside)}" if need.beside else ""
    return f"{name}{versions}{built}{day}{python}{beside}"


def component_document(shown: ComponentKnowledge) -> dict[str, object]:
    """Return the same as a document for programs."""
    covered = shown.coverage
    return {
        "schema": SCHEMA,
        "component": shown.component,
        "title": shown.system.title if shown.system else "",
        "layer": shown.system.layer.value if shown.system else None,
        "words": list(_words(shown)),
        "coverage": {"up_to": covered.version, "checked": covered.checked.isoformat()} if covered else None,
        "flavours": list(shown.flavours),
        "providers": [{"component": p.component, "distribution": p.distribution} for p in shown.providers],
        "carriers": [{"component": c.component, "distribution": c.distribution} for c in shown.carriers],
        "needs": [
            {
                "distribution": n.distribution,
                "range": n.range.text,
                "component": n.component,
                "reason": n.reason,
                "before": n.before.isoformat() if n.before else None,
                "python": n.python.text,
                "via": n.via.value if n.via else None,
                "beside": list(n.beside),
            }
            for n in shown.needs
        ],
        "recipes": [
            {"range": recipe.range.text, "variables": dict(recipe.variables)} for recipe in shown.recipes
        ],
        "variables": [{"name": v.name, "range": v.range.text, "note": v.note} for v in shown.variables],
        "facts": [fact_document(fact) for fact in shown.facts],
        "builds": [_build_document(bundle) for bundle in shown.builds],
        "changes": [_change_document(change) for change in shown.changes],
    }


def _build_document(bundle: Bundle) -> Mapping[str, object]:
    return {
        "distribution": bundle.distribution,
        "range": bundle.range.text,
        "label": bundle.label,
        "machine": bundle.machine,
        "bundles": dict(bundle.components),
        "compute_capabilities": list(bundle.compute_capabilities),
        "gfx_targets": list(bundle.gfx_targets),
        "cpu_only": bundle.cpu_only,
    }


def _change_document(change: Change) -> Mapping[str, object]:
    return {
        "distribution": change.distribution,
        "version": change.version,
        "breaking": change.breaking,
        "old": change.old,
        "new": change.new,
        "note": change.note,
    }
