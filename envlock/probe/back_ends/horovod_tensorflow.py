"""Horovod over TensorFlow: graph and session in release 1, functions in release 2."""

import importlib
from typing import Any, List

from .base import BackEnd, Job, World
from .horovod import Horovod


class HorovodTensorflow(Horovod, BackEnd):
    """horovod.tensorflow on the CPU; tensors are NumPy arrays, which TensorFlow always brings.

    Several reductions in one step of a session or one function are in flight together and may be fused.
    """

    name = "horovod-tensorflow"
    modes = ("out of place", "fused")

    def load(self) -> None:
        """Import the library."""
        self._numpy: Any = importlib.import_module("numpy")
        self._tf: Any = importlib.import_module("tensorflow")
        self._hvd = importlib.import_module("horovod.tensorflow")

    def open(self, job: Job) -> World:
        """Start Horovod, and keep TensorFlow from taking the GPUs' memory for itself."""
        world = Horovod.open(self, job)
        self._eager: bool = self._tf.executing_eagerly()
        if self._eager:
            self._tf.config.experimental.set_visible_devices([], "GPU")
        world.facts["tensorflow"] = self._tf.__version__
        return world

    def tensor(self, dtype: str, period: List[int], count: int) -> Any:
        """A NumPy array."""
        return self._numpy.resize(self._numpy.array(period, dtype=dtype), count)

    def allreduce(self, tensors: List[Any], _mode: str, _label: str) -> List[Any]:
        """All tensors in one step."""
        return self._in_function(tensors) if self._eager else self._in_session(tensors)

    def _in_function(self, tensors: List[Any]) -> List[Any]:
        @self._tf.function  # type: ignore[untyped-decorator]
        def step(inputs: List[Any]) -> List[Any]:
            return [self._hvd.allreduce(tensor, **self.sum_arguments()) for tensor in inputs]

        with self._tf.device("/cpu:0"):
            return [total.numpy() for total in step([self._tf.constant(tensor) for tensor in tensors])]

    def _in_session(self, tensors: List[Any]) -> List[Any]:
        v1 = self._tf.compat.v1
        with self._tf.Graph().as_default(), self._tf.device("/cpu:0"):
            inputs = [v1.placeholder(tensor.dtype, tensor.shape) for tensor in tensors]
            sums = [self._hvd.allreduce(tensor, **self.sum_arguments()) for tensor in inputs]
            with v1.Session(config=v1.ConfigProto(device_count={"GPU": 0})) as session:
                return list(session.run(sums, dict(zip(inputs, tensors))))

    def differences(self, got: Any, wanted: Any) -> List[int]:
        """Compare arrays."""
        return [int(index) for index in (got != wanted).nonzero()[0]]
