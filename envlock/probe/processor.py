"""Whether this processor has the instructions that the environment's builds use (check S5)."""

import platform
from typing import Any, Dict, List, Optional, Set

from .kernel_files import kernel_text
from .verdict import not_applicable, verdict

_NAME = "processor"
_FLAGS = ("flags", "Features")


def processor_check(needs: List[Dict[str, Any]], cpuinfo: Optional[str] = None) -> Dict[str, Any]:
    """Compare the flags in ``/proc/cpuinfo`` with what builds need.

    Args:
        needs: ``distribution``, ``version``, ``machine``, ``features`` and ``source`` of each build that is
            known to need more than its architecture's baseline.
        cpuinfo: the text of ``/proc/cpuinfo``; that of this node by default.
    """
    here = [need for need in needs if need["machine"] == platform.machine()]
    if not here:
        reason = "nothing is known of instructions beyond %s that these builds need" % platform.machine()
        return not_applicable("S5", _NAME, reason)
    if not _features(cpuinfo):
        return not_applicable("S5", _NAME, "the kernel tells nothing of this processor's instructions")
    lacking = lacking_instructions(needs, cpuinfo)
    details = {"needs": here}
    if lacking:
        message = "this processor lacks what builds use: " + "; ".join(lacking)
        return verdict("S5", _NAME, "failed", message, details)
    told = ", ".join("%s for %s" % (" ".join(build["features"]), build["distribution"]) for build in here)
    return verdict("S5", _NAME, "passed", "has " + told, details)


def lacking_instructions(needs: List[Dict[str, Any]], cpuinfo: Optional[str] = None) -> List[str]:
    """Return which builds need what this processor lacks, in a sentence each; see ``processor_check``."""
    has = _features(cpuinfo)
    lacking = []
    for build in needs:
        missing = [feature for feature in build["features"] if feature not in has]
        if missing and has and build["machine"] == platform.machine():
            told = "%s %s needs %s" % (build["distribution"], build["version"], ", ".join(missing))
            lacking.append("%s (%s)" % (told, build["source"]))
    return lacking


def _features(cpuinfo: Optional[str]) -> Set[str]:
    """Return the flags that every processor has; none where the kernel tells none, as in some containers."""
    text = kernel_text("/proc/cpuinfo") if cpuinfo is None else cpuinfo
    sets = [
        set(line.partition(":")[2].split())
        for line in text.splitlines()
        if line.partition(":")[0].strip() in _FLAGS
    ]
    return set.intersection(*sets) if sets else set()
