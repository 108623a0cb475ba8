"""A project as every command sees it: manifest, knowledge base and target, each read once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path

from envlock.edges.files import read_toml
from envlock.edges.host.detect import detect_target
from envlock.edges.knowledge_files import load_knowledge
from envlock.edges.lock_files import lock_path
from envlock.edges.store import Store
from envlock.model.errors import RequestError
from envlock.model.knowledge import Knowledge
from envlock.model.manifest import Manifest, decode_manifest
from envlock.model.target import Target, decode_target

MANIFEST = "envlock.toml"
LOCAL = "local"


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """What all commands take.

    Attributes:
        project: the project's folder.
        target: the target's name; ``local`` is the machine at hand.
        overlays: folders that add to the knowledge base.
        offline: whether only caches may be asked.
    """

    project: Path
    target: str = LOCAL
    overlays: Sequence[Path] = ()
    offline: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Project:
    """A project, opened.

    Attributes:
        folder: where its manifest lies.
        manifest: the manifest.
        knowledge: the knowledge base with its overlays.
        options: what the command was given.
    """

    folder: Path
    manifest: Manifest
    knowledge: Knowledge
    options: Options

    @property
    def store(self) -> Store:
        """Where environments live: the site's store, or the project's own."""
        return Store(self.folder / (self.manifest.store or ".envlock"))

    def lock_path(self, group: str) -> Path:
        """Where the lock of a group on the chosen target lies."""
        return lock_path(self.folder, self.options.target, group)

    def target(self) -> Target:
        """The chosen target: detected, or decoded from the manifest.

        Raises:
            RequestError: the manifest has no such target, or it is written wrongly.
        """
        name = self.options.target
        written = self.manifest.targets
        if name in written:
            at_hand = () if written[name].has("interpreter") else detect_target().interpreters
            target = decode_target(written[name], name, at_hand)
            self._check_names(target)
            return target
        if name == LOCAL:
            return detect_target()
        raise RequestError(
            "unknown-target",
            f"there is no target {name!r}",
            where=self.manifest.file,
            hint=f"targets: {', '.join([LOCAL, *written])}",
        )

    def _check_names(self, target: Target) -> None:
        for offer in target.offers:
            if offer.component not in self.knowledge.systems:
                near = get_close_matches(offer.component, self.knowledge.systems, n=1)
                raise RequestError(
                    "unknown-component",
                    f"{offer.component!r} is no system component",
                    where=f"{self.manifest.file}, targets.{target.name}",
                    hint=f"did you mean {near[0]!r}?" if near else "envlock kb show names what there is",
                )


def open_project(options: Options) -> Project:
    """Open the project in a folder.

    Raises:
        RequestError: there is no manifest, or it or the knowledge base is wrong.
    """
    path = options.project / MANIFEST
    if not path.is_file():
        raise RequestError(
            "no-manifest",
            f"there is no {MANIFEST} here",
            where=str(options.project),
            hint="begin one with envlock init, or name the project's folder with --project",
        )
    knowledge = load_knowledge(overlays=options.overlays)
    manifest = decode_manifest(read_toml(path), str(path), knowledge)
    return Project(folder=options.project, manifest=manifest, knowledge=knowledge, options=options)
