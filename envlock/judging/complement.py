"""The complement of a range of versions, in the notation of ranges."""

from __future__ import annotations

from functools import cache
from itertools import product

from packaging.specifiers import InvalidSpecifier, Specifier, SpecifierSet
from packaging.version import Version

from envlock.model.component import Range

_OPPOSITE = {">=": "<", "<": ">=", ">": "<=", "<=": ">", "==": "!=", "!=": "==", "===": "!="}


@cache
def complement(versions: Range) -> Range | None:
    """Return the versions outside a range of versions; ``None`` where every version is inside.

    It is also ``None`` where the range has labels, as nobody knows which others exist, or names what is no
    version (``===2004d``), which no other operator takes.

    By De Morgan: to be outside a union of specifier sets is to fail one specifier of each set. Parts that
    nothing satisfies or that lie inside another part are dropped: ``==3.1.3`` gives ``!=3.1.3`` and
    ``>=2,<3`` gives ``<2 || >=3``.
    """
    if any(part.label is not None for part in versions.parts):
        return None
    ways = [[way for specifier in part.specifiers for way in _negated(specifier)] for part in versions.parts]
    try:
        joined = [_joined(way) for way in product(*ways)]
    except InvalidSpecifier:
        return None
    parts = {str(part): part for part in joined if not part.is_unsatisfiable()}
    kept = [
        part
        for text, part in parts.items()
        if not any(text != other and part.is_subset(wider) for other, wider in parts.items())
    ]
    if not kept:
        return None
    return Range.versions(" || ".join(_readable(part) for part in sorted(kept, key=_readable)))


def _negated(specifier: Specifier) -> list[str]:
    if specifier.operator == "~=":
        version = Version(specifier.version)
        series = version.__replace__(release=version.release[:-1], pre=None, post=None, dev=None)
        return [f"<{specifier.version}", f"!={series}.*"]
    return [f"{_OPPOSITE[specifier.operator]}{specifier.version}"]


def _joined(specifiers: tuple[str, ...]) -> SpecifierSet:
    """Join all specifiers, without those that the others already imply."""
    kept = list(dict.fromkeys(specifiers))
    for text in tuple(kept):
        rest = [other for other in kept if other != text]
        if rest and SpecifierSet(",".join(rest)).is_subset(SpecifierSet(text)):
            kept = rest
    return SpecifierSet(",".join(kept))


def _readable(part: SpecifierSet) -> str:
    return ",".join(sorted((str(specifier) for specifier in part), key=lambda text: (text[0] == "<", text)))
