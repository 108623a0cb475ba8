"""Requirements on builds with a local label (``torch ==2.0.0+cu117``) that no index has."""

from __future__ import annotations

from collections.abc import Collection

from packaging.specifiers import Specifier, SpecifierSet

from envlock.model.component import InvalidVersion, parse_version


def has_label(text: str) -> bool:
    """Whether a specifier set names a build by its local label."""
    return "+" in text


def of_what_is_published(specifiers: SpecifierSet, published: Collection[str]) -> SpecifierSet:
    """What metadata asks for, where a labelled build that was never published means the release it is of.

    The label is that of the machine which built the file (torchvision 0.11.0 and 0.15.0 kept PyTorch's). A
    public index takes no labels (PEP 440), so that as it is written nothing there could ever answer.

    Args:
        specifiers: what metadata asks for.
        published: every version of the distribution that its index has.
    """
    return SpecifierSet(",".join(_meant(one, frozenset(published)) for one in specifiers))


def _meant(specifier: Specifier, published: frozenset[str]) -> str:
    if specifier.operator != "==" or not has_label(specifier.version):
        return str(specifier)
    try:
        version = parse_version(specifier.version)
    except InvalidVersion:
        return str(specifier)
    if version in map(parse_version, published):
        return str(specifier)
    return f"=={version.public}"
