"""What reaches into the environment from outside (check S7): user site, PYTHONPATH, foreign directories."""

import os
import site
import sys
import sysconfig
from typing import Any, Dict, List, Tuple


def leakage(
    path: List[str], environ: Dict[str, str], prefix: str, standard: List[str]
) -> Tuple[str, str, Dict[str, Any]]:
    """Outcome, message and details for a search path.

    Args:
        path: the interpreter's search path.
        environ: its environment variables.
        prefix: the environment; everything inside belongs.
        standard: directories and archives of the standard library; packages beside it do not belong.
    """
    asked = [entry for entry in environ.get("PYTHONPATH", "").split(os.pathsep) if entry]
    foreign = [entry for entry in path if not _belongs(entry, prefix, standard)]
    reasons = ["%s (%s)" % (entry or "here", _reason(entry, asked)) for entry in foreign]
    if environ.get("PYTHONHOME"):
        reasons.append("PYTHONHOME=%s moves the standard library" % environ["PYTHONHOME"])
    details = {"path": path, "foreign": foreign, "PYTHONPATH": asked}
    if reasons:
        return "failed", "modules can come from outside the environment: " + "; ".join(reasons), details
    return "passed", "every module comes from the environment or the standard library", details


def own_leakage(archive: str) -> Tuple[str, str, Dict[str, Any]]:
    """Leakage of this very interpreter; ``archive`` is the probe itself, which is on the path by design."""
    paths = sysconfig.get_paths()
    zipped = "python%d%d.zip" % sys.version_info[:2]
    standard = [paths["stdlib"], paths["platstdlib"]]
    standard += [entry for entry in sys.path if os.path.basename(entry) == zipped]
    path = [entry for entry in sys.path if os.path.abspath(entry) != archive]
    return leakage(path, dict(os.environ), sys.prefix, standard)


def _belongs(entry: str, prefix: str, standard: List[str]) -> bool:
    if not os.path.isabs(entry):
        return False
    if not os.path.exists(entry):
        return True
    here = os.path.realpath(entry)
    if _inside(here, os.path.realpath(prefix)):
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
