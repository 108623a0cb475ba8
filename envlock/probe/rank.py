"""One rank under a launcher: every back end of the plan in turn, in this one process.

That they all work in one process is the promise to prove: MPI is initialised once, by whichever comes first.
The result is the last heartbeat, see ``heartbeat.py``; each back end's part is described in ``verify.py``.
"""

import os
import platform
import resource
import sys
import traceback
from typing import Any, Dict, List

from . import native
from .back_ends import BACK_ENDS
from .back_ends.base import BackEnd, Job
from .heartbeat import Heartbeat
from .placement import place
from .plan import Plan
from .verify import verify


def run_rank(plan: Plan, folder: str) -> bool:
    """Run every back end; whether all of them gave the right values on this rank."""
    placement = place(dict(os.environ))
    heart = Heartbeat(folder, placement, plan.sabotage, plan.deadlines["phase"])
    heart.document["facts"] = _facts()
    heart.beat("start")
    job = Job(plan=plan, folder=folder, placement=placement, mpi=heart.document["mpi"])
    opened: List[BackEnd] = []
    for name in plan.back_ends:
        heart.document["back_ends"][name] = _run(BACK_ENDS[name](), job, heart, opened)
    libraries = native.own_libraries()
    if job.mpi:
        job.mpi.setdefault("library", native.mpi_library_version(libraries))
    outcome, message, details = native.audit(libraries, {})
    heart.document["libraries"] = {"outcome": outcome, "message": message, "families": details["families"]}
    for back_end in reversed(opened):
        heart.beat("%s: shut down" % back_end.name)
        _shut_down(back_end, heart.document["back_ends"][back_end.name])
    heart.finish()
    return all(result["outcome"] == "passed" for result in heart.document["back_ends"].values())


def _run(back_end: BackEnd, job: Job, heart: Heartbeat, opened: List[BackEnd]) -> Dict[str, Any]:
    """One back end; what it raises is its result, and the others go on."""
    result: Dict[str, Any] = {"outcome": "raised"}
    try:
        heart.beat("%s: import" % back_end.name)
        back_end.load()
        heart.beat("%s: initialise" % back_end.name)
        world = back_end.open(job)
        opened.append(back_end)
        result.update(rank=world.rank, size=world.size, local_rank=world.local_rank, facts=world.facts)
        verify(back_end, world, job, heart, result)
    except Exception as error:
        result["outcome"] = "raised"
        result["error"] = "%s: %s" % (type(error).__name__, error)
        result["traceback"] = traceback.format_exc()[-6000:]
    return result


def _shut_down(back_end: BackEnd, result: Dict[str, Any]) -> None:
    try:
        back_end.close()
    except Exception as error:
        result["outcome"] = "raised"
        result.setdefault("error", "on shutting down: %s: %s" % (type(error).__name__, error))
        result.setdefault("traceback", traceback.format_exc()[-6000:])


def _facts() -> Dict[str, Any]:
    """What must be equal on every rank, and what is worth knowing of each."""
    soft, _ = resource.getrlimit(resource.RLIMIT_MEMLOCK)
    return {
        "python": platform.python_version(),
        "prefix": sys.prefix,
        "kernel": platform.release(),
        "memlock": "unlimited" if soft == resource.RLIM_INFINITY else soft,
        "cpus": len(os.sched_getaffinity(0)),
    }
