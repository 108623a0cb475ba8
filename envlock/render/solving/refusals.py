"""Views of requests that nothing answers: what conflicts in them, and what would end it."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence

from rich.console import Console
from rich.text import Text

from envlock.model.component import Layer
from envlock.model.gpu import GPUS
from envlock.model.knowing.fact import Fact, Source
from envlock.model.knowing.knowledge import Knowledge
from envlock.model.locked.pins import (
    CONSTRAINT,
    ERA,
    EXCLUSION,
    NO_BINARY,
    NODE,
    ONLY_BINARY,
    YOU,
    Amended,
    Amendment,
    Carried,
    Reason,
    Remedy,
    Unsolvable,
)
from envlock.model.project.layers import Layers
from envlock.render.knowing.series import series
from envlock.solve.remedies.actors import by_layer

_SELF = {
    YOU: "you ask for {}",
    CONSTRAINT: "you constrain {}",
    ERA: "you pin {}",
    EXCLUSION: "you exclude {}",
    NO_BINARY: "you want {} built, and no wheel of it (no-binary)",
    ONLY_BINARY: "you want a wheel of {}, and nothing built (only-binary)",
}
_NOTHING_ELSE = (
    "No change that was tried works: other versions of these, the target's other Pythons, several changes "
    "at once."
)
_EACH = 3
"""Up to this many facts of one kind are shown one by one."""
_ALLOWED = {
    Amended.EXTRAS: "ask for {name} without {before}",
    Amended.PRERELEASES: 'let pre-releases count: prereleases = ["{name}"]',
    Amended.CONSTRAINT: "drop the constraint {what}",
    Amended.OVERRIDE: "drop the override {what}",
    Amended.EXCLUSION: "do not exclude {what}",
    Amended.NO_BINARY: "drop {what} from no-binary",
    Amended.ONLY_BINARY: "drop {what} from only-binary",
    Amended.AS_OF: 'as-of = "none" instead of releases up to {before}',
}


_EXCEPTED = {Amended.NO_BINARY: "only-binary", Amended.ONLY_BINARY: "no-binary"}
"""Where an exception from ``:all:`` is written."""


def unsolvable_text(
    group: str,
    refusal: Unsolvable,
    knowledge: Knowledge,
    console: Console,
    *,
    layers: Layers,
    inherited: Mapping[str, str],
) -> None:
    """Print why nothing answers: the wishes and facts that conflict, with their sources, and whom to ask.

    Args:
        group: the group.
        refusal: what cannot hold together.
        knowledge: the knowledge base that refused.
        console: where to print.
        layers: who owns what.
        inherited: component -> the extended group that wrote the wish on it.
    """
    console.print(Text.assemble(("refused: ", "bold red"), (f"no solution for the group {group!r}", "bold")))
    console.print()
    console.print("These cannot hold together:")
    for reason in refusal.reasons:
        if not reason.asked_by.startswith("fact:"):
            by = inherited.get(reason.component, "") if reason.asked_by == YOU else ""
            line = (
                f"{_inherited(reason, by)}{_owner(reason, layers, knowledge)}" if by else _reason_text(reason)
            )
            console.print(Text(f"  {line}"), soft_wrap=True)
            if reason.because:
                console.print(Text(f"    {reason.because}", style="dim"), soft_wrap=True)
    for carried in refusal.carried:
        console.print(Text(f"  {_carried(carried)}"), soft_wrap=True)
        _sources_text(carried.sources, console)
    for kind in series(_facts(refusal, knowledge), _said):
        _facts_text(kind, console)
    for text in refusal.excluded:
        console.print(Text(f"  {text}", style="dim"), soft_wrap=True)
    _remedies_text(refusal, layers, console)


def _said(fact: Fact) -> tuple[Hashable, str]:
    """The names of the components that a fact is about, and its reason."""
    return tuple(
        tuple(condition.component for condition in part) for part in (fact.when, fact.then)
    ), fact.reason


def _facts_text(kind: Sequence[Fact], console: Console) -> None:
    """Print facts of one kind: all of a few, only the first of many."""
    shown = kind if len(kind) <= _EACH else kind[:1]
    for fact in shown:
        console.print(Text.assemble("  ", (fact.id, "cyan"), f"  {fact.reason}"), soft_wrap=True)
        for condition in fact.then:
            console.print(Text(f"    needs {condition}"), soft_wrap=True)
        _sources_text(fact.sources, console)
    if others := kind[len(shown) :]:
        names = f"{others[0].id} to {others[-1].id}"
        console.print(
            Text.assemble("  ", (names, "cyan"), f"  {len(others)} more like it, for other versions")
        )


def _sources_text(sources: Iterable[Source], console: Console) -> None:
    for source in sources:
        console.print(Text(f"    source {source}", style="dim"), soft_wrap=True)


def _carried(carried: Carried) -> str:
    how = "is built with" if carried.sources else "brings"  # what is the component itself cites nobody
    return f"{carried.distribution} {how} {carried.component} {carried.version}"


def _inherited(reason: Reason, group: str) -> str:
    return f"the group {group!r}, which you extend, asks for {reason.wants}"


def _owner(reason: Reason, layers: Layers, knowledge: Knowledge) -> str:
    """Return whom to ask about an inherited wish; nothing where every group may replace it."""
    layer = layers.of(reason.component, knowledge)
    is_free = layer is Layer.DISCIPLINE or not layers.holds(layer)
    return "" if is_free else f" ({layer.value}: ask {layers.whom(layer)})"


def _reason_text(reason: Reason) -> str:
    if reason.own:
        return reason.wants
    if reason.asked_by == NODE:
        return f"the node has {reason.wants}"
    if reason.asked_by in _SELF:
        return _SELF[reason.asked_by].format(reason.wants)
    if reason.override:
        return f"{reason.asked_by} needs {reason.wants} by your override: {reason.override}"
    return f"{reason.asked_by} needs {reason.wants}"


def _remedies_text(refusal: Unsolvable, layers: Layers, console: Console) -> None:
    """Print what would end a refusal, by who would have to act."""
    if not refusal.remedies:
        if len(refusal.reasons) > 1:  # who asks for what exists nowhere knows what to do
            console.print()
            console.print(_NOTHING_ELSE, soft_wrap=True)
        return
    console.print()
    console.print("Each of these changes was solved again and works:")
    for layer, remedies in by_layer(refusal.remedies):
        for remedy in remedies:
            console.print(Text.assemble("  ", *_by_actor(remedy, layer, layers)), soft_wrap=True)
            for other in remedy.behind:
                reasons_text = "; ".join(_in_short(other))
                console.print(Text(f"    also in the way: {reasons_text}", style="dim"), soft_wrap=True)


def _in_short(refusal: Unsolvable) -> Iterator[str]:
    """Yield what conflicts in a refusal behind another one, without sources."""
    yield from (_reason_text(reason) for reason in refusal.reasons if not reason.asked_by.startswith("fact:"))
    yield from refusal.facts
    if len(refusal.reasons) == 1:
        yield from refusal.excluded[:1]


def _by_actor(remedy: Remedy, first: Layer | None, layers: Layers) -> Iterator[tuple[str, str]]:
    """Yield who would have to make which of a remedy's changes, first the one with the last word."""
    changes: dict[Layer | None, list[str]] = {first: []}
    for amendment in remedy.amendments:
        if not _drops(amendment):
            changes.setdefault(amendment.layer, []).append(_amendment(amendment))
    if dropped := [amendment.component for amendment in remedy.amendments if _drops(amendment)]:
        *more, last = dropped
        listed = f"{', '.join(more)} and {last}" if more else last
        changes.setdefault(None, []).append(f"leave out {listed}")
    for layer, texts in changes.items():
        yield f"{'' if layer is first else '; and '}{_actor(layer, layers)}: ", "green"
        yield ", and ".join(texts), ""


def _actor(layer: Layer | None, layers: Layers) -> str:
    return "yours" if layer is None else f"ask {layers.whom(layer)}"


def _amendment(amendment: Amendment) -> str:
    name, before, after = amendment.component, amendment.before, amendment.after
    if amendment.of in _EXCEPTED and before:
        return f'{_EXCEPTED[amendment.of]} = ["{name}"], an exception from {before} (it would be {after})'
    if amendment.of in _ALLOWED:
        text = _ALLOWED[amendment.of].format(what=f"{name} {before}".rstrip(), name=name, before=before)
        return f"{text} (it would be {after})" if after and amendment.of is not Amended.AS_OF else text
    if amendment.of is Amended.NAME:
        separator = "" if before.startswith("[") else " "
        return f"ask for {after} instead of {name}{separator}{before}".rstrip()
    if name in GPUS:
        return f"nodes with {name} {after} instead of {before}"
    if amendment.layer is not None or name == "python":
        return f"{name} {after} instead of {before}" if before else f"{name} {after}".rstrip()
    return f"ask for {name} {after} instead of {before}"


def _drops(amendment: Amendment) -> bool:
    """Whether it is that a wish of the group's is left out."""
    return amendment.of is Amended.WISH and amendment.layer is None and not amendment.after


def _facts(refusal: Unsolvable, knowledge: Knowledge) -> Iterator[Fact]:
    known = {fact.id: fact for fact in knowledge.facts}
    yield from (known[name] for name in refusal.facts if name in known)


def unsolvable_document(
    group: str,
    target: str,
    refusal: Unsolvable,
    knowledge: Knowledge,
    inherited: Mapping[str, str],
) -> dict[str, object]:
    """Return the same for programs; the reason of an inherited wish names the group that wrote it."""
    return {
        "schema": "envlock/solve/1",
        "group": group,
        "target": target,
        "solved": False,
        "component": refusal.component,
        "reasons": [
            {"asked_by": reason.asked_by, "wants": reason.wants, "component": reason.component}
            | ({"override": reason.override} if reason.override else {})
            | ({"because": reason.because} if reason.because else {})
            | _group_document(reason, inherited)
            for reason in refusal.reasons
        ],
        "facts": [
            {
                "fact": fact.id,
                "reason": fact.reason,
                "needs": [str(condition) for condition in fact.then],
                "sources": [source.title for source in fact.sources],
            }
            for fact in _facts(refusal, knowledge)
        ],
        "carried": [
            {
                "distribution": carried.distribution,
                "component": carried.component,
                "version": carried.version,
                "sources": [source.title for source in carried.sources],
            }
            for carried in refusal.carried
        ],
        "excluded": list(refusal.excluded),
        "fixes": [
            {
                "changes": [_amendment_document(amendment) for amendment in remedy.amendments],
                "behind": ["; ".join(_in_short(other)) for other in remedy.behind],
            }
            for remedy in refusal.remedies
        ],
    }


def _group_document(reason: Reason, inherited: Mapping[str, str]) -> dict[str, str]:
    by = inherited.get(reason.component) if reason.asked_by == YOU else None
    return {"group": by} if by else {}


def _amendment_document(amendment: Amendment) -> dict[str, str]:
    """Return an amendment; ``by`` is who would have to act: ``you``, or the layer owning the component."""
    return {
        "of": amendment.of.value,
        "by": amendment.layer.value if amendment.layer else YOU,
        "component": amendment.component,
        "before": amendment.before,
        "after": amendment.after,
    }
