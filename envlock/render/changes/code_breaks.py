"""Words for what fails in a program, and what to write instead."""

from __future__ import annotations

from envlock.lifecycle.code_breaks import CodeBreak
from envlock.model.counting import number_of
from envlock.model.published.api import Api, ApiChangeKind, ApiState

_CONSTRUCTOR = ".__init__"
_WHY = {
    ApiChangeKind.REMOVED: "{name} is gone",
    ApiChangeKind.OTHER_KIND: "{name} is something else now",
    ApiChangeKind.PARAMETER_REMOVED: "{name} takes no {parameter} any more",
    ApiChangeKind.PARAMETER_ADDED: "{name} asks for {parameter} now",
    ApiChangeKind.PARAMETER_REQUIRED: "{name} asks for {parameter} now",
    ApiChangeKind.PARAMETER_MOVED: "{name} takes {parameter} at another place",
    ApiChangeKind.PARAMETER_BY_NAME: "{name} takes {parameter} by name only",
    ApiChangeKind.PARAMETER_BY_POSITION: "{name} takes {parameter} by its place only",
}

_STATES = {
    ApiState.NO_SOURCES: "has no Python sources: not analysable",
    ApiState.TOO_LONG: "took too long to compare",
    ApiState.TOO_LARGE: "is too large to be fetched for this alone",
    ApiState.NOT_AT_HAND: "could not be fetched",
    ApiState.UNREADABLE: "cannot be read",
}


def why(fault: CodeBreak) -> str:
    """Return why a use fails, in one clause."""
    parameter = fault.parameter if "=" in fault.parameter else repr(fault.parameter)
    text = _WHY[fault.kind].format(name=called(fault.name), parameter=parameter)
    return text if fault.sure or not fault.new or fault.parameter else f"{text}, if that is what it is"


def called(name: str) -> str:
    """Return a name as people say it: a constructor by its class, a recorded call without its arguments."""
    return name.removesuffix(_CONSTRUCTOR).partition("(")[0]


def certainty(fault: CodeBreak) -> str:
    """Return the word for how sure it is."""
    return "certain" if fault.sure else "likely"


def state_text(api: Api) -> str:
    """Return what came of a comparison, in a few words."""
    if api.state is not ApiState.COMPARED:
        return _STATES[api.state]
    gone = sum(change.kind is ApiChangeKind.REMOVED for change in api.changes)
    other = len(api.changes) - gone
    summary = f"{number_of(gone, 'public name')} gone, {number_of(other, 'other change')} of arguments"
    if not api.changes:
        summary = "no public name gone, no argument changed"
    if api.compiled:
        summary = f"{summary}; {number_of(api.compiled, 'compiled module')} not looked into"
    return (
        f"{summary}; {number_of(api.unread, 'module')} in syntax that this Python cannot read"
        if api.unread
        else summary
    )


def code_break_document(fault: CodeBreak) -> dict[str, object]:
    """Return the same as a document for programs."""
    return {
        "file": fault.use.file,
        "cell": fault.use.cell or None,
        "line": fault.use.line,
        "column": fault.use.column,
        "text": fault.use.text,
        "component": fault.component,
        "kind": fault.kind.value,
        "name": fault.name,
        "parameter": fault.parameter or None,
        "replacement": fault.new or None,
        "note": fault.note,
        "certainty": certainty(fault),
    }


def api_document(component: str, api: Api) -> dict[str, object]:
    """Return a comparison for programs, change by change."""
    return {
        "component": component,
        "state": api.state.value,
        "packages": list(api.packages),
        "compiled_modules": api.compiled,
        "unread_modules": api.unread,
        "changes": [
            {
                "kind": change.kind.value,
                "name": change.name,
                "parameter": change.parameter or None,
                "certainty": "certain" if change.sure else "likely",
            }
            for change in api.changes
        ],
    }
