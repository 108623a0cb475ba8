"""Addresses in metadata (``beta @ https://...``): only a manifest may name places that files come from."""

from __future__ import annotations

from envlock.model.published.metadata import Dependency


def unnamed_place(candidate: str, dependency: Dependency) -> str:
    """Return the error of a candidate whose metadata names an address that the manifest does not."""
    scheme, _, rest = dependency.url.partition("#")[0].partition("//")
    host, slash, path = rest.partition("/")
    place = f"{scheme}//{host.rpartition('@')[2]}{slash}{path}"
    return (
        f"{candidate} cannot be taken: it takes {dependency.name} from {place}, and only the manifest may "
        f"name such a place (write it into requires or [sources])"
    )
