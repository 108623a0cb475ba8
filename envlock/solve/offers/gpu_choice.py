"""Which published builds a solve tries on the nodes' GPUs, in which order, and why it leaves others out."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from envlock.judging.gpu import for_others, has_code_for, label_for_others
from envlock.judging.gpu_code import built_apart, built_for, labels_for
from envlock.model.gpu import AMD, NVIDIA, NodeGpu
from envlock.model.knowing.carried import Bundle
from envlock.model.knowing.knowledge import Knowledge


def tried_first(version: str, gpus: Sequence[NodeGpu]) -> bool:
    """Whether a build's label lets it be tried first: without GPUs, only one for the processor does."""
    _, labelled, label = version.partition("+")
    if not labelled or not gpus:
        return bool(gpus) or label == "cpu"
    return not label_for_others(label, gpus)


def suits(
    gpus: Sequence[NodeGpu], bundle: Bundle, version: str, knowledge: Knowledge, *, pinned: bool
) -> bool:
    """Whether what is known of a published build suggests that it runs on all GPUs of the nodes.

    A processor-only build counts if whoever asks for it may mean it: by its label, or pinned where the builds
    for GPUs have another name. One for another maker's GPUs counts if none is for these.
    """
    name, machine = bundle.distribution, bundle.machine
    if bundle.cpu_only:
        return bool(bundle.label) or (pinned and bool(built_apart(gpus, name, version, machine, knowledge)))
    return all(
        for_others(gpu, bundle) and not built_for(gpu, name, machine, knowledge)
        for gpu in gpus
        if not has_code_for(gpu, bundle)
    )


def why_unsuited(
    gpus: Sequence[NodeGpu], bundle: Bundle, version: str, knowledge: Knowledge
) -> tuple[str, str]:
    """Return why a published build is left out, and details with the labels of those that would do."""
    labels = labels_for(gpus, bundle.distribution, version, bundle.machine, knowledge)
    other = f"; that labelled {' or '.join(labels)} does, if an index has it" if labels else ""
    if bundle.cpu_only:
        if apart := built_apart(gpus, bundle.distribution, version, bundle.machine, knowledge):
            other = f"; {' and '.join(apart)} {version} does"
        return "built for the processor alone", f"its wheel for {bundle.machine} sees no GPU{other}"
    if others := [gpu for gpu in gpus if for_others(gpu, bundle)]:
        return "built for GPUs of another maker", f"it sees none of {_gpu_text(others)}{other}"
    codes = ", ".join(bundle.compute_capabilities or bundle.gfx_targets)
    return "has no machine code for the GPUs", f"of {_gpu_text(gpus)}; it has {codes}{other}"


def _gpu_text(gpus: Iterable[NodeGpu]) -> str:
    """Put GPUs into words, those of one maker together."""
    kinds = {NVIDIA: "compute capability", AMD: "LLVM target"}
    found = {name: [gpu.version for gpu in gpus if gpu.component == name] for name in kinds}
    return ", ".join(f"{kinds[name]} {', '.join(some)}" for name, some in found.items() if some)
