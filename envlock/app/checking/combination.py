"""What a combination consists of besides what a person names: what is installed together, and the node."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from envlock.app.machine import look_at_machine
from envlock.app.manifest_file import MANIFEST
from envlock.app.nodes import need_node
from envlock.app.project import Options, open_project
from envlock.edges.cache import Cache, default_root
from envlock.edges.decoded_knowledge import load_decoded
from envlock.edges.listings.marker_environments import Reader
from envlock.edges.listings.reading import read_listing
from envlock.model.command_line import LOCAL
from envlock.model.project.target import Target
from envlock.model.published.listing import Listing


def installed_together(source: Path, target: Target | None = None, pins: Sequence[str] = ()) -> Listing:
    """What a lock, a requirements file or the prefix of an environment lists for a target.

    Args:
        source: the file or the prefix.
        target: whose interpreters and platform its markers are read for.
        pins: what is named beside it; a ``python==3.8`` among them is who reads.

    Raises:
        RequestError: it is none of these, or is written wrongly.
    """
    named = [pin.partition("==")[2].strip() for pin in pins if pin.partition("==")[0].strip() == "python"]
    reader = Reader(python=named[0] if named else "", interpreters=target.interpreters if target else ())
    return read_listing(source, reader)


def node_of(project: Path, target: str, overlays: tuple[Path, ...], *, offline: bool) -> Target:
    """A target by its name; the machine at hand needs no project.

    Raises:
        RequestError: the target is another one, and there is no project with it; or this machine is no node.
    """
    if target == LOCAL and not (project / MANIFEST).is_file():
        need_node(f"--target {LOCAL}")
        cache = Cache(default_root())
        return look_at_machine(load_decoded(cache, overlays), cache=cache)
    return open_project(Options(project=project, target=target, overlays=overlays, offline=offline)).target()
