"""Other names for components: ``impi`` is Intel MPI, and ``gpu==V100`` is compute capability 7.0.

One name may stand for several components: ``gpu==MI250X`` is an LLVM target.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Self

from envlock.model.frozen import dataclass

_NO_PART_OF_A_NAME = r"[^a-z0-9.]"


@dataclass(frozen=True, slots=True, kw_only=True)
class OtherName:
    """Another name for a component, or for something that determines one.

    Attributes:
        component: the component that is meant.
        values: the name of such a thing, as ``spelt`` spells it -> the component's version (``v100`` ->
            ``7.0``); empty where the name is the component's own, and so are its versions.
        makers: words before such a name that carry no meaning (``nvidia``).
    """

    component: str
    values: Mapping[str, str]
    makers: tuple[str, ...] = ()

    def version(self, text: str) -> str | None:
        """The component's version for what was written; ``None`` where its meaning is not known.

        Text after a known name narrows it down (``CentOS 7.9``, ``A100-SXM4``), unless it begins with a
        digit, which makes it another name (``A10`` is not the beginning of ``A100``).
        """
        if not self.values:
            return text
        name = without(spelt(text), self.makers)
        known = [value for value in self.values if name.startswith(value)]
        known = [value for value in known if not name[len(value) : len(value) + 1].isdecimal()]
        return self.values[max(known, key=len)] if known else None


@dataclass(frozen=True, slots=True, kw_only=True)
class CondaAlone:
    """What conda has and the package index does not: programs, libraries, packages of other languages.

    Attributes:
        families: beginnings of names that only such packages have (``r-``).
        names: the other names, one in each line: as one text they take no time where nobody asks for them.
    """

    families: tuple[str, ...] = ()
    names: str = "\n"

    def __contains__(self, name: object) -> bool:
        """Whether a package of conda's, by its name there, is one of these."""
        return isinstance(name, str) and (name.startswith(self.families) or f"\n{name}\n" in self.names)

    def with_more(self, families: Iterable[str], names: Iterable[str]) -> Self:
        """Return these and more."""
        further = "".join(f"{name}\n" for name in names)
        return replace(self, families=(*self.families, *families), names=self.names + further)


def spelt(text: str) -> str:
    """Return a name without what people write differently: case, blanks, dashes."""
    return re.sub(_NO_PART_OF_A_NAME, "", text.lower())


def without(name: str, makers: Sequence[str]) -> str:
    """Return a name without the leading words that carry no meaning."""
    for maker in makers:
        name = name.removeprefix(maker)
    return name
