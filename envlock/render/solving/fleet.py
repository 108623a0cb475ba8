"""Views of many locks at once: ``envlock solve`` with several groups or targets."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from rich.console import Console
from rich.text import Text

from envlock.app.solving.fleet import FleetOutcome
from envlock.app.solving.locked import Locked
from envlock.app.solving.refused import Refused
from envlock.model.errors import EnvlockError, RefusedError
from envlock.render.solving.refusals import unsolvable_document
from envlock.render.solving.solution import agreement_text, locked_document, note_line
from envlock.render.terminal.errors import error_document
from envlock.render.terminal.sheets import Sheet

_STYLES = {"locked": "green", "unchanged": "green", "frozen": "cyan", "refused": "red", "failed": "red"}


def fleet_text(outcomes: Sequence[FleetOutcome], console: Console) -> None:
    """Print one table of all locks, then how many ended how."""
    made = any(map(_is_made, outcomes))
    built = ["built"] if made else []
    table = Sheet("group", "target", "python", "pins", "result", *built, "why", wrap={"why"})
    for outcome in outcomes:
        lock = outcome.result.file.lock if isinstance(outcome.result, Locked) else None
        state, why = _state(outcome)
        table.add_row(
            Text(outcome.group, style="bold"),
            Text(outcome.target),
            Text(lock.python if lock else ""),
            Text(str(len(lock.distributions)) if lock else ""),
            Text(state, style=_STYLES[state]),
            *([Text("yes" if _is_made(outcome) else "")] if made else []),
            Text(why),
        )
    console.print(table)
    counted = Counter(_state(outcome)[0] for outcome in outcomes)
    console.print(", ".join(f"{counted[state]} {state}" for state in _STYLES if counted[state]))
    for remark in _remarks(outcomes):
        console.print(note_line(remark), soft_wrap=True)


def _remarks(outcomes: Sequence[FleetOutcome]) -> list[str]:
    """Return the remarks on the locks, each once with the locks that it concerns.

    What was to be upgraded may well be missing from some of them only; it is remarked on if all lack it.
    """
    of: dict[str, list[str]] = {}
    locked_ones = [(outcome, outcome.result) for outcome in outcomes if isinstance(outcome.result, Locked)]
    for one, locked in locked_ones:
        for remark in locked.remarks:
            of.setdefault(remark, []).append(f"{one.group}@{one.target}")
    absent = [locked.absent for _, locked in locked_ones]
    nowhere = [name for name in absent[0] if all(name in other for other in absent)] if absent else []
    return [
        *(f"{', '.join(where)}: {remark}" for remark, where in of.items()),
        *(absent[0][name] for name in nowhere),
    ]


def _is_made(outcome: FleetOutcome) -> bool:
    return isinstance(outcome.result, Locked) and outcome.result.environment is not None


def _state(outcome: FleetOutcome) -> tuple[str, str]:
    """Return one word, and the reason where there is more to say."""
    match outcome.result:
        case Locked(changed=changed, agreement=agreement):
            state = "locked" if changed else "unchanged"
            return state, agreement_text(agreement) if agreement and agreement.differing else ""
        case Refused(refusal=refusal):
            named = [*refusal.facts, refusal.component]
            return "refused", f"{named[0]}; envlock solve {outcome.group} --target {outcome.target} shows why"
        case EnvlockError() as error:
            where = f": {error.where}" if error.where else ""
            state = "refused" if isinstance(error, RefusedError) else "failed"
            return state, f"{error.message}{where} ({error.code})"
        case freeze:
            return "frozen", f"until {freeze.until}: {freeze.reason}"


def fleet_document(outcomes: Sequence[FleetOutcome]) -> dict[str, object]:
    """Return the same for programs: for each lock what a solve of it alone would tell."""
    return {
        "schema": "envlock/solve/1",
        "solved": not any(outcome.status for outcome in outcomes),
        "locks": [_document(outcome) for outcome in outcomes],
    }


def _document(outcome: FleetOutcome) -> dict[str, object]:
    match outcome.result:
        case Locked() as locked:
            return locked_document(locked)
        case Refused() as refused:
            return unsolvable_document(
                outcome.group, outcome.target, refused.refusal, refused.knowledge, refused.inherited
            )
        case EnvlockError() as error:
            document = error_document(error, "solve")
        case freeze:
            document = {"frozen": {"until": freeze.until.isoformat(), "reason": freeze.reason}}
    return {"group": outcome.group, "target": outcome.target, "solved": False} | document
