"""Views of ``why`` and ``why-not``."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.text import Text

from envlock.app.solve import Refused
from envlock.app.why import Why, WhyNot
from envlock.render.diff import diff_document, diff_text
from envlock.render.solution import unsolvable_document, unsolvable_text


def why_text(reasons: Sequence[Why], console: Console) -> None:
    """Print, for each group, what brought the component in and what chose its version."""
    for why in reasons:
        console.print(Text.assemble((f"{why.pin.component} {why.pin.version}", "bold"), f" in {why.group}"))
        if len(why.chain) > 1:
            console.print(Text.assemble(("  comes by   ", "cyan"), " -> ".join(why.chain)), soft_wrap=True)
        for asker, wanted in why.bounds.items():
            console.print(Text.assemble(("  bound      ", "cyan"), f"{wanted}  ({asker})"), soft_wrap=True)
        for fact, reason in why.facts.items():
            console.print(Text.assemble(("  fact       ", "cyan"), f"{fact}: {reason}"), soft_wrap=True)
        if why.newest and why.newest != why.pin.version:
            asked = f"envlock why-not {why.pin.component}=={why.newest} {why.group}"
            console.print(
                Text.assemble(("  newest     ", "cyan"), f"{why.newest}; what it would take: {asked}"),
                soft_wrap=True,
            )


def why_document(reasons: Sequence[Why]) -> dict[str, object]:
    """The same for programs."""
    return {
        "schema": "envlock/why/1",
        "reasons": [
            {
                "group": why.group,
                "component": why.pin.component,
                "version": why.pin.version,
                "asked_by": list(why.pin.asked_by),
                "chain": list(why.chain),
                "bounds": dict(why.bounds),
                "facts": dict(why.facts),
                "newest": why.newest,
            }
            for why in reasons
        ],
    }


def why_not_text(outcomes: Sequence[WhyNot], target: str, console: Console) -> None:
    """Print, for each group, what changes with the version, or what refuses it."""
    for one in outcomes:
        if isinstance(one.outcome, Refused):
            console.print(Text.assemble((one.wish, "bold"), f" in {one.group}: ", ("no", "bold red")))
            unsolvable_text(one.group, one.outcome.refusal, one.outcome.knowledge, console)
        else:
            console.print(Text.assemble((one.wish, "bold"), f" in {one.group} on {target}: would do, with"))
            diff_text(one.outcome, console)


def why_not_document(outcomes: Sequence[WhyNot], target: str) -> dict[str, object]:
    """The same for programs."""
    return {
        "schema": "envlock/why-not/1",
        "outcomes": [
            {
                "group": one.group,
                "wish": one.wish,
                "possible": not isinstance(one.outcome, Refused),
                "refusal": (
                    unsolvable_document(one.group, target, one.outcome.refusal, one.outcome.knowledge)
                    if isinstance(one.outcome, Refused)
                    else None
                ),
                "changes": None if isinstance(one.outcome, Refused) else diff_document(one.outcome),
            }
            for one in outcomes
        ],
    }
