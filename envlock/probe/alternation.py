"""The frameworks alternating in one process, with each call's value checked (P10): the child process."""

from typing import Any, Dict

from .errors import described
from .exercise import EXERCISES
from .isolation import Reporter
from .plan import Plan
from .verdict import not_applicable, verdict

_FRAMEWORKS = ("torch", "tensorflow", "jax")
_ROUNDS = 3


def check_alternation(plan: Plan, _given: Dict[str, Any], report: Reporter) -> None:
    """Compute a matrix product and a convolution in each framework, alternating between them.

    One library's set-up of threads, CUDA or floating point can break another's next call, which neither a
    test of each alone nor an import shows.
    """
    calls = {name: call for name, of, call in EXERCISES if of in _FRAMEWORKS and name in plan.names()}
    if len(calls) <= 1:
        reason = "not applicable: %s" % ("one framework" if calls else "no framework")
        report(check=not_applicable("P10", "frameworks by turns", reason))
        return
    for number in range(_ROUNDS):
        for name, call in calls.items():
            report(begins="%s in round %d" % (name, number + 1))
            try:
                call()
            except Exception as error:
                message = "%s in round %d: %s" % (name, number + 1, described(error))
                report(check=verdict("P10", "frameworks by turns", "failed", message, {}))
                return
    message = "%s: product and convolution right in %d rounds" % (" and ".join(calls), _ROUNDS)
    report(check=verdict("P10", "frameworks by turns", "passed", message, {"rounds": _ROUNDS}))
