"""The store of environments and built wheels on disk: complete, made once, and never changed.

``environments/KEY`` holds an environment, complete once it has its marker; ``current/TARGET/GROUP`` points to
one and ``previous/TARGET/GROUP`` to the one before; ``wheels/KEY`` holds a wheel built here; ``locks`` lets
only one process at a time make, switch to or remove a thing. If projects share a store, each has its own
folder of links (``current/PROJECT/TARGET/GROUP``), because their groups may have the same name.
"""

from __future__ import annotations

import contextlib
import datetime as dt
import itertools
import json
import shutil
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

from envlock import __version__
from envlock.edges.files import read_bytes, write_error, write_text
from envlock.edges.store.completeness import MARKER, is_complete, is_usable
from envlock.edges.store.holders import forget_promise, held, note_holder, note_promise
from envlock.edges.store.places import (
    alone,
    closed_place,
    discard_folder,
    ignore_wait,
    place_of,
    point,
    pointed,
    unless_busy,
)
from envlock.edges.store.projects import note_project
from envlock.edges.store.protection import protect, unprotect, who_alone_may_remove
from envlock.edges.store.wheels import WheelStore
from envlock.model.errors import RequestError, SurroundingsError
from envlock.model.frozen import dataclass
from envlock.model.published.holding import Holding

_REMOVED = "the environment is no longer in the store, because another envlock has just removed it"


@dataclass(frozen=True, slots=True)
class Store:
    """A store in a folder, which need not exist yet.

    Attributes:
        root: the folder.
        project: the project's name among those that share the store; empty for a project's own store.
        manifest: the manifest of a project that shares the store.
    """

    root: Path
    project: str = ""
    manifest: Path | None = None

    @property
    def closed(self) -> Path | None:
        """A folder of the store that is not writable for this user, if there is one."""
        return closed_place(self.root)

    def environment(self, key: str) -> Path | None:
        """Return the prefix of a complete environment; ``None`` if it is missing, unfinished or was moved."""
        prefix = self._place("environments", key)
        return prefix if is_complete(prefix) else None

    def has_usable(self, key: str) -> bool:
        """Whether an environment need not be made: it is complete, and its interpreter is still there.

        Without it an environment runs nowhere, whoever's current one it is: whoever makes it anew by the same
        key gives all of them the same content, with an interpreter that is there.
        """
        return is_usable(self._place("environments", key))

    def create(
        self,
        key: str,
        fill: Callable[[Path], Mapping[str, object] | None],
        *,
        on_wait: Callable[[], None] = ignore_wait,
    ) -> Path:
        """Return an environment, made by ``fill`` at its final place unless it is there and usable.

        A virtual environment cannot be moved, so it is made in place, and an unfinished one, or one that lost
        its interpreter, is removed first.

        Args:
            key: its name; the same key means the same content.
            fill: makes it; the folder does not exist yet. What it returns (the lock's hash ...) is written to
                the marker, besides the time and envlock's version.
            on_wait: called once if another process makes it, which is then waited for.

        Raises:
            SurroundingsError: what ``fill`` raised, ``disk-full``, ``not-writable`` or ``store-busy``.
        """
        prefix = self._place("environments", key)
        with alone(self.root, prefix, on_wait=on_wait):
            if self.has_usable(key):
                return prefix
            discard_folder(prefix)
            self._hide()
            try:
                prefix.parent.mkdir(parents=True, exist_ok=True)
                record = fill(prefix)
            except OSError as error:
                discard_folder(prefix)
                raise write_error(prefix, error) from error
            except BaseException:
                discard_folder(prefix)
                raise
            now = dt.datetime.now(dt.UTC).isoformat(timespec="seconds")
            document = {**(record or {}), "created": now, "envlock": __version__, "prefix": str(prefix)}
            write_text(prefix / MARKER, json.dumps(document, indent=2, sort_keys=True) + "\n")
            self._protect(prefix)
        return prefix

    def marker(self, key: str) -> dict[str, object]:
        """Read the marker of a complete environment.

        Raises:
            RequestError: ``file-missing`` or ``marker-damaged``.
        """
        path = self._place("environments", key) / MARKER
        try:
            document = json.loads(read_bytes(path))
        except ValueError:
            document = None
        if not isinstance(document, dict):
            raise RequestError(
                "marker-damaged",
                "the environment's marker is not a JSON document",
                where=str(path),
                hint="remove the environment's folder, then solve its group again",
            )
        return document

    def mend(self, key: str, work: Callable[[Path], None]) -> None:
        """Let ``work`` restore a complete environment to what it was, while nobody else works on it.

        Raises:
            SurroundingsError: what ``work`` raised, ``environment-missing``, ``disk-full``,
                ``not-writable`` or ``store-busy``.
        """
        place = self._place("environments", key)
        with alone(self.root, place):
            prefix = self._complete(key)
            unprotect(prefix, files_too=True)
            try:
                work(prefix)
            except OSError as error:
                raise write_error(prefix, error) from error
            finally:
                self._protect(prefix)

    def switch(self, target: str, group: str, key: str) -> Path:
        """Make an environment the current one of a group, in one step; the previous one stays in the store.

        If it is that already, nothing is written, so that a read-only store will do.

        Raises:
            SurroundingsError: ``environment-missing``, ``disk-full``, ``not-writable`` or ``store-busy``.
        """
        if (there := self.current(target, group)) is not None and there.name == key:
            return there
        with alone(self.root, self._place("environments", key)):
            prefix = self._complete(key)
            before = self.current(target, group)
            if self.manifest is not None:
                note_project(self.root.absolute(), self.project, self.manifest)
            if before is not None and before != prefix:
                point(self._link("previous", target, group), before)
            point(self._link("current", target, group), prefix)
        return prefix

    def current(self, target: str, group: str) -> Path | None:
        """Return the prefix of a group's current environment; ``None`` if it has none."""
        return self._pointed(self._link("current", target, group))

    def previous(self, target: str, group: str) -> Path | None:
        """Return the prefix of the environment before a group's current one; ``None`` if there is none."""
        found = self._pointed(self._link("previous", target, group))
        return None if found == self.current(target, group) else found

    def keep(self, key: str, holder: Path) -> None:
        """Keep an environment in use for as long as a file outside the store, which names it, exists.

        Raises:
            SurroundingsError: ``disk-full`` or ``not-writable``.
        """
        note_holder(self._holders, key, holder)

    def promise(self, keys: Iterable[str], group: str, until: dt.date) -> None:
        """Keep the environments of a frozen group through a day, whoever collects garbage.

        A project's own store needs no note, because the manifest is read.

        Raises:
            SurroundingsError: ``disk-full`` or ``not-writable``.
        """
        if self.manifest is not None:
            note_promise(self._holders, keys, self.manifest, group, until)

    def release(self, group: str) -> None:
        """Withdraw such a promise."""
        if self.manifest is not None:
            forget_promise(self._holders, self.manifest, group)

    def in_use(self, *, without: Holding | None = None) -> frozenset[str]:
        """Return the keys of all groups' current environments, and of those that files outside name.

        The current and promised environments of the project ``without`` do not count.

        Raises:
            RequestError: ``holder-damaged``.
        """
        folder = self.root.absolute() / "current"
        found = itertools.chain(folder.glob("*/*"), folder.glob("*/*/*"))
        name, manifest = (without.name, without.manifest) if without else ("", None)
        current = (pointed(link) for link in found if link.relative_to(folder).parts[0] != name)
        return frozenset((*filter(None, current), *held(self._holders, without=manifest)))

    def environments(self) -> tuple[str, ...]:
        """Return the keys of all environments, complete or not."""
        return tuple(sorted(place.name for place in (self.root.absolute() / "environments").glob("[!.]*")))

    def remove(self, key: str) -> bool:
        """Remove an environment that no group uses, and return whether it is gone: another may be quicker.

        One that is being made, that is somebody's current one by now or only its owner's to remove stays.

        Raises:
            SurroundingsError: ``not-writable``.
        """
        prefix = self._place("environments", key)

        def discard() -> bool:
            if key in self.in_use() or who_alone_may_remove(prefix):
                return False
            unprotect(prefix)
            with contextlib.suppress(FileNotFoundError):
                (prefix / MARKER).unlink(missing_ok=True)  # from here on it counts as unfinished
                shutil.rmtree(prefix)
            return not prefix.exists()

        return unless_busy(self.root, prefix, discard)

    @property
    def wheels(self) -> WheelStore:
        """The wheels that were built here."""
        return WheelStore(self.root)

    @property
    def bytecode(self) -> Path:
        """The folder of the bytecode files that all environments share."""
        return self.root.absolute() / "bytecode"

    def reports(self, target: str, group: str) -> Path:
        """Return where the last reports of a group on a target are kept."""
        return self._link("reports", target, group)

    @property
    def _holders(self) -> Path:
        return self.root.absolute() / "holders"

    def log(self, name: str) -> Path:
        """Return where the log of a piece of work goes; it outlives the work."""
        return self._place("logs", f"{name}.log")

    def _hide(self) -> None:
        """Keep a project's own store out of version control: ``git add`` would add every file in it."""
        ignore = self.root.absolute() / ".gitignore"
        if not self.project and not ignore.exists():
            write_text(ignore, "*\n")

    def _protect(self, prefix: Path) -> None:
        """Make an environment read-only if possible; it is complete even if not."""
        with contextlib.suppress(OSError):
            protect(prefix)

    def _complete(self, key: str) -> Path:
        prefix = self.environment(key)
        if prefix is None:
            hint = "run the same command again"
            raise SurroundingsError("environment-missing", _REMOVED, where=str(self.root), hint=hint)
        return prefix

    def _place(self, kind: str, key: str) -> Path:
        return place_of(self.root, kind, key)

    def _link(self, kind: str, target: str, group: str) -> Path:
        whose = (self.project, target) if self.project else (target,)
        return self._place(kind, whose[0]).joinpath(*whose[1:], group)

    def _pointed(self, link: Path) -> Path | None:
        return self.environment(key) if (key := pointed(link)) else None
