"""Which uses in a program fail when distributions move, by recorded changes and by compared interfaces."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import field, replace
from itertools import product
from pathlib import PurePath

from envlock.analysis.program.uses import CALLED, UNKNOWN, Call, Program, Use, leads_into, prefixes
from envlock.lifecycle.breaks import Rename
from envlock.lifecycle.change_patterns import Pattern, read_change, replacement_for, resembles, speaks_of
from envlock.lifecycle.gone_names import GoneName
from envlock.lifecycle.places import Place, place_of
from envlock.model.frozen import dataclass
from envlock.model.published.api import Api, ApiChange, ApiChangeKind

_IMPORTS = ("from ", "import ")
"""How the text of a statement begins that imports names, each of which is a use of its own."""

_LONG_ENOUGH = 6
"""Length from which a name is unlikely to mean something else in another package."""
_PYTHONS_OWN = frozenset(
    name
    for kind in (str, bytes, list, dict, set, int, float, complex, memoryview, BaseException, PurePath)
    for name in dir(kind)
)


@dataclass(frozen=True, slots=True, kw_only=True)
class CodeBreak:
    """One use in a program that fails with the new release.

    Attributes:
        component: the distribution that moved.
        use: where it is, and what is written there.
        kind: what became of the name.
        name: the name that is gone or takes other arguments, as far as known.
        parameter: the argument that it is about; empty if it is about the name itself.
        new: what to write instead, by the knowledge base; empty if nothing is recorded.
        note: one sentence of the knowledge base.
        sure: certain rather than likely: the use leads there, and nothing can provide the name at run time.
    """

    component: str
    use: Use
    kind: ApiChangeKind
    name: str
    parameter: str
    new: str
    note: str
    sure: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Moved:
    """A distribution that moved, with what is known of its two releases.

    Attributes:
        component: its identifier.
        api: the comparison of its interfaces; ``None`` if that was not done.
        renames: the changes that the knowledge base records.
        gone: the names that it knows to be gone.
    """

    component: str
    api: Api | None
    renames: tuple[Rename, ...]
    gone: Mapping[str, GoneName] = field(default_factory=dict)


def find_code_breaks(programs: Iterable[Program], moved: Iterable[Moved]) -> tuple[CodeBreak, ...]:
    """Return the uses that fail, sorted by file and line.

    Only programs that import a package of the distribution are searched, so that names that merely look alike
    elsewhere raise no alarm. What one file assigns to a package (``numpy.float = float``) others may use.
    """
    trackers, programs = [_Tracker.of(one) for one in moved], list(programs)
    patched = {name for program in programs for name in program.patched}
    found: dict[tuple[str, int, int, int, str, str], CodeBreak] = {}
    for program in programs:
        uses = [
            replace(use, sure=False) if any(leads_into(use.path, name) for name in patched) else use
            for use in program.uses
        ]
        for tracker in trackers:
            if program.imports.isdisjoint(tracker.packages):
                continue
            for use in uses:
                for hit in tracker.hits(use):
                    imported = use.path if use.text.startswith(_IMPORTS) else ""
                    key = (use.file, use.cell, use.line, use.column, imported, hit.parameter)
                    found[key] = _surer(found[key], hit) if key in found else hit
    by_name = {(*key[:4], found[key].name, key[5]): found[key] for key in sorted(found)}
    return tuple(by_name.values())


def _surer(one: CodeBreak, other: CodeBreak) -> CodeBreak:
    """Return the one of two breaks of the same use that has a replacement; certain if either is."""
    best = one if one.new or not other.new else other
    return replace(best, sure=one.sure or other.sure)


@dataclass(slots=True)
class _Tracker:
    """What is known of one distribution, prepared for looking up uses."""

    component: str
    api: Api
    packages: frozenset[str]
    changes: Mapping[str, list[ApiChange]]
    gone: Mapping[str, GoneName]
    patterns: list[Pattern] = field(default_factory=list)

    @classmethod
    def of(cls, moved: Moved) -> _Tracker:
        api = moved.api or Api.unknown()
        changes: dict[str, list[ApiChange]] = {}
        for change in api.changes:
            changes.setdefault(change.name, []).append(change)
        roots = {of.partition(".")[0] for rename in moved.renames for of in rename.of}
        roots |= {name.partition(".")[0] for name in moved.gone}
        packages = frozenset(api.packages) | roots
        tracker = cls(moved.component, api, packages, changes, moved.gone)
        tracker.patterns = [pattern for rename in moved.renames for pattern in tracker.read(rename)]
        return tracker

    def read(self, rename: Rename) -> Iterator[Pattern]:
        """Yield the paths that a recorded change is about."""
        for number, chain, parameters in read_change(rename.old) if rename.breaking else ():
            for of, parameter in product(rename.of, parameters or ("",)):
                path = place_of(".".join((of, *chain[1:])), self.api).path
                names, new = replacement_for(rename, number, of, chain)
                yield Pattern(path, names, parameter, new, rename)

    def hits(self, use: Use) -> Iterator[CodeBreak]:
        """Yield what fails in a use."""
        if use.path.startswith(UNKNOWN):
            yield from self.guessed(use)
            yield from self.nowhere(use, use.path)
            return
        if use.path.partition(".")[0] not in self.packages:
            yield from self.guessed(use)  # pickle.load() and the like give what is of this distribution
            return
        place = place_of(use.path, self.api)
        if use.overrides:
            yield from self.overridden(use, place)
            return
        for pattern in self.patterns:
            if speaks_of(pattern, place.path, use.call) and not self.passes_by(pattern.path, use):
                yield self.by_record(pattern, use, sure=use.sure and place.sure)
        yield from self.listed(use)
        if self.result_of_function(place.path):
            yield from self.guessed(use)
            yield from self.nowhere(use, place.path)
        else:
            yield from self.removed(use, place)
            yield from self.called(use, place)

    def passes_by(self, module: str, use: Use) -> bool:
        """Whether a use gets something out of a module by another name, which may outlive the module."""
        if leads_into(use.path, module):
            return False
        places = (self.api.defined(one) for one in prefixes(use.path.replace(CALLED, "")))
        return any(place != module and leads_into(place, module) for place in places)

    def listed(self, use: Use) -> Iterator[CodeBreak]:
        """Yield the first name of a use that is known to be gone from where it is written to be."""
        name = next((name for name in prefixes(use.path) if name in self.gone), None)
        if name is not None:
            change = ApiChange(kind=ApiChangeKind.REMOVED, name=name, sure=self.gone[name].sure)
            yield replace(self.by_change(change, use, sure=use.sure), note=self.gone[name].note)

    def overridden(self, use: Use, place: Place) -> Iterator[CodeBreak]:
        """Yield a method that replaces one that is gone, so that nothing calls it any more."""
        for pattern in self.patterns:
            if pattern.path == place.path and not pattern.parameter:
                yield self.by_record(pattern, use, sure=use.sure)
        for change in self.changes.get(place.path, ()):
            if change.kind is ApiChangeKind.REMOVED and use.path not in self.api.kept:
                yield self.by_change(change, use, sure=False)

    def guessed(self, use: Use) -> Iterator[CodeBreak]:
        """Yield what fails in a use of something of an unknown type, by several attributes in a row."""
        _, called, tail = use.path.rpartition(CALLED)
        if not called and not use.path.startswith(UNKNOWN):
            return  # a module, or what is in one
        tail = tail if called else use.path.removeprefix(UNKNOWN)
        for pattern in self.patterns:
            if resembles(pattern, tail, use.call):
                yield self.by_record(pattern, use, sure=False)

    def nowhere(self, use: Use, path: str) -> Iterator[CodeBreak]:
        """Yield an attribute, on an unknown type, that no class has any more, nor a type of Python's own."""
        name = path.rpartition(CALLED)[2].lstrip(f".{UNKNOWN}").partition(".")[0]
        if len(name) >= _LONG_ENOUGH and name in self.api.gone and name not in _PYTHONS_OWN:
            change = ApiChange(kind=ApiChangeKind.REMOVED, name=self.api.gone[name], sure=False)
            yield self.by_change(change, use, sure=False)

    def by_record(self, pattern: Pattern, use: Use, *, sure: bool) -> CodeBreak:
        """Return the break of a use by a recorded change."""
        kind = ApiChangeKind.PARAMETER_REMOVED if pattern.parameter else ApiChangeKind.REMOVED
        return CodeBreak(
            component=self.component,
            use=use,
            kind=kind,
            name=".".join(pattern.chain),
            parameter=pattern.parameter,
            new=pattern.new,
            note=pattern.rename.note,
            sure=sure,
        )

    def removed(self, use: Use, place: Place) -> Iterator[CodeBreak]:
        """Yield the first name that is gone after the last call of a use: that call is a use of its own."""
        written = use.path.replace(CALLED, "")
        latest = use.path.rpartition(CALLED)[2].lstrip(".").count(".") + 1
        kept = [self.api.defined(prefix) for prefix in prefixes(written) if prefix in self.api.kept]
        made = [place.path.rpartition(CALLED)[0].replace(CALLED, "")] if CALLED in place.path else []
        names = (*prefixes(written, latest), *prefixes(place.path.replace(CALLED, ""), latest))
        for name in names:
            if any(leads_into(one, name) for one in (*kept, *made)):
                continue  # the written name still leads there in another way, or does not name the class
            for change in self.changes.get(name, ()):
                if change.kind in {ApiChangeKind.REMOVED, ApiChangeKind.OTHER_KIND}:
                    yield self.by_change(change, use, sure=use.sure and place.sure and not place.held)
                    return

    def called(self, use: Use, place: Place) -> Iterator[CodeBreak]:
        """Yield arguments that a call gives but are no longer accepted, or omits but are now required."""
        if use.call is None:
            return
        name = place.path.replace(CALLED, "")
        name = self.api.defined(f"{name}.__init__") if name in self.api.classes else name
        for change in self.changes.get(name, ()):
            verdict = _fails(change, use.call)
            if verdict is not None:
                yield self.by_change(change, use, sure=verdict and use.sure and place.sure and not place.held)

    def result_of_function(self, path: str) -> bool:
        """Whether a path goes through the result of something that is no class, so its type is unknown."""
        before = path.split(CALLED)[:-1]
        return any("".join(before[: end + 1]) not in self.api.classes for end in range(len(before)))

    def by_change(self, change: ApiChange, use: Use, *, sure: bool) -> CodeBreak:
        """Return the break of a use by a change in the compared interfaces."""
        return CodeBreak(
            component=self.component,
            use=use,
            kind=change.kind,
            name=change.name,
            parameter=change.parameter,
            new="",
            note="",
            sure=sure and change.sure,
        )


def _fails(change: ApiChange, call: Call) -> bool | None:
    """Whether a change makes a call fail: certainly (``True``), perhaps (``False``), or not (``None``)."""
    named = change.parameter in call.keywords
    given = named or call.spread or change.position < 0 or call.positional > change.position
    match change.kind:
        case ApiChangeKind.PARAMETER_REMOVED | ApiChangeKind.PARAMETER_BY_POSITION:
            return True if named or 0 <= change.takes < call.positional else None
        case ApiChangeKind.PARAMETER_ADDED | ApiChangeKind.PARAMETER_REQUIRED:
            missing = not named and not call.spread and call.positional <= change.position
            by_name_only = change.position < 0 and not named and not call.spread
            return True if missing or by_name_only else None
        case ApiChangeKind.PARAMETER_BY_NAME:
            most = max(change.takes, change.position)  # another parameter may be in its place now
            return True if 0 <= most < call.positional else None
        case ApiChangeKind.PARAMETER_MOVED:
            return False if given and 0 <= change.position < call.positional else None
        case _:
            return None
