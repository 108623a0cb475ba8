"""Words by which facts learn what a source tree is like that is built."""

from __future__ import annotations

from types import MappingProxyType

STATED_REQUIREMENTS = "stated-requirements"
SLIPS = "slips"
"""Its requirements are not written as the standard demands."""

CYTHON_SOURCES = "cython-sources"
TRANSLATED = "translated"
"""Cython translates sources in it."""

TREE_WORDS = MappingProxyType({STATED_REQUIREMENTS: SLIPS, CYTHON_SOURCES: TRANSLATED})
"""Component -> the word that a build tells."""
