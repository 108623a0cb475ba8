"""The checks of one process, each isolated, put together into one result.

The result::

    {"schema": "envlock/probe-one-process/1", "host": ..., "pid": ..., "python": "3.7.16", "prefix": ...,
     "checks": [{"id": "P1", "name": "imports", "outcome": "passed", "message": ..., "details": {...},
                 "seconds": 1.5}, ...]}

Outcomes are ``passed``, ``failed``, ``warned``, ``not-applicable``, ``crashed`` and ``timed-out``.
"""

import os
import platform
import socket
import sys
from typing import Any, Dict, List

from . import leakage, native
from .exercise import exercised
from .isolation import Ended, run_isolated
from .plan import Plan


def examine(plan: Plan, plan_path: str) -> Dict[str, Any]:
    """Run every check of one process."""
    imports = run_isolated(["imports", "--plan", plan_path], plan.deadlines["imports"])
    checks = [imports_check(imports), libraries_check(imports)]
    checks += _exercise_checks(plan, plan_path)
    checks.append(check("S7", "isolation", *leakage.own_leakage(os.path.abspath(sys.argv[0]))))
    return {
        "schema": "envlock/probe-one-process/1",
        "host": socket.gethostname(),
        "pid": os.getpid(),
        "python": platform.python_version(),
        "prefix": sys.prefix,
        "checks": checks,
    }


def check(
    identifier: str, name: str, outcome: str, message: str, details: Dict[str, Any], seconds: float = 0.0
) -> Dict[str, Any]:
    """One check as the result lists it."""
    return {
        "id": identifier,
        "name": name,
        "outcome": outcome,
        "message": message,
        "details": details,
        "seconds": round(seconds, 3),
    }


def imports_check(ended: Ended) -> Dict[str, Any]:
    """Judge what importing everything reported (P1)."""
    imported = [line for line in ended.lines if "required" in line]
    failed = [line for line in imported if line["error"]]
    absent = [line["distribution"] for line in ended.lines if "asked" in line and line["installed"] is None]
    details: Dict[str, Any] = {
        "modules": [
            {key: line[key] for key in ("module", "distribution", "seconds", "error")} for line in imported
        ],
        "not_installed": absent,
        "other_versions": _other_versions(ended.lines),
    }
    outcome, message = _imports_verdict(ended, imported, failed, absent, details)
    if ended.how != "finished":
        details["output"] = ended.output
    return check("P1", "imports", outcome, message, details, ended.seconds)


def _imports_verdict(
    ended: Ended,
    imported: List[Dict[str, Any]],
    failed: List[Dict[str, Any]],
    absent: List[str],
    details: Dict[str, Any],
) -> Any:
    if ended.how != "finished":
        begun = [line["begins"] for line in ended.lines if "begins" in line]
        before = ", ".join(line["module"] for line in imported[-3:]) or "nothing"
        where = "importing %s (after %s)" % (begun[-1], before) if begun else "before the first import"
        return ended.outcome, "%s: %s" % (ended.what, where)
    hard = [line for line in failed if line["required"] or not _another_imported(line, imported)]
    if hard:
        told = "; ".join("%s: %s" % (line["module"], line["error"]["text"]) for line in hard)
        return "failed", "cannot be imported in one process: " + told
    if absent:
        return "failed", "not installed: " + ", ".join(absent)
    if details["other_versions"]:
        return "failed", "installed in another version: " + ", ".join(details["other_versions"])
    if failed:
        told = "; ".join("%s: %s" % (line["module"], line["error"]["text"]) for line in failed)
        return "warned", "secondary modules cannot be imported: " + told
    return "passed", "%d modules imported in one process" % len(imported)


def _another_imported(line: Dict[str, Any], imported: List[Dict[str, Any]]) -> bool:
    return any(other["distribution"] == line["distribution"] and not other["error"] for other in imported)


def _other_versions(lines: List[Dict[str, Any]]) -> List[str]:
    return [
        "%(distribution)s %(installed)s instead of %(asked)s" % line
        for line in lines
        if line.get("asked") and line.get("installed") and _plain(line["asked"]) != _plain(line["installed"])
    ]


def _plain(version: str) -> List[str]:
    """A version without what normalising may change: case, leading zeros, separators (PEP 440)."""
    parts = version.lower().replace("-", ".").replace("_", ".").lstrip("v").split(".")
    parts = [part.lstrip("0") or "0" for part in parts]
    while parts and parts[-1] == "0":
        parts.pop()
    return parts


def libraries_check(ended: Ended) -> Dict[str, Any]:
    """Judge the libraries that importing everything mapped (P3), as far as it came."""
    libraries: Dict[str, str] = {}
    brought_by: Dict[str, str] = {}
    for line in ended.lines:
        for path, identity in line.get("libraries", {}).items():
            libraries[path] = identity
            brought_by[path] = line["module"]
    return check("P3", "native libraries", *native.audit(libraries, brought_by))


def _exercise_checks(plan: Plan, plan_path: str) -> List[Dict[str, Any]]:
    """Call each library in one process; after a crash the remaining ones go on in a new process."""
    checks = []
    left = exercised(plan.names())
    while left:
        arguments = ["exercise", "--plan", plan_path, "--only", ",".join(left)]
        ended = run_isolated(arguments, plan.deadlines["exercise"])
        for line in ended.lines:
            if "exercise" in line:
                checks.append(_exercise_check(line["exercise"], line["error"], line["seconds"]))
                left.remove(line["exercise"])
        if ended.how != "finished" and left:
            name = left.pop(0)
            message = "%s: while all were imported or %s was called" % (ended.what, name)
            details = {"output": ended.output}
            checks.append(check("P9", "exercise " + name, ended.outcome, message, details, ended.seconds))
    return checks


def _exercise_check(name: str, error: Dict[str, str], seconds: float) -> Dict[str, Any]:
    title = "exercise " + name
    if error:
        return check("P9", title, "failed", error["text"], {"traceback": error["traceback"]}, seconds)
    return check("P9", title, "passed", "gave the right values", {}, seconds)
