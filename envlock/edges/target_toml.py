"""Write a target as a person would write it into the manifest."""

from __future__ import annotations

from collections.abc import Mapping

import tomlkit
from tomlkit.items import AoT, InlineTable, Table

from envlock.model.project.target import Offer, Target, encode_interpreter, encode_offer


def target_section(target: Target) -> str:
    """Return ``[targets.NAME]``: plain offers as ``name = "version"``, and the rest as tables of their own.

    Notes on the former become comments; ``decode_target`` reads everything else back as it was.
    """
    head = tomlkit.table()
    head.update({"os": target.os, "machine": target.machine})
    plain = [offer for offer in target.offers if _is_plain(offer, target)]
    if plain:
        head.add("components", _components(plain))
    offers = [encode_offer(offer) for offer in target.offers if offer not in plain]
    for name, documents in (("offer", offers), ("interpreter", map(encode_interpreter, target.interpreters))):
        if tables := [_table(document) for document in documents]:
            head.add(name, AoT(tables))
    targets = tomlkit.table(is_super_table=True)
    targets.add(target.name, head)
    document = tomlkit.document()
    document.add("targets", targets)
    return tomlkit.dumps(document)


def inline_table(values: Mapping[str, object]) -> InlineTable:
    """Return a table on one line."""
    table = tomlkit.inline_table()
    table.update(values)
    return table


def _is_plain(offer: Offer, target: Target) -> bool:
    """Whether its version says everything about an offer except its note."""
    only_one = len(target.offered(offer.component)) == 1
    return only_one and encode_offer(offer).keys() <= {"component", "version", "note"}


def _components(offers: list[Offer]) -> Table:
    table = tomlkit.table()
    for offer in offers:
        version = tomlkit.string(offer.version)
        if offer.note:
            version.comment(" ".join(offer.note.split()))
        table.add(offer.component, version)
    return table


def _table(document: Mapping[str, object]) -> Table:
    table = tomlkit.table()
    for name, value in document.items():
        table.add(name, inline_table(value) if isinstance(value, Mapping) else value)
    return table
