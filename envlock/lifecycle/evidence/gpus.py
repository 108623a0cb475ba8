"""Whether ranks reach the GPUs that the lock is for, as many on each host, and each rank its own (L8)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping

from envlock.model.gpu import AMD, GPUS, NVIDIA
from envlock.model.node_sets import folded
from envlock.model.proving.probing import Plan
from envlock.model.proving.rank_result import RankResult, texts
from envlock.model.proving.report import Outcome

_WITHOUT_GPUS = frozenset(["mpi4py"])
"""Back ends whose library puts nothing on GPUs by itself; the others belong to frameworks."""
_HIDDEN = ("", "-1", "NoDevFiles")
"""Values of CUDA_VISIBLE_DEVICES that show no GPU: the second is Flux's, the third Slurm's."""
_VARIABLES = {NVIDIA: "CUDA_VISIBLE_DEVICES", AMD: "ROCR_VISIBLE_DEVICES or HIP_VISIBLE_DEVICES"}
_MADE_FOR = {NVIDIA: "of compute capability", AMD: "of AMD's kind"}
NO_GPU = "not applicable: no GPU"


def gpus_verdict(ranks: tuple[RankResult, ...], plan: Plan) -> tuple[Outcome, str]:
    """Check that all hosts have equally many GPUs, and each local rank its own if each is shown only one.

    If a scheduler's control groups give each rank its own device file, all ranks are shown GPU 0 (Slurm's
    gres.conf(5) and ConstrainDevices in cgroup.conf(5)), and these are different GPUs.
    """
    counts: dict[str, set[int]] = defaultdict(set)
    for rank in ranks:
        counts[rank.host].add(gpus_reached(rank, plan))
    different = set().union(*counts.values())
    if different == {0}:
        return _without_gpus(ranks, plan)
    if len(different) > 1:
        hosts: dict[str, list[str]] = defaultdict(list)
        for host, some in sorted(counts.items()):
            hosts[_either(some)].append(host)
        hosts_text = "; ".join(f"{number} on {folded(some)}" for number, some in hosts.items())
        return Outcome.FAILED, f"ranks differ in how many GPUs they reach: {hosts_text}"
    shown: dict[tuple[str, str, str], list[str]] = defaultdict(list)
    files: dict[str, set[str]] = defaultdict(set)
    for rank in ranks:
        gpus = _gpus_of(rank, plan)
        mine = texts(gpus.get("files"))
        files[rank.host].update(mine)
        visible = gpus.get("visible")
        if isinstance(visible, str) and visible and "," not in visible:
            shown[rank.host, ",".join(mine), visible].append(rank.label)
    shared = {place: labels for place, labels in shown.items() if len(labels) > 1}
    if shared:
        (host, _, device), labels = next(iter(shared.items()))
        message = f"{len(labels)} ranks on {host} are shown the same GPU {device}"
        if len(files[host]) < len([rank for rank in ranks if rank.host == host]):
            return Outcome.WARNED, f"{message}, of {len(files[host])} that they reach"
        return Outcome.FAILED, message
    return Outcome.PASSED, f"{_either(different)} GPUs on each of {len(counts)} hosts"


def _gpus_of(rank: RankResult, plan: Plan) -> Mapping[str, object]:
    """Return what a rank reports of the GPUs that count: AMD's if the lock is for these, else NVIDIA's."""
    gpus = rank.facts.get("amd_gpus" if _maker(plan) == AMD else "gpus")
    return gpus if isinstance(gpus, Mapping) else {}


def gpus_reached(rank: RankResult, plan: Plan) -> int:
    """Return how many GPUs a rank may use: those whose device files it may open, unless it is shown none."""
    gpus = _gpus_of(rank, plan)
    reachable = gpus.get("reachable")
    return 0 if gpus.get("visible") in _HIDDEN or not isinstance(reachable, int) else reachable


def _maker(plan: Plan) -> str:
    """Return the component by which the lock names its nodes' GPUs; empty where it was made for none."""
    systems = plan.expect.get("systems")
    return next((name for name in GPUS if isinstance(systems, Mapping) and name in systems), "")


def _without_gpus(ranks: tuple[RankResult, ...], plan: Plan) -> tuple[Outcome, str]:
    """Warn if a lock for GPUs was tested on none: that is not wrong, but not what a reader would assume."""
    maker = _maker(plan)
    hiding = (one for rank in ranks if (one := _gpus_of(rank, plan)).get("reachable"))
    hidden = next(hiding, None)
    shown = f"{_VARIABLES[maker or NVIDIA]}={hidden.get('visible')}" if hidden else ""
    if not maker or set(plan.back_ends) <= _WITHOUT_GPUS:
        return Outcome.NOT_APPLICABLE, f"{NO_GPU}, with {shown}" if shown else NO_GPU
    systems = plan.expect["systems"]
    pin = systems[maker] if isinstance(systems, Mapping) else {}
    made_for = f"the lock was made for GPUs {_MADE_FOR[maker]} {pin.get('version')}"
    where = f"with {shown} no rank" if shown else "no rank"
    return Outcome.WARNED, f"{where} reaches a GPU, and {made_for}"


def _either(numbers: set[int]) -> str:
    return " or ".join(map(str, sorted(numbers)))
