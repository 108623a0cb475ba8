"""Whether every compiled extension loads with all symbols bound (P7), and which symbols clash (P8)."""

import ctypes
import itertools
import os
import re
from typing import Any, Dict, List, NamedTuple, Set, Tuple

from . import native
from .elf import exported_symbols, read_elf
from .files import shared_objects
from .isolation import Reporter
from .linking import OF_THE_DRIVER
from .modules import installed_distributions, load
from .plan import Plan, normalise, release
from .verdict import not_applicable, unfinished, verdict

_LARGEST_LIBRARIES = 24
_MOST_SYMBOLS_ASKED = 20000
_TOLD = 4
_STANDARD = (b"_ZSt", b"_ZNSt", b"_ZNKSt", b"_ZTISt", b"_ZTVSt", b"_ZTSSt")
"""The C++ standard library's names, which many files contain and of which one copy serves all."""
_LINKERS = frozenset([b"__bss_start", b"_edata", b"_end", b"_init", b"_fini"])
"""Symbols that the linker itself puts into every file."""
_VARIANT = re.compile(r"(?P<stem>.*?[-_])(?P<release>\d+(?:[._]\d+)+)\.so")
"""A file that is named for a release of what it is compiled against (``libadapter_pytorch_1.8.1.so``)."""


class _Op(NamedTuple):
    """A compiled file: whose it is, where, and what it is compiled against."""

    name: str
    path: str
    against: Set[str]


def check_compiled_ops(plan: Plan, given: Dict[str, Any], report: Reporter) -> None:
    """Run P7 in the child process.

    Compiled ops are shared objects that need a library of another distribution, or that were built in this
    environment against another distribution. They are opened with RTLD_NOW, so that every symbol must be
    found: lazy binding would hide a change in the C++ interface until the first call. Ops that need the GPU's
    driver cannot be opened without one, which is a matter of the node (S6), not of them. Nor can those that
    need another library that is absent, where their distribution imports without them: some come in a variant
    for each major release of a library, of which a node has one. S2 tells which those are. Nor need those fit
    that are variants for other releases of a framework, as their names and their siblings tell.
    """
    installed = installed_distributions()
    ops, frameworks = _compiled_ops(plan, installed)
    if not ops:
        report(check=not_applicable("P7", "compiled ops", "nothing here is compiled against a framework"))
        return
    for module in given.get("modules", []):
        report(begins="importing %s" % module)
        load(module)
    refused: List[str] = []
    driverless: List[str] = []
    optional: List[str] = []
    others: List[str] = []
    imported = set(given.get("imported", []))
    for op in ops:
        name, path = op.name, op.path
        report(begins="loading %s" % path)
        try:
            ctypes.CDLL(path, mode=os.RTLD_NOW | os.RTLD_LOCAL)
        except OSError as error:
            if str(error).startswith(OF_THE_DRIVER):
                driverless.append(path)
            elif name in imported and _lacks_a_library(str(error), path):
                optional.append(path)
            elif name in imported and _for_another_release(op, ops, plan):
                others.append(path)
            else:
                refused.append("%s: %s" % (name, error))
    details = {"ops": [op.path for op in ops], "frameworks": frameworks, "driverless": driverless}
    details.update(optional=optional, others=others)
    if refused:
        report(check=verdict("P7", "compiled ops", "failed", "do not load: " + "; ".join(refused), details))
        return
    loaded = [op for op in ops if op.path not in driverless + optional + others]
    if not loaded:
        report(
            check=not_applicable(
                "P7", "compiled ops", "what there is needs %s" % _lacking(driverless, optional)
            )
        )
        return
    owners = sorted({op.name for op in loaded})
    message = "%d compiled files of %s load with every symbol bound" % (len(loaded), ", ".join(owners))
    if driverless:
        message += "; %d more need the GPU's driver, which is not here" % len(driverless)
    if optional:
        message += "; %d more need a library that is not here, which S2 tells" % len(optional)
    if others:
        message += "; %d more are variants for other releases" % len(others)
    report(check=verdict("P7", "compiled ops", "passed", message, details))


def _lacking(driverless: List[str], optional: List[str]) -> str:
    """Return what is not here, where no compiled op could be loaded."""
    if driverless:
        return "the GPU's driver"
    return "a library that is not here, which S2 tells" if optional else "other releases of what they extend"


def _for_another_release(op: _Op, ops: List[_Op], plan: Plan) -> bool:
    """Whether an op is one of several variants, and named for no release that is installed."""
    here = _VARIANT.fullmatch(op.path)
    variants = filter(None, (_VARIANT.fullmatch(other.path) for other in ops if other is not op))
    if here is None or all(variant["stem"] != here["stem"] for variant in variants):
        return False
    numbers = release(here["release"].replace("_", "."))
    against = [
        distribution for distribution in plan.distributions if normalise(distribution["name"]) in op.against
    ]
    versions = [release(item.get("version", "")) + (0,) * len(numbers) for item in against]
    return all(version[: len(numbers)] != numbers for version in versions)


def _lacks_a_library(error: str, path: str) -> bool:
    """Whether dlopen(3) complains that a library which a file needs is absent."""
    return "cannot open shared object file" in error and not error.startswith(path)


def _compiled_ops(plan: Plan, installed: Dict[str, str]) -> Tuple[List[_Op], List[str]]:
    objects = list(shared_objects(installed, plan.names()))
    files = {path: read_elf(path) for _, path in objects}
    owner: Dict[str, str] = {}
    for name, path in objects:
        elf = files[path]
        for known in {os.path.basename(path), elf.soname if elf else ""} - {""}:
            owner.setdefault(known, name)
    built = plan.expect.get("built", {})
    ops: List[_Op] = []
    frameworks: Set[str] = set()
    for name, path in objects:
        elf = files[path]
        needed = {owner[library] for library in elf.needed if library in owner} - {name} if elf else set()
        compiled_against = {distribution for distribution in built.get(name, {}) if distribution in installed}
        if needed or compiled_against:
            ops.append(_Op(name, path, needed | compiled_against))
            frameworks |= needed | compiled_against
    return ops, [name for name in plan.names() if name in frameworks]


def check_symbols(plan: Plan, given: Dict[str, Any], report: Reporter) -> None:
    """Run P8 in the child process: report names that two distributions export, one of them globally.

    Python opens extensions so that their symbols stay private. A name is only dangerous if the dynamic loader
    offers one copy to everybody (dlsym on the program itself) and another distribution has its own.
    """
    installed = installed_distributions()
    for module in given.get("modules", []):
        report(begins="importing %s" % module)
        load(module)
    owner = {os.path.realpath(path): name for name, path in shared_objects(installed, plan.names())}
    mapped = sorted(
        {os.path.realpath(path) for path in native.own_libraries()} & set(owner), key=os.path.getsize
    )
    report(begins="comparing exported symbols")
    exported = {path: exported_symbols(path) for path in mapped[-_LARGEST_LIBRARIES:]}
    everybody = ctypes.CDLL(None)
    clashes: Dict[str, List[str]] = {}
    asked = 0
    for one, other in itertools.combinations(sorted(exported), 2):
        if owner[one] == owner[other]:
            continue
        pair = "%s of %s and %s of %s" % (_base(one), owner[one], _base(other), owner[other])
        for symbol in sorted((exported[one] & exported[other]) - _LINKERS):
            if symbol.startswith(_STANDARD):
                continue
            asked += 1
            name = symbol.decode("utf-8", "replace")
            if asked <= _MOST_SYMBOLS_ASKED and hasattr(everybody, name):
                clashes.setdefault(pair, []).append(name)
    details = {
        "libraries": len(exported),
        "shared": asked,
        "clashes": {k: v[:50] for k, v in clashes.items()},
    }
    if clashes:
        most = sorted(clashes.items(), key=lambda item: (-len(item[1]), item[0]))
        told = ["%s: %d, such as %s" % (pair, len(names), names[0]) for pair, names in most]
        message = "one copy is taken for both, whichever came first: " + "; ".join(told[:_TOLD])
        report(check=verdict("P8", "exported symbols", "warned", message, details))
        return
    if len({owner[path] for path in exported}) <= 1:
        reason = "not applicable: no compiled files of two packages in one process"
        report(check=not_applicable("P8", "exported symbols", reason))
        return
    message = "%d libraries of different packages, no symbol of one in reach of another" % len(exported)
    passed = verdict("P8", "exported symbols", "passed", message, details)
    report(check=passed if given.get("finished") else unfinished(passed))


def _base(path: str) -> str:
    return os.path.basename(path)
