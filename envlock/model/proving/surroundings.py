"""What a verification depends on besides the lock: the node, its driver, kernel and MPI; and its codec."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field

from envlock.model.decode import Table
from envlock.model.frozen import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Surroundings:
    """The surroundings for which evidence holds, as one host saw them.

    Attributes:
        host: the host's name.
        kernel: its kernel's release.
        systems: system component -> its version and, if it comes from one of the site's modules, its path.
        libraries: path of an MPI library outside the environment -> sha256 of its file; empty for a missing
            file.
    """

    host: str = ""
    kernel: str = ""
    systems: Mapping[str, str] = field(default_factory=dict)
    libraries: Mapping[str, str] = field(default_factory=dict)


def encode_surroundings(surroundings: Surroundings) -> dict[str, object]:
    """Encode surroundings as the report shows them."""
    return {
        "host": surroundings.host,
        "kernel": surroundings.kernel,
        "systems": dict(surroundings.systems),
        "libraries": dict(surroundings.libraries),
    }


def decode_surroundings(table: Table) -> Surroundings:
    """Decode surroundings.

    Raises:
        RequestError: a part is missing, unknown or malformed.
    """
    surroundings = Surroundings(
        host=table.text("host"),
        kernel=table.text("kernel"),
        systems=table.mapping("systems"),
        libraries=table.mapping("libraries"),
    )
    table.done()
    return surroundings
