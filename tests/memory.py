"""A catalogue in memory and a small machine: the only fakes that the solver's tests need."""

from __future__ import annotations

import datetime as dt
import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name, parse_sdist_filename, parse_wheel_filename

from envlock.model.errors import SurroundingsError
from envlock.model.project.target import Interpreter, Offer, Target
from envlock.model.published.catalogue import NEEDS_BUILD, DistFile, Release, Releases
from envlock.model.published.metadata import Dependency, Metadata


class MemoryCatalogue:
    """Releases written down as ``{name: {version: {requires, files, uploaded, yanked, ...}}}``.

    ``uploaded`` is the day of all files, or the day of each.
    Files of an ``unstated`` one tell what they require only to who asks their backend.
    """

    def __init__(self, index: Mapping[str, Mapping[str, Mapping[str, object]]]) -> None:
        self._releases: dict[str, list[Release]] = {}
        self._metadata: dict[str, Metadata] = {}
        self._unstated: set[str] = set()
        for name, versions in index.items():
            for version, entry in versions.items():
                self._add(name, version, entry)

    def _add(self, name: str, version: str, entry: Mapping[str, object]) -> None:
        wheel = f"{name.replace('-', '_')}-{version}-py3-none-any.whl"
        files = [self._file(filename, entry) for filename in entry.get("files", [wheel])]
        metadata = Metadata(
            requires_dist=tuple(Dependency.of(Requirement(text)) for text in entry.get("requires", [])),
            requires_python=str(entry.get("requires-python", "")),
            provides_extra=frozenset(entry.get("extras", [])),
            build_requires=tuple(entry.get("build-requires", [])),
            has_slips=entry.get("slips", False),
            translated=tuple(entry.get("translated", [])),
            translates=entry.get("translates", False),
        )
        for file in files:
            self._metadata[file.filename] = metadata
        self._unstated.update(file.filename for file in files if entry.get("unstated", False))
        _, parsed = (
            parse_wheel_filename(files[0].filename)[:2]
            if files[0].is_wheel
            else parse_sdist_filename(files[0].filename)
        )
        release = Release.of(name, str(parsed), tuple(files))
        self._releases.setdefault(canonicalize_name(name), []).append(release)

    @staticmethod
    def _file(filename: str, entry: Mapping[str, object]) -> DistFile:
        uploaded = entry.get("uploaded")
        if isinstance(uploaded, Mapping):
            uploaded = uploaded[filename]
        tags = parse_wheel_filename(filename)[3] if filename.endswith(".whl") else frozenset()
        return DistFile(
            filename=filename,
            url=f"file:///index/{filename}",
            sha256=hashlib.sha256(filename.encode()).hexdigest(),
            size=int(str(entry.get("size", 0))),
            requires_python=str(entry.get("requires-python", "")),
            upload_time=(
                dt.datetime.combine(uploaded, dt.time(12), dt.UTC) if isinstance(uploaded, dt.date) else None
            ),
            yanked=entry.get("yanked"),
            tags=tags,
        )

    def releases(self, distribution: str) -> Releases:
        # An index answers HTTP 400 to what is no name, and that ends a solve.
        found = self._releases.get(canonicalize_name(distribution, validate=True), [])
        return Releases.of(sorted(found, key=lambda release: release.version, reverse=True))

    def metadata(self, distribution: str, file: DistFile) -> Metadata:
        if file.filename in self._unstated:
            raise SurroundingsError(NEEDS_BUILD, "it states no dependencies", where=file.filename)
        return self._metadata[file.filename]

    def build_metadata(
        self, distribution: str, file: DistFile, interpreter: Interpreter, wheels: Sequence[DistFile]
    ) -> Metadata:
        return self._metadata[file.filename]

    def build_requires(self, file: DistFile) -> tuple[str, ...]:
        return self._metadata[file.filename].build_requires

    def local_file(self, file: DistFile) -> Path:
        raise SurroundingsError("index-unreachable", "there is no file in memory", where=file.url)

    def members(self, file: DistFile) -> None:
        """No file comes in parts."""

    def prefetch(self, distributions: Iterable[str]) -> None:
        list(distributions)

    def prefetch_metadata(
        self, distribution: str, file: DistFile, then: Callable[[Metadata], None] | None = None
    ) -> None:
        if then is not None and file.filename in self._metadata:
            then(self._metadata[file.filename])


def interpreter(version: str = "3.11.7") -> Interpreter:
    """CPython of a version on Linux."""
    major, minor = version.split(".")[:2]
    suffix = "m" if (int(major), int(minor)) < (3, 8) else ""
    return Interpreter(
        path=f"/usr/bin/python{major}.{minor}",
        version=version,
        abi=f"cp{major}{minor}{suffix}",
        markers=MappingProxyType(
            {
                "implementation_name": "cpython",
                "implementation_version": version,
                "os_name": "posix",
                "platform_machine": "x86_64",
                "platform_python_implementation": "CPython",
                "platform_release": "6.1",
                "platform_system": "Linux",
                "platform_version": "1",
                "python_full_version": version,
                "python_version": f"{major}.{minor}",
                "sys_platform": "linux",
            }
        ),
    )


def machine(python: str = "3.11.7", **components: str | list[str]) -> Target:
    """A node with some system components."""
    components = {"glibc": "2.36"} | components
    return Target(
        name="local",
        os="Debian 12",
        machine="x86_64",
        interpreters=(interpreter(python),),
        offers=tuple(
            Offer(component=name, version=version)
            for name, versions in components.items()
            for version in ([versions] if isinstance(versions, str) else versions)
        ),
    )
