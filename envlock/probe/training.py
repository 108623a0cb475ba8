"""Data-parallel training: replicas must stay equal to the last bit (C12), and how long a step takes.

This includes mixed precision: the model's own values are float32, the forward and backward passes use half as
many bits, and the loss is scaled so that small gradients do not vanish (P. Micikevicius et al., "Mixed
precision training", ICLR 2018).

The result::

    {"steps": 20, "digest": "9f86d081...", "gradient_bytes": 526336, "seconds": [0.01, ...],
     "computing": [0.004, ...]}

``computing`` is this rank's own work within each step, empty where it cannot be separated.
"""

import hashlib
import time
from typing import Any, Dict

from . import sabotage
from .back_ends.base import BackEnd, Job, World

_WARM_UPS = 2


def train(back_end: BackEnd, world: World, job: Job, steps: int, *, mixed: bool = False) -> Dict[str, Any]:
    """Train a tiny model; collective.

    Raises:
        NotApplicableError: nothing here can train, or not in mixed precision.
    """
    trainer = back_end.trainer(world, mixed)
    seconds, computing = [], []
    for number in range(_WARM_UPS + steps):
        begin = time.perf_counter()
        sabotage.delay(job.plan.sabotage, world.rank)
        idle = time.perf_counter() - begin
        own = trainer.step()
        if number >= _WARM_UPS:
            seconds.append(time.perf_counter() - begin)
            computing += [] if own is None else [own + idle]
    if sabotage.astray(job.plan.sabotage, world.rank):
        trainer.go_astray()
    return {
        "steps": _WARM_UPS + steps,
        "digest": hashlib.sha256(trainer.parameters()).hexdigest(),
        "gradient_bytes": trainer.gradient_bytes,
        "seconds": seconds,
        "computing": computing,
    }
