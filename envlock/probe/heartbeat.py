"""One file for each rank, rewritten at each phase: a supervisor outside can name who is missing, and where.

A collective cannot tell who hangs, since telling needs those who hang. Files can.
"""

import faulthandler
import os
import signal
import time
from typing import Any, Dict

from . import documents, sabotage
from .placement import Placement, host_name


class Heartbeat:
    """The rank's document, and the only place that writes it.

    Attributes:
        document: what is written; its parts are filled in by the rank as it goes.
    """

    def __init__(
        self, folder: str, placement: Placement, plan_sabotage: Dict[str, Any], deadline: float
    ) -> None:
        self._deadline = deadline
        self._sabotage = plan_sabotage
        rank = "x" if placement.rank is None else str(placement.rank)
        self._path = os.path.join(folder, "rank-%s-%s-%d.json" % (rank, host_name(), os.getpid()))
        self.document: Dict[str, Any] = {
            "schema": "envlock/probe-rank/1",
            "host": host_name(),
            "pid": os.getpid(),
            "launcher": placement.document(),
            "phase": "",
            "step": 0,
            "done": False,
            "mpi": {},
            "back_ends": {},
        }
        stacks = os.path.join(folder, "stacks-%s-%d.txt" % (host_name(), os.getpid()))
        self._stacks = open(stacks, "w", encoding="utf-8")  # noqa: SIM115 - faulthandler writes to it at any time
        faulthandler.register(signal.SIGUSR1, file=self._stacks, all_threads=True)

    def rank(self) -> Any:
        """The rank as far as it is known: MPI's once MPI runs, the launcher's before."""
        return self.document["mpi"].get("rank", self.document["launcher"]["rank"])

    def beat(self, phase: str) -> None:
        """Enter a phase; a rank that stays in it nearly to the deadline writes its stacks by itself."""
        sabotage.on_phase(self._sabotage, self.rank(), phase)
        self.document["phase"] = phase
        self.document["step"] += 1
        self.document["time"] = time.time()
        documents.write(self._path, self.document)
        faulthandler.dump_traceback_later(max(1.0, 0.8 * self._deadline), file=self._stacks)

    def finish(self) -> None:
        """The last beat."""
        self.document["done"] = True
        self.beat("done")
        faulthandler.cancel_dump_traceback_later()
