"""Tensors of PyTorch 1.4 and newer, for the back ends that reduce them."""

from typing import Any, List, Optional, Tuple


class TorchTensors:
    """Makes and compares tensors; the back end imports torch and sets the device."""

    _torch: Any = None
    _device = "cpu"

    def tensor(self, dtype: str, period: List[int], count: int) -> Any:
        """Return a tensor on the device; float16 is made from float32, for the sake of old releases."""
        torch = self._torch
        wide = "float32" if dtype == "float16" else dtype
        values = torch.tensor(period, dtype=getattr(torch, wide), device=self._device)
        return values.repeat(count // len(period) + 1)[:count].to(getattr(torch, dtype)).clone()

    def difference(self, got: Any, wanted: Any) -> Optional[Tuple[int, int]]:
        """Compare tensors."""
        if got.dtype == self._torch.float16:
            got, wanted = got.float(), wanted.float()
        if self._torch.equal(got, wanted):
            return None
        wrong = (got != wanted).nonzero().reshape(-1)
        return int(wrong[0]), len(wrong)

    def spare(self) -> Optional[int]:
        """Return the memory that is free on the device; releases before 1.10 do not report it."""
        if not self._device.startswith("cuda") or not hasattr(self._torch.cuda, "mem_get_info"):
            return None
        free, _ = self._torch.cuda.mem_get_info(self._device)
        return int(free)
