"""Whether a node's GPUs can access each other's memory (L9); if not, NCCL and RCCL go through the host."""

from typing import Any, Callable, Dict

from .verdict import not_applicable, verdict

_NAME = "GPU to GPU"


def peers_check(count: int, reaches: Callable[[int, int], bool]) -> Dict[str, Any]:
    """Ask for every ordered pair of this many GPUs."""
    if count <= 1:
        return not_applicable("L9", _NAME, "not applicable: %s" % ("one GPU" if count else "no GPU"))
    pairs = [(gpu, other) for gpu in range(count) for other in range(count) if gpu != other]
    refused = ["%d to %d" % pair for pair in pairs if not reaches(*pair)]
    if refused:
        message = "no direct access from GPU %s; transfers go through the host" % ", ".join(refused)
        return verdict("L9", _NAME, "warned", message, {})
    return verdict("L9", _NAME, "passed", "all of %d GPUs can reach each other's memory" % count, {})
