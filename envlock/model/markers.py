"""Evaluation of the markers of dependency specifiers (PEP 508)."""

from __future__ import annotations

from collections.abc import Mapping

from packaging.markers import Marker, UndefinedComparison


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
