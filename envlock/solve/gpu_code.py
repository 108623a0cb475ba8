"""Whether the machine code inside published builds runs on the GPUs of the node."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from envlock.model.carried import Bundle
from envlock.model.component import Via
from envlock.model.fact import Severity
from envlock.model.finding import Assignment, Chosen, Finding, Fix
from envlock.model.knowledge import Knowledge
from envlock.solve.gpu import runs_on
from envlock.solve.implied import machine_of

GPU = "gpu_cc"


def judge_gpu_code(assignment: Assignment, knowledge: Knowledge) -> Iterator[Finding]:
    """Findings, named ``gpu-not-in-build:DISTRIBUTION``, on builds without code for one of the GPUs.

    A build without code for any is refused, but for one whose label says so: whoever names that may mean it.
    """
    machine = machine_of(assignment)
    for component, instances in assignment.items():
        for chosen in instances:
            if component in knowledge.systems or chosen.via in {Via.BUILD, Via.SITE}:
                continue
            bundle = knowledge.bundle(component, chosen.version, machine)
            if bundle is None:
                continue
            for gpu in assignment.get(GPU, ()):
                if bundle.cpu_only or not runs_on(gpu.version, bundle.compute_capabilities):
                    yield _finding(component, chosen, bundle, gpu.version, knowledge)


def _finding(component: str, chosen: Chosen, bundle: Bundle, gpu: str, knowledge: Knowledge) -> Finding:
    if bundle.cpu_only:
        severity = Severity.WARN if bundle.label else Severity.REFUSE
        what = f"the published build for {bundle.machine} is for the processor alone, and sees no GPU"
        cause = "the program runs on the processor without a word of why"
    else:
        severity = Severity.REFUSE
        codes = ", ".join(bundle.compute_capabilities)
        what = f"the published build has code for {codes}, and none of it runs on this GPU"
        cause = "the program stops with 'no kernel image is available for execution on the device'"
    return Finding(
        fact=f"gpu-not-in-build:{component}",
        severity=severity,
        components={component: chosen.version, GPU: gpu},
        message=f"{component} {chosen.version} with {GPU} {gpu}: {what}",
        cause=cause,
        sources=bundle.sources,
        fixes=tuple(_other_builds(component, chosen.version, gpu, knowledge, bundle.machine)),
    )


def _other_builds(
    component: str, version: str, gpu: str, knowledge: Knowledge, machine: str
) -> Iterator[Fix]:
    """Builds that run on the GPU: those of the same release if there are some, else other releases."""
    public = version.partition("+")[0]
    fitting = _running_on((gpu,), component, machine, knowledge)
    same = [bundle for bundle in fitting if bundle.range.contains(public)]
    if same:
        texts = [f"=={public}{'+' if bundle.label else ''}{bundle.label}" for bundle in same]
    else:
        plain = [bundle for bundle in fitting if not bundle.label]
        texts = _joined(bundle.range.text for bundle in plain or fitting)
    if texts:
        yield Fix(component=component, range=" || ".join(texts))


def labels_for(
    gpus: Sequence[str], component: str, version: str, machine: str, knowledge: Knowledge
) -> tuple[str, ...]:
    """The labels of a release's builds that have code for all GPUs (``cu126``), whoever has them."""
    public = version.partition("+")[0]
    fitting = _running_on(gpus, component, machine, knowledge)
    return tuple(bundle.label for bundle in fitting if bundle.label and bundle.range.contains(public))


def _running_on(gpus: Sequence[str], component: str, machine: str, knowledge: Knowledge) -> list[Bundle]:
    return [
        bundle
        for bundle in knowledge.published.get(component, ())
        if bundle.machine == machine
        and bundle.compute_capabilities
        and all(runs_on(gpu, bundle.compute_capabilities) for gpu in gpus)
    ]


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
