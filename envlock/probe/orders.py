"""Packages with much native code imported in other orders (P2): the parent process.

One process that imports them backwards swaps every pair at once; two more begin with the two heaviest, mostly
the frameworks. If one goes wrong, those before the failing module are tried with it one by one, to find the
culprit. It is a warning, as the declared order is what P1 tries.
"""

import os
import time
from typing import Any, Dict, List, Tuple

from . import native
from .files import shared_objects
from .isolation import Ended, run_isolated
from .modules import installed_distributions
from .plan import Plan
from .verdict import not_applicable, verdict

_NAME = "import order"
_MOST = 16
_HEAVY_BYTES = 1 << 20
_SEARCH_S = 20.0
"""Seconds to look for the culprit in each order that goes wrong."""


def check_orders(plan: Plan, plan_path: str, imported: List[Dict[str, Any]]) -> Dict[str, Any]:
    """Import modules with much native code in other orders.

    Args:
        plan: gives the deadline.
        plan_path: its file.
        imported: what the declared order reported, module by module.
    """
    modules, heaviest = native_heavy(plan, imported)
    if not modules:
        return not_applicable("P2", _NAME, "not applicable: fewer than two packages with native libraries")
    deadline = plan.deadlines["check"]
    begin = time.monotonic()
    details: Dict[str, Any] = {"orders": []}
    wrong: List[str] = []
    other: List[str] = []
    for order in other_orders(modules, heaviest):
        details["orders"].append(order)
        ended = run_isolated("order", plan_path, deadline, {"order": order})
        problem = _problem(ended)
        if problem:
            guilty = _guilty(order, ended, plan_path)
            wrong.append("%s: %s (guilty: %s)" % (", ".join(order), problem, guilty))
            details["output"] = ended.output
        else:
            other += [file for file in _other_files(imported, ended) if file not in other]
    if wrong:
        message = "only in the declared order; not in " + "; nor in ".join(wrong)
        return verdict("P2", _NAME, "warned", message, details, time.monotonic() - begin)
    seconds = time.monotonic() - begin
    if other:
        message = "the order decides which file is taken: " + "; ".join(other)
        return verdict("P2", _NAME, "warned", message, details, seconds)
    message = "%s import in %d other orders as well" % (", ".join(modules), len(details["orders"]))
    return verdict("P2", _NAME, "passed", message, details, seconds)


def other_orders(modules: List[str], heaviest: List[str]) -> List[List[str]]:
    """Return them backwards, which swaps every pair, and with the two heaviest first, in either order."""
    orders = [list(reversed(modules))]
    if len(heaviest) > 1:
        rest = [module for module in modules if module not in heaviest]
        orders += [heaviest + rest, heaviest[::-1] + rest]
    return [order for number, order in enumerate(orders) if order != modules and order not in orders[:number]]


def native_heavy(plan: Plan, imported: List[Dict[str, Any]]) -> Tuple[List[str], List[str]]:
    """Return modules of the distributions with the most mapped native code, in the declared order, and two.

    The two are the first modules of the two heaviest distributions. Those of one alone have no order: a
    package is imported before its own parts, whichever is asked for first.
    """
    mapped = {os.path.realpath(path) for line in imported for path in line["libraries"]}
    weights: Dict[str, int] = {}
    for name, path in shared_objects(installed_distributions(), plan.names()):
        if os.path.realpath(path) in mapped:
            weights[name] = weights.get(name, 0) + os.path.getsize(path)
    heavy = sorted(
        (name for name in weights if weights[name] >= _HEAVY_BYTES), key=lambda name: -weights[name]
    )
    good = [line for line in imported if line["required"] and not line["error"]]
    if len({line["distribution"] for line in good if line["distribution"] in heavy}) <= 1:
        return [], []
    modules = [line["module"] for line in good if line["distribution"] in heavy[:_MOST]]
    first = [
        next((line["module"] for line in good if line["distribution"] == name), "") for name in heavy[:2]
    ]
    return modules, [module for module in first if module]


def _problem(ended: Ended) -> str:
    if ended.how != "finished":
        begun = [line["begins"] for line in ended.lines if "begins" in line]
        return "%s: importing %s" % (ended.what, begun[-1] if begun else "nothing yet")
    failed = [line for line in ended.lines if line.get("error")]
    return "; ".join("%s: %s" % (line["module"], line["error"]["text"]) for line in failed)


def _guilty(order: List[str], ended: Ended, plan_path: str) -> str:
    """Find the module that alone, imported before the one that failed, makes it fail; within a budget."""
    begun = [line["module"] for line in ended.lines if line.get("error")]
    if ended.how != "finished":
        begun = [line["begins"] for line in ended.lines if "begins" in line][-1:]
    if not begun:
        return ""
    until = time.monotonic() + _SEARCH_S
    for other in order[: order.index(begun[0])]:
        left = until - time.monotonic()
        if left <= 0:
            break
        alone = run_isolated("order", plan_path, left, {"order": [other, begun[0]]})
        if alone.how != "deadline" and _problem(alone):
            return "%s before %s: %s" % (other, begun[0], _problem(alone))
    return "no single module before %s, as far as tried" % begun[0]


def _other_files(imported: List[Dict[str, Any]], ended: Ended) -> List[str]:
    """Return the native families for which the two orders mapped different files."""
    forwards = native.families({path: one for line in imported for path, one in line["libraries"].items()})
    backwards = native.families(
        {path: one for line in ended.lines for path, one in line.get("libraries", {}).items()}
    )
    return [
        "%s: %s or %s" % (family, ", ".join(forwards[family]), ", ".join(backwards[family]))
        for family in sorted(set(forwards) & set(backwards))
        if not set(backwards[family]) <= set(forwards[family])
    ]
