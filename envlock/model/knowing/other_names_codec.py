"""Decoding of other names: distributions' flavours, conda's names, modules, colloquial names."""

from __future__ import annotations

import re

from packaging.utils import canonicalize_name

from envlock.model.decode import Table
from envlock.model.knowing.knowledge import NamedFor
from envlock.model.knowing.knowledge_parts import Names, frozen, read_sources
from envlock.model.knowing.other_name import CondaAlone, OtherName, spelt

_WILD = r"[*?]|\[[^]]*\]"
"""Wildcards in a shell pattern."""


class OtherNamesDecoder:
    """Decodes the tables of ``components.toml`` that give something another name.

    Attributes:
        flavours: distribution -> the one of which it is a flavour.
        conda: conda's name -> the distribution or component that it is; empty for what no index has.
        alone: further names of conda's for what no index has, and beginnings of such names.
        modules: module -> the distributions that provide it, the usual one first.
        named_for: what facts call distributions by the form of their names -> which ones these are.
        called: colloquial name in canonical spelling -> what it means; several where its values decide.
    """

    __slots__ = ("_names", "alone", "called", "conda", "flavours", "modules", "named_for")

    def __init__(self, names: Names) -> None:
        self._names = names
        self.flavours: dict[str, str] = {}
        self.conda: dict[str, str] = {}
        self.alone = CondaAlone()
        self.modules: dict[str, tuple[str, ...]] = {}
        self.named_for: dict[str, NamedFor] = {}
        self.called: dict[str, tuple[OtherName, ...]] = {}

    def read(self, root: Table) -> None:
        """Decode the tables of one document."""
        for table in root.tables("flavour"):
            self._flavour(table)
        for table in root.tables("conda"):
            self._conda(table)
        for table in root.tables("module"):
            brought_by = tuple(map(self._names.name, table.texts("brought-by")))
            for name in table.texts("names"):
                brings = brought_by or (self._names.name(name),)
                if self.modules.setdefault(name, brings) != brings:
                    raise table.error(f"{name!r} is already assigned to another distribution", key="names")
            read_sources(table)
            table.done()
        for table in root.tables("named-for"):
            self._named_for(table)
        for table in root.tables("called"):
            self._called(table)

    def read_alone(self, root: Table) -> None:
        """Decode what a document says of conda's names, and of what conda alone has."""
        for table in root.tables("conda"):
            self._conda(table)
        for table in root.tables("alone"):
            self.alone = self.alone.with_more(table.texts("families"), table.texts("names"))
            read_sources(table)
            table.done()

    def _conda(self, table: Table) -> None:
        affix = table.text("without", "")
        same = self._names.name(table.text("is")) if table.has("is") else ""
        for name in table.texts("names"):
            rest = name.removesuffix(affix) if affix.startswith("-") else name.removeprefix(affix)
            meant = self._names.name(rest) if affix else same
            if self.conda.setdefault(name, meant) != meant:
                raise table.error(f"{name!r} already means {self.conda[name]!r}", key="names")
        read_sources(table)
        table.done()

    def _flavour(self, table: Table) -> None:
        flavour, base = self._names.name(table.text("distribution")), self._names.name(table.text("of"))
        if self.flavours.setdefault(flavour, base) != base:
            known = self.flavours[flavour]
            raise table.error(f"{flavour!r} is already a flavour of {known!r}", key="of")
        table.done()

    def _named_for(self, table: Table) -> None:
        patterns = table.texts("patterns")
        literals = tuple(max(re.split(_WILD, pattern), key=len) for pattern in patterns)
        without, address = table.texts("without"), table.text("address", "")
        one = NamedFor(patterns=patterns, without=without, literals=literals, address=address)
        if self.named_for.setdefault(name := table.text("name"), one) != one:
            raise table.error(f"{name!r} is already defined differently", key="name")
        read_sources(table)
        table.done()

    def _called(self, table: Table) -> None:
        values: dict[str, str] = {}
        for value in table.tables("values"):
            values |= dict.fromkeys(map(spelt, value.texts("names")), value.text("version"))
            value.done()
        other = OtherName(
            component=self._names.name(table.text("is")),
            values=frozen(values),
            makers=tuple(spelt(name) for name in table.texts("makers")),
        )
        for name in table.texts("names"):
            known = self.called.get(canonicalize_name(name), ())
            by_words = other.values and all(one.values for one in known)
            if name in self._names.systems or (known and other not in known and not by_words):
                raise table.error(f"{name!r} already means something else", key="names")
            if other not in known:
                self.called[canonicalize_name(name)] = (*known, other)
        read_sources(table)
        table.done()
