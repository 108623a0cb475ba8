"""Evaluation of the markers of dependency specifiers (PEP 508)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache

from packaging.markers import Marker, UndefinedComparison

_EXTRA, _NO_EXTRA = "extra", 'extra == ""'
_OPERAND = r'("[^"]*"|\w+)'
_COMPARISON = re.compile(rf"{_OPERAND} (?:not in|in|[<=>!~]+) {_OPERAND}")
"""One comparison of a marker as ``packaging`` writes it."""


def marker_holds(marker: Marker, environment: Mapping[str, str]) -> bool:
    """Whether a marker holds in an environment, which has every name that it asks for.

    A marker that orders what has no order (``sys_platform ~= 'linux'``) is ignored, so that its requirement
    counts, as in uv (https://github.com/astral-sh/uv, marker/parse.rs of its PEP 508: "will be ignored").

    Raises:
        UndefinedEnvironmentName: the environment lacks a name.
    """
    try:
        return marker.evaluate(environment)
    except UndefinedComparison:
        return True


@cache
def is_of_extras(marker: Marker) -> bool:
    """Whether a marker holds on no node unless an extra is asked for; what it says of nodes is left open."""
    text = _COMPARISON.sub(lambda one: one[0] if _EXTRA in one.groups() else _NO_EXTRA, str(marker))
    return not Marker(text).evaluate({_EXTRA: ""})
