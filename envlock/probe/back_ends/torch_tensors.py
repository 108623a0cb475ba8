"""Tensors of PyTorch 1.4 and newer, for the back ends that reduce them."""

from typing import Any, List


class TorchTensors:
    """Makes and compares CPU tensors; the back end imports torch."""

    _torch: Any = None

    def tensor(self, dtype: str, period: List[int], count: int) -> Any:
        """A tensor on the CPU."""
        torch = self._torch
        return (
            torch.tensor(period, dtype=getattr(torch, dtype)).repeat(count // len(period) + 1)[:count].clone()
        )

    def differences(self, got: Any, wanted: Any) -> List[int]:
        """Compare tensors."""
        if self._torch.equal(got, wanted):
            return []
        return [int(index) for index in (got != wanted).nonzero().reshape(-1).tolist()]
