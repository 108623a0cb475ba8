"""Requirements for builds with a local label (``torch ==2.0.0+cu117``) that no index has."""

from __future__ import annotations

from collections.abc import Collection

from packaging.specifiers import Specifier, SpecifierSet

from envlock.model.component import InvalidVersion, parse_version


def has_label(text: str) -> bool:
    """Whether a specifier set names a build by its local label."""
    return "+" in text


def of_what_is_published(specifiers: SpecifierSet, published: Collection[str]) -> SpecifierSet:
    """Replace labelled builds that were never published by the release that they are of.

    The label is that of the machine on which the file was built (torchvision 0.11.0 and 0.15.0 kept
    PyTorch's). A public index takes no labels (PEP 440), so taken literally, nothing there could satisfy it.

    Args:
        specifiers: what metadata requires.
        published: every version of the distribution on its index.
    """
    return SpecifierSet(",".join(_meant(specifier, frozenset(published)) for specifier in specifiers))


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
