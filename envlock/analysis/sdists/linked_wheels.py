"""Sdists that stand for a wheel on another index, as the build backend wheel-stub makes them.

They hold no sources: PKG-INFO is the wheel's METADATA, and the build fetches the wheel. One whose wheel
depends on files at addresses, which the package index does not take, has lost its dependencies; its build
only says where the wheel is (README and ``wheel_stub/sdist.py`` of wheel-stub 0.5.0 on the package index).
"""

from __future__ import annotations

from collections.abc import Mapping

from envlock.analysis.core_metadata import read_raw
from envlock.model.frozen import dataclass

BACKEND = "wheel-stub"
"""The distribution of the build backend."""

_TABLE = "wheel_stub"

_PLACEHOLDER = "A fake package to warn the user"
"""How the summaries of NVIDIA's placeholders begin, whose ``setup.py`` only fails with advice
(pytorch-quantization 2.2.1, tensorrt-llm 0.8.0 and nvidia-nccl 0.0.1.dev5 on the package index)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkedWheel:
    """Where the wheel is.

    Attributes:
        index: the URL of its index; empty where the sdist does not say.
        fetched: whether the build fetches it.
    """

    index: str
    fetched: bool


def linked_wheel(pyproject: Mapping[str, object]) -> LinkedWheel | None:
    """Return where the wheel is that an sdist stands for; ``None`` for an sdist of sources."""
    match pyproject:
        case {"build-system": {"build-backend": str(backend)}} if backend.split(".")[0] == _TABLE:
            pass
        case _:
            return None
    tool = pyproject.get("tool")
    table = tool.get(_TABLE) if isinstance(tool, dict) else None
    settings = table if isinstance(table, dict) else {}
    extra = settings.get("extra")
    settings = {**settings, **(extra if isinstance(extra, dict) else {})}
    return LinkedWheel(
        index=str(settings.get("index_url", "")), fetched=settings.get("stub_only") is not True
    )


def is_placeholder(info: bytes) -> bool:
    """Whether PKG-INFO says of an sdist that installing it only warns."""
    return (read_raw(info).get("summary") or "").startswith(_PLACEHOLDER)
