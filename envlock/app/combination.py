"""What a combination consists of besides what a person names: what is installed together, and the node."""

from __future__ import annotations

from pathlib import Path

from envlock.app.project import MANIFEST, Options, open_project
from envlock.edges.host.detect import detect_target
from envlock.edges.listings import read_listing
from envlock.model.listing import Listing
from envlock.model.target import Target

_LOCAL = "local"


def installed_together(source: Path) -> Listing:
    """What a lock, a requirements file or the prefix of an environment lists.

    Raises:
        RequestError: it is none of these, or is written wrongly.
    """
    return read_listing(source)


def node_of(project: Path, target: str, overlays: tuple[Path, ...], *, offline: bool) -> Target:
    """A target by its name; the machine at hand needs no project.

    Raises:
        RequestError: the target is another one, and there is no project with it.
    """
    if target == _LOCAL and not (project / MANIFEST).is_file():
        return detect_target()
    return open_project(Options(project=project, target=target, overlays=overlays, offline=offline)).target()
