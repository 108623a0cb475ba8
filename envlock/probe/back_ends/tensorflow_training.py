"""A tiny TensorFlow model whose replicas must stay equal; sessions in release 1, functions in release 2.

In mixed precision, products are computed and gradients reduced in float16.
"""

import time
from typing import Any, List, Optional

from .base import LOSS_SCALE, Trainer, World
from .tensorflow_graphs import graph_interface

_WIDTH = 256
_BATCH = 32
_RATE = 0.01


class SessionTrainer(Trainer):
    """Release 1: one graph, hvd.DistributedOptimizer, one thread for computing."""

    gradient_bytes = 4 * 2 * _WIDTH * _WIDTH

    def __init__(self, tf: Any, hvd: Any, world: World, mixed: bool) -> None:
        v1 = graph_interface(tf)
        scale = LOSS_SCALE if mixed else 1.0
        graph = tf.Graph()
        with graph.as_default(), tf.device("/cpu:0"):
            v1.set_random_seed(1000 + world.rank)
            self._weights = [v1.get_variable("w%d" % number, [_WIDTH, _WIDTH]) for number in range(2)]
            inputs = v1.get_variable("inputs", [_BATCH, _WIDTH], trainable=False, collections=["own"])
            goals = v1.get_variable("goals", [_BATCH, _WIDTH], trainable=False, collections=["own"])
            loss = scale * _loss(tf, self._weights, inputs, goals, mixed)
            optimizer = hvd.DistributedOptimizer(
                v1.train.GradientDescentOptimizer(_RATE / scale), compression=_compression(hvd, mixed)
            )
            self._train = optimizer.minimize(loss, var_list=self._weights)
            self._astray = v1.assign_add(self._weights[0], tf.ones([_WIDTH, _WIDTH]))
            begin = [hvd.broadcast(one, 0, name="model_%d" % n) for n, one in enumerate(self._weights)]
            take = tf.group(*[v1.assign(*pair) for pair in zip(self._weights, begin)])
            config = v1.ConfigProto(
                device_count={"GPU": 0}, intra_op_parallelism_threads=1, inter_op_parallelism_threads=2
            )
            self._session = v1.Session(graph=graph, config=config)
            self._session.run([variable.initializer for variable in self._weights + [inputs, goals]])
        self._session.run(take)

    def step(self) -> Optional[float]:
        """Run the graph once, in which computing and reducing cannot be separated."""
        self._session.run(self._train)
        return None

    def parameters(self) -> bytes:
        """The weights."""
        return b"".join(weights.tobytes() for weights in self._session.run(self._weights))

    def go_astray(self) -> None:
        """The first weights are off by one."""
        self._session.run(self._astray)


class FunctionTrainer(Trainer):
    """Release 2: hvd.DistributedGradientTape."""

    gradient_bytes = 4 * 2 * _WIDTH * _WIDTH

    def __init__(self, tf: Any, hvd: Any, world: World, mixed: bool) -> None:
        self._tf, self._hvd, self._mixed = tf, hvd, mixed
        self._scale = LOSS_SCALE if mixed else 1.0
        tf.random.set_seed(1000 + world.rank)
        with tf.device("/cpu:0"):
            self._weights: List[Any] = [
                tf.Variable(tf.random.normal([_WIDTH, _WIDTH], stddev=0.1)) for _ in range(2)
            ]
            self._inputs = tf.random.normal([_BATCH, _WIDTH])
            self._goals = tf.random.normal([_BATCH, _WIDTH])
        hvd.broadcast_variables(self._weights, root_rank=0)

    def step(self) -> Optional[float]:
        """Run the forward and backward passes, then step by the mean gradient."""
        tf = self._tf
        begin = time.perf_counter()
        with tf.device("/cpu:0"):
            with tf.GradientTape() as plain:
                loss = self._scale * _loss(tf, self._weights, self._inputs, self._goals, self._mixed)
            computing = time.perf_counter() - begin
            tape = self._hvd.DistributedGradientTape(plain, compression=_compression(self._hvd, self._mixed))
            gradients = tape.gradient(loss, self._weights)
            for weights, gradient in zip(self._weights, gradients):
                weights.assign_sub(_RATE / self._scale * gradient)
        return computing

    def parameters(self) -> bytes:
        """The weights."""
        return b"".join(weights.numpy().tobytes() for weights in self._weights)

    def go_astray(self) -> None:
        """The first weights are off by one."""
        self._weights[0].assign_add(self._tf.ones([_WIDTH, _WIDTH]))


def _loss(tf: Any, weights: List[Any], inputs: Any, goals: Any, mixed: bool) -> Any:
    """Return the mean squared error of two layers."""
    kind = tf.float16 if mixed else tf.float32
    first, second = [tf.cast(weight, kind) for weight in weights]
    hidden = tf.nn.relu(tf.matmul(tf.cast(inputs, kind), first))
    return tf.reduce_mean(tf.square(tf.cast(tf.matmul(hidden, second), tf.float32) - goals))


def _compression(hvd: Any, mixed: bool) -> Any:
    return hvd.Compression.fp16 if mixed else hvd.Compression.none
