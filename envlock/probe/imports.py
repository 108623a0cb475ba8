"""Everything imported into one process, in the plan's order and timed (check P1): the child process."""

import importlib.util
import os
import re
import sys
import time
import traceback
from typing import Any, Dict, List, Optional, Tuple

from . import native
from .errors import described
from .isolation import Reporter
from .modules import Asks, asked_by, describe, installed_distributions, load
from .plan import Plan, normalise

_OF_THE_SYSTEM = ("OSError: ", "FileNotFoundError: ", "PermissionError: ")
_COMMANDS = frozenset(["pip", "uv"])
"""Programs, not for import: pip takes the standard library's distutils, on which setuptools then fails."""

_BACK_END_MODULES = {"horovod-torch": "horovod.torch", "horovod-tensorflow": "horovod.tensorflow"}


def import_everything(plan: Plan, _given: Dict[str, Any], report: Reporter) -> None:
    """Import the modules of every distribution of the plan; report each with the libraries it mapped."""
    installed = installed_distributions()
    mapped = native.own_libraries()
    report(libraries=mapped, module="")
    for item in plan.distributions:
        name = normalise(item["name"])
        metadata = installed.get(name)
        version = describe(metadata, name).version if metadata else None
        report(distribution=name, asked=item.get("version", ""), installed=version)
        asks = None if item.get("wanted") or not metadata else asked_by(metadata)
        for module, required in modules_to_import(plan, item, installed):
            mapped = _import_reported(module, name, required, mapped, report, asks)


def import_in_order(_plan: Plan, given: Dict[str, Any], report: Reporter) -> None:
    """Import the modules given as ``order`` (P2: the same modules in another order)."""
    mapped: Dict[str, str] = {}
    for module in given["order"]:
        mapped = _import_reported(module, "", True, mapped, report)


def _import_reported(
    module: str,
    distribution: str,
    required: bool,
    mapped: Dict[str, str],
    report: Reporter,
    asks: Optional[Asks] = None,
) -> Dict[str, str]:
    """Import one module and report it; return all libraries that are mapped afterwards.

    ``users`` tells a file of the user's own that it could not do without.
    Where nobody asked for the distribution by name, ``asks`` says what it asks for itself, and two things are
    told of a module that it could not do without: ``lacks``, if an extra asks for that, and ``unbrought``, if
    nothing asks for it nor brings it. Whoever needs the distribution does without (IPython without the
    Matplotlib of ``matplotlib_inline``).
    """
    report(begins=module, distribution=distribution)
    begin = time.monotonic()
    error = _import(module)
    missing = error.pop("missing") if error else []
    optional, nowhere = _spared(missing, asks)
    now = native.own_libraries()
    report(
        module=module,
        distribution=distribution,
        required=required,
        seconds=round(time.monotonic() - begin, 4),
        error=error,
        users=_of_the_user(error["text"], sys.prefix, sys.base_prefix) if error else "",
        lacks=optional,
        unbrought=nowhere,
        libraries={path: identity for path, identity in now.items() if path not in mapped},
    )
    return now


def modules_to_import(plan: Plan, item: Dict[str, Any], installed: Dict[str, str]) -> List[Tuple[str, bool]]:
    """Return the modules of a distribution, and for each whether its failure fails the check.

    Modules listed in the plan are required; of those found, only the one with the distribution's name is,
    since others may need extras that nobody requested.
    """
    name = normalise(item["name"])
    if name in _COMMANDS:
        return []
    if item.get("imports") is not None:
        return [(module, True) for module in item["imports"]]
    if name not in installed:
        return []
    found = describe(installed[name], name)
    modules = [(module, module == found.primary) for module in found.modules]
    return modules + [(module, True) for module in _native_submodules(plan, name)]


def _native_submodules(plan: Plan, name: str) -> List[str]:
    """Return submodules that contain the relevant native code."""
    if name == "mpi4py":
        return ["mpi4py.MPI"]
    if name == "horovod":
        return [module for back_end, module in _BACK_END_MODULES.items() if back_end in plan.back_ends]
    return []


def _import(module: str) -> Any:
    """Import a module; return what it raised, or ``None``."""
    try:
        load(module)
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # a module that exits on import is a finding too
        return {
            "text": described(error),
            "traceback": traceback.format_exc()[-4000:],
            "missing": _missing(error),
        }
    return None


def _spared(missing: List[str], asks: Optional[Asks]) -> Tuple[str, str]:
    """Return the first missing module that an extra asks for, and the first that nothing does or brings."""
    absent = [name for name in missing if asks and normalise(name) not in asks.always and not _is_there(name)]
    optional = [normalise(name) for name in absent if asks and normalise(name) in asks.in_extras]
    return next(iter(optional), ""), next(iter(absent), "")


def _of_the_user(text: str, *prefixes: str) -> str:
    """Return the hidden file or folder in the user's home that an ``OSError`` names, outside of the prefixes.

    A program's settings and its keys for a service are there (``~/.kaggle``), which no environment brings;
    shared libraries, if they are there, are no such thing.
    """
    begin = os.path.join(os.path.expanduser("~"), ".")
    named = re.search(r"(?<![\w./-])%s\w[^\s'\",:;]*" % re.escape(begin), text)
    if named is None or not text.startswith(_OF_THE_SYSTEM):
        return ""
    if named.group().startswith(prefixes) or ".so" in named.group():
        return ""
    return named.group().rstrip(".")


def _is_there(module: str) -> bool:
    try:
        return module in sys.modules or importlib.util.find_spec(module) is not None
    except ValueError:  # it was put there by something, and not imported
        return True


def _missing(error: Optional[BaseException]) -> List[str]:
    """Return the modules not found, by their first names, for an error and those that led to it."""
    found, seen = [], set()
    while error is not None and id(error) not in seen:  # ``raise error from error`` leads to itself
        seen.add(id(error))
        if isinstance(error, ImportError) and error.name:
            found.append(error.name.partition(".")[0])
        error = error.__cause__ or error.__context__
    return found
