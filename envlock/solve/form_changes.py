"""Changes of the forms that distributions have to come in, wheel or build, that might end a refusal."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from operator import methodcaller

from envlock.model.locked.pins import NO_BINARY, ONLY_BINARY, Amended, Amendment, Solved, Unsolvable
from envlock.model.project.policy import ALL, Forms
from envlock.solve.changes import Change, chosen_version
from envlock.solve.request import Request

_KINDS = {NO_BINARY: Amended.NO_BINARY, ONLY_BINARY: Amended.ONLY_BINARY}


def form_changes(refusal: Unsolvable, request: Request) -> Iterator[tuple[Change, ...]]:
    """For each distribution whose form took part in a refusal, the request where it may come in the other.

    Where it is not named itself, it becomes an exception from ``:all:`` first; else ``:all:`` is dropped.
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
    """The request with other forms; which version of the distribution is then chosen is told."""

    def told(solved: Solved) -> Amendment:
        return Amendment(component=name, layer=None, before=before, after=chosen_version(solved, name), of=of)

    def apply(request: Request) -> Request:
        return replace(request, policy=replace(request.policy, forms=change(request.policy.forms)))

    return Change(apply=apply, told=told)
