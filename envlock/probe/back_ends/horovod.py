"""What both of Horovod's bindings have in common."""

import importlib
import os
from typing import Any, Dict, Tuple

from ..payload import ALWAYS
from .base import Job, NotApplicableError, World

_LEAST_THRESHOLD = 1 << 16


class Horovod:
    """One of Horovod's bindings: a module with its own native library and a background thread."""

    name = ""
    collectives: Tuple[str, ...] = ("broadcast", "allgather")
    dtypes: Tuple[str, ...] = ("int32", "int64", "float16", "float32", "float64")
    _hvd: Any = None

    def open(self, job: Job) -> World:
        """Start the background thread, which initialises MPI unless it is already running.

        Where values are compared and the caller set no fusion threshold, it is set below the largest message
        that is always tried, so that fused messages both below and above it occur.
        """
        if job.plan.correctness:
            threshold = max(_LEAST_THRESHOLD, min(job.plan.max_bytes, ALWAYS) // 2)
            os.environ.setdefault("HOROVOD_FUSION_THRESHOLD", str(threshold))
        if job.plan.timeline:
            timeline = os.path.join(job.folder, "timeline-%s.json" % self.name)
            os.environ["HOROVOD_TIMELINE"] = timeline
        self._hvd.init()
        facts: Dict[str, Any] = {"horovod": importlib.import_module("horovod").__version__}
        facts.update(built_features(self._hvd))
        facts["fusion_threshold_bytes"] = os.environ.get("HOROVOD_FUSION_THRESHOLD", "Horovod's own")
        if hasattr(self._hvd, "alltoall"):
            self.collectives = ("broadcast", "allgather", "alltoall")
        world = World(self._hvd.rank(), self._hvd.size(), self._hvd.local_rank(), facts)
        self._uses_mpi = bool(facts.get("mpi_enabled", facts.get("mpi_built")))
        if self._uses_mpi and not job.mpi:
            job.mpi.update(rank=world.rank, size=world.size)
        return world

    def sum_arguments(self) -> Dict[str, Any]:
        """Return the arguments that select a sum: ``op`` since 0.19, before it a request not to average."""
        return {"op": self._hvd.Sum} if hasattr(self._hvd, "Sum") else {"average": False}

    def again(self, _job: Job) -> None:
        """Stop and start again, as elastic training does; releases without it crash (seen with 0.19.0).

        Raises:
            NotApplicableError: it does not support that, or MPI would have to be initialised twice.
        """
        if not hasattr(self._hvd, "elastic"):
            raise NotApplicableError("this Horovod has no elastic training and is initialised once")
        # Only elastic training initialises Horovod twice, and it runs over Gloo; over MPI, 0.20.3 was seen to
        # stop reducing after a second start ("Horovod has been shut down").
        if self._uses_mpi or os.environ.get("HOROVOD_ELASTIC") != "1":
            raise NotApplicableError(
                "Horovod is initialised again only where elastic training has started it"
            )
        self._hvd.shutdown()
        self._hvd.init()

    def close(self) -> None:
        """Stop the background thread, which finalises MPI if it initialised it."""
        self._hvd.shutdown()


def built_features(hvd: Any) -> Dict[str, bool]:
    """Return what the native library was built with and what it uses."""
    names = (
        "mpi_enabled",
        "mpi_built",
        "gloo_enabled",
        "gloo_built",
        "nccl_built",
        "ccl_built",
        "cuda_built",
    )
    features = {name: bool(getattr(hvd, name)()) for name in names if hasattr(hvd, name)}
    if hasattr(hvd, "mpi_threads_supported") and features.get("mpi_enabled"):
        features["mpi_threads_supported"] = bool(hvd.mpi_threads_supported())
    return features
