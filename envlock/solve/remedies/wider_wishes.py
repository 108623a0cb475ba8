"""Changes that admit more releases of what a group asks for: pre-releases, or those without an extra."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial

from packaging.requirements import Requirement

from envlock.model.knowing.knowledge import index_name
from envlock.model.locked.pins import Amended, Amendment, Solved, Unsolvable
from envlock.model.project.group import Wish
from envlock.model.published.catalogue import Catalogue
from envlock.solve.remedies.changes import Change, chosen_version
from envlock.solve.remedies.request_changes import blamed_wishes, in_brackets
from envlock.solve.request import Request


def wider_wishes(refusal: Unsolvable, request: Request, catalogue: Catalogue) -> Iterator[Change]:
    """Yield, for each wish that took part in a refusal, the changes that admit more of its releases."""
    for wish in blamed_wishes(refusal, request):
        if wish.requirement is None or wish.direct is not None:
            continue
        if _has_newer_pre_release(wish, request, catalogue):
            yield _change(wish, Amended.PRERELEASES, "", partial(_with_pre_releases, wish.component))
        if wish.requirement.extras:
            extras = in_brackets(wish.requirement.extras)
            yield _change(wish, Amended.EXTRAS, extras, partial(_without_extras, wish))


def _has_newer_pre_release(wish: Wish, request: Request, catalogue: Catalogue) -> bool:
    """Whether the newest release within a wish's bounds and the time is a pre-release, which is left out."""
    if wish.component in request.policy.prereleases or wish.range.names_pre_release:
        return False
    day = request.as_of
    there = (
        release.version
        for release in catalogue.releases(index_name(wish.component))
        if wish.range.contains(release.text)
        and (day is None or release.since is None or release.since <= day)
    )
    newest = max(there, default=None)
    return newest is not None and newest.is_prerelease


def _with_pre_releases(name: str, request: Request) -> Request:
    policy = replace(request.policy, prereleases=request.policy.prereleases | {name})
    return replace(request, policy=policy)


def _without_extras(wish: Wish, request: Request) -> Request:
    requirement = Requirement(str(wish.requirement))
    requirement.extras = set()
    plain = replace(wish, requirement=requirement, text=str(requirement))
    return replace(request, wishes=tuple(plain if one == wish else one for one in request.wishes))


def _change(wish: Wish, of: Amended, before: str, apply: Callable[[Request], Request]) -> Change:
    """Return the change to another request; it reports which version is then chosen."""

    def describe(solved: Solved) -> Amendment:
        version = chosen_version(solved, wish.component)
        return Amendment(component=wish.component, layer=None, before=before, after=version, of=of)

    return Change(apply=apply, describe=describe)
