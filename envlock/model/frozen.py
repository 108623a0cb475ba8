"""Dataclasses whose methods are not generated as source and compiled at import time.

The standard library's decorator matches each field against patterns and compiles six functions per class, 0.4
ms in all, and a command imports some 160 classes: that was a third of its start-up time. Here a class is made
from the names of its fields. ``__init__`` is compiled only for classes that have more than a few objects, and
the standard library computes what ``fields`` returns when somebody asks. The result is a dataclass in every
respect: ``fields``, ``replace``, ``asdict``, ``match`` and type checkers treat it as one.
"""

from __future__ import annotations

from dataclasses import MISSING, Field, FrozenInstanceError, field
from dataclasses import dataclass as standard
from functools import cached_property
from operator import attrgetter
from types import MemberDescriptorType
from typing import TYPE_CHECKING, Any, NoReturn

_FORM = "__form__"
"""The attribute in which a class keeps how it was declared."""
_FEW = 8
"""Up to this many objects are made faster field by field than by compiling ``__init__`` first."""

if TYPE_CHECKING:
    from dataclasses import dataclass as dataclass  # noqa: PLC0414 - this form marks a re-export
else:

    def dataclass(*, slots: bool, frozen: bool = False, kw_only: bool = False) -> Any:
        """Do what ``dataclasses.dataclass`` does, for the options used here; a class's own methods are kept.

        Classes must have slots; annotations are strings, and those of class variables begin with
        ``ClassVar``.
        """
        if not slots:
            msg = "a dataclass of ours has slots"
            raise TypeError(msg)
        return lambda cls: _made(cls, _Form(cls, frozen=frozen, kw_only=kw_only))


class _Form:
    """How a class was declared: the names of its fields, those of its bases first, and their defaults."""

    def __init__(self, cls: type, *, frozen: bool, kw_only: bool) -> None:
        annotations, given, inherited = dict[str, str](), dict[str, Any](), set[str]()
        for form in (vars(base)[_FORM] for base in cls.__mro__[:0:-1] if _FORM in vars(base)):
            annotations |= form.annotations
            given |= form.given
            inherited |= {*form.names}
        annotations |= cls.__annotations__
        for name in cls.__annotations__:
            given.pop(name, None)  # a default given in a base no longer counts
        self.annotations = annotations
        self.names = [name for name, kind in annotations.items() if not kind.startswith("ClassVar")]
        self.given = given | {name: value for name, value in vars(cls).items() if name in self.names}
        self.slots = tuple(name for name in self.names if name not in inherited)
        self.frozen = frozen
        self.kw_only = kw_only

    @cached_property
    def taken(self) -> dict[str, None]:
        """The fields that ``__init__`` takes, in order."""
        return dict.fromkeys(self.named("init"))

    @cached_property
    def preset(self) -> list[tuple[str, Field[Any]]]:
        """The fields that have a default value or factory."""
        every = [(name, self.field(name)) for name in self.given]
        return [one for one in every if (one[1].default, one[1].default_factory) != (MISSING, MISSING)]

    @cached_property
    def needed(self) -> frozenset[str]:
        """The fields that ``__init__`` must be given."""
        return frozenset(self.taken) - {name for name, _ in self.preset}

    def field(self, name: str) -> Field[Any]:
        """The declaration of the field of this name, as a ``Field``."""
        given = self.given.get(name, MISSING)
        return given if isinstance(given, Field) else field(default=given)

    def named(self, counts: str) -> list[str]:
        """The names of the fields for which an attribute of ``Field`` is true, as it is by default."""
        odd = {
            name for name, one in self.given.items() if isinstance(one, Field) and not getattr(one, counts)
        }
        return [name for name in self.names if name not in odd]


class _Fields:
    """``__dataclass_fields__`` of a class, computed when first asked for."""

    def __init__(self, form: _Form) -> None:
        self._form = form

    def __get__(self, _one: object, cls: Any) -> Any:
        form = self._form
        space = {"__module__": cls.__module__, "__annotations__": form.annotations, **form.given}
        alike: Any = standard(init=False, repr=False, eq=False, kw_only=form.kw_only)(type("", (), space))
        cls.__dataclass_fields__ = alike.__dataclass_fields__
        return cls.__dataclass_fields__


def _made(cls: type, form: _Form) -> type:
    """Return the class with slots and methods, by the rules of ``dataclasses.dataclass``."""
    replaced = {*form.names, "__dict__", "__weakref__"}  # by slots
    own = {name: value for name, value in vars(cls).items() if name not in replaced}
    space = {**_methods(form), **own}
    space["__slots__"] = form.slots
    space[_FORM] = form
    space["__match_args__"] = () if form.kw_only else tuple(form.named("init"))
    space["__dataclass_fields__"] = _Fields(form)
    whole = type(cls)(cls.__name__, cls.__bases__, space)
    whole.__qualname__ = cls.__qualname__
    return whole


def _methods(form: _Form) -> dict[str, Any]:
    values = _getter(form.named("compare"))
    put = object.__setattr__  # bypasses a frozen class's own

    made = 0

    def init(self: Any, *args: Any, **kwargs: Any) -> None:
        nonlocal made
        made += 1
        if made > _FEW or not _filled(self, form, args, kwargs):
            cls = type(self)
            cls.__init__ = _compiled_init(cls, form)
            cls.__init__(self, *args, **kwargs)

    def represent(self: Any) -> str:
        inner = ", ".join(f"{name}={getattr(self, name)!r}" for name in form.named("repr"))
        return f"{type(self).__qualname__}({inner})"

    def equal(self: Any, other: object) -> Any:
        return values(self) == values(other) if other.__class__ is self.__class__ else NotImplemented

    def state(self: Any) -> list[Any]:
        return [getattr(self, name) for name in form.names]

    def restore(self: Any, state: list[Any]) -> None:
        for name, value in zip(form.names, state, strict=True):
            put(self, name, value)

    methods: dict[str, Any] = {"__init__": init, "__repr__": represent, "__eq__": equal, "__hash__": None}
    methods |= {"__getstate__": state, "__setstate__": restore}
    if form.frozen:
        methods |= {
            "__hash__": lambda self: hash(values(self)),
            "__setattr__": _refuse,
            "__delattr__": _refuse,
        }
    return methods


def _getter(names: list[str]) -> Any:
    """Return a function that gives the values of some attributes as a tuple."""
    if len(names) > 1:
        return attrgetter(*names)
    return lambda self: tuple(getattr(self, name) for name in names)


def _refuse(_self: object, name: str, *_value: object) -> NoReturn:
    msg = f"cannot assign to field {name!r}"
    raise FrozenInstanceError(msg)


def _filled(self: Any, form: _Form, args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
    """Set an object's fields; return false if an argument is missing or unexpected."""
    given = kwargs
    if args:
        given = dict(zip(form.taken, args, strict=False)) | kwargs
        if form.kw_only or len(given) < len(args) + len(kwargs):
            return False
    if not form.needed <= given.keys() <= form.taken.keys():
        return False
    put = object.__setattr__
    for name, value in given.items():
        put(self, name, value)
    for name, one in form.preset:
        if name not in given:
            put(self, name, one.default if one.default_factory is MISSING else one.default_factory())
    if hasattr(self, "__post_init__"):
        self.__post_init__()
    return True


def _compiled_init(cls: Any, form: _Form) -> Any:
    """Compile ``__init__`` as the standard library would write it."""
    scope: dict[str, Any] = {"MISSING": MISSING}
    named, by_name = ["self"], ["*"]
    body = []
    for name in form.names:
        one = form.field(name)
        if one.init:
            (by_name if form.kw_only else named).append(f"{name}{_default(name, one, scope)}")
        value = f"default_{name}"
        if one.default_factory is not MISSING:
            scope[f"factory_{name}"] = one.default_factory
            made = f"factory_{name}()"
            value = f"{made} if {name} is MISSING else {name}" if one.init else made
        elif one.init:
            value = name
        elif one.default is MISSING:
            continue
        else:
            scope[value] = one.default
        body.append(_put(cls, name, value, scope) if form.frozen else f"self.{name} = {value}")
    if hasattr(cls, "__post_init__"):
        body.append("self.__post_init__()")
    listed = [*named, *(by_name if len(by_name) > 1 else [])]
    lines = [f"def __init__({', '.join(listed)}):", *(f" {line}" for line in body or ["pass"])]
    exec("\n".join(lines), scope)  # noqa: S102 - names of fields, which Python itself has read
    return scope["__init__"]


def _put(cls: Any, name: str, value: str, scope: dict[str, Any]) -> str:
    """Return a statement that sets a field past ``__setattr__``: by its slot, if any, in half the time."""
    slot = getattr(cls, name, None)
    if isinstance(slot, MemberDescriptorType):
        scope[f"slot_{name}"] = slot.__set__
        return f"slot_{name}(self, {value})"
    scope["put"] = object.__setattr__
    return f"put(self, {name!r}, {value})"


def _default(name: str, one: Field[Any], scope: dict[str, Any]) -> str:
    """Return a parameter's default as source, and put its value into scope."""
    if one.default_factory is not MISSING:
        return "=MISSING"
    if one.default is MISSING:
        return ""
    scope[f"default_{name}"] = one.default
    return f"=default_{name}"
