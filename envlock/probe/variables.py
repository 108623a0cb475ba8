"""Environment variables that the locked releases ignore, have renamed, or contradict each other in (S8)."""

import re
from typing import Any, Dict, List

from .verdict import not_applicable, verdict


def variables_check(environ: Dict[str, str], known: List[Dict[str, Any]]) -> Dict[str, Any]:
    """Look for variables that do not mean what they seem to.

    Args:
        environ: the environment variables.
        known: for the locked releases only: ``name``; ``pattern``, which the value must match, empty for any;
            ``beside``, another variable that must also be set, empty for none; ``message`` and ``source``.
    """
    if not known:
        reason = "not applicable: no variables are known that mislead with these releases"
        return not_applicable("S8", "variables", reason)
    found = [variable for variable in known if _speaks_of(variable, environ)]
    details = {
        "known": len(known),
        "found": [dict(variable, value=environ[variable["name"]]) for variable in found],
    }
    if found:
        told = [
            "%s=%s: %s" % (variable["name"], environ[variable["name"]], variable["message"])
            for variable in found
        ]
        return verdict("S8", "variables", "warned", "; ".join(told), details)
    message = "none of %d variables that mislead with these releases is set" % len(known)
    return verdict("S8", "variables", "passed", message, details)


def _speaks_of(one: Dict[str, Any], environ: Dict[str, str]) -> bool:
    value = environ.get(one["name"])
    if value is None or (one["beside"] and one["beside"] not in environ):
        return False
    return bool(re.search(one["pattern"], value))
