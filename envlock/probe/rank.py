"""One rank under a launcher: every back end of the plan in turn, in this one process.

That they all work in one process is what is to be proved: MPI is initialised once, by whichever comes first.
The result is the last heartbeat, see ``heartbeat.py``; ``communication.py`` describes each back end's part.
"""

import os
import sys
import traceback
from typing import Any, Dict, List, Optional

from . import native
from .against_lock import changed_files
from .back_ends import BACK_ENDS
from .back_ends.base import BackEnd, Job, NotApplicableError
from .back_ends.cuda_aware import sum_gpu_buffers
from .back_ends.gpus import any_here
from .communication import Session, check, interleave, meet
from .errors import described
from .forking import try_workers
from .heartbeat import Heartbeat, pause_s
from .leakage import from_outside
from .network import meet_by_tcp
from .placement import place
from .plan import Plan
from .processor import lacking_instructions
from .surroundings import process_manager_client, surroundings

_AGAIN = 3


def run_rank(plan: Plan, folder: str) -> bool:
    """Run every back end; return whether none of them failed on this rank."""
    placement = place(dict(os.environ), plan.inherited)
    deadline, pause = plan.deadlines["phase"], pause_s(plan.ranks)
    heart = Heartbeat(folder, placement, plan.sabotage, deadline, pause, plan.stack_tools)
    facts = heart.document["facts"] = surroundings(plan.expect.get("gfx", []))
    facts["from_outside"] = from_outside(os.path.abspath(sys.argv[0]), plan)
    facts["lacking_instructions"] = lacking_instructions(plan.expect.get("processor", []))
    os.environ.setdefault("OMPI_MCA_mca_base_component_show_load_errors", "1")
    heart.beat("start")
    if plan.correctness and plan.ranks > 1:
        heart.beat("network")
        names = communicating(plan, dict(os.environ))
        facts["network"] = meet_by_tcp(folder, placement, plan.ranks, plan.nodes, names)
    job = Job(plan=plan, folder=folder, placement=placement, mpi=heart.document["mpi"])
    opened: List[Session] = []
    for name in plan.back_ends:
        result: Dict[str, Any] = {"outcome": "raised"}
        session = _run(BACK_ENDS[name](), job, heart, result)
        heart.document["back_ends"][name] = result
        opened += [session] if session else []
    if plan.correctness:
        _all_of_them(opened, heart)
        heart.beat("workers")
        facts["workers"] = try_workers()
    libraries = native.own_libraries()
    facts["process_manager_client"] = process_manager_client(sorted(libraries))
    facts["changed_files"] = changed_files(libraries, plan)
    facts["components"] = sum(os.path.basename(path).startswith("mca_") for path in libraries)
    if job.mpi:
        job.mpi.setdefault("library", native.mpi_library_version(libraries))
    outcome, message, details = native.audit(libraries, {})
    heart.document["libraries"] = {"outcome": outcome, "message": message, "families": details["families"]}
    for session in reversed(opened):
        if plan.correctness:
            session.attempt("C15", "initialise again", lambda session=session: _again(session))  # type: ignore[misc]
        session.beat("shut down")
        _shut_down(session.back_end, session.result)
    heart.finish()
    results = list(heart.document["back_ends"].values())
    parts = [part for result in results for part in result.get("parts", [])]
    return all(one["outcome"] in ("passed", "not-applicable") for one in results + parts)


def communicating(plan: Plan, environ: Dict[str, str]) -> List[str]:
    """Return the back ends of the plan that can communicate here: NCCL has nothing to do without a GPU."""
    return [name for name in plan.back_ends if name != "torch-nccl" or any_here(plan, environ)]


def _run(back_end: BackEnd, job: Job, heart: Heartbeat, result: Dict[str, Any]) -> Optional[Session]:
    """Run one back end; an exception becomes its result, and the others continue."""
    session = None
    try:
        heart.beat("%s: import" % back_end.name)
        back_end.load()
        # Told before what may hang or end the process: a file that differs may be why.
        heart.document["facts"]["changed_files"] = changed_files(native.own_libraries(), job.plan)
        heart.beat("%s: initialise" % back_end.name)
        world = back_end.open(job)
        result.update(rank=world.rank, size=world.size, local_rank=world.local_rank, facts=world.facts)
        session = Session(back_end, world, job, heart, result)
        check(session)
    except NotApplicableError as reason:
        result.update(outcome="not-applicable", error=str(reason))
    except Exception as error:
        result["outcome"] = "raised"
        told = [described(error), back_end.complaints()]
        result["error"] = "; ".join(filter(None, told))
        result["traceback"] = traceback.format_exc()[-6000:]
    return session


def _all_of_them(opened: List[Session], heart: Heartbeat) -> None:
    """Check what concerns all back ends together; the results are recorded with the first."""
    if not opened:
        return
    opened[0].attempt("C14", "in turn", lambda: interleave(opened, heart))
    opened[0].attempt("C16", "pairs", lambda: _pairs(opened))
    opened[0].attempt("C4", "GPU buffers", lambda: sum_gpu_buffers([session.back_end for session in opened]))


def _pairs(opened: List[Session]) -> str:
    """Run the tournament with the first back end that can exchange messages between two ranks."""
    for session in opened:
        if session.world.size > 1 and type(session.back_end).exchange is not BackEnd.exchange:
            meet(session)
            return "over %s" % session.back_end.name
    raise NotApplicableError("nothing here sends messages between two ranks")


def _again(session: Session) -> str:
    for number in range(_AGAIN):
        session.beat("initialise again, %d" % (number + 1))
        session.back_end.again(session.job)
    session.back_end.barrier()
    return "%d times" % _AGAIN


def _shut_down(back_end: BackEnd, result: Dict[str, Any]) -> None:
    try:
        back_end.close()
    except Exception as error:
        result["outcome"] = "raised"
        result.setdefault("error", "on shutting down: %s" % described(error))
        result.setdefault("traceback", traceback.format_exc()[-6000:])
