"""Views of what ``solve`` chose."""

from __future__ import annotations

from dataclasses import asdict

from rich.console import Console
from rich.text import Text

from envlock.app.solving.locked import Locked
from envlock.lifecycle.agreement import Agreement
from envlock.model.counting import first_of
from envlock.model.locked.lock import Lock
from envlock.model.locked.pins import (
    YOU,
    DistributionPin,
    Origin,
    SystemPin,
)
from envlock.render.terminal.sheets import Sheet

_ASKERS_SHOWN = 2
_ORIGINS = {
    Origin.NODE: "the node",
    Origin.SITE: "the site",
    Origin.INDEX: "the index",
    Origin.CHOICE: "the group's choice",
}


def locked_text(locked: Locked, console: Console, *, every: bool) -> None:
    """Print what was chosen and why: what people asked for, what was built, what a fact shaped."""
    lock = locked.file.lock
    state = "locked" if locked.changed else "unchanged"
    python = Text.assemble((lock.group, "bold"), f" on {lock.target}: {state}, Python {lock.python}")
    if lock.as_of is not None:
        python.append(f", releases up to {lock.as_of}")
    console.print(python)
    table = _chosen_table(lock, every=every)
    console.print(table if table.row_count else "the group requires nothing")
    hidden = 0 if every else sum(not _telling(pin) for pin in lock.distributions)
    if hidden:
        console.print(Text(f"and {hidden} more that these need (--all shows them)", style="dim"))
    if lock.facts:
        console.print()
        console.print(Text("Facts that shaped it (envlock kb why NAME tells more):", style="bold"))
        for fact, reason in lock.facts.items():
            console.print(Text.assemble("  ", (fact, "cyan"), f"  {reason}"), soft_wrap=True)
    if locked.agreement is not None:
        console.print()
        console.print(Text(agreement_text(locked.agreement)), soft_wrap=True)
    if remarks := (*locked.remarks, *locked.absent.values()):
        console.print()
        for remark in remarks:
            console.print(note_line(remark), soft_wrap=True)
    console.print()
    console.print(Text.assemble(("lock         ", "cyan"), str(locked.file.path)), soft_wrap=True)
    if locked.environment is not None:
        console.print(Text.assemble(("environment  ", "cyan"), str(locked.environment)), soft_wrap=True)
    for name, log in locked.build_logs.items():
        console.print(Text.assemble(("build log    ", "cyan"), f"{log} ({name})"), soft_wrap=True)


def note_line(remark: str) -> Text:
    """Return a line on what people should know although all is well."""
    return Text.assemble(("note         ", "yellow"), remark)


def agreement_text(agreement: Agreement) -> str:
    """Return how far a group agrees with another, and where it does not."""
    alike = agreement.shared - len(agreement.differing)
    shared_text = f"{alike} of {agreement.shared} shared as in {agreement.group!r}"
    differing = (f"{name} {here} (there {there})" for name, (here, there) in agreement.differing.items())
    return f"{shared_text}; not {', '.join(differing)}" if agreement.differing else shared_text


def _chosen_table(lock: Lock, *, every: bool) -> Sheet:
    """Return system components, then distributions, each with where it comes from and why."""
    table = Sheet("component", "version", "from", "why", wrap={"from", "why"})
    for system in lock.systems:
        cells = (system.version, place_text(system), _why(system))
        table.add_row(Text(system.component, style="magenta"), *map(Text, cells))
    for pin in lock.distributions:
        if every or _telling(pin):
            table.add_row(*map(Text, (pin.name, pin.version, _source(pin), _why(pin))))
    return table


def _telling(pin: DistributionPin) -> bool:
    return YOU in pin.asked_by or bool(pin.facts) or pin.build is not None


def place_text(pin: SystemPin) -> str:
    """Return where a system component comes from."""
    return f"{_ORIGINS[pin.origin]}: {pin.prefix}" if pin.prefix else _ORIGINS[pin.origin]


def _source(pin: DistributionPin) -> str:
    if pin.file.editable:
        return f"editable: {pin.file.url}"
    if pin.build is None:
        return "wheel"
    if not pin.build.against and len(pin.build.systems) <= 1:
        return "built"  # with the compiler alone: nothing that another choice would change
    return f"built with {', '.join(f'{name} {version}' for name, version in pin.build.systems.items())}"


def way(pin: DistributionPin) -> str:
    """Return how a distribution comes, in one word for programs."""
    return "editable" if pin.file.editable else "build" if pin.build else "wheel"


def _why(pin: DistributionPin | SystemPin) -> str:
    parts = ["you asked"] if YOU in pin.asked_by else []
    others = [asker for asker in pin.asked_by if asker != YOU]
    if others and not parts:
        parts.append(f"needed by {first_of(others, _ASKERS_SHOWN)}")
    parts += [f"fact {fact}" for fact in pin.facts]
    return "; ".join(parts)


def locked_document(locked: Locked) -> dict[str, object]:
    """Return the same as a document for programs."""
    lock = locked.file.lock
    return {
        "schema": "envlock/solve/1",
        "group": lock.group,
        "target": lock.target,
        "solved": True,
        "changed": locked.changed,
        "python": lock.python,
        "as_of": lock.as_of.isoformat() if lock.as_of else None,
        "lock": str(locked.file.path),
        "lock_sha256": locked.file.sha256,
        "environment": str(locked.environment) if locked.environment else None,
        "system": [
            {
                "component": pin.component,
                "version": pin.version,
                "from": pin.origin.value,
                "prefix": pin.prefix,
                "asked_by": list(pin.asked_by),
                "facts": list(pin.facts),
            }
            for pin in lock.systems
        ],
        "distributions": [
            {
                "name": pin.name,
                "version": pin.version,
                "from": way(pin),
                "built_with": dict(pin.build.systems) if pin.build else {},
                "asked_by": list(pin.asked_by),
                "facts": list(pin.facts),
            }
            for pin in lock.distributions
        ],
        "facts": dict(lock.facts),
        "overrides": dict(lock.overrides),
        "agreement": asdict(locked.agreement) if locked.agreement else None,
        "build_logs": {name: str(log) for name, log in locked.build_logs.items()},
        "remarks": [*locked.remarks, *locked.absent.values()],
    }
