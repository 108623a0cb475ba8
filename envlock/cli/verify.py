"""``envlock verify``."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import typer

from envlock.app.verifying.compare import compare_stacks
from envlock.app.verifying.hosts import named_hosts
from envlock.app.verifying.launching import Placement
from envlock.app.verifying.reports import report_of_group
from envlock.app.verifying.submission import submit as app_submit
from envlock.app.verifying.verify import REFERENCE_S
from envlock.app.verifying.verify import verify as app_verify
from envlock.cli.completions import launchers, schedulers
from envlock.cli.opening import opened
from envlock.cli.options import HERE, GroupName, Json, KnowledgeFolders, Offline, ProjectFolder, TargetName
from envlock.cli.report_views import HtmlFile, JunitFile, need_places, write_views
from envlock.model.errors import ExitStatus, RequestError
from envlock.model.project.launch import Queue
from envlock.render.reports.comparison_text import compared_document, compared_text
from envlock.render.reports.text import verified_document, verified_text
from envlock.render.terminal.output import console, print_document, print_result
from envlock.render.terminal.progress import progress_for_people

app = typer.Typer()

_OF_SUBMISSION = frozenset({"submit", "partition", "account", "minutes", "group", "project", "html", "junit"})


def _finite(seconds: float) -> float:
    if not math.isfinite(seconds):
        raise typer.BadParameter(f"{seconds} is no number of seconds")
    return seconds


@app.command()
def verify(
    context: typer.Context,
    group: GroupName,
    ranks: Annotated[
        int,
        typer.Option(
            "--ranks", "-n", min=0, help="How many ranks communicate; 0: one for each node, at least two."
        ),
    ] = 0,
    nodes: Annotated[
        int, typer.Option(min=0, help="On how many nodes; 0: those allocated, else this one.")
    ] = 0,
    ranks_per_node: Annotated[int, typer.Option(min=0, help="How many ranks on each node.")] = 0,
    gpus_per_node: Annotated[
        int, typer.Option(min=0, help="How many GPUs of each node to ask a scheduler for; 0: none by name.")
    ] = 0,
    hosts: Annotated[str | None, typer.Option(metavar="A,B[1-4]", help="The nodes' names.")] = None,
    launcher: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            help="What starts the ranks, in place of what suits MPI and site.",
            autocompletion=launchers,
        ),
    ] = "",
    max_bytes: Annotated[
        int | None,
        typer.Option(
            "--max-bytes",
            min=8,
            help="The largest message of an allreduce, in bytes, however long it takes; else 256 MiB, or "
            "what memory and twenty seconds of each series allow.",
        ),
    ] = None,
    deadline: Annotated[
        float,
        typer.Option(
            min=1,
            metavar="SECONDS",
            callback=_finite,
            help="How long a rank may stay in one phase before it counts as hanging.",
        ),
    ] = 120.0,
    reference_time: Annotated[
        float,
        typer.Option(
            min=0,
            metavar="SECONDS",
            callback=_finite,
            help="How long IMB, OSU or nccl-tests, where one is there, may be launched to compare with.",
        ),
    ] = REFERENCE_S,
    submit: Annotated[
        str,
        typer.Option(
            metavar="sbatch|qsub|bsub|flux|cobalt",
            help="Run as a job of the scheduler, and wait.",
            autocompletion=schedulers,
        ),
    ] = "",
    partition: Annotated[
        str, typer.Option("--partition", "--queue", help="The queue of the job, or of the nodes for srun.")
    ] = "",
    account: Annotated[str, typer.Option(help="The account that pays for the nodes.")] = "",
    minutes: Annotated[
        int, typer.Option("--time", min=0, help="For how many minutes the nodes are asked.")
    ] = 0,
    html: HtmlFile = None,
    junit: JunitFile = None,
    fail_if_slower: Annotated[
        bool,
        typer.Option("--fail-if-slower", help="Fail, not only warn, where it became slower than last."),
    ] = False,
    accept_slower: Annotated[
        bool,
        typer.Option("--accept-slower", help="Measure later runs against this one, even if it is slower."),
    ] = False,
    ranks_only: Annotated[
        bool, typer.Option("--ranks-only", help="Leave out what one process shows; keep no report.")
    ] = False,
    compare: Annotated[
        bool, typer.Option("--compare", help="Time the communication stacks side by side instead.")
    ] = False,
    timeline: Annotated[
        bool, typer.Option("--timeline", help="With --compare: what a step of Horovod's consists of.")
    ] = False,
    project: ProjectFolder = HERE,
    target: TargetName = "local",
    knowledge: KnowledgeFolders = None,
    json: Json = False,
    offline: Offline = False,
) -> None:
    """Prove an environment: imports, libraries, allreduce on ranks.

    The environment's own interpreter imports everything into one process and lists native libraries that
    are loaded twice; then ranks under the environment's own MPI launcher reduce numbers with known sums over
    every back end. A crash or a hang is a result. The report is bound to the lock's hash and lies beside it.
    Inside an allocation the ranks run on its nodes; otherwise name nodes, or submit.

    With --ranks-only a change of launcher or network is tried quickly, and no report is written.
    With --compare nothing is proved: every stack reduces one message, and eight at once, by size, and trains
    a small model on 1, 2, 4 ... ranks with the same work for each. The report of the lock keeps the numbers.

    Exit status 0: verified, or everything measured; 1: something failed.

    Examples: envlock verify pytorch --ranks 4; envlock verify pytorch --nodes 4 --submit sbatch --time 15;
    envlock verify pytorch --ranks 4 --compare --timeline
    """
    place = Placement(
        ranks=ranks,
        nodes=nodes,
        per_node=ranks_per_node,
        gpus=gpus_per_node,
        hosts=named_hosts(hosts),
        launcher=launcher,
        queue=Queue(name=partition, account=account, minutes=minutes),
    )
    found = opened(project, target, knowledge, offline=offline)
    progress = progress_for_people()
    need_places(html=html, junit=junit)
    if compare or timeline:
        verifies = ranks_only or fail_if_slower or accept_slower
        _only_to_compare(compare=compare, submit=submit, verifies=verifies)
        if html or junit:
            report_of_group(found, group)  # refused now, and not after minutes of measuring
        compared = compare_stacks(
            found, group, progress, place=place, max_bytes=max_bytes, timeline=timeline, phase_s=deadline
        )
        if html or junit:
            write_views(report_of_group(found, group), html=html, junit=junit)
        print_result(compared, json=json, document=compared_document, text=compared_text)
        raise typer.Exit(ExitStatus.YES if compared.complete else ExitStatus.NO)
    if ranks_only and (submit or html or junit or fail_if_slower or accept_slower):
        raise RequestError(
            "options-contradict",
            "--ranks-only keeps no report, which --submit, --html, --junit, --fail-if-slower and "
            "--accept-slower need",
            hint="leave one of them out; --json prints what was found",
        )
    if fail_if_slower and accept_slower:
        raise RequestError(
            "options-contradict",
            "--fail-if-slower and --accept-slower say opposite things of a run that is slower",
            hint="leave one of them out",
        )
    if submit:
        verified = app_submit(
            found, group, progress, place=place, by=submit, arguments=_without_submission(context)
        )
    else:
        verified = app_verify(
            found,
            group,
            progress,
            place=place,
            max_bytes=max_bytes,
            phase_s=deadline,
            reference_s=reference_time,
            fail_if_slower=fail_if_slower,
            accept_slower=accept_slower,
            ranks_only=ranks_only,
        )
    written = write_views(report_of_group(found, group), html=html, junit=junit) if html or junit else ()
    if json:
        print_document(verified_document(verified))
    else:
        verified_text(verified, console(), written)
    raise typer.Exit(ExitStatus.YES if verified.report.passed else ExitStatus.NO)


def _only_to_compare(*, compare: bool, submit: str, verifies: bool) -> None:
    """Refuse options that a comparison would leave unheeded.

    Raises:
        RequestError: ``options-contradict``.
    """
    if compare and not submit and not verifies:
        return
    contradiction = ("--timeline belongs to --compare", "add --compare")
    if compare and submit:
        contradiction = ("--compare runs where it is started", "run it inside an allocation")
    elif compare:
        contradiction = (
            "--compare proves nothing, which --ranks-only, --fail-if-slower and --accept-slower need",
            "leave them out",
        )
    raise RequestError(
        "options-contradict", contradiction[0], where="the command line", hint=contradiction[1]
    )


def _without_submission(context: typer.Context) -> list[str]:
    """Return this command line's options for the command inside the job, valid in any folder."""
    project = Path(context.params["project"]).absolute()
    return ["--project", str(project), *_options(context)]


def _options(context: typer.Context) -> Iterator[str]:
    for option in context.command.params:
        value = context.params.get(option.name or "")
        if option.name in _OF_SUBMISSION or value in (None, [], ()) or value == option.default:
            continue
        for one in value if isinstance(value, list | tuple) else [value]:
            yield option.opts[0]
            if one is not True:
                yield _text(one)


def _text(value: Any) -> str:
    return str(value.absolute()) if isinstance(value, Path) else str(value)
