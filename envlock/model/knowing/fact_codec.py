"""Decoding of facts, which a site's overlay may replace or waive, by name and for a limited time."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace

from envlock.model.component import Range, Via, is_version
from envlock.model.decode import Table
from envlock.model.errors import RequestError
from envlock.model.frozen import dataclass
from envlock.model.knowing.fact import Condition, Dispute, Evidence, Fact, Lapsed, Likeness, Severity
from envlock.model.knowing.knowledge_parts import Names, read_range, read_sources
from envlock.model.near_names import near_names


@dataclass(frozen=True, slots=True, kw_only=True)
class _Decision:
    """A temporary decision about a fact of another document.

    Attributes:
        fact: the fact that it is about.
        by: the fact that replaces it; ``None`` where it is waived.
        owner: who answers for it.
        reason: why.
        expires: the last day that it holds.
        table: where it is written, for errors.
        key: what names the fact there.
    """

    fact: str
    by: Fact | None
    owner: str
    reason: str
    expires: dt.date
    file: str
    table: Table
    key: str

    def error(self, message: str, *, hint: str) -> RequestError:
        """Return an error about the place where it is written, ready to raise."""
        found = self.table.error(message, key=self.key, hint=hint)
        found.why = f"in the fact {self.by.id!r}" if self.by else ""
        return found


class FactDecoder:
    """Decodes documents of facts one after the other; a later one can weaken an earlier one only explicitly.

    Identifiers are unique. ``replaces = "ID"`` takes another fact's place and ``[[waive]]`` turns its
    findings into notes, both with an owner, a reason and a last day, after which the other fact is in force
    again.
    """

    def __init__(self, names: Names) -> None:
        self._names = names
        self._facts: dict[str, Fact] = {}
        self._decisions: list[_Decision] = []

    def decode(self, document: Mapping[str, object], file: str) -> None:
        """Decode a file of ``facts/``.

        Raises:
            RequestError: something in it has the wrong form; the error names file, fact and path.
        """
        root = Table(document, file=file)
        for table in root.tables("fact"):
            with _named(table):
                self._add(table, file)
        for table in root.tables("waive"):
            self._decisions.append(self._decision(table, "fact", None, file))
            table.done()
        root.done()

    def _add(self, table: Table, file: str) -> None:
        fact = self._fact(table, file)
        if fact.id in self._facts:
            other = self._facts[fact.id].file
            hint = f'to take its place, give it another id and replaces = "{fact.id}"'
            raise table.error(f"the fact {fact.id!r} is already in {other}", key="id", hint=hint)
        self._facts[fact.id] = fact
        if table.has("replaces"):
            self._decisions.append(self._decision(table, "replaces", fact, file))
        table.done()

    def finish(self, today: dt.date) -> tuple[tuple[Fact, ...], tuple[Lapsed, ...]]:
        """Return the facts in force on a day, and the decisions that have lapsed by then.

        Raises:
            RequestError: a decision is about a fact that does not exist.
        """
        facts = dict(self._facts)
        lapsed = []
        for decision in self._decisions:
            if decision.fact not in self._facts:
                near = near_names(decision.fact, self._facts)
                hint = f"did you mean {near[0]!r}?" if near else ""
                raise decision.error(f"there is no fact {decision.fact!r}", hint=hint)
            if decision.expires < today:
                lapsed.append(
                    Lapsed(
                        file=decision.file, fact=decision.fact, owner=decision.owner, expires=decision.expires
                    )
                )
                if decision.by is not None:
                    facts.pop(decision.by.id, None)
            elif decision.by is not None:
                facts.pop(decision.fact, None)
            elif decision.fact in facts:
                facts[decision.fact] = _waived(facts[decision.fact], decision)
        return tuple(facts.values()), tuple(lapsed)

    def _fact(self, table: Table, file: str) -> Fact:
        table.raw("when")  # report a misspelt key before the key that is missing because of it
        fact = Fact(
            id=table.text("id"),
            when=self.conditions(table.table("when")),
            then=self._consequences(table.table("then")),
            severity=table.choice("severity", Severity, Severity.REFUSE.value),
            evidence=table.choice("evidence", Evidence),
            reason=table.text("reason"),
            cause=table.text("cause", ""),
            sources=read_sources(table),
            refuses=self._examples(table, "refuses"),
            accepts=self._examples(table, "accepts"),
            file=file,
            disputed=tuple(_dispute(part) for part in table.tables("disputed")),
            unless=tuple(self._names.name(name) for name in table.texts("unless")),
        )
        if not fact.when:
            raise table.error(f"fact {fact.id!r} has no condition", key="when", hint="name a component")
        only = fact.when[0].component if len(fact.when) == 1 else ""
        for condition in fact.then:
            if condition.like is not None and condition.like.component != only:
                hint = "write a fact whose when names that component alone"
                raise table.error(f"when names more than {condition.like.component}", key="then", hint=hint)
        return fact

    def _decision(self, table: Table, key: str, by: Fact | None, file: str) -> _Decision:
        owner, reason = table.text("owner"), table.text("reason")
        for name, text in (("owner", owner), ("reason", reason)):
            if not text.strip():
                raise table.error(f"a decision against a fact needs its {name}", key=name)

        return _Decision(
            fact=table.text(key),
            by=by,
            owner=owner,
            reason=reason,
            expires=table.date("expires"),
            file=file,
            table=table,
            key=key,
        )

    def conditions(self, table: Table) -> tuple[Condition, ...]:
        """Decode the conditions of a ``when``."""
        return tuple(self._condition(table, key) for key in table.names())

    def _consequences(self, table: Table) -> tuple[Condition, ...]:
        return tuple(self._like(table, key) or self._condition(table, key) for key in table.names())

    def _like(self, table: Table, key: str) -> Condition | None:
        """Decode a component whose version is determined by another's, if this is one."""
        if isinstance(table.raw(key), str) or not (inner := table.table(key)).has("same-as"):
            return None
        numbers = inner.integer("numbers", 0)
        if numbers < 0:
            raise inner.error(
                f"{numbers} is not a count of numbers", key="numbers", hint="leave it out for all"
            )
        condition = Condition(
            component=self._names.name(key),
            range=Range.versions("*"),
            via=inner.choice("via", Via) if inner.has("via") else None,
            without=tuple(self._names.name(flavour) for flavour in inner.texts("without")),
            like=Likeness(component=self._names.name(inner.text("same-as")), numbers=numbers),
        )
        inner.done()
        return condition

    def _condition(self, table: Table, key: str) -> Condition:
        name = self._names.name(key)
        words = self._names.are_words(name)
        if isinstance(table.raw(key), str):
            return Condition(component=name, range=read_range(table, key, words=words))
        inner = table.table(key)
        via = inner.choice("via", Via) if inner.has("via") else None
        condition = Condition(
            component=name,
            range=read_range(inner, "versions", default="", words=words),
            via=via,
            without=tuple(self._names.name(flavour) for flavour in inner.texts("without")),
        )
        inner.done()
        return condition

    def _examples(self, table: Table, key: str) -> tuple[str, ...]:
        examples = []
        for example in table.tables(key):
            pins = {self._names.name(name): example.text(name) for name in example.names()}
            for name, version in pins.items():
                if not self._names.are_words(name):
                    _check_version(example, name, version)
                elif len(version.split()) != 1:
                    raise example.error(f"{version!r} is not one of its words", key=name)
            examples.append(" ".join(f"{name}=={version.strip()}" for name, version in pins.items()))
        return tuple(examples)


@contextmanager
def _named(table: Table) -> Iterator[None]:
    """Name the fact in errors about a part of it: an index is no help in a long file."""
    try:
        yield
    except RequestError as error:
        error.why = error.why or f"in the fact {table.text('id', '')!r}"
        raise


def _dispute(table: Table) -> Dispute:
    dispute = Dispute(
        says=table.text("says"), evidence=table.choice("evidence", Evidence), sources=read_sources(table)
    )
    table.done()
    return dispute


def _check_version(example: Table, name: str, version: str) -> None:
    if not is_version(version):
        raise example.error(f"{version!r} is not a version", key=name)


def _waived(fact: Fact, decision: _Decision) -> Fact:
    waived_reason = f"{fact.reason} (waived by {decision.owner} until {decision.expires}: {decision.reason})"
    return replace(fact, severity=Severity.NOTE, reason=waived_reason)
