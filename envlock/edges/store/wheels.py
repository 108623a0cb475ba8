"""Wheels that were built here: ``wheels/KEY`` holds one, ``building/KEY`` is where one is being made."""

from __future__ import annotations

import contextlib
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from uuid import uuid4

from envlock.edges.files import write_error
from envlock.edges.store.places import alone, discard_folder, ignore_wait, place_of, unless_busy
from envlock.model.frozen import dataclass


@dataclass(frozen=True, slots=True)
class WheelStore:
    """The built wheels of a store in a folder, which need not exist yet."""

    root: Path

    def find(self, key: str) -> Path | None:
        """Return the wheel that was built here for a key; ``None`` if there is none."""
        return next(iter(self._place(key).glob("*.whl")), None)

    def make(
        self, key: str, build: Callable[[Path], Path], *, on_wait: Callable[[], None] = ignore_wait
    ) -> Path:
        """Return a built wheel from the store, or else from ``build``, which gets a folder to work in.

        Args:
            key: what the wheel depends on.
            build: makes it.
            on_wait: called once if another process makes it, which is then waited for.

        Raises:
            SurroundingsError: what ``build`` raised, ``disk-full``, ``not-writable`` or ``store-busy``.
        """
        with alone(self.root, self._place(key), on_wait=on_wait):
            if (kept := self.find(key)) is not None:
                return kept
            work = place_of(self.root, "building", key)
            discard_folder(work)
            try:
                work.mkdir(parents=True)
                return self.keep(key, build(work))
            except OSError as error:
                raise write_error(work, error) from error
            finally:
                discard_folder(work)

    def keep(self, key: str, wheel: Path) -> Path:
        """Put a copy of a built wheel into the store, in one step; an existing one stays.

        Raises:
            SurroundingsError: ``disk-full`` or ``not-writable``.
        """
        place = self._place(key)
        temporary = place.with_name(f".{key}.{uuid4().hex}")
        try:
            temporary.mkdir(parents=True)
            with wheel.open("rb") as built, (temporary / wheel.name).open("xb") as copy:
                shutil.copyfileobj(built, copy)
                copy.flush()
                os.fsync(copy.fileno())  # nobody checks its content again
            temporary.rename(place)
        except OSError as error:
            discard_folder(temporary)
            if (kept := self.find(key)) is not None:
                return kept
            raise write_error(place, error) from error
        return place / wheel.name

    def builds(self) -> tuple[str, ...]:
        """Return the keys of builds that are under way, or were killed."""
        return tuple(sorted(place.name for place in (self.root.absolute() / "building").glob("[!.]*")))

    def remove_build(self, key: str) -> bool:
        """Remove what a killed build left, and return whether it is gone: one under way may just have ended.

        One that is under way stays, as does what only its owner can remove.

        Raises:
            SurroundingsError: ``not-writable``.
        """

        def remove() -> bool:
            work = place_of(self.root, "building", key)
            with contextlib.suppress(FileNotFoundError, PermissionError):
                shutil.rmtree(work)
            return not work.exists()

        return unless_busy(self.root, self._place(key), remove)

    def _place(self, key: str) -> Path:
        return place_of(self.root, "wheels", key)
