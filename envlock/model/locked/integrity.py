"""What an environment's files should be, and how those on disk differ."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum

from envlock.model.decode import Table
from envlock.model.frozen import dataclass


class Damage(StrEnum):
    """A way in which a file or a distribution differs from what was installed."""

    CHANGED = "changed"
    MISSING = "missing"
    FOREIGN = "foreign"


@dataclass(frozen=True, slots=True, kw_only=True)
class Flaw:
    """One difference.

    Attributes:
        distribution: the canonical name of the distribution; empty for a file that belongs to none.
        path: the file, relative to the environment's prefix; empty if it is the whole distribution.
        damage: how it differs.
    """

    distribution: str
    path: str
    damage: Damage


@dataclass(frozen=True, slots=True, kw_only=True)
class Inventory:
    """What was there when an environment was completed, kept in its marker.

    Attributes:
        records: canonical name of a distribution -> sha256 of its RECORD, which holds its files' hashes.
        unowned: files in site-packages that belong to no distribution, relative to the prefix.
        misrecorded: files that were published with a RECORD that says otherwise, relative to the prefix ->
            their sha256, as a RECORD would have it; empty for what is not there at all. PyTorch 1.8.1's
            METADATA is one, in which the version was changed after the wheel had been made; 1.9.1's largest
            library is another, which was made smaller.
    """

    records: Mapping[str, str]
    unowned: frozenset[str]
    misrecorded: Mapping[str, str]


def encode_inventory(inventory: Inventory) -> dict[str, object]:
    """Encode the inventory as the marker holds it."""
    return {
        "records": dict(sorted(inventory.records.items())),
        "unowned": sorted(inventory.unowned),
        "misrecorded": dict(sorted(inventory.misrecorded.items())),
    }


def decode_inventory(table: Table) -> Inventory:
    """Decode a marker's inventory.

    Raises:
        RequestError: the marker is malformed.
    """
    records, misrecorded = table.table("records"), table.table("misrecorded")
    return Inventory(
        records={name: records.text(name) for name in records.names()},
        unowned=frozenset(table.texts("unowned")),
        misrecorded={path: misrecorded.text(path) for path in misrecorded.names()},
    )
