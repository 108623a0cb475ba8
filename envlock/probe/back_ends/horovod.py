"""What both of Horovod's faces have in common."""

import importlib
from typing import Any, Dict

from .base import Job, World


class Horovod:
    """One face of Horovod: a module with its own copy of the native library, and a background thread."""

    _hvd: Any = None

    def open(self, job: Job) -> World:
        """Start the background thread, which initialises MPI unless it runs already."""
        self._hvd.init()
        facts: Dict[str, Any] = {"horovod": importlib.import_module("horovod").__version__}
        facts.update(built_features(self._hvd))
        world = World(self._hvd.rank(), self._hvd.size(), self._hvd.local_rank(), facts)
        if facts.get("mpi_enabled", facts.get("mpi_built")) and not job.mpi:
            job.mpi.update(rank=world.rank, size=world.size)
        return world

    def sum_arguments(self) -> Dict[str, Any]:
        """How this release is told to sum: ``op`` came with 0.19, before it one said not to average."""
        return {"op": self._hvd.Sum} if hasattr(self._hvd, "Sum") else {"average": False}

    def close(self) -> None:
        """Stop the background thread; it finalises MPI if it initialised it."""
        self._hvd.shutdown()


def built_features(hvd: Any) -> Dict[str, bool]:
    """What the native library was built with and uses."""
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
