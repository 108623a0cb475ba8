"""What a distribution has of the names that others read, as far as the words of its modules tell."""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator, Mapping
from string import hexdigits
from typing import NamedTuple

from envlock.edges.imports.modules import BESIDE, Module, own_of
from envlock.edges.imports.statements import with_parents
from envlock.edges.syntax_trees import parsed

_OF_OTHERS = BESIDE | sys.stdlib_module_names
"""Modules that are not the distribution's where others name them: future's ``http`` is for Python 2 alone."""

_STARRED = re.compile(r"^[ \t]*from\s+(\.*)([\w.]*)\s+import\s+\(?\s*\*", re.MULTILINE)
"""Modules all of whose names are taken over."""

_MAKES_NAMES = re.compile(r"__getattr__|__path__|globals\(\)|sys\.modules|lazy", re.IGNORECASE)
"""What modules have that find names, or modules, while they run."""

_MAKES_ANY = re.compile(
    r"""globals\(\)(\[(?!["'])|\.)|\b(vars|locals)\(\)(\[|\.)|\bexec\("""
    r"""|\bsetattr\(\s*(?!self\b|cls\b|obj\b|instance\b)"""
)
"""What modules have that put names together, which then are nowhere as words (NumPy's ``dtypes``)."""

_LOADS = re.compile(r"sys\.meta_path|\bdef (exec|load)_module\b|\bModuleType\(|\bsetattr\(\s*sys\.modules\b")
"""What distributions have that fill their modules in from outside (toolz does so with tlz, and a decorator of
Matplotlib's with its backends)."""

_LOADS_FILES = re.compile(r"\b(module_from_spec|exec_module|load_module)\(")
"""What distributions have that import files, which may be modules by other names, with what is in them."""


_OF_LOADERS = ("meta_path", "exec_module", "load_module", "module_from_spec", "ModuleType(", "sys.modules")
"""One of these is in what has either; to look for them takes a tenth of the time."""


class Holdings:
    """The names of one distribution."""

    def __init__(self, modules: Mapping[str, Module]) -> None:
        self._modules = modules
        self._words: dict[str, _Words | None] = {}
        self._made: dict[str, frozenset[str]] = {}
        sources = [one.source for one in modules.values() if any(word in one.source for word in _OF_LOADERS)]
        self._is_filled_in = any(map(_LOADS.search, sources))
        self._has_more_modules = any(map(_LOADS_FILES.search, sources))
        self._own = {one for one in own_of(modules) if one.partition(".")[0] not in _OF_OTHERS}

    def lacks(self, name: str) -> bool:
        """Whether a dotted name would be this distribution's, and is surely not there.

        It is there where its module has the word at all. Of a module that finds names while it runs, or takes
        over others', the word must be nowhere in the distribution, and so where that has a loader of its own;
        of a package, also where that imports files. What a package has by the name of a module in it may be
        another thing (``jax.config`` is an object, and a file), of which nothing is said.
        A module that puts names together may have any, and so may one that takes over all of a compiled one
        or of another distribution's. What tells a version is mostly made while a file is built.
        """
        parents = with_parents(name)
        if name in self._modules or self._own.isdisjoint(parents[:-1]):
            return False
        holder = next(one for one in reversed(parents) if one in self._modules)
        word = name.removeprefix(f"{holder}.").partition(".")[0]
        module = self._modules[holder]
        if not word.isidentifier() or word.startswith("__") or "version" in word or not module.is_python:
            return False
        if self._is_folder(f"{holder}.{word}") or self._has(module, word) or self._is_hidden(holder):
            return False
        starred = list(self._starred(holder, module))
        if _MAKES_ANY.search(module.source) or any(map(self._may_have_any, starred)):
            return False
        is_open = self._is_filled_in or (module.is_package and self._has_more_modules)
        if starred or is_open or _MAKES_NAMES.search(module.source):
            return not any(self._has(one, word) for one in self._modules.values())
        return True

    def _has(self, module: Module, word: str) -> bool:
        """Whether a module has a word as a name or in a text; what it tells those who read it is none.

        protoc writes letters after a number as numbers, too, as far as they may be digits of one, and each
        module is taken apart once; of one that cannot be read nothing is said.
        """
        if word[1:].lstrip(hexdigits) not in module.source:
            return False
        if module.file not in self._words:
            self._words[module.file] = _Words.of(module.source)
        words = self._words[module.file]
        return words is None or words.have(word)

    def _is_hidden(self, module: str) -> bool:
        """Whether a package has something of its own by the name of this module, or of one around it."""
        while "." in module:
            package, _, word = module.rpartition(".")
            above = self._modules.get(package)
            if above is not None and word in above.source:
                if package not in self._made:
                    self._made[package] = frozenset(_made_by(above.source, package))
                if word in self._made[package]:
                    return True
            module = package
        return False

    def _may_have_any(self, module: str) -> bool:
        """Whether a module is compiled, or of another distribution."""
        if module in self._modules:
            return not self._modules[module].is_python
        return self._own.isdisjoint(with_parents(module))

    def _is_folder(self, dotted: str) -> bool:
        return any(one.startswith(f"{dotted}.") for one in self._modules)

    def _starred(self, name: str, module: Module) -> Iterator[str]:
        package = (name if module.is_package else name.rpartition(".")[0]).split(".")
        for dots, inside in _STARRED.findall(module.source):
            base = package[: len(package) - len(dots) + 1] if dots else []
            yield ".".join([*base, *filter(None, [inside])])


class _Words(NamedTuple):
    """What a module names, and its texts: of ``__all__``, or what protoc wrote of its messages."""

    names: frozenset[str]
    texts: str
    encoded: bytes

    @classmethod
    def of(cls, source: str) -> _Words | None:
        """Those of a source but for its prose; ``None`` where it cannot be read."""
        try:
            tree = parsed(source)
        except (SyntaxError, ValueError):
            return None
        names, texts, encoded = set[str](), list[str](), list[bytes]()
        for node in _without_prose(tree):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                texts.append(node.value)
            elif isinstance(node, ast.Constant) and isinstance(node.value, bytes):
                encoded.append(node.value)
            elif isinstance(node, ast.alias):
                names |= {*node.name.split("."), node.asname or ""}
            else:
                names |= {getattr(node, field, "") or "" for field in ("id", "name", "attr", "arg")}
        return cls(frozenset(names), "\n".join(texts), b"\n".join(encoded))

    def have(self, word: str) -> bool:
        """Whether a word is a name, or in a text."""
        return (
            word in self.names
            or word.encode() in self.encoded
            or re.search(rf"\b{word}\b", self.texts) is not None
        )


def _made_by(source: str, package: str) -> Iterator[str]:
    """What a package's own statements make, or take out of other modules."""
    try:
        body = parsed(source).body
    except (SyntaxError, ValueError):
        return
    itself = ((None, 1), (package, 0))
    for node in body:
        match node:
            case ast.ImportFrom(module=module, level=level) if (module, level) not in itself:
                yield from (one.asname or one.name for one in node.names)
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                yield node.name
            case ast.Assign():
                yield from (target.id for target in node.targets if isinstance(target, ast.Name))


def _without_prose(tree: ast.Module) -> Iterator[ast.AST]:
    """All nodes but docstrings, and texts that stand alone like them."""
    queue: list[ast.AST] = [tree]
    while queue:
        node = queue.pop()
        if not (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)):
            yield node
            queue.extend(ast.iter_child_nodes(node))
