"""PyTorch's process group over NCCL, and the paths that NCCL took."""

import os
import re
import tempfile
from typing import Any, Dict

from ..fabric import adapters, slingshot
from .base import Job, NotApplicableError, Own, World
from .gpus import take_gpu
from .torch_distributed import TorchDistributed

_PATH = re.compile(r"-> \d+(?:\[\w+\])?.*? via (\S+)")
_COMPLAINT = re.compile(r"NCCL WARN (.+)")
_MOST_COMPLAINTS = 3
_TELLING = ("INFO", "TRACE")
"""Values of NCCL_DEBUG with which NCCL reports its paths."""


class TorchNccl(TorchDistributed):
    """torch.distributed with the back end nccl; the ranks of a machine take its GPUs in turn.

    NCCL's own log goes to an unnamed file: nobody else reads it, and nothing is left of it.
    """

    name = "torch-nccl"
    library = "nccl"
    _log: Any = None

    def load(self) -> None:
        """Import the library."""
        TorchDistributed.load(self)
        if not self._dist.is_nccl_available():
            raise NotApplicableError("this PyTorch was built without NCCL")

    def open(self, job: Job) -> World:
        """Choose the GPU, and have NCCL log what it does whatever the caller's log level."""
        self._log = tempfile.TemporaryFile()  # noqa: SIM115 - NCCL writes to it to the end
        if os.environ.get("NCCL_DEBUG", "").upper() not in _TELLING:
            os.environ["NCCL_DEBUG"] = "INFO"
        os.environ["NCCL_DEBUG_SUBSYS"] = "INIT,ENV,P2P,SHM,NET"
        os.environ["NCCL_DEBUG_FILE"] = "/proc/self/fd/%d" % self._log.fileno()
        world = TorchDistributed.open(self, job)
        world.facts["gpu"] = self._torch.cuda.get_device_name(self._device)
        world.facts["nccl"] = str(self._torch.cuda.nccl.version())
        return world

    def _take_device(self) -> None:
        """Take a GPU for this rank alone; ranks agree over Gloo, since NCCL would wait for absent ones."""
        meeting = TorchDistributed()
        meeting.load()
        world = World(self._dist.get_rank(), self._dist.get_world_size(), None, {})
        self._device = take_gpu(self._torch, meeting, world)

    def _settle(self) -> None:
        self._torch.cuda.synchronize()

    def barrier(self) -> None:
        """Wait for the smallest sum: NCCL has no barrier, and PyTorch's guesses a GPU from the rank."""
        self._dist.all_reduce(self.tensor("float32", [0], 1), **self._in_group())
        self._settle()

    def exchange(self, peer: int, mine: Any, theirs: Any) -> None:
        """Start both at once: NCCL runs them in turn, and two that send first would wait for each other.

        Raises:
            NotApplicableError: this PyTorch, older than 1.8, has no such call.
        """
        if not hasattr(self._dist, "batch_isend_irecv"):
            raise NotApplicableError("this PyTorch sends nothing between two ranks over NCCL")
        operation, group = self._dist.P2POp, self._in_group()
        both = [operation(self._dist.isend, mine, peer, **group)]
        both.append(operation(self._dist.irecv, theirs, peer, **group))
        for request in self._dist.batch_isend_irecv(both):
            request.wait()
        self._settle()

    def own_checks(self) -> Own:
        """Return the check of which paths NCCL chose."""
        return [("C7", "NCCL transport", self._transport)]

    def complaints(self) -> str:
        """Return NCCL's warnings, which PyTorch's errors before 1.13 do not contain."""
        return "; ".join(_COMPLAINT.findall(self._said())[-_MOST_COMPLAINTS:])

    def _transport(self, _world: World) -> str:
        found = sorted(set(_PATH.findall(self._said())))
        if not found:
            raise NotApplicableError("NCCL told no path")
        over = "over " + ", ".join(found)
        faster = [*adapters(), *slingshot()]
        if any(path.startswith("NET/Socket") for path in found) and faster:
            asked = asked_for_sockets(dict(os.environ))
            if not asked:
                raise AssertionError(
                    "NCCL goes over sockets although there is %s%s" % (", ".join(faster), _way())
                )
            return "%s, as %s asks although there is %s" % (over, asked, ", ".join(faster))
        return over

    def _said(self) -> str:
        if self._log is None:
            return ""
        size = os.fstat(self._log.fileno()).st_size
        return os.pread(self._log.fileno(), size, 0).decode("utf-8", "replace")


def _way() -> str:
    """Say how NCCL reaches an adapter that it does not know by itself; empty where there is none."""
    return ", which it reaches by a plugin alone: aws-ofi-nccl (libnccl-net.so)" if slingshot() else ""


def asked_for_sockets(environ: Dict[str, str]) -> str:
    """Return the variable by which a site has NCCL go over sockets; empty for none.

    An adapter need not be for messages: those of Ethernet show up as InfiniBand's where they offer RoCE.
    """
    disabled = environ.get("NCCL_IB_DISABLE", "")
    if disabled.isdecimal() and int(disabled):
        return "NCCL_IB_DISABLE=%s" % disabled
    network = environ.get("NCCL_NET", "")
    return "NCCL_NET=%s" % network if network.lower() == "socket" else ""
