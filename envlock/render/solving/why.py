"""Views of ``why`` and ``why-not``."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.console import Console
from rich.text import Text

from envlock.app.solving.refused import Refused
from envlock.app.why import NextRelease, Why, WhyNot
from envlock.lifecycle.diff import Diff
from envlock.lifecycle.steps import Move
from envlock.model.command_line import on_target
from envlock.model.counting import first_of
from envlock.model.errors import EnvlockError
from envlock.model.locked.pins import YOU, Reason, SystemPin
from envlock.model.project.layers import Layers
from envlock.render.changes.diff import diff_document, diff_text, step_text
from envlock.render.solving.refusals import unsolvable_document, unsolvable_text
from envlock.render.solving.solution import place_text, way

_SHOWN = 4
"""How many parties of a refusal, and changes of each kind, one line names."""


def why_text(reasons: Sequence[Why], console: Console) -> None:
    """Print, for each group, what brought the component in and what chose its version."""
    for why in reasons:
        console.print(Text.assemble((f"{why.pin.component} {why.pin.version}", "bold"), f" in {why.group}"))
        for label, text in _lines(why):
            console.print(Text.assemble((f"  {label:<10} ", "cyan"), text), soft_wrap=True)


def _lines(why: Why) -> Iterator[tuple[str, str]]:
    if len(why.chain) > 1:
        yield "comes by", " -> ".join(why.chain)
    if isinstance(why.pin, SystemPin):
        yield "from", place_text(why.pin)
        if others := [name for name in why.pin.asked_by if name != YOU]:
            yield "asked by", ", ".join(others)
    yield from (("bound", f"{wanted}  ({asker})") for asker, wanted in why.bounds.items())
    for reason, names in why.needs.items():
        yield "need", f"{reason}  ({first_of(names, _SHOWN)})"
    yield from (("fact", f"{fact}: {reason}") for fact, reason in why.facts.items())
    if why.status:
        yield "project", f"{why.status} (its index)"
    if why.step is not None:
        yield "next", f"{why.step.version}: {_step_text(why.step, why.pin.component)}"
    if why.newest and why.newest != why.pin.version:
        asked = f"envlock why-not {why.pin.component}=={why.newest} {on_target(why.group, why.target)}"
        yield "newest", f"{why.newest}; what it would take: {asked}"


def _step_text(step: NextRelease, component: str) -> str:
    """Return what the next release would take, in one line."""
    match step.outcome:
        case Refused(refusal=refusal):
            facts = [f"the fact {fact}" for fact in refusal.facts]
            others = [
                reason.wants if reason.own else f"{reason.asked_by} ({reason.wants})"
                for reason in refusal.reasons
                if _telling(reason)
            ]
            if facts or others:
                return f"refused by {', '.join([*facts, *others][:_SHOWN])}"
            return f"refused: {next(iter(refusal.excluded), 'by what else you ask for')}"
        case EnvlockError() as error:
            return f"not known: {error.message}"
        case Diff() as diff:
            by = " and ".join(step.left_out_by)
            return f"works, {_others(diff, component)}{f'; so far left out by {by}' if by else ''}"


def _telling(reason: Reason) -> bool:
    """Whether it says more than the question itself and the facts already named."""
    return reason.asked_by != YOU and not reason.asked_by.startswith("fact:")


def _others(diff: Diff, component: str) -> str:
    """Return what else comes, goes or moves besides what was asked about; interpreter and machine first."""
    moves = _moved([diff.python]) if diff.python else []
    for changes in (diff.systems, diff.distributions):
        moves += _moved([move for move in changes.moved if move.new.component != component][:_SHOWN])
        moves += [f"{part.component} comes" for part in changes.added[:_SHOWN]]
        moves += [f"{part.component} goes" for part in changes.removed[:_SHOWN]]
    return f"with {', '.join(moves)}" if moves else "and nothing else moves"


def _moved(moves: Sequence[Move]) -> list[str]:
    return [
        f"{move.new.component} {move.old.version} -> {move.new.version}"
        if move.old.version != move.new.version
        else f"{move.new.component} {move.new.version} by another way ({step_text(move)})"
        for move in moves
    ]


def why_document(reasons: Sequence[Why]) -> dict[str, object]:
    """Return the same as a document for programs."""
    return {
        "schema": "envlock/why/1",
        "reasons": [
            {
                "group": why.group,
                "component": why.pin.component,
                "version": why.pin.version,
                "from": why.pin.origin.value if isinstance(why.pin, SystemPin) else way(why.pin),
                "prefix": why.pin.prefix if isinstance(why.pin, SystemPin) else "",
                "asked_by": list(why.pin.asked_by),
                "chain": list(why.chain),
                "bounds": dict(why.bounds),
                "needs": {reason: list(names) for reason, names in why.needs.items()},
                "facts": dict(why.facts),
                "newest": why.newest,
                "status": why.status,
                "next": _step_document(why.step, why.pin.component) if why.step else None,
            }
            for why in reasons
        ],
    }


def _step_document(step: NextRelease, component: str) -> dict[str, object]:
    return {
        "version": step.version,
        "possible": isinstance(step.outcome, Diff),
        "changes": diff_document(step.outcome) if isinstance(step.outcome, Diff) else None,
        "told": _step_text(step, component),
    }


def why_not_text(outcomes: Sequence[WhyNot], target: str, console: Console, layers: Layers) -> None:
    """Print, for each group, what changes with the version, or what refuses it."""
    for answer in outcomes:
        if isinstance(answer.outcome, Refused):
            console.print(Text.assemble((answer.wish, "bold"), f" in {answer.group}: ", ("no", "bold red")))
            refused = answer.outcome
            unsolvable_text(
                answer.group,
                refused.refusal,
                refused.knowledge,
                console,
                layers=layers,
                inherited=refused.inherited,
            )
        else:
            console.print(
                Text.assemble((answer.wish, "bold"), f" in {answer.group} on {target}: works, with")
            )
            diff_text(answer.outcome, console)


def why_not_document(outcomes: Sequence[WhyNot], target: str) -> dict[str, object]:
    """Return the same as a document for programs."""
    return {
        "schema": "envlock/why-not/1",
        "outcomes": [
            {
                "group": answer.group,
                "wish": answer.wish,
                "possible": not isinstance(answer.outcome, Refused),
                "refusal": (
                    unsolvable_document(
                        answer.group,
                        target,
                        answer.outcome.refusal,
                        answer.outcome.knowledge,
                        answer.outcome.inherited,
                    )
                    if isinstance(answer.outcome, Refused)
                    else None
                ),
                "changes": None if isinstance(answer.outcome, Refused) else diff_document(answer.outcome),
            }
            for answer in outcomes
        ],
    }
