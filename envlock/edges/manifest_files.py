"""Edit the manifest, which people wrote: one part changes, while comments and layout stay."""

from __future__ import annotations

import copy
import tomllib
from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import tomlkit
from tomlkit.exceptions import TOMLKitError
from tomlkit.items import Comment, InlineTable, Item, Key, Null, Whitespace
from tomlkit.items import Table as EditedTable

from envlock.edges.files import changed_alone, parse_toml, read_text, write_named
from envlock.edges.target_toml import inline_table, target_section
from envlock.model.decode import Table
from envlock.model.errors import RequestError
from envlock.model.project.group import Freeze
from envlock.model.project.group_codec import decode_freeze
from envlock.model.project.target import Target

_Body = list[tuple[Key | None, Item]]


def set_frozen(path: Path, group: str, freeze: Freeze, before: Freeze | None = None) -> None:
    """Write ``[groups.GROUP.frozen]`` beneath the group, or change the one that is there.

    Args:
        path: the manifest.
        group: the group.
        freeze: the new freeze.
        before: the one that was there when the change was decided.

    Raises:
        RequestError: the file is missing, has a layout that only a person can edit, or has another freeze by
            now (``manifest-changed``).
        SurroundingsError: the file could not be written; it is unchanged.
    """
    values: dict[str, object] = {"until": freeze.until, "reason": freeze.reason}
    if freeze.archives:
        values["archive"] = freeze.archives.get("") or inline_table(freeze.archives)
    frozen = inline_table(values)
    by_hand = f"in the group {group!r}: frozen = {frozen.as_string()}"
    edits = (_put_section(group, values), _put_inline(group, frozen))
    with changed_alone(path):
        text = _text(path)
        expected = tomllib.loads(text)
        _need_as_before(expected, group, before, path)
        expected["groups"][group]["frozen"] = values
        _write(path, _edited(text, expected, edits, path, by_hand))


def remove_frozen(path: Path, group: str, before: Freeze, note: str = "") -> None:
    """Remove a freeze from the manifest, leaving a note in its place as a comment, if one fits there.

    Args:
        path: the manifest.
        group: the group.
        before: the freeze that was there when the change was decided.
        note: the reason.

    Raises:
        RequestError: as ``set_frozen``.
        SurroundingsError: the file could not be written; it is unchanged.
    """
    by_hand = f"take [groups.{group}.frozen] out"
    with changed_alone(path):
        text = _text(path)
        expected = tomllib.loads(text)
        _need_as_before(expected, group, before, path)
        del expected["groups"][group]["frozen"]
        _write(path, _edited(text, expected, (_take_out(group, note),), path, by_hand))


def add_target(path: Path, target: Target) -> None:
    """Write ``[targets.NAME]`` at the end, as a person would; notes become comments.

    Raises:
        RequestError: the file is missing, or its targets have a layout after which no table can follow.
        SurroundingsError: the file could not be written; it is unchanged.
    """
    section = target_section(target)
    added = tomllib.loads(section)["targets"][target.name]
    edits = (lambda whole: f"{whole.rstrip()}\n\n{section}",)
    by_hand = f"in the table [targets]: {target.name} = {{ ... }}"
    with changed_alone(path):
        text = _text(path)
        expected = tomllib.loads(text)
        expected.setdefault("targets", {})[target.name] = added
        _write(path, _edited(text, expected, edits, path, by_hand))


def _need_as_before(document: Mapping[str, Any], group: str, before: Freeze | None, path: Path) -> None:
    """Refuse to write a change that was decided on a manifest that somebody else has changed since."""
    written = document.get("groups", {}).get(group)
    frozen = written.get("frozen") if isinstance(written, dict) else None
    now = (
        None
        if frozen is None
        else decode_freeze(Table(frozen, file=str(path), path=f"groups.{group}.frozen"))
    )
    if written is None or now != before:
        raise RequestError(
            "manifest-changed",
            f"the promise of {group!r} was changed while this command ran",
            where=str(path),
            why=f"it is frozen until {now.until} now: {now.reason}" if now else "it is no longer frozen",
            hint="see what somebody else did, and run the command again if it is still wanted",
        )


def _text(path: Path) -> str:
    """Return the manifest's text with the line endings that the edits use."""
    text = read_text(path)
    parse_toml(text.encode(), path)
    text = text.replace("\r\n", "\n") if _is_of_windows(text) else text
    return text if text.endswith("\n") else text + "\n"


def _write(path: Path, text: str) -> None:
    """Write the manifest with the line endings that it had."""
    write_named(path, text.replace("\n", "\r\n") if _is_of_windows(read_text(path)) else text)


def _is_of_windows(text: str) -> bool:
    """Whether all lines have Windows line endings."""
    return 0 < text.count("\n") == text.count("\r\n")


def _edited(
    text: str,
    expected: Mapping[str, object],
    edits: tuple[Callable[[str], str], ...],
    path: Path,
    by_hand: str,
) -> str:
    """Return the result of the first edit that changes exactly what was meant, whatever the file's layout."""
    for edit in edits:
        try:
            result = edit(text)
            if tomllib.loads(result) == expected and not _comments(text) - _comments(result):
                return result
        except (TOMLKitError, ValueError, AttributeError, TypeError):
            continue  # this edit cannot work on this layout
    raise RequestError(
        "manifest-layout",
        "the manifest is laid out in a way that only a person can edit",
        where=str(path),
        hint=f"write it yourself, {by_hand}",
    )


def _comments(text: str) -> Counter[str]:
    return Counter(line.strip() for line in text.splitlines() if line.lstrip().startswith("#"))


def _put_section(group: str, values: Mapping[str, object]) -> Callable[[str], str]:
    def edit(text: str) -> str:
        document = tomlkit.parse(text)
        table = _group(document, group)
        if "frozen" in table:
            frozen = table["frozen"]
            for key in [key for key in frozen if key not in values]:
                del frozen[key]  # an archive of a promise that is over
            frozen.update(values)
            return tomlkit.dumps(document)
        tail = _cut_tail(table.value.body)
        section = tomlkit.table()
        section.update(values)
        table.add(tomlkit.nl())
        table.add("frozen", section)
        section.value.body.extend(tail)
        return tomlkit.dumps(document)

    return edit


def _put_inline(group: str, frozen: InlineTable) -> Callable[[str], str]:
    def edit(text: str) -> str:
        document = tomlkit.parse(text)
        _group(document, group)["frozen"] = copy.copy(frozen)
        return tomlkit.dumps(document)

    return edit


def _take_out(group: str, note: str) -> Callable[[str], str]:
    def edit(text: str) -> str:
        document = tomlkit.parse(text)
        table = _group(document, group)
        frozen = table["frozen"]
        after = _cut_tail(frozen.value.body) if isinstance(frozen, EditedTable) else []
        left = _only_comments(frozen.value.body) if isinstance(frozen, EditedTable) else []
        del table["frozen"]
        if isinstance(table, EditedTable):
            body = table.value.body
            before = _cut_tail(body)
            if note:
                body.append((None, tomlkit.comment(" ".join(note.split()))))
            body.extend([*left, *(_only_comments(before) if after else before), *after])
        return tomlkit.dumps(document)

    return edit


def _only_comments(body: _Body) -> _Body:
    return [entry for entry in body if isinstance(entry[1], Comment)]


def _group(document: tomlkit.TOMLDocument, group: str) -> Any:
    """Return the group's table, in whichever of tomlkit's types its layout makes it."""
    groups: Any = document["groups"]
    return groups[group]


def _cut_tail(body: _Body) -> _Body:
    """Cut off what comes after the last value, from the first blank line on: it belongs to what follows."""
    end = len(body)
    while end and body[end - 1][0] is None and isinstance(body[end - 1][1], Comment | Whitespace | Null):
        end -= 1
    while end < len(body) and isinstance(body[end][1], Comment):
        end += 1
    tail = [entry for entry in body[end:] if not isinstance(entry[1], Null)]
    del body[end:]
    return tail
