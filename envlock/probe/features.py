"""Compiled features compared with the lock (S9), and versions built against with those loaded (P6)."""

import ctypes
import importlib
import json
import os
import re
from typing import Any, Callable, Dict, Iterator, List, Tuple

from . import native
from .isolation import Reporter
from .modules import describe, installed_distributions, load
from .plan import Plan, release
from .verdict import not_applicable, verdict

Pair = Tuple[str, str, str, bool]
"""What it is, the version built against, the version loaded, and whether they are compatible."""


def check_features(plan: Plan, _given: Dict[str, Any], report: Reporter) -> None:
    """Run S9 in the child process: calls whose answers the plan expects."""
    wrong: List[str] = []
    right: List[str] = []
    absent: List[str] = []
    for item in plan.expect.get("features", []):
        for name in item["modules"]:
            report(begins="importing %s" % name)
            module = importlib.import_module(name)
            call = getattr(module, item["call"], None)
            told = "%s.%s()" % (name, item["call"])
            if call is None:
                absent.append(told)
                continue
            got = bool(call())
            line = "%s is %s (%s)" % (told, got, item["because"])
            (right if got == item["expected"] else wrong).append(line)
    details = {"right": right, "wrong": wrong, "not_offered": absent, "mpi4py": _mpi4py_configuration(plan)}
    if wrong:
        message = "built otherwise than the lock says: " + "; ".join(wrong)
        report(check=verdict("S9", "compiled features", "failed", message, details))
    elif right:
        features = "1 feature" if len(right) == 1 else "%d features" % len(right)
        message = "%s as the lock says: %s" % (features, "; ".join(right))
        report(check=verdict("S9", "compiled features", "passed", message, details))
    else:
        report(check=not_applicable("S9", "compiled features", "nothing here tells what it was built with"))


def _mpi4py_configuration(plan: Plan) -> Dict[str, str]:
    if "mpi4py" not in plan.names():
        return {}
    return {str(key): str(value) for key, value in importlib.import_module("mpi4py").get_config().items()}


def check_built_against(plan: Plan, given: Dict[str, Any], report: Reporter) -> None:
    """Run P6 in the child process, except for MPI, which ranks report."""
    for module in given.get("modules", []):
        report(begins="importing %s" % module)
        load(module)
    mapped = native.families(native.own_libraries())
    pairs: List[Pair] = []
    sources: Tuple[Callable[[Plan, Dict[str, List[str]]], Iterator[Pair]], ...] = (_torch, _horovod, _numpy)
    for source in sources:
        pairs += list(source(plan, mapped))
    details = {"pairs": [list(pair) for pair in pairs]}
    apart = ["%s was built against %s and runs with %s" % pair[:3] for pair in pairs if not pair[3]]
    if apart:
        report(check=verdict("P6", "built and loaded", "failed", "; ".join(apart), details))
    elif pairs:
        told = ", ".join("%s %s" % (what, loaded) for what, _, loaded, _ in pairs)
        report(check=verdict("P6", "built and loaded", "passed", "as built: " + told, details))
    else:
        report(check=not_applicable("P6", "built and loaded", "nothing here tells what it was built against"))


def _torch(plan: Plan, mapped: Dict[str, List[str]]) -> Iterator[Pair]:
    """CUDA must have the same major, NCCL and cuDNN must not be older than at compilation."""
    if "torch" not in plan.names():
        return
    torch = importlib.import_module("torch")
    built = torch.version.cuda
    for path in mapped.get("cudart", []):
        match = re.search(r"\.so\.(\d+)", path)
        if built and match:
            yield "torch's CUDA", built, match.group(1), built.split(".")[0] == match.group(1)
    yield from _cudnn(torch)
    if not torch.cuda.is_available():
        return
    compiled, loaded = torch.cuda.nccl.version(), _nccl_version(mapped)
    if loaded:
        number = compiled if isinstance(compiled, int) else _nccl_code(compiled)
        yield "torch's NCCL", str(number), str(loaded), loaded >= number


def _cudnn(torch: Any) -> Iterator[Pair]:
    """The same major and not older: PyTorch's own rule, which it only enforces when it first computes."""
    native_part = getattr(torch._C, "_cudnn", None)  # noqa: SLF001 - what torch.backends.cudnn asks
    if native_part is None or not hasattr(native_part, "getCompileVersion"):
        return
    built, loaded = native_part.getCompileVersion(), native_part.getRuntimeVersion()
    fits = built[0] == loaded[0] and built[1] <= loaded[1]
    yield "torch's cuDNN", ".".join(map(str, built)), ".".join(map(str, loaded)), fits


def _nccl_code(version: Tuple[int, ...]) -> int:
    """Return NCCL's code for a version: 2.8.4 is 2804, 2.9.6 is 20906 (nccl.h, NCCL_VERSION)."""
    major, minor, patch = (tuple(version) + (0, 0))[:3]
    return (
        major * 1000 + minor * 100 + patch if (major, minor) < (2, 9) else major * 10000 + minor * 100 + patch
    )


def _nccl_version(mapped: Dict[str, List[str]]) -> int:
    number = ctypes.c_int()
    for path in mapped.get("nccl", []):
        ctypes.CDLL(path).ncclGetVersion(ctypes.byref(number))
    return number.value


_FRAMEWORKS = {"pytorch": "torch"}
"""Horovod's own name for a framework -> the framework's module."""


def _horovod(plan: Plan, _mapped: Dict[str, List[str]]) -> Iterator[Pair]:
    """From 0.21.1 on, Horovod records which framework versions it was compiled against."""
    if "horovod" not in plan.names():
        return
    installed = installed_distributions()
    path = os.path.join(os.path.dirname(installed["horovod"]), "horovod", "metadata.json")
    if not os.path.isfile(path):
        return
    with open(path, encoding="utf-8") as stream:
        told = json.load(stream)
    for key, built in sorted(told.items()):
        module = _FRAMEWORKS.get(key, key)
        there = [name for name in plan.names() if name in installed]
        names = [name for name in there if module in describe(installed[name], name).modules]
        for name in names:
            loaded = describe(installed[name], name).version
            same = _minor(loaded) == _minor(built)
            yield "Horovod's %s" % name, built, loaded, same


def _minor(version: str) -> Tuple[int, ...]:
    return (release(version) + (0, 0))[:2]


def _numpy(plan: Plan, _mapped: Dict[str, List[str]]) -> Iterator[Pair]:
    """The loaded NumPy must be at least as new (major, minor) as the one that builds were made with."""
    built = plan.expect.get("built", {})
    if "numpy" not in plan.names():
        return
    loaded = importlib.import_module("numpy").__version__
    for name, against in sorted(built.items()):
        if "numpy" in against:
            same = release(against["numpy"])[:2] <= release(loaded)[:2]
            yield "%s's NumPy" % name, against["numpy"], loaded, same
