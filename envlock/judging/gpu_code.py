"""Whether the machine code in published builds runs on the node's GPUs."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from envlock.judging.gpu import for_others, has_code_for
from envlock.judging.implied import machine_of
from envlock.model.component import Via
from envlock.model.gpu import GPUS, NVIDIA, NodeGpu
from envlock.model.knowing.carried import Bundle
from envlock.model.knowing.fact import Severity
from envlock.model.knowing.finding import Assignment, Chosen, Finding, Fix
from envlock.model.knowing.knowledge import Knowledge

_FAMILY = "[a-z]*"


def judge_gpu_code(assignment: Assignment, knowledge: Knowledge) -> Iterator[Finding]:
    """Yield findings, named ``gpu-not-in-build:DISTRIBUTION``, for builds without code for one of the GPUs.

    A build without any GPU code is refused, unless its label says so, or the builds for GPUs have another
    name: whoever names it may mean it. A build for another maker's GPUs is refused if there are builds for
    these, and otherwise a warning.
    """
    machine = machine_of(assignment)
    gpus = [NodeGpu(name, one.version) for name in GPUS for one in assignment.get(name, ())]
    if not gpus:
        return
    for component, instances in assignment.items():
        for chosen in instances:
            if component in knowledge.systems or chosen.via in {Via.BUILD, Via.SITE}:
                continue
            bundle = knowledge.bundle(component, chosen.version, machine)
            if bundle is None:
                continue
            for gpu in gpus:
                if not has_code_for(gpu, bundle):
                    yield _finding(component, chosen, bundle, gpu, knowledge)


def _finding(component: str, chosen: Chosen, bundle: Bundle, gpu: NodeGpu, knowledge: Knowledge) -> Finding:
    apart = built_apart((gpu,), component, chosen.version, bundle.machine, knowledge)
    fixes = tuple(_other_builds(component, chosen.version, gpu, knowledge, bundle.machine))
    if bundle.cpu_only:
        fixes += tuple(Fix(component=name, range=f"=={chosen.version}") for name in apart)
    severity = Severity.REFUSE
    cause = "the program runs on the processor without a word of why"
    if bundle.cpu_only:
        severity = Severity.WARN if bundle.label or apart else Severity.REFUSE
        what = f"the published build for {bundle.machine} is for the processor alone, and sees no GPU"
    elif for_others(gpu, bundle):
        known = built_for(gpu, component, bundle.machine, knowledge)
        severity = Severity.REFUSE if known else Severity.WARN
        own, other = ("NVIDIA", "AMD") if gpu.component == NVIDIA else ("AMD", "NVIDIA")
        what = f"the published build is for GPUs of {other}, and sees none of {own}"
    else:
        codes = ", ".join(bundle.compute_capabilities or bundle.gfx_targets)
        what = f"the published build has code for {codes}, and none of it runs on this GPU"
        cause = "the program stops with 'no kernel image is available for execution on the device'"
        if gpu.component != NVIDIA:
            cause += " or 'invalid device function'"
    return Finding(
        fact=f"gpu-not-in-build:{component}",
        severity=severity,
        components={component: chosen.version, gpu.component: gpu.version},
        message=f"{component} {chosen.version} with {gpu.component} {gpu.version}: {what}",
        cause=cause,
        sources=bundle.sources,
        fixes=fixes,
    )


def _other_builds(
    component: str, version: str, gpu: NodeGpu, knowledge: Knowledge, machine: str
) -> Iterator[Fix]:
    """Yield builds that run on the GPU: those of the same release if there are any, else other releases."""
    public = version.partition("+")[0]
    fitting = _running_on((gpu,), component, machine, knowledge)
    same = [bundle for bundle in fitting if bundle.range.contains(public)]
    if same:
        texts = [f"=={public}{'+' if bundle.label else ''}{bundle.label}" for bundle in same]
    elif plain := [bundle for bundle in fitting if not bundle.label]:
        texts = _joined(bundle.range.text for bundle in plain)
    else:
        texts = list(_labelled(fitting))
    if texts:
        yield Fix(component=component, range=" || ".join(texts))


def _labelled(bundles: Sequence[Bundle]) -> Iterator[str]:
    """Yield the releases that only have labelled builds: ``>=1.11,<2.15 +rocm*``."""
    for family in dict.fromkeys(_family(bundle) for bundle in bundles):
        joined = _joined(bundle.range.text for bundle in bundles if _family(bundle) == family)
        yield from (f"{text} +{family}*" for text in joined)


def _family(bundle: Bundle) -> str:
    """Return the beginning of a label before its numbers: ``rocm``."""
    found = re.match(_FAMILY, bundle.label)
    return found[0] if found else ""


def labels_for(
    gpus: Sequence[NodeGpu], component: str, version: str, machine: str, knowledge: Knowledge
) -> tuple[str, ...]:
    """Return the labels of a release's builds that have code for all these GPUs (``cu126``)."""
    public = version.partition("+")[0]
    fitting = _running_on(gpus, component, machine, knowledge)
    return tuple(bundle.label for bundle in fitting if bundle.label and bundle.range.contains(public))


def built_apart(
    gpus: Sequence[NodeGpu], component: str, version: str, machine: str, knowledge: Knowledge
) -> tuple[str, ...]:
    """Return the flavours of a distribution that have builds of a version with code for all these GPUs.

    Before 2.1 ``tensorflow`` was mostly for the processor alone, and ``tensorflow-gpu`` was not.
    """
    flavours = [name for name, of in knowledge.flavours.items() if of == component]
    known = ((name, knowledge.bundle(name, version, machine)) for name in flavours)
    return tuple(
        name
        for name, bundle in known
        if bundle is not None and all(has_code_for(gpu, bundle) for gpu in gpus)
    )


def built_for(gpu: NodeGpu, component: str, machine: str, knowledge: Knowledge) -> bool:
    """Whether some published build of a distribution is for GPUs of this one's maker."""
    return any(
        bundle.machine == machine and not bundle.cpu_only and not for_others(gpu, bundle)
        for bundle in knowledge.bundles.get(component, ())
    )


def _running_on(gpus: Sequence[NodeGpu], component: str, machine: str, knowledge: Knowledge) -> list[Bundle]:
    """Return the published builds of a distribution that are known to have code for all these GPUs."""
    return [
        bundle
        for bundle in knowledge.bundles.get(component, ())
        if bundle.machine == machine
        and (bundle.compute_capabilities or bundle.gfx_targets)
        and all(has_code_for(gpu, bundle) for gpu in gpus)
    ]


def _joined(ranges: Iterable[str]) -> list[str]:
    """Return ranges in order, consecutive ones joined: ``>=2.0,<2.1`` and ``>=2.1,<2.2``."""
    joined: list[str] = []
    for text in dict.fromkeys(ranges):
        start, comma, end = text.partition(",")
        if comma and joined and joined[-1].endswith(f",<{start.removeprefix('>=')}"):
            joined[-1] = f"{joined[-1].partition(',')[0]},{end}"
        else:
            joined.append(text)
    return joined
