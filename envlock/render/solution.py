"""Views of what ``solve`` chose, and of its refusals."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from envlock.app.solve import Locked
from envlock.model.component import Layer
from envlock.model.fact import Fact
from envlock.model.knowledge import Knowledge
from envlock.model.lock import Lock
from envlock.model.pins import NODE, YOU, Amendment, DistributionPin, Origin, Reason, SystemPin, Unsolvable
from envlock.solve.fixes import by_layer

_ASKERS_SHOWN = 2
_ACTORS = {
    None: "yours",
    Layer.DISCIPLINE: "ask the group that owns it",
    Layer.FRAMEWORK: "ask the framework's maintainers on site",
    Layer.CORE: "ask the administrators",
}
_ORIGINS = {Origin.NODE: "the node", Origin.SITE: "the site", Origin.INDEX: "the index"}


def locked_text(locked: Locked, console: Console, *, every: bool = False) -> None:
    """Print what was chosen and why: what people asked for, what was built, what a fact shaped."""
    lock = locked.file.lock
    state = "locked" if locked.changed else "unchanged"
    python = Text.assemble((lock.group, "bold"), f" on {lock.target}: {state}, Python {lock.python}")
    if lock.as_of is not None:
        python.append(f", releases up to {lock.as_of}")
    console.print(python)
    console.print(chosen_table(lock, every=every))
    hidden = 0 if every else sum(not _telling(pin) for pin in lock.distributions)
    if hidden:
        console.print(Text(f"and {hidden} more that these need (--all shows them)", style="dim"))
    if lock.facts:
        console.print()
        console.print(Text("Facts that shaped it (envlock kb why NAME tells more):", style="bold"))
        for fact, reason in lock.facts.items():
            console.print(Text.assemble("  ", (fact, "cyan"), f"  {reason}"), soft_wrap=True)
    console.print()
    console.print(Text.assemble(("lock         ", "cyan"), str(locked.file.path)), soft_wrap=True)
    if locked.environment is not None:
        console.print(Text.assemble(("environment  ", "cyan"), str(locked.environment)), soft_wrap=True)


def chosen_table(lock: Lock, *, every: bool) -> Table:
    """System components, then distributions, each with where it comes from and why."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 2, 0, 0))
    for heading in ("component", "version", "from", "why"):
        table.add_column(heading, overflow="fold", no_wrap=heading != "why")
    for system in lock.systems:
        cells = (system.version, _place(system), _why(system))
        table.add_row(Text(system.component, style="magenta"), *map(Text, cells))
    for pin in lock.distributions:
        if every or _telling(pin):
            table.add_row(*map(Text, (pin.name, pin.version, _source(pin), _why(pin))))
    return table


def _telling(pin: DistributionPin) -> bool:
    return YOU in pin.asked_by or bool(pin.facts) or pin.build is not None


def _place(pin: SystemPin) -> str:
    return f"{_ORIGINS[pin.origin]}: {pin.prefix}" if pin.prefix else _ORIGINS[pin.origin]


def _source(pin: DistributionPin) -> str:
    if pin.build is None:
        return "wheel"
    if not pin.build.against and len(pin.build.systems) <= 1:
        return "built"  # with the compiler alone: nothing that another choice would change
    return f"built with {', '.join(f'{name} {version}' for name, version in pin.build.systems.items())}"


def _why(pin: DistributionPin | SystemPin) -> str:
    parts = ["you asked"] if YOU in pin.asked_by else []
    others = [asker for asker in pin.asked_by if asker != YOU]
    if others and not parts:
        more = f" and {len(others) - _ASKERS_SHOWN} more" if len(others) > _ASKERS_SHOWN else ""
        parts.append(f"needed by {', '.join(others[:_ASKERS_SHOWN])}{more}")
    parts += [f"fact {fact}" for fact in pin.facts]
    return "; ".join(parts)


def locked_document(locked: Locked) -> dict[str, object]:
    """The same for programs."""
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
                "from": "build" if pin.build else "wheel",
                "asked_by": list(pin.asked_by),
                "facts": list(pin.facts),
            }
            for pin in lock.distributions
        ],
        "facts": dict(lock.facts),
    }


def unsolvable_text(group: str, refusal: Unsolvable, knowledge: Knowledge, console: Console) -> None:
    """Print why nothing answers: the wishes and facts that meet, with their sources."""
    console.print(Text.assemble(("refused: ", "bold red"), (f"nothing answers the group {group!r}", "bold")))
    console.print()
    console.print("These cannot hold together:")
    for reason in refusal.reasons:
        if not reason.asked_by.startswith("fact:"):
            console.print(Text(f"  {_told(reason)}"), soft_wrap=True)
    for fact in _facts(refusal, knowledge):
        console.print(Text.assemble("  ", (fact.id, "cyan"), f"  {fact.reason}"), soft_wrap=True)
        for condition in fact.then:
            console.print(Text(f"    needs {condition}"), soft_wrap=True)
        for source in fact.sources:
            console.print(
                Text(f"    source {source.title} (read {source.checked})", style="dim"), soft_wrap=True
            )
    for text in refusal.excluded:
        console.print(Text(f"  {text}", style="dim"), soft_wrap=True)
    _remedies_text(refusal, console)


def _told(reason: Reason) -> str:
    if reason.asked_by == NODE:
        return f"the node has {reason.wants}"
    return (
        f"you ask for {reason.wants}" if reason.asked_by == YOU else f"{reason.asked_by} needs {reason.wants}"
    )


def _remedies_text(refusal: Unsolvable, console: Console) -> None:
    """What would end a refusal, by who would have to act."""
    if not refusal.remedies:
        return
    console.print()
    console.print("Each of these was solved again, and would do:")
    for layer, remedies in by_layer(refusal.remedies):
        for remedy in remedies:
            told = ", and ".join(map(_amendment, remedy.amendments))
            console.print(Text.assemble("  ", (f"{_ACTORS[layer]}: ", "green"), told), soft_wrap=True)


def _amendment(amendment: Amendment) -> str:
    name, before, after = amendment.component, amendment.before, amendment.after
    if amendment.layer is not None or name == "python":
        return f"{name} {after} instead of {before}" if before else f"{name} {after}"
    return f"ask for {name} {after} instead of {before}" if after else f"do without {name}"


def _facts(refusal: Unsolvable, knowledge: Knowledge) -> Iterator[Fact]:
    known = {fact.id: fact for fact in knowledge.facts}
    yield from (known[name] for name in refusal.facts if name in known)


def unsolvable_document(
    group: str, target: str, refusal: Unsolvable, knowledge: Knowledge
) -> dict[str, object]:
    """The same for programs."""
    return {
        "schema": "envlock/solve/1",
        "group": group,
        "target": target,
        "solved": False,
        "component": refusal.component,
        "reasons": [
            {"asked_by": reason.asked_by, "wants": reason.wants, "component": reason.component}
            for reason in refusal.reasons
        ],
        "facts": [
            {"fact": fact.id, "reason": fact.reason, "sources": _titles(fact)}
            for fact in _facts(refusal, knowledge)
        ],
        "excluded": list(refusal.excluded),
        "fixes": [
            {"changes": [_amendment_document(one) for one in remedy.amendments]}
            for remedy in refusal.remedies
        ],
    }


def _amendment_document(amendment: Amendment) -> dict[str, str]:
    """``by`` is who would have to act: ``you``, or the layer that owns the component."""
    return {
        "by": amendment.layer.value if amendment.layer else YOU,
        "component": amendment.component,
        "before": amendment.before,
        "after": amendment.after,
    }


def _titles(fact: Fact) -> Sequence[str]:
    return [source.title for source in fact.sources]
