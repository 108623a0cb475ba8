"""The modules of a release that are analysed: all of a small file, of a large one what is needed."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping

from envlock.analysis.imports.contents import Contents
from envlock.analysis.imports.modules import Module, compiled_in, has_more, modules_in
from envlock.analysis.imports.statements import with_parents
from envlock.edges.code.archived import asked_by_build, commands_of, modules_of, tells_all
from envlock.edges.code.queries import LARGEST, Members, ReleaseFiles
from envlock.edges.declarations import metadata_file, release_of_version

_MOST_PACKED = 3 << 20
"""Most bytes of modules that are all fetched from a larger file, which owes its size to data or compiled
code."""


def read_contents(catalogue: ReleaseFiles, name: str, version: str, python: str) -> Contents | None:
    """Return the contents of the release's file to analyse; ``None`` if there is no such file.

    A large file that cannot be fetched in parts yields no modules.

    Raises:
        SurroundingsError: it cannot be fetched.
        OSError, DamagedError: it cannot be read.
    """
    release = release_of_version(version, catalogue.releases(name))
    file = None if release is None else metadata_file(release, python)
    if file is None:
        return None
    if file.size <= LARGEST:
        path = catalogue.local_file(file)
        return Contents(
            modules_of(path),
            tells_all(path),
            is_whole=True,
            is_wheel=file.is_wheel,
            commands=commands_of(path),
            asked=asked_by_build(path),
        )
    members = catalogue.members(file)
    if members is None:
        return Contents({}, tells_all=False, is_whole=True, is_wheel=file.is_wheel)
    remote, is_all = _Remote(members), not has_more(members.names)
    if members.packed(remote.sources) > _MOST_PACKED:
        return Contents(
            remote,
            is_all,
            is_whole=False,
            is_wheel=True,
            compiled=remote.compiled,
            prefetch=remote.prefetch_for,
        )
    return Contents(remote.at_once(), is_all, is_whole=True, is_wheel=True)


class _Remote(Mapping[str, Module]):
    """Modules that are fetched on demand."""

    def __init__(self, members: Members) -> None:
        self._members = members
        names = [name for name in members.names if ".data/" not in name]
        self.compiled = compiled_in(names)
        self._modules = self.compiled | modules_in(dict.fromkeys(names, ""))
        self.sources = [module.file for module in self._modules.values() if module.is_python]
        self._fetched: set[str] = set()

    def prefetch_for(self, names: Iterable[str]) -> None:
        """Fetch at once the modules in which these dotted names would be."""
        self.prefetch({module for name in names for module in with_parents(name)})

    def prefetch(self, modules: Collection[str]) -> None:
        """Fetch those of the modules that exist."""
        there = [
            self._modules[module]
            for module in modules
            if module in self._modules and module not in self._fetched
        ]
        wanted = {module.file for module in there if module.is_python}
        read = modules_in({path: content.decode("utf-8", "replace") for path, content in self._read(wanted)})
        self._modules |= read
        self._fetched |= read.keys()

    def at_once(self) -> Mapping[str, Module]:
        """Return all modules, fetched."""
        self.prefetch(self._modules)
        return self._modules

    def _read(self, paths: Collection[str]) -> Iterable[tuple[str, bytes]]:
        return self._members.read(paths).items() if paths else ()

    def __getitem__(self, module: str) -> Module:
        if module in self._modules and module not in self._fetched and self._modules[module].is_python:
            self.prefetch([module])
        return self._modules[module]

    def __contains__(self, module: object) -> bool:
        return module in self._modules

    def __iter__(self) -> Iterator[str]:
        return iter(self._modules)

    def __len__(self) -> int:
        return len(self._modules)
