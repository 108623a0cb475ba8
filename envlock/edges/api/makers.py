"""What functions return, by their annotations and their documentation."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

import griffe

from envlock.edges.api.packages import classes_of, modules_of

_RETURNS = re.compile(r"^[ \t]*Returns\n[ \t]*-{3,}\n[ \t]*(?P<what>[^\n]+)", re.MULTILINE)
"""The first line below the heading in NumPy's style: ``self : object``, ``DataFrame or None``."""
_WORD = re.compile(r"[A-Za-z_][\w.]*")
_SELF = frozenset({"self", "Self"})


class Makers:
    """Guesses the class of what a package's function returns, from what its authors say."""

    def __init__(self, package: griffe.Module) -> None:
        self._package = package.name
        self._classes = _by_name(package)

    def made(self, function: griffe.Function) -> str:
        """Return the class of the same package that a function returns; empty for any other answer."""
        own = function.parent.path if isinstance(function.parent, griffe.Class) else ""
        if own and ("classmethod" in function.labels or _returns_what_it_takes(function)):
            return own
        for name in (*_annotated(function.returns), *_documented(function)):
            if name.rpartition(".")[2] in _SELF:
                return own
            if found := self._class(name):
                return found
        return ""

    def held(self, attribute: griffe.Attribute) -> str:
        """Return the class of the same package that an attribute or a property holds; empty if unknown."""
        return next(filter(None, map(self._class, _annotated(attribute.annotation))), "")

    def _class(self, name: str) -> str:
        if name.partition(".")[0] == self._package and "." in name:
            return name
        return self._classes.get(name.rpartition(".")[2], "")


def _returns_what_it_takes(function: griffe.Function) -> bool:
    """Whether a method returns the type of its receiver, by a type variable: ``def copy(self: T) -> T``."""
    receiver = next(iter(function.parameters), None)
    if receiver is None or receiver.annotation is None or function.returns is None:
        return False
    return str(receiver.annotation) == str(function.returns)


def _by_name(package: griffe.Module) -> Mapping[str, str]:
    """Map class names to where they are defined; empty for an ambiguous name."""
    found: dict[str, str] = {}
    for module in modules_of(package):
        for class_ in classes_of(module):
            found[class_.name] = "" if found.get(class_.name, class_.path) != class_.path else class_.path
    return found


def _annotated(returns: str | griffe.Expr | None) -> Iterator[str]:
    """Yield the names in an annotation, except inside containers: ``list[W]`` is not a ``W``."""
    match returns:
        case griffe.ExprBinOp(operator="|"):
            yield from _annotated(returns.left)
            yield from _annotated(returns.right)
        case griffe.ExprSubscript() if returns.canonical_path.rpartition(".")[2] == "Optional":
            yield from _annotated(returns.slice)
        case griffe.ExprName() | griffe.ExprAttribute():
            yield returns.canonical_path


def _documented(function: griffe.Function) -> Iterator[str]:
    """Yield the class that the documentation names first."""
    if function.returns is not None or function.docstring is None:
        return
    match = _RETURNS.search(function.docstring.value)
    if match is None:
        return
    name, colon, kind = match["what"].partition(" : ")
    if name.strip() in _SELF:
        yield name.strip()
    elif word := _WORD.search(kind if colon else name):
        yield word[0].rstrip(".")
