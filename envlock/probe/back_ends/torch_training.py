"""A tiny PyTorch model whose replicas must stay equal."""

import time
from array import array
from typing import Any, Callable, List, Optional

from .base import LOSS_SCALE, NotApplicableError, Trainer, World

_WIDTH = 256
_BATCH = 32
RATE = 0.01
"""Learning rate."""


class TorchTrainer(Trainer):
    """Two layers, squared error, plain gradient descent; each rank has its own initial weights and data.

    In mixed precision, PyTorch itself chooses what to compute in fewer bits; gradients are float32.

    One thread computes, so that a rank's work is the same however many ranks share a host.

    Args:
        torch: the module.
        world: the ranks.
        device: the device of the model.
        average: replaces each gradient by its mean over the ranks.
        from_first: replaces a model by that of rank 0.
        settle: waits until the device has finished its work.
        mixed: whether to train in mixed precision.

    Raises:
        NotApplicableError: this release has no mixed precision for the device.
    """

    def __init__(
        self,
        torch: Any,
        world: World,
        device: str,
        average: Callable[[List[Any]], None],
        from_first: Callable[[Any], None],
        settle: Callable[[], None] = lambda: None,
        mixed: bool = False,
    ) -> None:
        self._mixed = _autocast(torch, device) if mixed else None
        self._scale = LOSS_SCALE if mixed else 1.0
        self.rate = RATE / self._scale
        torch.set_num_threads(1)
        torch.manual_seed(1000 + world.rank)
        layers = [torch.nn.Linear(_WIDTH, _WIDTH), torch.nn.ReLU(), torch.nn.Linear(_WIDTH, _WIDTH)]
        self._model = torch.nn.Sequential(*layers).to(device)
        self._inputs = torch.randn(_BATCH, _WIDTH, device=device)
        self._goals = torch.randn(_BATCH, _WIDTH, device=device)
        self._average = average
        self._settle = settle
        self.gradient_bytes = sum(4 * parameter.numel() for parameter in self._model.parameters())
        from_first(self._model)

    def step(self) -> Optional[float]:
        """Run the forward and backward passes, then step by the mean gradient."""
        begin = time.perf_counter()
        self._model.zero_grad()
        self.backward()
        self._settle()
        computing = time.perf_counter() - begin
        self._average([parameter.grad.data for parameter in self._model.parameters()])
        for parameter in self._model.parameters():
            parameter.data.sub_(parameter.grad.data, alpha=self.rate)
        self._settle()
        return computing

    def backward(self) -> None:
        """Run the forward and backward passes over this rank's data."""
        if self._mixed is None:
            found = self._model(self._inputs)
        else:
            with self._mixed():
                found = self._model(self._inputs)
        loss = ((found.float() - self._goals) ** 2).mean() * self._scale
        loss.backward()

    def parameters(self) -> bytes:
        """Return every value, by way of Python's numbers, as NumPy may be missing."""
        flat = [parameter.data.reshape(-1).cpu().tolist() for parameter in self._model.parameters()]
        return b"".join(array("f", numbers).tobytes() for numbers in flat)

    def go_astray(self) -> None:
        """Set one value off by one."""
        next(iter(self._model.parameters())).data.reshape(-1)[0] += 1


def _autocast(torch: Any, device: str) -> Callable[[], Any]:
    """Return a context in which products are computed in float16 on a GPU, in bfloat16 on a CPU."""
    if not hasattr(torch, "autocast"):
        raise NotApplicableError("PyTorch has mixed precision for all devices from 1.10 on")
    kind = device.partition(":")[0]
    dtype = torch.float16 if kind == "cuda" else torch.bfloat16
    return lambda: torch.autocast(kind, dtype=dtype)
