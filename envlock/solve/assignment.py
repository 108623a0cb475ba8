"""The combination that an answer stands for, as the judgement takes it."""

from __future__ import annotations

from envlock.model.component import PYTHON, Via
from envlock.model.knowing.finding import Assignment, Chosen
from envlock.model.knowing.knowledge import Knowledge
from envlock.model.locked.pinned import decided_by_node, pinned_choices
from envlock.model.locked.pins import Solved
from envlock.model.project.toolchains import TOOLCHAIN
from envlock.solve.request import Request


def assignment_of(solved: Solved, request: Request, knowledge: Knowledge) -> Assignment:
    """Return the combination that an answer stands for: what the node decides, and what was chosen."""
    decided = decided_by_node(request.target, knowledge)
    python = {PYTHON: (Chosen(version=solved.interpreter.version, via=Via.SITE),)}
    if toolchain := solved.interpreter.toolchain:
        python[TOOLCHAIN] = (Chosen(version=toolchain, via=Via.SITE),)
    return {**decided, **python, **_properties(solved, request), **pinned_choices(solved)}


def _properties(solved: Solved, request: Request) -> dict[str, tuple[Chosen, ...]]:
    """Return the words that come with the site's offers of the answer's system components."""
    places = {(pin.component, pin.version, pin.prefix, pin.modules) for pin in solved.systems}
    return {
        name: (Chosen(version=word, via=Via.SITE),)
        for offer in request.target.offers
        if (offer.component, offer.version, offer.prefix, offer.modules) in places
        for name, word in offer.properties.items()
    }
