"""What requests were refuted for, so that a change which leaves all of that as it is need not be solved.

Most changes that are tried as remedies do not touch what else speaks against a request, and each of them
would be refuted for it anew.
"""

from __future__ import annotations

from collections.abc import Set as AbstractSet
from dataclasses import replace

from envlock.solve.request import Request
from envlock.solve.requirements import Requirement
from envlock.solve.searching.solver import Solver


class RefutedBefore:
    """The refutations so far, each with what it rests on beside the wishes: target, cut-off, policy."""

    def __init__(self) -> None:
        self._known: list[tuple[Request, AbstractSet[Requirement]]] = []

    def add(self, request: Request, blamed: AbstractSet[Requirement]) -> None:
        """Keep that a request has no answer because of some of its requirements."""
        self._known.append((replace(request, wishes=()), blamed))

    def rules_out(self, solver: Solver) -> bool:
        """Whether a request still requires all that another one was refuted for.

        A pin of what nobody blamed may admit a withdrawn release that the refuted request had not. To miss
        the remedy that rests on it is the price.
        """
        others, requirements = replace(solver.request, wishes=()), frozenset(solver.requirements())
        return any(blamed <= requirements and around == others for around, blamed in self._known)
