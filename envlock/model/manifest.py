"""The manifest ``envlock.toml``: groups, targets, the site, waivers; and its decoder."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Literal

from packaging.requirements import InvalidRequirement, Requirement

from envlock.model.component import DISTRIBUTION_PREFIX, InvalidSpecifier, Range
from envlock.model.decode import Table
from envlock.model.errors import RequestError
from envlock.model.knowledge import Knowledge

AsOf = dt.date | Literal["auto", "none"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """A group's requirement on one component.

    Attributes:
        component: the component's identifier.
        range: the versions that would do.
        requirement: for a distribution, the whole requirement with extras and marker.
        text: as the user wrote it.
        group: the group that wrote it.
    """

    component: str
    range: Range
    requirement: Requirement | None
    text: str
    group: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Freeze:
    """A promise that a group's environment does not move."""

    until: dt.date
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """A set of users with one environment, with everything it extends already merged in."""

    name: str
    python: Range
    wishes: tuple[Wish, ...]
    extends: str
    one_process: bool
    as_of: AsOf
    frozen: Freeze | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Waiver:
    """A recorded, expiring decision to go against a fact."""

    fact: str
    reason: str
    owner: str
    expires: dt.date


@dataclass(frozen=True, slots=True, kw_only=True)
class Manifest:
    """A whole project.

    Attributes:
        file: the manifest's path, for messages.
        groups: the groups by name, in the order written.
        targets: hand-written targets, undecoded until one is asked for.
        store: where environments live; empty for the project's own ``.envlock`` folder.
        waivers: recorded decisions to go against facts.
    """

    file: str
    groups: Mapping[str, Group]
    targets: Mapping[str, Table]
    store: str
    waivers: tuple[Waiver, ...]

    def group(self, name: str) -> Group:
        """One group.

        Raises:
            RequestError: there is none of that name.
        """
        if name in self.groups:
            return self.groups[name]
        raise RequestError(
            "unknown-group",
            f"there is no group {name!r}",
            where=self.file,
            hint=f"groups: {', '.join(self.groups) or 'none yet; add [groups.NAME]'}",
        )


def decode_manifest(document: Mapping[str, object], file: str, knowledge: Knowledge) -> Manifest:
    """Decode a manifest; names of system components are those of the knowledge base.

    Raises:
        RequestError: a key, a version, a requirement or a reference between groups is wrong.
    """
    root = Table(document, file=file)
    written: dict[str, Group] = {}
    groups = root.table("groups")
    for name in groups.keys():  # noqa: SIM118 - Table is no mapping
        written[name] = _decode_group(groups.table(name), name, knowledge)
    merged = {name: _merge(name, written, groups) for name in written}
    targets = root.table("targets")
    site = root.table("site")
    store = site.text("store", "")
    site.done()
    waivers = tuple(_decode_waiver(table) for table in root.tables("waivers"))
    manifest = Manifest(
        file=file,
        groups=MappingProxyType(merged),
        targets=MappingProxyType({name: targets.table(name) for name in targets.keys()}),  # noqa: SIM118
        store=store,
        waivers=waivers,
    )
    root.done()
    return manifest


def _decode_group(table: Table, name: str, knowledge: Knowledge) -> Group:
    wishes = [_distribution_wish(table, text, name, knowledge) for text in table.texts("requires")]
    wishes += [_system_wish(table, text, name, knowledge) for text in table.texts("system")]
    frozen = _decode_freeze(table.table("frozen")) if table.has("frozen") else None
    group = Group(
        name=name,
        python=_python_range(table, table.text("python", "")),
        wishes=tuple(wishes),
        extends=table.text("extends", ""),
        one_process=table.flag("one-process", default=True),
        as_of=_as_of(table),
        frozen=frozen,
    )
    if "." in name or name != name.lower():
        raise table.error(
            f"a group's name may not be {name!r}",
            hint="lower case and no dots: it becomes part of pylock.<group>.toml",
        )
    table.done()
    return group


def _python_range(table: Table, text: str) -> Range:
    """``3.7`` means any 3.7.x; everything else is a specifier."""
    pattern = f"=={text}.*" if text[:1].isdigit() and text.count(".") == 1 else text
    pattern = f"=={pattern}" if pattern[:1].isdigit() else pattern
    try:
        return Range.versions(pattern)
    except InvalidSpecifier:
        hint = 'write python = "3.11" or python = ">=3.10,<3.13"'
        raise table.error(f"{text!r} is no Python version", key="python", hint=hint) from None


def _as_of(table: Table) -> AsOf:
    if not table.has("as-of"):
        return "auto"
    value = table.raw("as-of")
    if value == "auto":
        return "auto"
    if value == "none":
        return "none"
    return table.date("as-of")


def _distribution_wish(table: Table, text: str, group: str, knowledge: Knowledge) -> Wish:
    explicit = text.startswith(DISTRIBUTION_PREFIX)
    try:
        requirement = Requirement(text.removeprefix(DISTRIBUTION_PREFIX))
    except InvalidRequirement as error:
        raise table.error(
            f"{text!r} is no requirement: {str(error).splitlines()[0]}",
            key="requires",
            hint='write requires = ["torch==1.4.0"]',
        ) from None
    component = knowledge.component(requirement.name)
    if component in knowledge.systems and not explicit:
        raise table.error(
            f"{requirement.name!r} is a system component",
            key="requires",
            hint=f"put it into system = [...], or write {DISTRIBUTION_PREFIX}{requirement.name} "
            "for the distribution of that name",
        )
    return Wish(
        component=knowledge.distribution(requirement.name),
        range=Range.versions(str(requirement.specifier)),
        requirement=requirement,
        text=text,
        group=group,
    )


def _system_wish(table: Table, text: str, group: str, knowledge: Knowledge) -> Wish:
    if (wish := _word_wish(text, group, knowledge)) is not None:
        return wish
    try:
        requirement = Requirement(text)
        versions = Range.versions(str(requirement.specifier))
    except InvalidRequirement:
        hint = 'write system = ["openmpi>=3.1"]'
        raise table.error(f"{text!r} is no requirement", key="system", hint=hint) from None
    component = knowledge.component(requirement.name)
    if component not in knowledge.systems:
        raise table.error(
            f"{requirement.name!r} is no system component",
            key="system",
            hint=f"known: {', '.join(sorted(knowledge.systems))}; distributions belong into requires = [...]",
        )
    return Wish(component=component, range=versions, requirement=None, text=text, group=group)


def _word_wish(text: str, group: str, knowledge: Knowledge) -> Wish | None:
    """``launcher==aprun``, ``launcher==aprun|srun``: no requirement, since a word is no version."""
    name, separator, words = (part.strip() for part in text.partition("=="))
    component = knowledge.component(name)
    if not separator or component not in knowledge.systems or not knowledge.systems[component].words:
        return None
    return Wish(component=component, range=Range.words(words), requirement=None, text=text, group=group)


def _decode_freeze(table: Table) -> Freeze:
    freeze = Freeze(until=table.date("until"), reason=table.text("reason"))
    table.done()
    return freeze


def _decode_waiver(table: Table) -> Waiver:
    waiver = Waiver(
        fact=table.text("fact"),
        reason=table.text("reason"),
        owner=table.text("owner"),
        expires=table.date("expires"),
    )
    table.done()
    return waiver


def _merge(name: str, written: Mapping[str, Group], groups: Table) -> Group:
    """A group with everything it extends: its own wish on a component replaces the inherited one."""
    chain = [written[name]]
    while parent := chain[-1].extends:
        if parent not in written:
            raise groups.table(chain[-1].name).error(
                f"there is no group {parent!r} to extend",
                key="extends",
                hint=f"groups: {', '.join(written)}",
            )
        if any(parent == group.name for group in chain):
            raise groups.table(name).error(
                f"the group extends itself: {' -> '.join([g.name for g in chain] + [parent])}", key="extends"
            )
        chain.append(written[parent])
    wishes: dict[str, list[Wish]] = {}
    python, as_of = Range.versions(""), chain[-1].as_of
    for group in reversed(chain):
        own: dict[str, list[Wish]] = {}
        for wish in group.wishes:
            own.setdefault(wish.component, []).append(wish)
        wishes |= own
        python = python if group.python.everything else group.python
        as_of = as_of if group.as_of == "auto" else group.as_of
    return replace(
        chain[0],
        python=python,
        as_of=as_of,
        wishes=tuple(wish for found in wishes.values() for wish in found),
    )
