"""Entries of the knowledge base by component: thousands are known, and a command needs few."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TypeVar

T = TypeVar("T")


class ByComponent(Mapping[str, tuple[T, ...]]):
    """Entries of a knowledge base by component, which may be decoded only when their component comes up."""

    __slots__ = ("_groups",)

    def __init__(self, groups: Mapping[str, tuple[T, ...]]) -> None:
        self._groups = groups

    @classmethod
    def listed(cls, entries: Iterable[T], component: Callable[[T], str]) -> ByComponent[T]:
        """Make the mapping from entries that are all in memory; those of a component keep their order."""
        groups: dict[str, list[T]] = {}
        for entry in entries:
            groups.setdefault(component(entry), []).append(entry)
        return cls({name: tuple(some) for name, some in groups.items()})

    def __getitem__(self, component: str) -> tuple[T, ...]:
        return self._groups[component]

    def __iter__(self) -> Iterator[str]:
        return iter(self._groups)

    def __len__(self) -> int:
        return len(self._groups)
