"""What the time of the pins must not keep out: releases in the place of files that are no longer there.

What somebody needed at the time of the pins was published then. Where an index has nothing of that time
within what is asked, it was taken away since (CTranslate2 from 2.0 to 2.16), and what came next is nearest.
"""

from __future__ import annotations

from dataclasses import replace

from envlock.model.catalogue import Catalogue
from envlock.model.knowledge import Knowledge, index_name
from envlock.solve.asks import FACT_PREFIX, UNUSABLE_PREFIX, Ask, Mood, split_extra
from envlock.solve.candidates import PYTHON
from envlock.solve.core import Core
from envlock.solve.releases import published_after
from envlock.solve.request import Request


def reopened(request: Request, core: Core, knowledge: Knowledge, catalogue: Catalogue) -> Request | None:
    """A refused request with the later releases of what its refusal missed, if that is what it missed."""
    if request.as_of is None or not request.era_of_pins:
        return None
    names = {
        split_extra(ask.identifier)[0]
        for ask in core.chain
        if ask.mood is Mood.MUST and _later_alone(ask, request, knowledge, catalogue)
    }
    if names <= request.reopened:
        return None
    return replace(request, reopened=request.reopened | names)


def _later_alone(ask: Ask, request: Request, knowledge: Knowledge, catalogue: Catalogue) -> bool:
    """Whether all that an ask could take was published after the time of the pins."""
    name = split_extra(ask.identifier)[0]
    no_distribution = name == PYTHON or name in knowledge.systems or name in request.direct
    if request.as_of is None or no_distribution or name.startswith((FACT_PREFIX, UNUSABLE_PREFIX)):
        return False
    meant = [one for one in catalogue.releases(index_name(name)) if ask.range.contains(one.text)]
    return bool(meant) and all(published_after(release, request.as_of) for release in meant)
