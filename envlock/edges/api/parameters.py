"""Parameters that changed between releases: the name or position with which a call would fail."""

from __future__ import annotations

import griffe

from envlock.model.published.api import ApiChange, ApiChangeKind

_WAYS = {
    griffe.ParameterKind.keyword_only: ApiChangeKind.PARAMETER_BY_NAME,
    griffe.ParameterKind.positional_only: ApiChangeKind.PARAMETER_BY_POSITION,
}
_BY_CAPACITY = frozenset({ApiChangeKind.PARAMETER_REMOVED, ApiChangeKind.PARAMETER_BY_NAME})
"""Changes after which a call can have too many positional arguments."""
_BY_POSITION = frozenset({griffe.ParameterKind.positional_only, griffe.ParameterKind.positional_or_keyword})
_RECEIVERS = frozenset({"self", "cls"})


def changed_parameter(breakage: griffe.Breakage, kind: ApiChangeKind, name: str) -> ApiChange | None:
    """Return griffe's finding on a parameter; ``None`` if it breaks no call that was correct.

    Args:
        breakage: what griffe found.
        kind: what it means to users, as far as the kind of breakage tells.
        name: the callable's name in the earlier release.
    """
    parameter = breakage.new_value if kind is ApiChangeKind.PARAMETER_ADDED else breakage.old_value
    if not isinstance(parameter, griffe.Parameter) or parameter.name in _RECEIVERS:
        return None
    if breakage.kind is griffe.BreakageKind.PARAMETER_CHANGED_KIND:
        becomes = _WAYS.get(breakage.new_value.kind)
        if becomes is None:
            return None
        kind = becomes
    if kind not in _BY_CAPACITY:
        return ApiChange(kind=kind, name=name, parameter=parameter.name, position=_position(parameter))
    ways = (
        [other.kind for other in breakage.obj.parameters] if isinstance(breakage.obj, griffe.Function) else []
    )
    return ApiChange(
        kind=kind,
        name=name,
        parameter=parameter.name,
        position=_position(parameter),
        sure=kind is not ApiChangeKind.PARAMETER_REMOVED or griffe.ParameterKind.var_keyword not in ways,
        takes=_taken(breakage.obj),
    )


def _taken(function: griffe.Object | griffe.Alias) -> int:
    """Return the number of positional arguments a function takes, without the receiver; -1 for any number."""
    if not isinstance(function, griffe.Function):
        return -1
    if any(parameter.kind is griffe.ParameterKind.var_positional for parameter in function.parameters):
        return -1
    named = [parameter for parameter in function.parameters if parameter.name not in _RECEIVERS]
    return sum(parameter.kind in _BY_POSITION for parameter in named)


def _position(parameter: griffe.Parameter) -> int:
    """Return a parameter's position, not counting the receiver; -1 if it can only be passed by name."""
    if parameter.kind not in _BY_POSITION:
        return -1
    function = parameter.function
    if function is None:
        return -1
    names = [other.name for other in function.parameters if other.name not in _RECEIVERS]
    return names.index(parameter.name) if parameter.name in names else -1
