"""Cut one group out of a manifest, so that it stands by itself in an archive."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import tomlkit
from tomlkit.exceptions import TOMLKitError

from envlock.edges.files import parse_toml, read_bytes, read_text
from envlock.model.errors import RequestError
from envlock.model.project.group import Freeze

_KEPT = frozenset({"groups", "targets", "waivers"})


def parts_of_a_site(path: Path) -> tuple[str, ...]:
    """Return the tables of a manifest that no excerpt has, such as ``site``, which names a store.

    Raises:
        RequestError: the manifest is missing, or no TOML.
    """
    return tuple(name for name in parse_toml(read_bytes(path), path) if name not in _KEPT)


def excerpt(path: Path, group: str, target: str, frozen: Freeze) -> str:
    """Return the manifest's text with nothing but a group, what it extends, its target and the waivers.

    The site's part is left out because it names places of that site; so are other groups' wishes. The freeze
    is the one given, without the place of an archive.

    Raises:
        RequestError: the manifest is missing, or its layout does not allow a cut.
    """
    text = read_text(path)
    try:
        document = tomlkit.parse(text)
        groups: Any = document["groups"]
        chain = [group]
        while parent := groups[chain[-1]].get("extends", ""):
            chain.append(parent)
        for name in [name for name in groups if name not in chain]:
            del groups[name]
        targets: Any = document.get("targets", {})
        for name in [name for name in targets if name != target]:
            del targets[name]
        for name in [name for name in document if name not in _KEPT]:
            del document[name]
        for name in chain:
            if "frozen" in groups[name]:
                del groups[name]["frozen"]
        groups[group]["frozen"] = {"until": frozen.until, "reason": frozen.reason}
        return tomlkit.dumps(document).strip() + "\n"
    except (TOMLKitError, KeyError, AttributeError, TypeError) as error:
        raise RequestError(
            "manifest-layout",
            "one group cannot be cut out of the manifest as it is laid out",
            where=str(path),
            why=f"{type(error).__name__}: {error}",
            hint=f"write the group as a table of its own: [groups.{group}]",
        ) from error
