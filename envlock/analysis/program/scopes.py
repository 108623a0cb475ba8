"""Where the names of a program lead, scope by scope."""

from __future__ import annotations

import builtins
from collections import ChainMap
from dataclasses import field, replace

from envlock.model.frozen import dataclass

_BUILT_IN = frozenset(dir(builtins))


@dataclass(frozen=True, slots=True)
class Known:
    """The path that a name leads to, and whether it certainly does.

    Attributes:
        path: where it leads.
        sure: whether it certainly leads there.
        item: what the items of a list, or the values of a dictionary, lead to that the program makes itself.
    """

    path: str
    sure: bool = True
    item: Known | None = None

    def guess(self) -> Known:
        """Return the same as no more than a guess."""
        return replace(self, sure=False)


@dataclass(slots=True)
class Scope:
    """Names and where they lead; ``None`` for nowhere known.

    Attributes:
        names: the names, with those of enclosing scopes; an attribute that a method sets is ``self.NAME``.
        branches: how many branches deep the reading is; in a branch, a binding may not be the effective one.
        star: the module whose public names were all imported; ``None`` for none.
        keys: names of dictionaries of arguments -> the keys that they visibly get.
        function: the path of the program's own function whose body this is; empty outside one.
        within: the path of the program's own class that this is in; empty outside one.
        shared: names that are global here.
        gathering: the parameter of the function that takes all further arguments by name; empty for none.
    """

    names: ChainMap[str, Known | None] = field(default_factory=ChainMap[str, "Known | None"])
    branches: int = 0
    star: Known | None = None
    keys: dict[str, frozenset[str]] = field(default_factory=dict)
    function: str = ""
    within: str = ""
    shared: set[str] = field(default_factory=set)
    gathering: str = ""

    def inner(self, *, function: str = "", within: str = "") -> Scope:
        """Return the scope of a function or class inside this one, which sees the names here."""
        return Scope(
            names=self.names.new_child(),
            star=self.star,
            keys=dict(self.keys),
            function=function,
            within=within or self.within,
            gathering=self.gathering,
        )

    def look_up(self, name: str) -> Known | None:
        """Return where a name leads; one that neither the program nor Python defines comes from the star."""
        if name in self.names or self.star is None or name.startswith("_") or name in _BUILT_IN:
            return self.names.get(name)
        return Known(f"{self.star.path}.{name}", self.star.sure)

    def bind(self, name: str, known: Known | None) -> None:
        """Bind a name to a value; in a branch it may also keep its earlier one."""
        before = self.names.get(name)
        self.keys.pop(name, None)
        if self.branches and before is not None and (known is None or known.path != before.path):
            known = (known or before).guess()
        elif self.branches and known is not None:
            known = replace(known, sure=known.sure and name not in self.names)
        self.names[name] = known
