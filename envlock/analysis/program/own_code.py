"""What a program defines itself, as far as it passes on what the program imports.

The program's own functions and classes have paths that begin with ``<`` and lead to nothing that a package
offers. Reading a program twice reveals what their results, arguments and attributes are.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import field, replace

from envlock.analysis.program.own_modules import OwnModules
from envlock.analysis.program.scopes import Known
from envlock.analysis.program.uses import CALLED, UNKNOWN, leads_into
from envlock.analysis.syntax_trees import bound_in_class, last_name
from envlock.model.frozen import dataclass

Function = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
_OWN = "<"
_MODULE = "<module "
_PROPERTIES = frozenset({"property", "cached_property"})


def is_own(path: str) -> bool:
    """Whether a path leads to what the program defines itself."""
    return path.startswith(_OWN)


@dataclass(slots=True, kw_only=True)
class OwnClass:
    """A class of the program.

    Attributes:
        base: the imported class that it inherits from, if any.
        names: what it defines or assigns itself, and so does not inherit.
        methods: the paths of its methods.
        attributes: a guess at what its attributes and properties are.
    """

    base: Known | None
    names: frozenset[str]
    methods: dict[str, str] = field(default_factory=dict)
    attributes: dict[str, Known] = field(default_factory=dict)

    @property
    def made_by_base(self) -> bool:
        """Whether its instances are constructed as the base's are."""
        return self.base is not None and self.names.isdisjoint({"__init__", "__new__"})


@dataclass(slots=True)
class OwnCode:
    """What is known of the functions and classes of a program so far, as one of its files sees it.

    Attributes:
        file: the file.
        modules: the program's files.
        results: path of a function -> what it returns.
        given: path of a function and position or name of a parameter -> what a call passes for it.
        classes: path of a class -> the class.
        accepts: path of a function -> the arguments by name that it takes itself.
        passes_on: path of a function -> what it calls with all further ones (``**kwargs``).
        shared: module-level names that functions of the file assign -> what they assign.
        patched: names of imported modules that the file assigns itself (``numpy.float = float``).
    """

    file: str = ""
    modules: OwnModules = field(default_factory=OwnModules)
    results: dict[str, Known] = field(default_factory=dict)
    given: dict[tuple[str, int | str], Known] = field(default_factory=dict)
    classes: dict[str, OwnClass] = field(default_factory=dict)
    accepts: dict[str, frozenset[str]] = field(default_factory=dict)
    passes_on: dict[str, dict[str, None]] = field(default_factory=dict)
    shared: dict[str, Known] = field(default_factory=dict)
    patched: set[str] = field(default_factory=set)

    def within(self, file: str) -> OwnCode:
        """Return the same as another file sees it."""
        return replace(self, file=file, shared={}, patched=set())

    def apart(self) -> OwnCode:
        """Return a copy to read the file with one of several guesses."""
        results, given, classes = dict(self.results), dict(self.given), dict(self.classes)
        return replace(self, results=results, given=given, classes=classes, shared={}, patched=set())

    def take(self, other: OwnCode) -> None:
        """Add what a copy found, where nothing is known yet."""
        self.results |= other.results | self.results
        self.given |= other.given | self.given
        self.classes |= other.classes | self.classes

    def path(self, node: ast.stmt) -> str:
        """Return the path of a function or class that the file defines."""
        return f"{_OWN}{getattr(node, 'name', '')} {self.file}:{node.lineno}:{node.col_offset}>"

    def define(self, node: ast.ClassDef, base: Known | None) -> OwnClass:
        """Record a class of the program, and keep what was found of it before."""
        path = self.path(node)
        if path not in self.classes:
            self.classes[path] = OwnClass(base=base, names=frozenset(_names_of(node)))
        one = self.classes[path]
        one.base = base
        for method in node.body:
            if isinstance(method, ast.FunctionDef | ast.AsyncFunctionDef):
                place = self.path(method)
                if not any(last_name(decorator) in _PROPERTIES for decorator in method.decorator_list):
                    one.methods[method.name] = place
                elif place in self.results:
                    one.attributes[method.name] = self.results[place]
        return one

    def patch(self, path: str) -> None:
        """Record that the program assigns an imported name; an instance's attribute is another matter."""
        if not is_own(path) and CALLED not in path and not path.startswith(UNKNOWN):
            self.patched.add(path)

    def patches(self, path: str) -> bool:
        """Whether a path leads to what the program assigned itself."""
        return any(leads_into(path, patched) for patched in self.patched)

    def result(self, path: str) -> Known | None:
        """Return what a call of an own function or class leads to."""
        if path in self.classes:
            return Known(f"{path}{CALLED}", sure=False)
        return self.results.get(path)

    def attribute(self, path: str, name: str) -> Known | None:
        """Return what an attribute of an own class, of its instance, or of an own module leads to."""
        one = self.classes.get(path.removesuffix(CALLED))
        if one is None:
            return self.modules.attribute(path, name) if path.startswith(_MODULE) else None
        if name in one.attributes:
            return one.attributes[name]
        if name in one.methods:
            return Known(one.methods[name], sure=False)
        if one.base is None or name in one.names:
            return None
        called = CALLED if path.endswith(CALLED) else ""
        return Known(f"{one.base.path}{called}.{name}", sure=False)

    def keep(self, path: str, name: str, known: Known | None) -> None:
        """Record the value of an instance's attribute; the first known one counts."""
        one = self.classes.get(path.removesuffix(CALLED))
        if one is not None and known is not None:
            one.attributes.setdefault(name, known.guess())

    def give(self, path: str, place: int | str, known: Known | None) -> None:
        """Record the argument that a call passes to an own function; the first known one counts."""
        if known is not None:
            self.given.setdefault((path, place), known.guess())

    def called(self, path: str) -> str:
        """Return what is run by a call: of an own class, its constructor."""
        made = self.classes.get(path)
        return made.methods.get("__init__", path) if made is not None else path

    def receivers(self, path: str) -> Iterator[str]:
        """Yield what is called with the further arguments of an own function, through others of its own."""
        waiting, seen = [path], {path}
        while waiting:
            for receiver in self.passes_on.get(waiting.pop(), ()):
                if not is_own(receiver):
                    yield receiver
                elif receiver not in seen:
                    seen.add(receiver)
                    waiting.append(receiver)

    def answer(self, path: str, known: Known | None) -> None:
        """Record what an own function returns; the first known value counts."""
        if known is not None and path and known.path != f"{path}{CALLED}":
            self.results.setdefault(path, known.guess())


def _names_of(node: ast.ClassDef) -> Iterator[str]:
    """Yield what a class defines in its body and what its methods assign to ``self``."""
    yield from bound_in_class(node)
    for inner in ast.walk(node):
        match inner:
            case ast.Attribute(value=ast.Name(id="self"), ctx=ast.Store()):
                yield inner.attr


def accepted_by(function: Function) -> Iterator[str]:
    """Yield the arguments by name that a function takes itself, and does not pass on."""
    arguments = function.args
    yield from (argument.arg for argument in (*arguments.args, *arguments.kwonlyargs))
    gathering = arguments.kwarg.arg if arguments.kwarg else ""
    for node in ast.walk(function) if gathering else ():
        match node:
            case ast.Call(
                func=ast.Attribute(value=ast.Name(id=name), attr="pop"),
                args=[ast.Constant(value=str(key)), *_],
            ) if name == gathering:
                yield key
