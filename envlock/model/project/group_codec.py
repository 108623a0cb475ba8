"""Decoding of a manifest's groups, each with everything it extends merged in."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace

from packaging.requirements import InvalidRequirement, Requirement

from envlock.model.component import DISTRIBUTION_PREFIX, PYTHON, InvalidSpecifier, Layer, Range
from envlock.model.decode import Table
from envlock.model.errors import RequestError
from envlock.model.knowing.knowledge import Knowledge
from envlock.model.path_parts import is_group_name
from envlock.model.project.group import AsOf, Freeze, Group, Wish
from envlock.model.project.misspelt import meant_by
from envlock.model.project.package_sources import without_credentials
from envlock.model.project.package_sources_codec import decode_direct, is_path, name_of_file, refuse_option
from envlock.model.project.policy import NO_POLICY
from envlock.model.project.policy_codec import decode_policy
from envlock.model.project.system_wishes import python_elsewhere, system_wish


def decode_groups(groups: Table, knowledge: Knowledge) -> Mapping[str, Group]:
    """Decode ``[groups]``; names of system components are those of the knowledge base.

    Raises:
        RequestError: a key, a requirement or a reference between groups is wrong.
    """
    written: dict[str, Group] = {}
    for name in groups.names():
        if not isinstance(groups.raw(name), Mapping):
            hint = f"write [groups.NAME], such as [groups.stack], on the line above {name} = ..."
            raise groups.error(f"{name!r} is not a group", key=name, hint=hint)
        _check_name(groups.table(name), name)
        written[name] = _decode_group(groups.table(name), name, knowledge)
    for name, group in written.items():
        _check_agreement(name, group.policy.prefer_same_as, written, groups.table(name))
    return {name: _merge(name, written, groups) for name in written}


def _check_name(table: Table, name: str) -> None:
    if not is_group_name(name):
        raise table.error(
            f"a group's name may not be {name!r}",
            hint="at most 100 lower-case letters, digits, - and _: it becomes part of pylock.<group>.toml",
        )


def _check_agreement(name: str, other: str, written: Mapping[str, Group], table: Table) -> None:
    if other == name:
        hint = "name another group, or leave the key out"
        raise table.error("a group cannot agree with itself", key="prefer-same-as", hint=hint)
    if other and other not in written:
        raise table.error(
            f"there is no group {other!r} to agree with",
            key="prefer-same-as",
            hint=f"groups: {', '.join(written)}",
        )


def _decode_group(table: Table, name: str, knowledge: Knowledge) -> Group:
    wishes = [_distribution_wish(table, text, name, knowledge) for text in table.texts("requires")]
    wishes += [system_wish(table, text, name, knowledge) for text in table.texts("system")]
    frozen = decode_freeze(table.table("frozen")) if table.has("frozen") else None
    _need_one_process(table)
    group = Group(
        name=name,
        python=_python_range(table, table.text("python", "")),
        wishes=tuple(wishes),
        extends=table.text("extends", ""),
        as_of=_as_of(table),
        frozen=frozen,
        layer=table.choice("layer", Layer, Layer.DISCIPLINE.value),
        policy=decode_policy(table, name, knowledge),
    )
    table.done()
    return group


def _need_one_process(table: Table) -> None:
    """Refuse a group that is not for one process, for which all is solved, judged and proved."""
    if not table.flag("one-process", default=True):
        raise table.error(
            "a group is what one process imports",
            key="one-process",
            hint="make one group for each process; prefer-same-as keeps their versions alike",
        )


def _python_range(table: Table, text: str) -> Range:
    """Read ``3.7`` as any 3.7.x and ``3`` as any 3.x; everything else is a specifier."""
    pattern = f"=={text}.*" if re.fullmatch(r"\d+(\.\d+)?", text) else text
    pattern = f"=={pattern}" if pattern[:1].isdecimal() else pattern
    try:
        return Range.versions(pattern)
    except InvalidSpecifier:
        hint = 'write python = "3.11" or python = ">=3.10,<3.13"'
        raise table.error(f"{text!r} is not a Python version", key="python", hint=hint) from None


def _as_of(table: Table) -> AsOf:
    if not table.has("as-of"):
        return "auto"
    value = table.raw("as-of")
    if value == "auto":
        return "auto"
    if value == "none":
        return "none"
    try:
        return table.date("as-of")
    except RequestError as error:
        error.hint += ', or "auto", or "none"'
        raise


def _distribution_wish(table: Table, text: str, group: str, knowledge: Knowledge) -> Wish:
    if text.startswith("-"):
        raise refuse_option(table, "requires", text)
    explicit = text.startswith(DISTRIBUTION_PREFIX) or is_path(text)
    named = f"{name_of_file(table, 'requires', text)} @ {text}" if is_path(text) else text
    try:
        requirement = Requirement(named.removeprefix(DISTRIBUTION_PREFIX))
    except InvalidRequirement as error:
        why = str(error).splitlines()[0]
        raise table.error(
            f"{text!r} is not a valid requirement: {why}",
            key="requires",
            hint=f'write requires = ["{meant_by(text, why)}"]',
        ) from None
    component = knowledge.component(requirement.name)
    if component == PYTHON and not explicit:
        raise python_elsewhere(table, "requires", requirement)
    if component in knowledge.systems and not explicit:
        raise table.error(
            f"{requirement.name!r} is a system component",
            key="requires",
            hint=f"put it into system = [...], or write {DISTRIBUTION_PREFIX}{requirement.name} "
            "for the distribution of that name",
        )
    direct = None
    if requirement.url:
        text = text.replace(requirement.url, without_credentials(requirement.url))
        direct = decode_direct(table, "requires", requirement.url, requirement.name, text=text)
        requirement.url = None
    return Wish(
        component=knowledge.distribution(requirement.name),
        range=Range.versions(str(requirement.specifier)),
        requirement=requirement,
        text=text,
        group=group,
        direct=direct,
    )


def decode_freeze(table: Table) -> Freeze:
    """Decode a promise, ``[groups.NAME.frozen]``.

    Raises:
        RequestError: its form is wrong.
    """
    freeze = Freeze(until=table.date("until"), reason=table.text("reason"), archives=_decode_archives(table))
    table.done()
    return freeze


def _decode_archives(table: Table) -> Mapping[str, str]:
    """Decode archives by target; a single path is for any target."""
    if not table.has("archive"):
        return {}
    if isinstance(table.raw("archive"), Mapping):
        return table.mapping("archive")
    return {"": table.text("archive")}


def _merge(name: str, written: Mapping[str, Group], groups: Table) -> Group:
    """Return a group with everything it extends merged in.

    Its own wishes on a component replace the inherited ones; so do its Python and cut-off where given, its
    constraints and its overrides. Inherited exclusions remain. A promise not to
    change and the layer that a group acts for are never inherited.
    """
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
                f"the group extends itself: {' -> '.join([g.name for g in chain] + [parent])}",
                key="extends",
                hint="remove extends from one of these",
            )
        chain.append(written[parent])
    wishes: dict[str, list[Wish]] = {}
    python, as_of = Range.versions(""), chain[-1].as_of
    policy = NO_POLICY
    for group in reversed(chain):
        own: dict[str, list[Wish]] = {}
        for wish in group.wishes:
            own.setdefault(wish.component, []).append(wish)
        wishes |= own
        policy = group.policy.over(policy)
        python = python if group.python.everything else group.python
        table = groups.table(group.name)
        as_of = group.as_of if table.has("as-of") else as_of
    return replace(
        chain[0],
        python=python,
        as_of=as_of,
        policy=policy,
        wishes=tuple(wish for found in wishes.values() for wish in found),
    )
