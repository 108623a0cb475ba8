"""How the public interface of a distribution differs between two releases, read from their sources."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from enum import StrEnum
from types import MappingProxyType

from envlock.model.decode import Table
from envlock.model.frozen import dataclass


class ApiChangeKind(StrEnum):
    """What happened to a public name or a parameter so that previously valid calls can fail."""

    REMOVED = "removed"
    OTHER_KIND = "other-kind"
    PARAMETER_REMOVED = "parameter-removed"
    PARAMETER_REQUIRED = "parameter-required"
    PARAMETER_ADDED = "parameter-added"
    PARAMETER_MOVED = "parameter-moved"
    PARAMETER_BY_NAME = "parameter-by-name"
    PARAMETER_BY_POSITION = "parameter-by-position"


class ApiState(StrEnum):
    """The outcome of a comparison."""

    COMPARED = "compared"
    NO_SOURCES = "no-sources"
    TOO_LONG = "too-long"
    TOO_LARGE = "too-large"
    NOT_AT_HAND = "not-at-hand"
    UNREADABLE = "unreadable"


@dataclass(frozen=True, slots=True, kw_only=True)
class ApiChange:
    """A public name that is gone or takes other arguments.

    Attributes:
        kind: what happened to it.
        name: its dotted name in the old release, where it is defined; a constructor's ends with ``__init__``.
        parameter: the parameter concerned; empty where it is the name itself.
        position: the parameter's position, not counting the receiver, in the old release, or in the new one
            for an added parameter; -1 where it is passed by name only.
        sure: whether nothing in the new release could serve the name at run time (a module's ``__getattr__``,
            a compiled module, ``**kwargs`` for an argument).
        takes: where a parameter can no longer be passed by position, how many arguments can; -1 for any
            number.
    """

    kind: ApiChangeKind
    name: str
    parameter: str = ""
    position: int = -1
    sure: bool = True
    takes: int = -1


def _nothing() -> Mapping[str, str]:
    return MappingProxyType({})


@dataclass(frozen=True, slots=True, kw_only=True)
class Api:
    """The public interfaces of two releases compared, with what is needed of the old one to read code.

    Attributes:
        state: whether they could be compared.
        packages: the names people import (``gensim``), in the old release.
        changes: the differences, by name.
        names: other dotted names of the old release -> where the object is defined.
        classes: classes of the old release, where they are defined.
        makers: class methods and functions of the old release -> the class of their result.
        holders: attributes and properties of classes of the old release -> the class of their value.
        gone: names of attributes and methods that no class has any more -> where one was.
        kept: names that still lead to the object in the new release, although its old place, or what
            contained that place, is gone.
        compiled: how many modules of the new release have no sources.
        unread: how many modules of either release cannot be read by the running Python.
    """

    state: ApiState
    packages: tuple[str, ...] = ()
    changes: tuple[ApiChange, ...] = ()
    names: Mapping[str, str] = field(default_factory=_nothing)
    classes: frozenset[str] = frozenset()
    makers: Mapping[str, str] = field(default_factory=_nothing)
    holders: Mapping[str, str] = field(default_factory=_nothing)
    gone: Mapping[str, str] = field(default_factory=_nothing)
    kept: frozenset[str] = frozenset()
    compiled: int = 0
    unread: int = 0

    @classmethod
    def unknown(cls) -> Api:
        """The result for interfaces of which nothing is known."""
        return cls(state=ApiState.NOT_AT_HAND)

    def defined(self, name: str) -> str:
        """Where the object of a dotted name is defined in the old release; the name itself if not known."""
        seen = {name}
        while (further := self._step(name)) not in seen:
            seen.add(further)
            name = further
        return name

    def _step(self, name: str) -> str:
        head, tail = name, ""
        while head:
            if head in self.names:
                return f"{self.names[head]}{tail}"
            head, dot, last = head.rpartition(".")
            tail = f"{dot}{last}{tail}"
        return name


def encode_api(api: Api) -> dict[str, object]:
    """Encode a comparison as the cache keeps it."""
    return {
        "state": api.state.value,
        "packages": list(api.packages),
        "changes": [
            {
                "kind": change.kind.value,
                "name": change.name,
                "parameter": change.parameter,
                "position": change.position,
                "sure": change.sure,
                "takes": change.takes,
            }
            for change in api.changes
        ],
        "names": dict(api.names),
        "classes": sorted(api.classes),
        "makers": dict(api.makers),
        "holders": dict(api.holders),
        "gone": dict(api.gone),
        "kept": sorted(api.kept),
        "compiled": api.compiled,
        "unread": api.unread,
    }


def decode_api(document: Mapping[str, object], file: str) -> Api:
    """Invert ``encode_api``.

    Raises:
        RequestError: it is not such a document.
    """
    table = Table(document, file=file)
    changes = tuple(
        ApiChange(
            kind=part.choice("kind", ApiChangeKind),
            name=part.text("name"),
            parameter=part.text("parameter"),
            position=part.integer("position"),
            sure=part.flag("sure", default=True),
            takes=part.integer("takes", -1),
        )
        for part in table.tables("changes")
    )
    return Api(
        state=table.choice("state", ApiState),
        packages=table.texts("packages"),
        changes=changes,
        names=MappingProxyType(table.mapping("names")),
        classes=frozenset(table.texts("classes")),
        makers=MappingProxyType(table.mapping("makers")),
        holders=MappingProxyType(table.mapping("holders")),
        gone=MappingProxyType(table.mapping("gone")),
        kept=frozenset(table.texts("kept")),
        compiled=table.integer("compiled", 0),
        unread=table.integer("unread", 0),
    )
