"""Which of a distribution's releases are tried before all others, by the labels of their builds."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence

from envlock.model.gpu import NodeGpu
from envlock.model.published.catalogue import Releases
from envlock.solve.offers.gpu_choice import tried_first


def tiers(releases: Releases, gpus: Sequence[NodeGpu], time: dt.date | None) -> tuple[Releases, ...]:
    """Return releases in one or two parts, that of builds whose labels suit the nodes first.

    Time goes before labels: what came after it, or has no day where others have one, is in the last part
    (a folder with this year's PyTorch for processors, beside a stack of years ago).

    Args:
        releases: in the order in which they should be tried.
        gpus: the GPUs' generations; none for a target without GPUs.
        time: the day after which releases come last; ``None`` for no such day.
    """
    if "+" not in " ".join(releases.texts):  # few have labels: thousands of texts are searched as one
        return (releases,)
    last = time.isoformat() if time is not None and any(releases.days) else None
    first = [
        tried_first(text, gpus) and (last is None or "" < day <= last)
        for text, day in zip(releases.texts, releases.days, strict=True)
    ]
    if not any(first) or all(first):
        return (releases,)
    suiting = [release for release, suits_label in zip(releases, first, strict=True) if suits_label]
    others = [release for release, suits_label in zip(releases, first, strict=True) if not suits_label]
    return Releases.of(suiting), Releases.of(others)
