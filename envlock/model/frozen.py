"""Dataclasses whose methods are not written as source and compiled while their module is imported.

The standard library's decorator compiles six functions for each class, 0.4 ms in all, and a command imports
some 140 classes: a third of what starting it took. Here the methods that are alike for all classes are made
from the list of fields, and only what makes objects is compiled: ``__init__`` with the first one, and what
pickle needs with the first that it makes. What comes out is a dataclass in every respect: ``fields``,
``replace``, ``asdict``, ``match`` and type checkers know it as one.
"""

from __future__ import annotations

from dataclasses import MISSING, Field, FrozenInstanceError, fields
from dataclasses import dataclass as standard
from operator import attrgetter
from types import MemberDescriptorType
from typing import TYPE_CHECKING, Any, NoReturn

if TYPE_CHECKING:
    from dataclasses import dataclass as dataclass  # noqa: PLC0414 - that is how a name is handed on
else:

    def dataclass(*, frozen: bool = False, slots: bool = False, kw_only: bool = False) -> Any:
        """As ``dataclasses.dataclass``, for the options used here; methods of the class's own stay."""

        def made(cls: type) -> type:
            own = vars(cls).keys() & {"__init__", "__repr__", "__eq__", "__hash__"}
            whole = standard(init=False, repr=False, eq=False, slots=slots, kw_only=kw_only)(cls)
            methods = _methods(whole, frozen=frozen)
            for name in methods.keys() - own:
                setattr(whole, name, methods[name])
            return whole

        return made


def _methods(cls: Any, *, frozen: bool) -> dict[str, Any]:
    """The methods of a class, by the rules of ``dataclasses.dataclass(frozen=frozen)``."""
    told = [field.name for field in fields(cls) if field.repr]
    values = _getter([field.name for field in fields(cls) if field.compare])
    names = [field.name for field in fields(cls)]

    def init(self: Any, *args: Any, **kwargs: Any) -> None:
        cls.__init__ = _compiled_init(cls, frozen=frozen)
        cls.__init__(self, *args, **kwargs)

    def represent(self: Any) -> str:
        inner = ", ".join(f"{name}={getattr(self, name)!r}" for name in told)
        return f"{type(self).__qualname__}({inner})"

    def equal(self: Any, other: object) -> Any:
        return values(self) == values(other) if other.__class__ is self.__class__ else NotImplemented

    def state(self: Any) -> list[Any]:
        return [getattr(self, name) for name in names]

    def restore(self: Any, state: list[Any]) -> None:
        cls.__setstate__ = _compiled_restore(cls)
        cls.__setstate__(self, state)

    methods: dict[str, Any] = {"__init__": init, "__repr__": represent, "__eq__": equal, "__hash__": None}
    methods |= {"__getstate__": state, "__setstate__": restore}
    if frozen:
        methods |= {
            "__hash__": lambda self: hash(values(self)),
            "__setattr__": _refuse,
            "__delattr__": _refuse,
        }
    return methods


def _getter(names: list[str]) -> Any:
    """What gives the values of some attributes as a tuple."""
    if len(names) > 1:
        return attrgetter(*names)
    return lambda self: tuple(getattr(self, name) for name in names)


def _refuse(_self: object, name: str, *_value: object) -> NoReturn:
    msg = f"cannot assign to field {name!r}"
    raise FrozenInstanceError(msg)


def _compiled_init(cls: Any, *, frozen: bool) -> Any:
    """``__init__``, as the standard library would write it."""
    scope: dict[str, Any] = {"MISSING": MISSING}
    named, by_name = ["self"], ["*"]
    body = []
    for field in fields(cls):
        name = field.name
        if field.init:
            (by_name if field.kw_only else named).append(f"{name}{_default(field, scope)}")
        value = f"default_{name}"
        if field.default_factory is not MISSING:
            scope[f"factory_{name}"] = field.default_factory
            made = f"factory_{name}()"
            value = f"{made} if {name} is MISSING else {name}" if field.init else made
        elif field.init:
            value = name
        elif field.default is MISSING:
            continue
        else:
            scope[value] = field.default
        body.append(_put(cls, name, value, scope) if frozen else f"self.{name} = {value}")
    if hasattr(cls, "__post_init__"):
        body.append("self.__post_init__()")
    listed = [*named, *(by_name if len(by_name) > 1 else [])]
    lines = [f"def __init__({', '.join(listed)}):", *(f" {line}" for line in body or ["pass"])]
    exec("\n".join(lines), scope)  # noqa: S102 - names of fields, which Python itself has read
    return scope["__init__"]


def _compiled_restore(cls: Any) -> Any:
    """``__setstate__``, by which pickle makes thousands of objects of a class."""
    scope: dict[str, Any] = {}
    names = [field.name for field in fields(cls)]
    lines = [f" {_put(cls, name, f'state_{name}', scope)}" for name in names]
    taken = "".join(f"state_{name}, " for name in names)
    head = ["def __setstate__(self, state):", f" ({taken}) = state" if names else " pass"]
    exec("\n".join([*head, *lines]), scope)  # noqa: S102 - as above
    return scope["__setstate__"]


def _put(cls: Any, name: str, value: str, scope: dict[str, Any]) -> str:
    """A statement that sets a field past ``__setattr__``: by its slot, in half the time, where it has one."""
    slot = vars(cls).get(name)
    if isinstance(slot, MemberDescriptorType):
        scope[f"slot_{name}"] = slot.__set__
        return f"slot_{name}(self, {value})"
    scope["put"] = object.__setattr__
    return f"put(self, {name!r}, {value})"


def _default(field: Field[Any], scope: dict[str, Any]) -> str:
    """How a parameter's default is written, with its value put into scope."""
    if field.default_factory is not MISSING:
        return "=MISSING"
    if field.default is MISSING:
        return ""
    scope[f"default_{field.name}"] = field.default
    return f"=default_{field.name}"
