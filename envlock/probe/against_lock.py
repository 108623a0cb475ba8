"""The environment and the node compared with the lock (S1); what ranks load with its records (L5).

The size of every recorded file is compared; hashing gigabytes on every node would take longer than all other
checks, so only each distribution's largest file within a limit and a few more, always the same ones, are
hashed. Files that Python would import or run at start-up and that nothing recorded must have been there when
the environment was completed.
"""

import base64
import hashlib
import os
import platform
import re
import sys
from typing import Any, Dict, Iterable, Iterator, List, Optional

from .files import Recorded, recorded_files, unrecorded_files
from .isolation import Reporter
from .modules import describe, installed_distributions
from .plan import Plan, normalise, plain_version, release
from .verdict import verdict

_FINAL = re.compile(r"(\d+\.\d+)\.\d+$")
_SAMPLES = 3
_LARGEST = 64 << 20
_TOLD = 5


def compare_with_lock(plan: Plan, _given: Dict[str, Any], report: Reporter) -> None:
    """Run S1 in the child process."""
    installed = installed_distributions()
    wrong = list(_versions(plan, installed)) + list(_node(plan.expect))
    patch = list(_other_patch(plan.expect.get("python", "")))
    looked = hashed = 0
    changed: List[str] = []
    every = {name: _published(recorded_files(metadata), plan) for name, metadata in installed.items()}
    alike = _recorded_alike(every.values())
    for name in plan.names():
        report(begins="reading the files of %s" % name)
        files = every.get(name, [])
        looked += len(files)
        changed += [told for told in (_size_differs(file, alike) for file in files) if told]
        for file in _sample(files):
            hashed += 1
            if not _hash_agrees(file, alike):
                changed.append("%s has another content" % file.path)
    strangers = sorted(set(installed) - set(plan.names()) - set(plan.expect.get("carriers", [])))
    details: Dict[str, Any] = {"files": looked, "hashed": hashed, "not_in_lock": strangers}
    if "unowned" in plan.expect:
        report(begins="looking for files that nobody recorded")
        owned = [file.path for files in every.values() for file in files]
        strange = unrecorded_files(owned, sys.prefix, plan.expect["unowned"])
        changed += ["%s belongs to no distribution, and was not there before" % path for path in strange]
    problems = (
        wrong + changed[:_TOLD] + ["and %d files more" % (len(changed) - _TOLD)] * (len(changed) > _TOLD)
    )
    if problems:
        outcome, message = "failed", "differs from the lock: " + "; ".join(problems)
    elif strangers or patch:
        told = ["installed and not in the lock: " + ", ".join(strangers)] if strangers else []
        outcome, message = "warned", "; ".join([*told, *patch])
    else:
        outcome = "passed"
        message = "%d files of %d distributions as installed, %d of them hashed" % (
            looked,
            len(plan.distributions),
            hashed,
        )
    report(check=verdict("S1", "lock and node", outcome, message, details))


def _published(files: List[Recorded], plan: Plan) -> List[Recorded]:
    """Return what should have been recorded, where a wheel was published with a RECORD that says otherwise.

    What its RECORD names and was not in it is left out.
    """
    for path, digest in plan.expect.get("misrecorded", {}).items():
        mine = [file for file in files if file.path.endswith(os.sep + path)]
        if mine:
            files = [file for file in files if file not in mine]
            files += [Recorded(file.path, "sha256=" + digest, "") for file in mine if digest]
    return files


def changed_files(libraries: Iterable[str], plan: Plan) -> List[str]:
    """Describe what this process has loaded that is not as it was installed, judged by size.

    Only loaded files are examined: they were opened a moment ago, so a thousand nodes that ask for their
    sizes put no more load on a shared file system than importing did.

    Args:
        libraries: the paths of its native libraries.
        plan: what is known of the environment.
    """
    modules = [getattr(module, "__file__", None) for module in list(sys.modules.values())]
    paths = [path for path in [*modules, *libraries] if path]
    folders = {folder: os.path.realpath(folder) for folder in set(map(os.path.dirname, paths))}
    loaded = {os.path.join(folders[os.path.dirname(path)], os.path.basename(path)) for path in paths}
    found = []
    for metadata in installed_distributions().values():
        base = os.path.dirname(metadata)
        real = os.path.realpath(base)
        if real.startswith(os.path.realpath(sys.prefix) + os.sep):
            files = [file for file in recorded_files(metadata) if real + file.path[len(base) :] in loaded]
            found.append(_published(files, plan))
    alike = _recorded_alike(found)
    return [told for files in found for told in (_size_differs(file, alike) for file in files) if told]


def _recorded_alike(every: Iterable[List[Recorded]]) -> Dict[str, List[Recorded]]:
    """Map each file that several distributions recorded to what they recorded: any of it is right.

    Many install a ``tests/__init__.py``; the file of the one that was installed last replaced the others'.
    """
    found: Dict[str, List[Recorded]] = {}
    for files in every:
        for file in files:
            found.setdefault(file.path, []).append(file)
    return {path: several for path, several in found.items() if len(several) > 1}


def _versions(plan: Plan, installed: Dict[str, str]) -> Iterator[str]:
    for item in plan.distributions:
        name = normalise(item["name"])
        if name not in installed:
            yield "%s is not installed" % name
            continue
        version = describe(installed[name], name).version
        if item.get("version") and plain_version(version) != plain_version(item["version"]):
            yield "%s is %s instead of %s" % (name, version, item["version"])


def _node(expect: Dict[str, Any]) -> Iterator[str]:
    """Compare interpreter, C library and modules with those that the lock was solved for."""
    python = expect.get("python")
    if python and _own_version() != python and not any(_other_patch(python)):
        yield "Python is %s instead of %s" % (_own_version(), python)
    glibc = expect.get("systems", {}).get("glibc", {}).get("version")
    here = (os.confstr("CS_GNU_LIBC_VERSION") or "").split(" ")[-1] if glibc else ""
    if here and release(here) < release(glibc):
        yield "the C library is %s, older than the lock's %s" % (here, glibc)
    loaded = os.environ.get("LOADEDMODULES", "").split(":")
    missing = [module for module in expect.get("modules", []) if module not in loaded]
    if missing and loaded != [""]:
        yield "modules of the lock that are not loaded: " + ", ".join(missing)


def _other_patch(python: str) -> Iterator[str]:
    """Tell that another final release of the lock's series runs here, which loads the same files.

    A restored archive has one where the lock's own is not available, and systems mend theirs in place.
    """
    here = _own_version()
    series = [_FINAL.match(version) for version in (python, here)]
    if python != here and all(series) and len({match.group(1) for match in series if match}) == 1:
        yield "Python is %s, another patch release than the lock's %s" % (here, python)


def _own_version() -> str:
    """Return this interpreter's version; one that was built from git ends its own with a plus."""
    return platform.python_version().rstrip("+")


def _size_differs(file: Recorded, alike: Dict[str, List[Recorded]]) -> str:
    try:
        size = os.path.getsize(file.path)
    except OSError:
        return "%s is missing" % file.path
    told = [recorded.size for recorded in alike.get(file.path, [file])]
    if all(text.isdecimal() and int(text) != size for text in told):
        return "%s has %d bytes instead of %s" % (file.path, size, file.size)
    return ""


def _sample(files: List[Recorded]) -> List[Recorded]:
    """Choose the largest file within the limit, and a few spread evenly over the rest."""
    with_hash = [file for file in files if file.hash.startswith("sha256=") and os.path.isfile(file.path)]
    fitting = [file for file in with_hash if os.path.getsize(file.path) <= _LARGEST]
    step = max(1, len(fitting) // _SAMPLES)
    largest: Optional[Recorded] = max(fitting, key=lambda file: os.path.getsize(file.path), default=None)
    return ([largest] if largest else []) + fitting[::step][:_SAMPLES]


def _hash_agrees(file: Recorded, alike: Dict[str, List[Recorded]]) -> bool:
    digest = hashlib.sha256()
    with open(file.path, "rb") as stream:
        for block in iter(lambda: stream.read(1 << 20), b""):
            digest.update(block)
    found = "sha256=" + base64.urlsafe_b64encode(digest.digest()).decode().rstrip("=")
    return any(recorded.hash.rstrip("=") in ("", found) for recorded in alike.get(file.path, [file]))
