"""The isolated checks by name: each runs in a process of its own and reports as it goes.

A process imports only the module of its check: an archive keeps no bytecode, so whatever is imported is
compiled each time.
"""

import importlib
from typing import Any, Dict

from .isolation import Reporter
from .plan import Plan

CHECKS = {
    "alternation": ("alternation", "check_alternation"),
    "built-against": ("features", "check_built_against"),
    "compiled-ops": ("compiled_ops", "check_compiled_ops"),
    "exercise": ("exercise", "run_exercises"),
    "features": ("features", "check_features"),
    "gpu-values": ("gpu_values", "check_gpu_values"),
    "gpus": ("gpu", "check_gpus"),
    "imports": ("imports", "import_everything"),
    "linking": ("closure", "check_linking"),
    "lock": ("against_lock", "compare_with_lock"),
    "order": ("imports", "import_in_order"),
    "symbols": ("compiled_ops", "check_symbols"),
}
"""Check -> module of this package, and its function, which takes plan, given values and reporter."""


def run_check(name: str, plan: Plan, given: Dict[str, Any], report: Reporter) -> None:
    """Run a check in the child process."""
    module, function = CHECKS[name]
    getattr(importlib.import_module("." + module, __package__), function)(plan, given, report)
