"""Names in a manifest and its locks that a shell offers while one types; none where they cannot be read."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from envlock.app.manifest_file import MANIFEST, group_names
from envlock.edges.files import read_text, read_toml
from envlock.edges.lock_files import lock_path
from envlock.model.command_line import LOCAL
from envlock.model.errors import EnvlockError

_PIN = re.compile(
    r'^\[\[(packages|tool\.envlock\.system)\]\]\n(?:name|component) = "([^"\n]+)"\nversion = "([^"\n]+)"$',
    re.MULTILINE,
)
"""A pin as locks are written: to read them whole would take longer than somebody who types waits."""


def target_names(folder: Path) -> list[str]:
    """Return the targets of the manifest in a folder, and this machine."""
    targets: object = None
    with suppress(EnvlockError, OSError):
        targets = read_toml(folder / MANIFEST).get("targets")
    return [LOCAL, *(targets if isinstance(targets, dict) else ())]


def lock_names(folder: Path) -> list[str]:
    """Return the groups, then each on each target on which it is locked (``GROUP@TARGET``)."""
    groups, targets = group_names(folder), target_names(folder)
    locked = [
        f"{group}@{target}"
        for group in groups
        for target in targets
        if lock_path(folder, target, group).is_file()
    ]
    return [*groups, *locked]


def locked_names(folder: Path, target: str) -> list[str]:
    """Return what the locks of a target have: distributions and system components."""
    return sorted({name for _, name, _ in _pins(folder, target)})


def locked_systems(folder: Path, target: str) -> list[str]:
    """Return the pins of system components in the locks of a target (``NAME==VERSION``)."""
    return sorted(
        {f"{name}=={version}" for kind, name, version in _pins(folder, target) if kind != "packages"}
    )


def _pins(folder: Path, target: str) -> Iterator[tuple[str, str, str]]:
    for group in group_names(folder):
        with suppress(EnvlockError, OSError):
            yield from _PIN.findall(read_text(lock_path(folder, target, group)))
