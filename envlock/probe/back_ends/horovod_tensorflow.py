"""Horovod over TensorFlow: graph and session in release 1, functions in release 2."""

import importlib
from typing import Any, Callable, List, Optional, Tuple

from .base import BackEnd, Job, Trainer, World, cut
from .horovod import Horovod
from .tensorflow_graphs import graph_interface
from .tensorflow_training import FunctionTrainer, SessionTrainer


class HorovodTensorflow(Horovod, BackEnd):
    """The binding horovod.tensorflow, on the CPU; tensors are NumPy arrays, which TensorFlow always requires.

    Several reductions in one step of a session or in one function are in flight together and may be fused.
    """

    name = "horovod-tensorflow"
    modes = ("out of place", "fused")

    def load(self) -> None:
        """Import the library."""
        self._numpy: Any = importlib.import_module("numpy")
        self._tf: Any = importlib.import_module("tensorflow")
        self._hvd = importlib.import_module("horovod.tensorflow")

    def open(self, job: Job) -> World:
        """Start Horovod, and hide the GPUs from TensorFlow so that it does not take their memory."""
        world = Horovod.open(self, job)
        self._eager: bool = self._tf.executing_eagerly()
        if self._eager:
            self._tf.config.experimental.set_visible_devices([], "GPU")
        world.facts["tensorflow"] = self._tf.__version__
        return world

    def tensor(self, dtype: str, period: List[int], count: int) -> Any:
        """Return a NumPy array."""
        return self._numpy.resize(self._numpy.array(period, dtype=dtype), count)

    def allreduce(self, tensors: List[Any], _mode: str, _label: str) -> List[Any]:
        """Reduce all tensors in one step."""
        summing = self.sum_arguments()
        return self._run(lambda inputs: [self._hvd.allreduce(one, **summing) for one in inputs], tensors)

    def call(self, collective: str, tensor: Any, label: str) -> Any:
        """Call broadcast, allgather or alltoall in a step of its own."""
        call = getattr(self._hvd, collective)

        def build(inputs: List[Any]) -> List[Any]:
            if collective == "broadcast":
                return [call(inputs[0], 0, name=label)]
            found = call(inputs[0], name=label)
            return [found[0] if isinstance(found, (tuple, list)) else found]

        return self._run(build, [tensor])[0]

    def _run(self, build: Callable[[List[Any]], List[Any]], tensors: List[Any]) -> List[Any]:
        """Build operations on inputs and run them once, with NumPy arrays in and out."""
        if self._eager:
            step = self._tf.function(build, autograph=False)
            with self._tf.device("/cpu:0"):
                return [total.numpy() for total in step([self._tf.constant(tensor) for tensor in tensors])]
        v1 = graph_interface(self._tf)
        with self._tf.Graph().as_default(), self._tf.device("/cpu:0"):
            inputs = [v1.placeholder(tensor.dtype, tensor.shape) for tensor in tensors]
            outputs = build(inputs)
            with v1.Session(config=v1.ConfigProto(device_count={"GPU": 0})) as session:
                return list(session.run(outputs, dict(zip(inputs, tensors))))

    def reduction(self, size: int, mode: str) -> Callable[[], Any]:
        """Return a step that is built once; control dependencies order the unfused reductions.

        Reductions are named after their tensors. The tensors are variables, and one element of each sum is
        fetched: constants and values that nobody uses would be optimised away.
        """
        tf, summing = self._tf, self.sum_arguments()
        pieces, count = cut(size, mode)

        def build(sources: List[Any]) -> Any:
            done: List[Any] = []
            for number, source in enumerate(sources):
                with tf.control_dependencies(done[-1:] if mode == "unfused" else []):
                    name = "%s_%d_%d" % (mode, size, number)
                    done.append(self._hvd.allreduce(tf.identity(source, name=name), **summing))
            return tf.stack([total[0] for total in done])

        if self._eager:
            sources = [tf.Variable(tf.zeros([count])) for _ in range(pieces)]
            step = tf.function(lambda: build(sources), autograph=False)

            def run() -> None:
                with tf.device("/cpu:0"):
                    step()

            return run
        v1, graph = graph_interface(tf), tf.Graph()
        with graph.as_default(), tf.device("/cpu:0"):
            sources = [v1.Variable(tf.zeros([count]), collections=["own"]) for _ in range(pieces)]
            operation = build(sources)
        session = v1.Session(graph=graph, config=v1.ConfigProto(device_count={"GPU": 0}))
        session.run([source.initializer for source in sources])
        return session.make_callable(operation)  # type: ignore[no-any-return]

    def difference(self, got: Any, wanted: Any) -> Optional[Tuple[int, int]]:
        """Compare arrays."""
        wrong = got != wanted
        return (int(wrong.argmax()), int(wrong.sum())) if wrong.any() else None

    def trainer(self, world: World, mixed: bool) -> Trainer:
        """Return a model under Horovod's own optimizer or tape."""
        trainer = FunctionTrainer if self._eager else SessionTrainer
        return trainer(self._tf, self._hvd, world, mixed)
