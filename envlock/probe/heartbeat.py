"""One file for each rank, rewritten at each phase: a supervisor outside can name who is missing, and where.

A collective cannot tell who hangs, since telling needs those who hang. Files can. Beyond a few dozen ranks
each writes the less often the more there are, so that their shared folder takes about as many files in a
second whatever their number; what was held back is written by a thread, also while the rank waits in a call.
"""

import faulthandler
import os
import signal
import threading
import time
from typing import Any, Dict, Optional

from . import documents, sabotage
from .placement import Placement, host_name

_AT_WILL_UP_TO = 64
_WRITES_PER_S = 800.0


def pause_s(ranks: int) -> float:
    """Seconds between two writes of one rank; 0 where each phase may be written."""
    return 0.0 if ranks <= _AT_WILL_UP_TO else ranks / _WRITES_PER_S


class Heartbeat:
    """The rank's document, and the only place that writes it.

    Attributes:
        document: what is written; its parts are filled in by the rank as it goes.
    """

    def __init__(
        self,
        folder: str,
        placement: Placement,
        plan_sabotage: Dict[str, Any],
        deadline: float,
        pause: float = 0.0,
    ) -> None:
        self._deadline = deadline
        self._pause = pause
        self._written = float("-inf")
        self._held_back: Optional[str] = None
        self._lock = threading.Lock()
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
        if pause:
            threading.Thread(target=self._write_held_back, daemon=True).start()

    def rank(self) -> Any:
        """The rank as far as it is known: MPI's once MPI runs, the launcher's before."""
        return self.document["mpi"].get("rank", self.document["launcher"]["rank"])

    def beat(self, phase: str) -> None:
        """Enter a phase; a rank that stays in it nearly to the deadline writes its stacks by itself."""
        sabotage.on_phase(self._sabotage, self.rank(), phase, inside=False)
        self.document["phase"] = phase
        self.document["step"] += 1
        self.document["time"] = time.time()
        self._write(at_once=self.document["done"])
        faulthandler.dump_traceback_later(max(1.0, 0.8 * self._deadline), file=self._stacks)
        sabotage.on_phase(self._sabotage, self.rank(), phase, inside=True)

    def finish(self) -> None:
        """The last beat."""
        self.document["done"] = True
        self.beat("done")
        faulthandler.cancel_dump_traceback_later()

    def _write(self, at_once: bool) -> None:
        text = documents.text(self.document)
        with self._lock:
            self._held_back = text
            if at_once or time.monotonic() >= self._written + self._pause:
                self._flush()

    def _write_held_back(self) -> None:
        while True:
            time.sleep(self._pause)
            with self._lock:
                if self._held_back is not None:
                    self._flush()

    def _flush(self) -> None:
        documents.write_text(self._path, self._held_back or "")
        self._held_back = None
        self._written = time.monotonic()
