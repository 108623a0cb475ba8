"""Match what was observed of failed ranks with the signatures of the knowledge base."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from envlock.model.frozen import dataclass
from envlock.model.knowing.running import Signature
from envlock.model.proving.probing import Ending, Plan, Supervision
from envlock.model.proving.rank_result import RankResult


@dataclass(frozen=True, slots=True, kw_only=True)
class Diagnosis:
    """One signature that was recognised.

    Attributes:
        signature: its name.
        meaning: what it means here.
        action: what to do.
        sources: where that was read.
        line: the line in which it was recognised; empty if it was not recognised by text.
    """

    signature: str
    meaning: str
    action: str
    sources: tuple[str, ...]
    line: str = ""

    def document(self) -> dict[str, object]:
        """Return it as a check's details show it."""
        return {
            "id": self.signature,
            "diagnosis": self.meaning,
            "action": self.action,
            "sources": list(self.sources),
        }


def diagnose(
    ranks: tuple[RankResult, ...],
    supervision: Supervision,
    plan: Plan,
    signatures: tuple[Signature, ...],
) -> tuple[Diagnosis, ...]:
    """Return the signatures that fit: first those recognised by printed text, in the order of the text.

    Text says more than observations, and what was printed first is usually the cause of the rest.
    """
    observed = set(_observations(ranks, supervision, plan))
    errors = [end.error + "\n" + end.traceback for rank in ranks for end in rank.back_ends.values()]
    text = "\n".join([supervision.output, *errors])
    fitting = [
        signature
        for signature in signatures
        if observed.issuperset(signature.observed)
        and (not signature.texts or _place(signature, text) < len(text))
    ]
    fitting.sort(key=lambda one: (not one.texts, _place(one, text)))
    return tuple(_diagnosis(one, ranks, text) for one in _precise(fitting))


def recognised(text: str, signatures: tuple[Signature, ...]) -> tuple[Diagnosis, ...]:
    """Return the signatures that printed text alone is enough to recognise."""
    found = [
        signature
        for signature in signatures
        if not signature.observed and _place(signature, text) < len(text)
    ]
    found.sort(key=lambda one: _place(one, text))
    return tuple(_diagnosis(one, (), text) for one in _precise(found))


def _precise(found: list[Signature]) -> list[Signature]:
    """Return the signatures that say more than that something failed; all of them if none does."""
    return [one for one in found if not one.vague] or found


def worlds_of_one(ranks: tuple[RankResult, ...], plan: Plan) -> bool:
    """Whether every rank's MPI is a world of its own."""
    return plan.ranks > 1 and bool(ranks) and all(rank.mpi and rank.mpi.get("size") == 1 for rank in ranks)


def _observations(ranks: tuple[RankResult, ...], supervision: Supervision, plan: Plan) -> Iterator[str]:
    if worlds_of_one(ranks, plan):
        yield "worlds-of-one"
    if not ranks and supervision.ending is not Ending.NOT_STARTED:
        yield "no-rank-appeared"
    if 0 < supervision.reported < supervision.expected:
        yield "some-ranks-missing"
    if supervision.timed_out:
        yield "rank-hangs"
    elif supervision.unfinished:
        yield "rank-killed"
    if any(_lacks_room(rank) for rank in ranks):
        yield "no-room-for-temporary-files"
    if any(end.wrong for rank in ranks for end in rank.back_ends.values()):
        yield "wrong-sum"


def _lacks_room(rank: RankResult) -> bool:
    temporary = rank.facts.get("temporary")
    return isinstance(temporary, Mapping) and bool(temporary.get("error"))


def _place(signature: Signature, text: str) -> int:
    """Return where the first match of a signature's patterns begins; the end of the text if none matches."""
    found = (re.search(pattern, text) for pattern in signature.texts)
    return min((match.start() for match in found if match), default=len(text))


def _diagnosis(signature: Signature, ranks: tuple[RankResult, ...], text: str) -> Diagnosis:
    before, after = text[: _place(signature, text)], text[_place(signature, text) :]
    parts = _parts(signature, after)
    return Diagnosis(
        signature=signature.id,
        meaning=_filled(_named(signature.diagnosis, parts), ranks),
        action=_named(signature.action, parts),
        sources=tuple(source.title for source in signature.sources),
        line=(before.rpartition("\n")[2] + after.partition("\n")[0]).strip() if after else "",
    )


def _parts(signature: Signature, text: str) -> Mapping[str, str]:
    """Return the named groups of the signature's pattern that matches at the beginning of a text."""
    found = (re.match(pattern, text) for pattern in signature.texts)
    return next((match.groupdict() for match in found if match), {})


def _named(text: str, parts: Mapping[str, str]) -> str:
    for name, value in parts.items():
        text = text.replace(f"{{{name}}}", value)
    return text


def _filled(text: str, ranks: tuple[RankResult, ...]) -> str:
    sources = sorted({str(rank.launcher.get("source")) for rank in ranks if rank.launcher.get("source")})
    speaks = (
        f", which speaks as {', '.join(sources)}," if sources else ", of which the ranks see no variable,"
    )
    libraries = [str(rank.mpi.get("library", "")).split(",")[0] for rank in ranks if rank.mpi.get("library")]
    library = libraries[0] if libraries else "of unknown make"
    return text.replace("{launcher}", speaks).replace("{library}", library)
