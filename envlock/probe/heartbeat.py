"""Each phase of a rank, reported to a supervisor outside, which can name who is missing, and where.

A collective cannot tell who hangs, because telling would need those who hang. A file can (``node_log.py``).
Beyond a few dozen ranks, each rank writes less often the more there are, so that the number of writes per
second in their shared folder hardly depends on the world size; a thread writes what was held back, even while
the rank waits in a call. The thread also forwards the stacks that faulthandler left in this process's memory,
which spares files held open on a shared disk; and it has the native stacks taken once for a phase that nears
its deadline.
"""

import faulthandler
import os
import signal
import tempfile
import threading
import time
from typing import Any, Dict, List, Sequence, Tuple

from . import documents, native_stacks, sabotage
from .node_log import append
from .placement import Placement, host_name

_AT_WILL_UP_TO = 64
_WRITES_PER_S = 800.0
_TICK_S = 0.25
_NEAR = 0.8
"""The fraction of a phase's deadline after which a rank reports its stacks."""
_LOOKED_AT_PER_HOST = 4
"""How many ranks of a host have their native stacks taken: the tools are slow."""


def pause_s(ranks: int) -> float:
    """Return the seconds between two writes of one rank; 0 where each phase may be written."""
    return 0.0 if ranks <= _AT_WILL_UP_TO else ranks / _WRITES_PER_S


class Heartbeat:
    """The rank's document, which is only written here.

    Attributes:
        document: the document; the rank fills in its parts as it goes.
    """

    def __init__(
        self,
        folder: str,
        placement: Placement,
        plan_sabotage: Dict[str, Any],
        deadline: float,
        pause: float,
        stack_tools: Sequence[List[str]],
    ) -> None:
        self._folder = folder
        self._deadline = deadline
        self._pause = pause
        self._written = float("-inf")
        self._stack_tools = stack_tools if (placement.local_rank or 0) < _LOOKED_AT_PER_HOST else ()
        self._near = float("inf")
        self._told: Dict[Tuple[str, str], str] = {}
        self._head: Dict[str, Any] = {}
        self._news: Dict[Tuple[str, str], str] = {}
        self._lock = threading.Lock()
        self._sabotage = plan_sabotage
        self.document: Dict[str, Any] = {
            "host": host_name(),
            "pid": os.getpid(),
            "phase": "",
            "step": 0,
            "done": False,
            "launcher": placement.document(),
            "mpi": {},
            "facts": {},
            "libraries": {},
            "back_ends": {},
        }
        self._stacks = tempfile.TemporaryFile()  # noqa: SIM115 - faulthandler writes to it at any time
        self._passed_on = 0
        faulthandler.register(signal.SIGUSR1, file=self._stacks, all_threads=True)
        threading.Thread(target=self._keep_telling, daemon=True).start()

    def rank(self) -> Any:
        """The rank as far as it is known: MPI's once MPI runs, before that the launcher's."""
        return self.document["mpi"].get("rank", self.document["launcher"]["rank"])

    def beat(self, phase: str) -> None:
        """Enter a phase; a rank that is still in it close to the deadline writes out its stacks by itself."""
        sabotage.on_phase(self._sabotage, self.rank(), phase, inside=False)
        self.document["phase"] = phase
        self.document["step"] += 1
        with self._lock:
            self._note()
            if self.document["done"] or time.monotonic() >= self._written + self._pause:
                self._flush()
        near = max(1.0, _NEAR * self._deadline)
        faulthandler.dump_traceback_later(near, file=self._stacks)
        self._near = time.monotonic() + near
        sabotage.on_phase(self._sabotage, self.rank(), phase, inside=True)

    def finish(self) -> None:
        """Send the last heartbeat."""
        self.document["done"] = True
        self.beat("done")
        faulthandler.cancel_dump_traceback_later()
        self._near = float("inf")

    def _note(self) -> None:
        """Record what has changed since the last write as text, as the rank goes on changing its document."""
        self._head = {name: value for name, value in self.document.items() if not isinstance(value, dict)}
        for part in (name for name, value in self.document.items() if isinstance(value, dict)):
            for name, value in self.document[part].items():
                said = documents.text(value)
                if self._told.get((part, name)) != said:
                    self._told[part, name] = self._news[part, name] = said

    def _flush(self) -> None:
        head, news = documents.text(self._head), self._news
        parts = ['["%s", %s, %s]' % (part, documents.text(name), news[part, name]) for part, name in news]
        append(self._folder, '%s, "set": [%s]}' % (head[:-1], ", ".join(parts)))
        self._head, self._news = {}, {}
        self._written = time.monotonic()

    def _keep_telling(self) -> None:
        while True:
            time.sleep(_TICK_S)
            with self._lock:
                if self._head and time.monotonic() >= self._written + self._pause:
                    self._flush()
                passed = self._pass_on()
            # Python's first, for which faulthandler may need a tick: a tool may stop this process for a long
            # time.
            if self._stack_tools and time.monotonic() >= self._near + (0.0 if passed else 2 * _TICK_S):
                self._near = float("inf")
                self._tell({"native": ""})  # tells the supervisor what to wait for
                self._tell({"native": native_stacks.look(self._stack_tools)})

    def _pass_on(self) -> bool:
        """Forward stacks left since the last look; return whether there were any."""
        size = os.fstat(self._stacks.fileno()).st_size
        if size > self._passed_on:
            left = os.pread(self._stacks.fileno(), size - self._passed_on, self._passed_on)
            self._passed_on = size
            self._tell({"stacks": left.decode("utf-8", "replace")})
            return True
        return False

    def _tell(self, stacks: Dict[str, str]) -> None:
        append(self._folder, documents.text(dict(stacks, host=host_name(), pid=os.getpid())))
