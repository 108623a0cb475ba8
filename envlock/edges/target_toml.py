"""A target as a person would write it into the manifest."""

from __future__ import annotations

import tomlkit
from tomlkit.items import AoT, InlineTable, Table

from envlock.model.project.target import Interpreter, Offer, Target


def target_section(target: Target) -> str:
    """``[targets.NAME]``: what is merely there as ``name = "version"``, the rest as tables of its own.

    Notes of the former become comments; everything else is as ``decode_target`` reads it back.
    """
    head = tomlkit.table()
    head.update({"os": target.os, "machine": target.machine})
    plain = [offer for offer in target.offers if _is_plain(offer, target)]
    if plain:
        head.add("components", _components(plain))
    offers = [_offer(offer) for offer in target.offers if offer not in plain]
    for name, tables in (("offer", offers), ("interpreter", [_interpreter(i) for i in target.interpreters])):
        if tables:
            head.add(name, AoT(tables))
    targets = tomlkit.table(is_super_table=True)
    targets.add(target.name, head)
    document = tomlkit.document()
    document.add("targets", targets)
    return tomlkit.dumps(document)


def _is_plain(offer: Offer, target: Target) -> bool:
    only_one = len(target.offered(offer.component)) == 1
    return only_one and not (offer.prefix or offer.modules or offer.variables)


def _components(offers: list[Offer]) -> Table:
    table = tomlkit.table()
    for offer in offers:
        version = tomlkit.string(offer.version)
        if offer.note:
            version.comment(" ".join(offer.note.split()))
        table.add(offer.component, version)
    return table


def _offer(offer: Offer) -> Table:
    table = tomlkit.table()
    table.update({"component": offer.component, "version": offer.version})
    if offer.prefix:
        table.add("prefix", offer.prefix)
    if offer.modules:
        table.add("modules", list(offer.modules))
    if offer.variables:
        table.add("variables", _inline(dict(offer.variables)))
    if offer.note:
        table.add("note", offer.note)
    return table


def _interpreter(interpreter: Interpreter) -> Table:
    table = tomlkit.table()
    table.update({"path": interpreter.path, "version": interpreter.version, "abi": interpreter.abi})
    table.add("markers", _inline(dict(interpreter.markers)))
    return table


def _inline(values: dict[str, str]) -> InlineTable:
    table = tomlkit.inline_table()
    table.update(values)
    return table
