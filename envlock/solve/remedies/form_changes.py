"""Changes of the form, wheel or build, that distributions must come in, which might end a refusal."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from operator import methodcaller

from envlock.model.locked.pins import NO_BINARY, ONLY_BINARY, Amended, Amendment, Solved, Unsolvable
from envlock.model.project.policy import ALL, Forms
from envlock.solve.remedies.changes import Change, chosen_version
from envlock.solve.request import Request

_KINDS = {NO_BINARY: Amended.NO_BINARY, ONLY_BINARY: Amended.ONLY_BINARY}


def form_changes(refusal: Unsolvable, request: Request) -> Iterator[tuple[Change, ...]]:
    """Yield, for each distribution whose form took part in a refusal, changes that allow the other form.

    Where it is not named itself, it first becomes an exception from ``:all:``; then ``:all:`` is dropped.
    """
    forms = request.policy.forms
    for reason in refusal.reasons:
        if reason.asked_by not in _KINDS:
            continue
        name, of = reason.component, _KINDS[reason.asked_by]
        if name in forms.no_binary | forms.only_binary:
            yield (_changed(name, of, "", methodcaller("without", name)),)
        else:
            excepted = _changed(name, of, ALL, methodcaller("with_exception", name))
            yield excepted, _changed(ALL, of, "", methodcaller("without", ALL))


def _changed(name: str, of: Amended, before: str, change: Callable[[Forms], Forms]) -> Change:
    """Return the change to other forms; it reports which version of the distribution is then chosen."""

    def describe(solved: Solved) -> Amendment:
        return Amendment(component=name, layer=None, before=before, after=chosen_version(solved, name), of=of)

    def apply(request: Request) -> Request:
        return replace(request, policy=replace(request.policy, forms=change(request.policy.forms)))

    return Change(apply=apply, describe=describe)
