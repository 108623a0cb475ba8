"""The checks of one process, each isolated, combined into one result.

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
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Callable, Dict, Iterator, List, Optional, Tuple

from . import leakage, native
from .back_ends.gpus import any_here
from .control_groups import own_processors_worth
from .exercise import exercised
from .isolation import Ended, run_isolated
from .orders import check_orders
from .plan import Plan, plain_version
from .processor import processor_check
from .surroundings import environment_digest
from .variables import variables_check
from .verdict import unfinished, unreported, verdict

ISOLATED: Tuple[Tuple[str, Tuple[Tuple[str, str], ...]], ...] = (
    ("lock", (("S1", "lock and node"),)),
    ("linking", (("S2", "shared libraries"), ("S3", "symbol versions"), ("P5", "provenance"))),
    ("gpus", (("S4", "GPU code"), ("S6", "driver"), ("L9", "GPU to GPU"))),
    ("features", (("S9", "compiled features"),)),
    ("built-against", (("P6", "built and loaded"),)),
    ("compiled-ops", (("P7", "compiled ops"),)),
    ("symbols", (("P8", "exported symbols"),)),
    ("alternation", (("P10", "frameworks by turns"),)),
    ("gpu-values", (("P10", "values on the GPU"),)),
)
"""The isolated checks that run after importing everything, and the checks that each reports."""

_COMPUTING = frozenset({"exercise", "alternation", "gpu-values"})
"""Checks in which frameworks compute, on a GPU if there is one."""
_MOST_AT_ONCE = 4

_Job = Callable[[], List[Dict[str, Any]]]


def examine(plan: Plan, plan_path: str) -> Dict[str, Any]:
    """Run every check of one process; those that do not depend on each other run side by side."""
    imports = run_isolated("imports", plan_path, plan.deadlines["imports"])
    imported = [line for line in imports.lines if "required" in line]
    given = _given(plan, imports, imported)
    known: Dict[str, _Job] = {
        "exercise": lambda: _exercise_checks(plan, plan_path),
        "orders": lambda: [check_orders(plan, plan_path, imported)],
    }
    known.update((name, _job(name, reports, plan, plan_path, given)) for name, reports in ISOLATED)
    asked = {name: job for name, job in known.items() if plan.only is None or name in plan.only}
    environ = dict(os.environ)
    lanes = lanes_of(asked, has_gpu=any_here(plan, environ))
    with ThreadPoolExecutor(at_once(len(os.sched_getaffinity(0)), own_processors_worth())) as pool:
        ended = pool.map(lambda lane: [check for job in lane for check in job()], lanes)
        found = [check for checks in ended for check in checks]
    checks = [imports_check(imports), *libraries_checks(imports), *found]
    checks.append(processor_check(plan.expect.get("processor", [])))
    checks.append(verdict("S7", "isolation", *leakage.own_leakage(os.path.abspath(sys.argv[0]), plan)))
    checks.append(variables_check(environ, plan.expect.get("variables", [])))
    return {
        "schema": "envlock/probe-one-process/1",
        "host": socket.gethostname(),
        "pid": os.getpid(),
        "python": platform.python_version(),
        "prefix": sys.prefix,
        "environment": environment_digest(),
        "checks": checks,
    }


def at_once(processors: int, worth: Optional[float]) -> int:
    """Return how many checks to run side by side.

    Args:
        processors: how many this process may run on: srun and mpirun give a task one of a node's hundred.
        worth: how many processors' worth of time its control groups allow; ``None`` for no limit.
    """
    return max(1, min(_MOST_AT_ONCE, processors, processors if worth is None else int(worth)))


def lanes_of(jobs: Dict[str, _Job], has_gpu: bool) -> List[List[_Job]]:
    """Return the lanes that run side by side, each with jobs to run one after the other.

    If there is a GPU, everything that computes shares one lane: a framework may take all of its memory, and a
    GPU in exclusive mode admits only one process.
    """
    shared = [job for name, job in jobs.items() if has_gpu and name in _COMPUTING]
    own = [[job] for name, job in jobs.items() if not (has_gpu and name in _COMPUTING)]
    return ([shared] if shared else []) + own


def _given(plan: Plan, imports: Ended, imported: List[Dict[str, Any]]) -> Dict[str, Any]:
    """Collect what importing everything showed, for the checks that follow."""
    bad = {line["distribution"] for line in imported if line["error"]}
    reached = [line["distribution"] for line in imported]
    if imports.how != "finished":
        begun = [line["distribution"] for line in imports.lines if "asked" in line]
        bad |= set(begun[-1:])
        bad |= set(plan.names()) - set(begun)
    return {
        "imported": [name for name in plan.names() if name in reached and name not in bad],
        "broken": sorted(bad),
        "modules": [line["module"] for line in imported if line["required"] and not line["error"]],
        "libraries": {path: one for line in imports.lines for path, one in line.get("libraries", {}).items()},
        "finished": imports.how == "finished",
    }


def _job(
    name: str, reports: Tuple[Tuple[str, str], ...], plan: Plan, plan_path: str, given: Dict[str, Any]
) -> _Job:
    def run() -> List[Dict[str, Any]]:
        ended = run_isolated(name, plan_path, plan.deadlines["check"], given)
        told = {
            line["check"]["id"]: dict(line["check"], seconds=round(ended.seconds, 3))
            for line in ended.lines
            if "check" in line
        }
        return [told.get(identifier) or unreported(identifier, title, ended) for identifier, title in reports]

    return run


def imports_check(ended: Ended) -> Dict[str, Any]:
    """Judge the reports of importing everything (P1)."""
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
    return verdict("P1", "imports", outcome, message, details, ended.seconds)


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
        return ended.outcome, ": ".join(filter(None, [ended.what, where, ended.why]))
    lacking = [line for line in failed if _is_spared(line)]
    hard = [line for line in failed if line["required"] or not _another_imported(line, imported)]
    hard = [line for line in hard if line not in lacking]
    if hard:
        told = "; ".join("%s: %s" % (line["module"], line["error"]["text"]) for line in hard)
        return "failed", "cannot be imported in one process: " + told
    if absent:
        return "failed", "not installed: " + ", ".join(absent)
    if details["other_versions"]:
        return "failed", "installed in another version: " + ", ".join(details["other_versions"])
    if failed:
        return "warned", "; ".join(_warnings(failed))
    return _all_imported(len(imported))


def _all_imported(modules: int) -> Tuple[str, str]:
    if modules == 0:
        return "not-applicable", "nothing here has a module to import"
    return "passed", "%d modules imported in one process" % modules


def _is_spared(line: Dict[str, Any]) -> bool:
    return bool(line["users"] or line["lacks"] or line["unbrought"])


def _warnings(failed: List[Dict[str, Any]]) -> Iterator[str]:
    """Describe failed imports that do no harm: nobody asked for the module, or it lacks an optional one."""
    for line in failed:
        if line["users"]:
            yield "%s needs %s, which is the user's own: %s" % (
                line["module"],
                line["users"],
                line["error"]["text"],
            )
        elif line["lacks"]:
            names = line["module"], line["lacks"], line["distribution"]
            yield "%s needs %s, which %s has in an extra and the lock has not" % names
        elif line["unbrought"]:
            names = line["module"], line["unbrought"], line["distribution"]
            yield "%s needs %s, which nothing here brings, and nobody asked for %s by name" % names
    others = [line for line in failed if not _is_spared(line)]
    told = ["%s: %s" % (line["module"], line["error"]["text"]) for line in others]
    if told:
        yield "secondary modules cannot be imported: " + "; ".join(told)


def _another_imported(line: Dict[str, Any], imported: List[Dict[str, Any]]) -> bool:
    return any(other["distribution"] == line["distribution"] and not other["error"] for other in imported)


def _other_versions(lines: List[Dict[str, Any]]) -> List[str]:
    return [
        "%(distribution)s %(installed)s instead of %(asked)s" % line
        for line in lines
        if line.get("asked")
        and line.get("installed")
        and plain_version(line["asked"]) != plain_version(line["installed"])
    ]


def libraries_checks(ended: Ended) -> List[Dict[str, Any]]:
    """Judge the libraries that were mapped while everything was imported (P3, P4), as far as that got.

    What got no further than a crash may name two copies of a library, and passes nothing.
    """
    libraries: Dict[str, str] = {}
    brought_by: Dict[str, str] = {}
    for line in ended.lines:
        for path, identity in line.get("libraries", {}).items():
            libraries[path] = identity
            brought_by[path] = line["module"]
    checks = [
        verdict("P3", "native libraries", *native.audit(libraries, brought_by)),
        verdict("P4", "OpenMP", *native.openmp_audit(libraries, brought_by)),
    ]
    return checks if ended.how == "finished" else [unfinished(check) for check in checks]


def _exercise_checks(plan: Plan, plan_path: str) -> List[Dict[str, Any]]:
    """Call each library in one process; after a crash the remaining ones continue in a new process."""
    checks = []
    left = exercised(plan.names())
    while left:
        ended = run_isolated("exercise", plan_path, plan.deadlines["exercise"], {"only": left})
        for line in ended.lines:
            if "exercise" in line:
                checks.append(_exercise_check(line["exercise"], line["error"], line["seconds"]))
                left.remove(line["exercise"])
        if ended.how != "finished" and left:
            last: Dict[str, Any] = next((line for line in reversed(ended.lines) if "begins" in line), {})
            name = last["begins"] if last.get("begins") in left else left[0]
            left.remove(name)
            where = "while %s was %s" % (name, last.get("done", "to be imported"))
            message = ": ".join(filter(None, [ended.what, where, ended.why]))
            details = {"output": ended.output}
            checks.append(verdict("P9", "exercise " + name, ended.outcome, message, details, ended.seconds))
    return checks


def _exercise_check(name: str, error: Dict[str, str], seconds: float) -> Dict[str, Any]:
    title = "exercise " + name
    if error:
        return verdict("P9", title, "failed", error["text"], {"traceback": error["traceback"]}, seconds)
    return verdict("P9", title, "passed", "gave the right values", {}, seconds)
