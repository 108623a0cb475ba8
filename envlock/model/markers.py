"""Whether the condition of a dependency specifier (PEP 508) holds."""

from __future__ import annotations

from collections.abc import Mapping

from packaging.markers import Marker, UndefinedComparison


def marker_holds(marker: Marker, environment: Mapping[str, str]) -> bool:
    """Whether a marker holds in an environment, which has every name that it asks for.

    One that orders what has no order (``sys_platform ~= 'linux'``) says nothing, so that its requirement
    counts, as in uv (https://github.com/astral-sh/uv, marker/parse.rs of its PEP 508: "will be ignored").

    Raises:
        UndefinedEnvironmentName: the environment lacks a name.
    """
    try:
        return marker.evaluate(environment)
    except UndefinedComparison:
        return True
