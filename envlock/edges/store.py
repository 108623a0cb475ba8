"""The store of environments and built wheels on disk: complete ones, made once, never changed.

``environments/KEY`` holds an environment, complete when it has its marker; ``current/TARGET/GROUP`` points to
one and ``previous/TARGET/GROUP`` to the one before; ``wheels/KEY`` holds a wheel built here; ``locks`` lets
one process at a time make, switch to or remove a thing.
"""

from __future__ import annotations

import datetime as dt
import json
import os
import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from uuid import uuid4

from filelock import FileLock, Timeout

from envlock import __version__
from envlock.edges.files import write_error, write_text
from envlock.model.errors import SurroundingsError

MARKER = "envlock.json"
"""The file in an environment that is written last and so says that it is complete."""

_WAIT_S = 4 * 3600.0


@dataclass(frozen=True, slots=True)
class Store:
    """A store in a folder, which need not be there yet."""

    root: Path

    def environment(self, key: str) -> Path | None:
        """The prefix of a complete environment; ``None`` where it is not there or unfinished."""
        prefix = self._place("environments", key)
        return prefix if (prefix / MARKER).is_file() else None

    def create(
        self, key: str, fill: Callable[[Path], None], *, record: Mapping[str, object] | None = None
    ) -> Path:
        """An environment, made by ``fill`` at its final place unless it is complete already.

        A virtual environment cannot be moved, so it is made where it stays, and one that was left unfinished
        is removed first. Whoever else makes the same one is waited for.

        Args:
            key: its name; the same key is the same content.
            fill: makes it; the folder is not there yet.
            record: what the marker says besides the time and envlock's version (the lock's hash ...).

        Raises:
            SurroundingsError: what ``fill`` raised, ``disk-full``, ``not-writable`` or ``store-busy``.
        """
        prefix = self._place("environments", key)
        with self._alone(prefix):
            if (prefix / MARKER).is_file():
                return prefix
            _remove(prefix)
            try:
                prefix.parent.mkdir(parents=True, exist_ok=True)
                fill(prefix)
            except OSError as error:
                _remove(prefix)
                raise write_error(prefix, error) from error
            except BaseException:
                _remove(prefix)
                raise
            now = dt.datetime.now(dt.UTC).isoformat(timespec="seconds")
            document = {**(record or {}), "created": now, "envlock": __version__}
            write_text(prefix / MARKER, json.dumps(document, indent=2, sort_keys=True) + "\n")
        return prefix

    def switch(self, target: str, group: str, key: str) -> Path:
        """Make an environment the current one of a group, in one step; the one before stays in the store.

        Raises:
            SurroundingsError: ``environment-missing``, ``disk-full``, ``not-writable`` or ``store-busy``.
        """
        with self._alone(self._place("environments", key)):
            prefix = self.environment(key)
            if prefix is None:
                raise SurroundingsError(
                    "environment-missing",
                    "there is no complete environment of that key",
                    where=str(self.root),
                )
            before = self.current(target, group)
            if before is not None and before != prefix:
                _point(self._link("previous", target, group), before)
            _point(self._link("current", target, group), prefix)
        return prefix

    def current(self, target: str, group: str) -> Path | None:
        """The prefix of a group's current environment, ``None`` where it has none."""
        return self._pointed(self._link("current", target, group))

    def previous(self, target: str, group: str) -> Path | None:
        """The prefix of the environment before a group's current one, ``None`` where it is not there."""
        found = self._pointed(self._link("previous", target, group))
        return None if found == self.current(target, group) else found

    def in_use(self) -> frozenset[str]:
        """The keys of all current environments, of whatever group."""
        links = (self.root.absolute() / "current").glob("*/*")
        return frozenset(link.readlink().name for link in links if link.is_symlink())

    def environments(self) -> tuple[str, ...]:
        """The keys of all environments, complete or not."""
        return tuple(sorted(place.name for place in (self.root.absolute() / "environments").glob("[!.]*")))

    def remove(self, key: str) -> bool:
        """Remove an environment that no group uses; whether it was.

        One that is being made, or that became somebody's current one meanwhile, stays.

        Raises:
            SurroundingsError: ``not-writable``.
        """
        prefix = self._place("environments", key)
        try:
            with self._alone(prefix, wait_s=0.0):
                if key in self.in_use():
                    return False
                try:
                    (prefix / MARKER).unlink(missing_ok=True)  # from here on it counts as unfinished
                    shutil.rmtree(prefix)
                except OSError as error:
                    raise write_error(prefix, error) from error
        except SurroundingsError as error:
            if error.code != "store-busy":
                raise
            return False
        return True

    def built_wheel(self, key: str) -> Path | None:
        """A wheel that was built here; ``None`` where there is none of that key."""
        return next(iter(self._place("wheels", key).glob("*.whl")), None)

    def make_wheel(self, key: str, build: Callable[[Path], Path]) -> Path:
        """A built wheel, from the store or else by ``build``, which gets a folder to work in.

        Raises:
            SurroundingsError: what ``build`` raised, ``disk-full``, ``not-writable`` or ``store-busy``.
        """
        with self._alone(self._place("wheels", key)):
            if (kept := self.built_wheel(key)) is not None:
                return kept
            work = self._place("building", key)
            _remove(work)
            try:
                work.mkdir(parents=True)
                return self.keep_wheel(key, build(work))
            except OSError as error:
                raise write_error(work, error) from error
            finally:
                _remove(work)

    def keep_wheel(self, key: str, wheel: Path) -> Path:
        """Put a copy of a built wheel into the store, in one step; one that is there already stays.

        Raises:
            SurroundingsError: ``disk-full`` or ``not-writable``.
        """
        place = self._place("wheels", key)
        temporary = place.with_name(f".{key}.{uuid4().hex}")
        try:
            temporary.mkdir(parents=True)
            shutil.copyfile(wheel, temporary / wheel.name)
            temporary.rename(place)
        except OSError as error:
            _remove(temporary)
            if (kept := self.built_wheel(key)) is not None:
                return kept
            raise write_error(place, error) from error
        return place / wheel.name

    def log(self, name: str) -> Path:
        """Where the log of a piece of work goes; it outlives the work."""
        return self._place("logs", f"{name}.log")

    def _place(self, kind: str, key: str) -> Path:
        if not key or key.startswith(".") or "/" in key:
            raise ValueError(key)
        # Launchers on other nodes and links need the whole path.
        return self.root.absolute() / kind / key

    def _link(self, kind: str, target: str, group: str) -> Path:
        return self._place(kind, target) / group

    def _pointed(self, link: Path) -> Path | None:
        return self.environment(link.readlink().name) if link.is_symlink() else None

    @contextmanager
    def _alone(self, place: Path, *, wait_s: float = _WAIT_S) -> Iterator[None]:
        """Be the only process on this file system that does something at a place.

        The operating system ends the lock with the process, so that a killed one blocks nobody.
        """
        file = self._place("locks", f"{place.parent.name}-{place.name}")
        try:
            file.parent.mkdir(parents=True, exist_ok=True)
            lock = FileLock(file, timeout=wait_s)
            lock.acquire()
        except Timeout:
            raise SurroundingsError(
                "store-busy",
                "another envlock makes the same thing and does not end",
                where=str(place),
                hint="look for it on all hosts that share this store",
            ) from None
        except OSError as error:
            raise write_error(file, error) from error
        try:
            yield
        finally:
            lock.release()


def _point(link: Path, prefix: Path) -> None:
    """Let a link point to an environment, in one step."""
    temporary = link.with_name(f".{link.name}.{uuid4().hex}")
    try:
        link.parent.mkdir(parents=True, exist_ok=True)
        temporary.symlink_to(os.path.relpath(prefix, link.parent))
        temporary.replace(link)
    except OSError as error:
        temporary.unlink(missing_ok=True)
        raise write_error(link, error) from error


def _remove(place: Path) -> None:
    shutil.rmtree(place, ignore_errors=True)
