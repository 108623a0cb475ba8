"""One change of a request or of a target, to be tried as a remedy for a refusal."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from envlock.judging.gpu import label_for_others
from envlock.model.frozen import dataclass
from envlock.model.locked.pinned import pinned_versions
from envlock.model.locked.pins import Amendment, Remedy, Solved
from envlock.model.project.target import Target
from envlock.solve.request import Request


def _no_less(_: Solved) -> Change | None:
    """Return ``None``, as most changes do: there is no smaller one."""
    return None


def _none_nearer(_: Remedy) -> Iterable[Change]:
    """Return nothing, as there is for most changes."""
    return ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One change to try: what it makes of a request, and how it then describes itself.

    Attributes:
        apply: makes another request of one.
        describe: describes the change, given the answer that it leads to.
        less: returns a smaller change that might lead to that answer as well.
        nearer: returns changes that are nearer than the remedy it makes, nearest first; there may be many.
    """

    apply: Callable[[Request], Request]
    describe: Callable[[Solved], Amendment]
    less: Callable[[Solved], Change | None] = _no_less
    nearer: Callable[[Remedy], Iterable[Change]] = _none_nearer


def is_for_others(remedy: Remedy, target: Target) -> bool:
    """Whether a remedy asks for a build that its label says is for none of the nodes' GPUs.

    Somebody who pinned a build for these does not mean one for the processor alone; who does asks for it.
    """
    gpus = target.gpus
    return bool(gpus) and any(
        label_for_others(amendment.after.partition("+")[2], gpus)
        and not label_for_others(amendment.before.partition("+")[2], gpus)
        for amendment in remedy.amendments
    )


def chosen_version(solved: Solved, component: str) -> str:
    """Return the version of a component in an answer; empty where the answer does not have it."""
    return pinned_versions(solved).get(component, "")
