"""Checks as results list them."""

from typing import Any, Dict

from .isolation import Ended

NO_GPU = "not applicable: no GPU"


def verdict(
    identifier: str, name: str, outcome: str, message: str, details: Dict[str, Any], seconds: float = 0.0
) -> Dict[str, Any]:
    """Make one check."""
    return {
        "id": identifier,
        "name": name,
        "outcome": outcome,
        "message": message,
        "details": details,
        "seconds": round(seconds, 3),
    }


def not_applicable(identifier: str, name: str, reason: str) -> Dict[str, Any]:
    """Make a check that had nothing to examine, with the reason."""
    return verdict(identifier, name, "not-applicable", reason, {})


def unreported(identifier: str, name: str, ended: Ended) -> Dict[str, Any]:
    """Make a check whose process ended before it reported anything."""
    begun = [line["begins"] for line in ended.lines if "begins" in line]
    where = begun[-1] if begun else "before it began"
    what = ": ".join(filter(None, [ended.what, where, ended.why]))
    return verdict(identifier, name, ended.outcome, what, {"output": ended.output}, ended.seconds)


def unfinished(check: Dict[str, Any]) -> Dict[str, Any]:
    """Return a check of what importing everything showed, where that did not come to its end: none passes."""
    if check["outcome"] != "passed":
        return check
    message = "importing did not come to its end; up to there: %s" % check["message"]
    return dict(check, outcome="not-applicable", message=message)
