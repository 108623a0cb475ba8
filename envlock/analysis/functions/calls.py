"""Calls as written, functions' parameters, and whether the one can be bound to the other."""

from __future__ import annotations

import ast
import re
from typing import NamedTuple


class Call(NamedTuple):
    """A call, as far as its text tells.

    Attributes:
        positional: the number of arguments that it surely passes by position.
        keywords: the arguments that it passes by name.
        is_open: whether it passes more that the text does not show (``*args``, ``**kwargs``).
    """

    positional: int
    keywords: tuple[str, ...]
    is_open: bool

    @classmethod
    def of(cls, node: ast.Call) -> Call:
        """Return the call that an expression makes."""
        starred = [argument for argument in node.args if isinstance(argument, ast.Starred)]
        named = tuple(keyword.arg for keyword in node.keywords if keyword.arg is not None)
        return cls(len(node.args) - len(starred), named, bool(starred) or len(named) < len(node.keywords))


class Parameters(NamedTuple):
    """The parameters of a function.

    Attributes:
        placed: those with a position, in order.
        unnamed: how many of the first ones are positional-only.
        named: the keyword-only ones.
        required: those without a default.
        takes_more: whether it takes any number of positional arguments (``*args``).
        takes_any: whether it takes keyword arguments of any name (``**kwargs``).
        veil: text of the decorators before it; an argument that they may take is named in it.
    """

    placed: tuple[str, ...]
    unnamed: int
    named: frozenset[str]
    required: frozenset[str]
    takes_more: bool
    takes_any: bool
    veil: str = ""

    @classmethod
    def of(cls, arguments: ast.arguments) -> Parameters:
        """Return the parameters of a definition."""
        places = [*arguments.posonlyargs, *arguments.args]
        placed = tuple(place.arg for place in places)
        without = {
            one.arg
            for one, default in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)
            if default is None
        }
        return cls(
            placed=placed,
            unnamed=len(arguments.posonlyargs),
            named=frozenset(argument.arg for argument in arguments.kwonlyargs),
            required=frozenset(placed[: len(placed) - len(arguments.defaults)]) | without,
            takes_more=arguments.vararg is not None,
            takes_any=arguments.kwarg is not None,
        )

    def bound(self) -> Parameters | None:
        """Return them without the first, which the object or the class takes; ``None`` if there is none."""
        if not self.placed:
            return None
        return self._replace(
            placed=self.placed[1:],
            unnamed=max(self.unnamed - 1, 0),
            required=self.required - {self.placed[0]},
        )

    def refusal(self, call: Call) -> str:
        """Return why a call cannot be bound to these, in a few words; empty if it may be."""
        by_name = {*self.placed[self.unnamed :], *self.named}
        unknown = [name for name in call.keywords if name not in by_name]
        unknown = [name for name in unknown if not re.search(rf"\b{name}\b", self.veil)]
        if unknown and not self.takes_any:
            return f"with {unknown[0]}=, which it does not take"
        if self.veil:
            return ""
        if call.positional > len(self.placed) and not self.takes_more:
            taken = len(self.placed) or "none"
            return f"with {_arguments(call.positional)} by place, of which it takes {taken}"
        twice = [name for name in call.keywords if name in self.placed[self.unnamed : call.positional]]
        if twice:
            return f"with {twice[0]}= twice"
        missing = self.required - {*self.placed[: call.positional], *(by_name & {*call.keywords})}
        if missing and not call.is_open:
            return f"without {min(missing)}, which it asks for"
        return ""


def _arguments(number: int) -> str:
    return "1 argument" if number == 1 else f"{number} arguments"
