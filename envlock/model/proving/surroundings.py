"""What a verification rested on besides the lock: the node, its driver, kernel and MPI; and its codec."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field

from envlock.model.decode import Table
from envlock.model.frozen import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Surroundings:
    """What evidence holds for, as one host saw it.

    Attributes:
        host: the host's name.
        kernel: its kernel's release.
        systems: system component -> its version, and for one of the site's modules where it is.
        libraries: path of an MPI library outside of the environment -> sha256 of its file; empty for a file
            that is not there.
    """

    host: str = ""
    kernel: str = ""
    systems: Mapping[str, str] = field(default_factory=dict)
    libraries: Mapping[str, str] = field(default_factory=dict)


def encode_surroundings(surroundings: Surroundings) -> dict[str, object]:
    """Surroundings as the report shows them; ``decode_surroundings`` reads them back."""
    return {
        "host": surroundings.host,
        "kernel": surroundings.kernel,
        "systems": dict(surroundings.systems),
        "libraries": dict(surroundings.libraries),
    }


def decode_surroundings(table: Table) -> Surroundings:
    """Read surroundings.

    Raises:
        RequestError: a part is missing, unknown or has another shape.
    """
    surroundings = Surroundings(
        host=table.text("host"),
        kernel=table.text("kernel"),
        systems=table.mapping("systems"),
        libraries=table.mapping("libraries"),
    )
    table.done()
    return surroundings
