"""Where a check finds versions besides its arguments: in locks, lists and environments, or on the node."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from envlock.app.machine import detect_machine
from envlock.app.manifest_file import MANIFEST
from envlock.app.nodes import need_node
from envlock.app.project import Options, open_project
from envlock.edges.cache import Cache, default_root
from envlock.edges.decoded_knowledge import load_decoded
from envlock.edges.files import STANDARD_INPUT, read_standard_input
from envlock.edges.listings.conda_files import is_conda_file, read_conda_file
from envlock.edges.listings.conda_packages import CondaPackages
from envlock.edges.listings.marker_environments import Reader
from envlock.edges.listings.reading import read_listing
from envlock.edges.listings.requirement_files import listed_among, with_constraints
from envlock.lifecycle.conda_pins import conda_listing
from envlock.lifecycle.from_conda import translate
from envlock.model.command_line import LOCAL
from envlock.model.knowing.knowledge import Knowledge
from envlock.model.project.target import Target
from envlock.model.published.listing import Listing

_STANDARD_INPUT = Path("-")


def installed_together(
    source: Path, target: Target | None = None, pins: Sequence[str] = (), overlays: Sequence[Path] = ()
) -> Listing:
    """Return what a lock, a list of requirements or the prefix of an environment lists for a target.

    Args:
        source: the file or the prefix; ``-`` for standard input.
        target: the target for whose interpreters and platform markers are read.
        pins: what is named beside it; a ``python==3.8`` among them decides how markers are read.
        overlays: folders that add to the knowledge base, by which conda's names are read.

    Raises:
        RequestError: it is none of these, or is malformed.
    """
    named = [pin.partition("==")[2].strip() for pin in pins if pin.partition("==")[0].strip() == "python"]
    reader = Reader(python=named[0] if named else "", interpreters=target.interpreters if target else ())
    text = read_standard_input() if source == _STANDARD_INPUT else None
    path = source if text is None else STANDARD_INPUT
    if is_conda_file(path, text):
        machine = reader.platform().markers["platform_machine"]
        packages = read_conda_file(path, text, machine=machine)
        return _conda_listing(packages, reader, load_decoded(Cache(default_root()), overlays))
    return read_listing(path, reader, text)


def _conda_listing(file: CondaPackages, reader: Reader, knowledge: Knowledge) -> Listing:
    python = translate(file.specs, knowledge).python
    declared = f"=={python}.*" if python[:1].isdecimal() else python
    lines = with_constraints(file.pip)
    return conda_listing(file.kind, file.specs, listed_among(lines, reader.platform(declared)), knowledge)


def node_of(project: Path, target: str, overlays: tuple[Path, ...], *, offline: bool) -> Target:
    """Return a target by its name; ``local``, this machine, needs no project.

    Raises:
        RequestError: the target is another one and no project has it, or this machine is no node.
    """
    if target == LOCAL and not (project / MANIFEST).is_file():
        need_node(f"--target {LOCAL}")
        cache = Cache(default_root())
        return detect_machine(load_decoded(cache, overlays), cache=cache)
    return open_project(Options(project=project, target=target, overlays=overlays, offline=offline)).target()
