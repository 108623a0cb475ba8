"""Where the uses of a program lead in the old release of what moved."""

from __future__ import annotations

from envlock.analysis.program.uses import CALLED, prefixes
from envlock.model.frozen import dataclass
from envlock.model.published.api import Api


@dataclass(frozen=True, slots=True)
class Place:
    """Where a use leads.

    Attributes:
        path: with classes where they are defined, and results and attributes as instances of their classes.
        sure: whether no result of a function was taken for what its authors say it is.
        held: whether an attribute was taken for an instance of the class that its authors name, which may be
            one of a subclass that has more.
    """

    path: str
    sure: bool = True
    held: bool = False


def place_of(path: str, api: Api) -> Place:
    """Resolve a path in the old release."""
    head, *rest = path.split(CALLED)
    sure, went_on, known = True, False, api.defined(head)
    for part in rest:
        if (made := api.makers.get(known.replace(CALLED, ""))) is not None:
            sure, known = False, made
        known = f"{known}{CALLED}{part}"
        plain = known.replace(CALLED, "")
        if api.kept.isdisjoint(prefixes(plain)) and api.defined(plain) != plain:
            known = api.defined(plain)
        known, held = _held(known, api)
        went_on = went_on or held
    return Place(known, sure, went_on)


def _held(path: str, api: Api) -> tuple[str, bool]:
    """Go on from attributes of known types to instances of their classes; say whether that was done."""
    instance, _, tail = path.rpartition(CALLED)
    names, went_on = tail.lstrip(".").split("."), False
    while len(names) > 1:
        held = api.holders.get(f"{instance.replace(CALLED, '')}.{names[0]}")
        if held is None:
            break
        instance, names, went_on = held, names[1:], True
    return (f"{instance}{CALLED}.{'.'.join(names)}" if went_on else path), went_on
