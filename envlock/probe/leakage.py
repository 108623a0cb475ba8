"""What leaks into the environment from outside (S7, per rank L5): user site, PYTHONPATH, folders."""

import os
import site
import sys
import sysconfig
from typing import Any, Dict, List, Tuple

from .files import recorded_files
from .modules import installed_distributions
from .plan import Plan, normalise


def leakage(
    path: List[str], environ: Dict[str, str], own: List[str], standard: List[str]
) -> Tuple[str, str, Dict[str, Any]]:
    """Return outcome, message and details for a search path.

    Args:
        path: the interpreter's search path.
        environ: its environment variables.
        own: the environment, then the folders of editable distributions; everything inside belongs.
        standard: directories and archives of the standard library; packages next to it do not belong.
    """
    asked = [entry for entry in environ.get("PYTHONPATH", "").split(os.pathsep) if entry]
    foreign = [entry for entry in path if not _belongs(entry, own, standard)]
    reasons = ["%s (%s)" % (entry or "here", _reason(entry, asked)) for entry in foreign]
    if environ.get("PYTHONHOME"):
        reasons.append("PYTHONHOME=%s moves the standard library" % environ["PYTHONHOME"])
    details = {"path": path, "foreign": foreign, "PYTHONPATH": asked, "reasons": reasons}
    if reasons:
        return "failed", "modules can come from outside the environment: " + "; ".join(reasons), details
    edited = ", the standard library or sources that are edited: " + ", ".join(own[1:])
    others = edited if own[1:] else " or the standard library"
    return "passed", "every module comes from the environment" + others, details


def own_leakage(archive: str, plan: Plan) -> Tuple[str, str, Dict[str, Any]]:
    """Check this interpreter for leakage.

    Args:
        archive: the probe itself, which is on the path by design.
        plan: names the editable distributions.
    """
    path = [entry for entry in sys.path if os.path.abspath(entry) != archive]
    return leakage(path, dict(os.environ), _own(plan), _standard())


def from_outside(archive: str, plan: Plan) -> List[str]:
    """List from where outside its environment this interpreter can import, and what it already has imported.

    To be called before anything else is imported: only what Python ran at start-up is loaded then
    (``sitecustomize``, lines of ``.pth`` files), and no code that a framework generates.

    Args:
        archive: the probe itself.
        plan: names the editable distributions.
    """
    reasons: List[str] = own_leakage(archive, plan)[2]["reasons"]
    files = [getattr(module, "__file__", None) for module in list(sys.modules.values())]
    loaded = {os.path.abspath(file) for file in files if file}
    strange = strangers(sorted(loaded), [archive, *_own(plan)], _standard())
    return reasons + ["%s, which ran when Python started" % path for path in strange]


def strangers(files: List[str], own: List[str], standard: List[str]) -> List[str]:
    """Return files that are neither the environment's nor the interpreter's, as ``leakage`` tells them.

    What is in the standard library by name is the interpreter's, wherever a link leads: Debian and Ubuntu
    keep its ``sitecustomize.py`` in ``/etc``.
    """
    return [
        file
        for file in files
        if not (_belongs(file, own, standard) or _belongs(os.path.dirname(file), [], standard))
    ]


def _own(plan: Plan) -> List[str]:
    """Return the environment, and the folders that its editable distributions name in ``.pth`` files."""
    editable = {normalise(name) for name in plan.expect.get("editable", [])}
    own = [sys.prefix]
    for name, metadata in installed_distributions().items() if editable else ():
        if name in editable:
            for file in recorded_files(metadata):
                if file.path.endswith(".pth"):
                    own += _lines(file.path)
    return own


def _lines(path: str) -> List[str]:
    """Return the lines of a file that name a folder."""
    with open(path, encoding="utf-8", errors="replace") as stream:
        return [line.strip() for line in stream if os.path.isdir(line.strip())]


def _standard() -> List[str]:
    paths = sysconfig.get_paths()
    zipped = "python%d%d.zip" % sys.version_info[:2]
    return [
        paths["stdlib"],
        paths["platstdlib"],
        *(entry for entry in sys.path if os.path.basename(entry) == zipped),
    ]


def _belongs(entry: str, own: List[str], standard: List[str]) -> bool:
    if not os.path.isabs(entry):
        return False
    if not os.path.exists(entry):
        return True
    here = os.path.realpath(entry)
    if any(_inside(here, os.path.realpath(root)) for root in own):
        return True
    roots = [os.path.realpath(root) for root in standard]
    return any(_inside(here, root) and "-packages" not in here[len(root) :] for root in roots)


def _inside(here: str, root: str) -> bool:
    return here == root or here.startswith(root.rstrip(os.sep) + os.sep)


def _reason(entry: str, asked: List[str]) -> str:
    if entry in asked:
        return "PYTHONPATH"
    if site.getusersitepackages() == entry:
        return "the user's site-packages; set PYTHONNOUSERSITE=1"
    return "outside the environment"
