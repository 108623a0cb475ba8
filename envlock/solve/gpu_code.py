"""Whether the machine code inside published builds runs on the GPUs of the node."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from envlock.model.carried import Bundle
from envlock.model.component import Via
from envlock.model.fact import Severity
from envlock.model.finding import Assignment, Chosen, Finding, Fix
from envlock.model.knowledge import Knowledge
from envlock.solve.gpu import runs_on

GPU = "gpu_cc"


def judge_gpu_code(assignment: Assignment, knowledge: Knowledge) -> Iterator[Finding]:
    """Refusals, named ``gpu-not-in-build:DISTRIBUTION``, of builds without code for one of the GPUs."""
    for component, instances in assignment.items():
        for chosen in instances:
            if component in knowledge.systems or chosen.via in {Via.BUILD, Via.SITE}:
                continue
            bundle = knowledge.bundle(component, chosen.version)
            if bundle is None or not bundle.compute_capabilities:
                continue
            for gpu in assignment.get(GPU, ()):
                if not runs_on(gpu.version, bundle.compute_capabilities):
                    yield _refusal(component, chosen, bundle, gpu.version, knowledge)


def _refusal(component: str, chosen: Chosen, bundle: Bundle, gpu: str, knowledge: Knowledge) -> Finding:
    codes = ", ".join(bundle.compute_capabilities)
    return Finding(
        fact=f"gpu-not-in-build:{component}",
        severity=Severity.REFUSE,
        components={component: chosen.version, GPU: gpu},
        message=f"{component} {chosen.version} with {GPU} {gpu}: "
        f"the published build has code for {codes}, and none of it runs on this GPU",
        cause="the program stops with 'no kernel image is available for execution on the device'",
        sources=bundle.sources,
        fixes=tuple(_other_builds(component, chosen.version, gpu, knowledge)),
    )


def _other_builds(component: str, version: str, gpu: str, knowledge: Knowledge) -> Iterator[Fix]:
    """Builds that run on the GPU: those of the same release if there are some, else other releases."""
    public = version.partition("+")[0]
    fitting = [
        bundle
        for bundle in knowledge.bundles
        if bundle.distribution == component
        and bundle.compute_capabilities
        and runs_on(gpu, bundle.compute_capabilities)
    ]
    same = [bundle for bundle in fitting if bundle.range.contains(public)]
    if same:
        texts = [f"=={public}{'+' if bundle.label else ''}{bundle.label}" for bundle in same]
    else:
        plain = [bundle for bundle in fitting if not bundle.label]
        texts = _joined(bundle.range.text for bundle in plain or fitting)
    if texts:
        yield Fix(component=component, range=" || ".join(texts))


def _joined(ranges: Iterable[str]) -> list[str]:
    """Ranges in order, those that follow on each other as one: ``>=2.0,<2.1`` and ``>=2.1,<2.2``."""
    joined: list[str] = []
    for text in dict.fromkeys(ranges):
        start, comma, end = text.partition(",")
        if comma and joined and joined[-1].endswith(f",<{start.removeprefix('>=')}"):
            joined[-1] = f"{joined[-1].partition(',')[0]},{end}"
        else:
            joined.append(text)
    return joined
