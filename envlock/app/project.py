"""A project as every command sees it: manifest, knowledge base and target, each read once."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from envlock.app.machine import detect_machine
from envlock.app.manifest_file import MANIFEST, with_overlays
from envlock.app.nodes import need_node, why_no_node
from envlock.app.target_names import need_known_names
from envlock.edges.cache import Cache, default_root
from envlock.edges.clock import today
from envlock.edges.decoded_knowledge import load_decoded
from envlock.edges.files import read_toml, straight
from envlock.edges.lock_files import lock_path
from envlock.edges.stated_folders import stated_folder
from envlock.edges.store.projects import project_name
from envlock.edges.store.protection import share_with_group
from envlock.edges.store.store import Store
from envlock.lifecycle.freeze import refuse_if_frozen
from envlock.model.command_line import LOCAL, as_word, on_target
from envlock.model.errors import RequestError, SurroundingsError
from envlock.model.frozen import dataclass
from envlock.model.knowing.knowledge import Knowledge
from envlock.model.path_parts import is_target_name
from envlock.model.project.launch import LaunchSettings
from envlock.model.project.manifest import Manifest, decode_manifest
from envlock.model.project.target import Target, decode_target
from envlock.model.project.toolchains import with_toolchains


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """What all commands take.

    Attributes:
        project: the project's folder.
        target: the target's name; ``local`` is this machine.
        overlays: folders that add to the knowledge base, after those that the manifest names.
        offline: whether only caches may be asked.
    """

    project: Path
    target: str = LOCAL
    overlays: Sequence[Path] = ()
    offline: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Project:
    """An open project.

    Attributes:
        folder: where its manifest lies.
        manifest: the manifest.
        knowledge: the knowledge base with its overlays.
        options: what the command was given, with all folders that add to the knowledge base.
    """

    folder: Path
    manifest: Manifest
    knowledge: Knowledge
    options: Options

    @property
    def store(self) -> Store:
        """Where environments live: the site's store, or the project's own.

        A store elsewhere may serve several projects, which it tells apart by their folders.
        """
        root = _store_folder(self.folder, self.manifest)
        whole = self.folder.resolve()
        if root.resolve().is_relative_to(whole):
            return Store(root)
        return Store(root, project_name(whole), whole / MANIFEST)

    def lock_path(self, group: str) -> Path:
        """Return where the lock of a group on the chosen target lies.

        Raises:
            RequestError: ``unknown-target``, where the name would lead elsewhere (``locks/../x``).
        """
        if not is_target_name(self.options.target):
            self.need_known_target()
        return lock_path(self.folder, self.options.target, group)

    def need_lock(self, group: str, *, whole: bool = False) -> Path:
        """Return the path of the lock of a group on the chosen target, which must exist.

        Args:
            group: the group.
            whole: whether its environment is needed as well, so that a hint says how to make both.

        Raises:
            RequestError: ``unknown-group``, ``unknown-target`` or ``not-locked``.
            RefusedError: ``frozen-unlocked``: a solve would not make it.
        """
        known, path = self.manifest.group(group), self.lock_path(group)
        if path.is_file():
            return path
        self.need_known_target()
        refuse_if_frozen(known, today(), lost=str(path))
        raise RequestError(
            "not-locked",
            f"the group {group!r} has no lock on the target {self.options.target!r}",
            where=str(path),
            hint=f"envlock solve {self.named(group)}{'' if whole else ' --lock-only'}",
        )

    def named(self, group: str) -> str:
        """Return a group as a command line names it on the chosen target."""
        return on_target(group, self.options.target)

    def on(self, target: str) -> Project:
        """Return the same project with another target chosen."""
        return replace(self, options=replace(self.options, target=target))

    def target(self, look: Callable[[], Target] | None = None) -> Target:
        """Return the chosen target: detected, or decoded from the manifest.

        Args:
            look: looks at this machine; for callers that ask for several targets and look only once.

        Raises:
            RequestError: the manifest has no such target or a malformed one, or it is this machine, no node.
        """
        name, look = self.options.target, look or self.machine
        written = self.manifest.targets
        if name in written:
            at_hand = () if written[name].has("interpreter") else look().interpreters
            target = decode_target(written[name], name, at_hand)
            target = with_toolchains(target, self.knowledge.detection.toolchains)
            need_known_names(target, self.knowledge, self.manifest.file)
            return target
        self.need_known_target()
        need_node(f"the target {LOCAL!r}, which is this machine", written)
        return look()

    def need_known_target(self, hint: str = "") -> None:
        """Refuse a name that no target has.

        Args:
            hint: what else to try.

        Raises:
            RequestError: ``unknown-target``.
        """
        name, known = self.options.target, [LOCAL, *self.manifest.targets]
        if name not in known:
            raise RequestError(
                "unknown-target",
                f"there is no target {name!r}",
                where=self.manifest.file,
                hint=f"targets: {', '.join(known)}{hint}",
            )

    def machine(self) -> Target:
        """Return this machine as a target; what its tools said before still counts."""
        return detect_machine(self.knowledge, cache=Cache(default_root()))

    def node(self) -> Target | None:
        """Return the chosen target; ``None`` where that is this machine and it is no node.

        Raises:
            RequestError: as ``target``.
        """
        at_hand = self.options.target == LOCAL and LOCAL not in self.manifest.targets
        return None if at_hand and why_no_node() else self.target()

    def launch(self) -> LaunchSettings:
        """Return how to start ranks on the chosen target: its settings over the site's; nothing is detected.

        Raises:
            RequestError: the target is malformed.
        """
        written = self.manifest.targets.get(self.options.target)
        if written is None:
            return self.manifest.launch
        target = decode_target(written, self.options.target, ())
        word = next((offer.version for offer in target.offered("launcher")), "")
        return target.launch.over(LaunchSettings(launcher=word)).over(self.manifest.launch)


def open_project(options: Options) -> Project:
    """Open the project in a folder.

    Raises:
        RequestError: there is no manifest, it or the knowledge base is invalid, or its store is a file.
    """
    path = options.project / MANIFEST
    if not path.is_file():
        hint = "begin one with envlock init, or name the project's folder with --project"
        if options.project.name == MANIFEST:
            hint = f"--project {as_word(options.project.parent)}"
        raise RequestError(
            "no-manifest",
            f"there is no {MANIFEST} here",
            where=str(options.project),
            why="that is a file, not a folder" if options.project.is_file() else "",
            hint=hint,
        )
    document = read_toml(path)
    options = replace(options, overlays=with_overlays(document, path, options.overlays))
    knowledge = load_decoded(Cache(default_root()), options.overlays)
    manifest = decode_manifest(document, str(path), knowledge)
    _check_store(options.project, manifest)
    share_with_group(_store_folder(options.project, manifest).absolute())
    return Project(folder=options.project, manifest=manifest, knowledge=knowledge, options=options)


def need_open_store(project: Project) -> None:
    """Refuse, before anything is begun, to write to a store that this user may not write to.

    Raises:
        SurroundingsError: ``store-closed``.
    """
    closed = project.store.closed
    if closed is not None:
        raise SurroundingsError(
            "store-closed",
            f"nothing can be made or changed in {project.store.root.absolute()}",
            where=_naming_store(project.manifest),
            why=f"you may not write to {closed}",
            hint="name another folder as [site] store, or ask its owner; solve --lock-only needs none",
        )


def need_place_on_path(project: Project) -> None:
    """Refuse a store whose environments a ``PATH`` could not name: other programs would run instead.

    Raises:
        RequestError: ``store-off-path``.
    """
    hint = "name another folder as [site] store, or rename this one; solve --lock-only needs none"
    refuse_off_path(project.store.root.absolute(), hint)


def refuse_off_path(folder: Path, hint: str) -> None:
    """Refuse environments in a folder that a ``PATH`` cannot name; also checks the folder of a new project.

    Raises:
        RequestError: ``store-off-path``.
    """
    if os.pathsep in str(folder):
        why = f"{os.pathsep!r} separates folders in PATH"
        message = "environments cannot live in a folder with this name"
        raise RequestError("store-off-path", message, where=str(folder), why=why, hint=hint)


def _naming_store(manifest: Manifest) -> str:
    return f"{manifest.file}, site.store" if manifest.store else manifest.file


def _store_folder(folder: Path, manifest: Manifest) -> Path:
    stated = stated_folder(manifest.store, _naming_store(manifest)) if manifest.store else Path(".envlock")
    return straight(folder / stated)


def _check_store(folder: Path, manifest: Manifest) -> None:
    """Refuse a store where there is a file: neither permissions nor space would help.

    Raises:
        RequestError: ``store-no-folder``.
    """
    store = _store_folder(folder, manifest).absolute()
    there = next(place for place in (store, *store.parents) if os.path.lexists(place))
    if there.is_dir():
        return
    raise RequestError(
        "store-no-folder",
        f"environments cannot live in {store}",
        where=_naming_store(manifest),
        why=f"{there} is not a folder",
        hint="name another folder as [site] store, or move the file away",
    )
