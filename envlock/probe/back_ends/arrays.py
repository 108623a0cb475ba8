"""Arrays of the standard library: their comparison, and a model that needs nothing else."""

import time
from array import array
from typing import Any, Optional, Tuple

from .base import BackEnd, Trainer, World

CODES = {"int32": "i", "int64": "q", "float32": "f", "float64": "d"}
"""Element type -> array's type code."""

_PARAMETERS = 2048


def difference(got: Any, wanted: Any) -> Optional[Tuple[int, int]]:
    """Return the first index at which two arrays differ, and at how many they do.

    Bytes are compared first, as they are usually equal and that is cheap to see.
    """
    if memoryview(got).cast("B") == memoryview(wanted).cast("B"):
        return None
    wrong = (index for index, pair in enumerate(zip(got, wanted)) if pair[0] != pair[1])
    first = next(wrong, None)  # ``None`` where only the signs of zeros differ
    return None if first is None else (first, 1 + sum(1 for _ in wrong))


class Regression(Trainer):
    """Least squares with one value per parameter, whose minimum depends on every rank's data."""

    gradient_bytes = 8 * _PARAMETERS

    def __init__(self, back_end: BackEnd, world: World) -> None:
        self._back_end = back_end
        self._size = world.size
        self._goal = array("d", [(index * 7 + world.rank * 13) % 31 for index in range(_PARAMETERS)])
        begin = array("d", [world.rank + 0.1 * index for index in range(_PARAMETERS)])
        self._model = back_end.call("broadcast", begin, "model")

    def step(self) -> Optional[float]:
        """Step by a tenth of the averaged gradient of half the squared distance."""
        begin = time.perf_counter()
        gradient = array("d", [a - b for a, b in zip(self._model, self._goal)])
        computing = time.perf_counter() - begin
        (total,) = self._back_end.allreduce([gradient], "out of place", "gradient")
        rate = 0.1 / self._size
        self._model = array("d", [a - rate * b for a, b in zip(self._model, total)])
        return computing

    def parameters(self) -> bytes:
        """The model's bytes."""
        return bytes(self._model.tobytes())

    def go_astray(self) -> None:
        """Set one value off by one."""
        self._model[0] += 1
