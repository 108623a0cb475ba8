"""``envlock solve``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

import typer

from envlock.app.project import Project
from envlock.app.solving.locked import Locked
from envlock.cli import late
from envlock.cli.completions import groups_of, locked_of, targets_of
from envlock.cli.opening import cache, indexes, opened
from envlock.cli.options import HERE, Json, KnowledgeFolders, Offline, ProjectFolder
from envlock.model.errors import ExitStatus
from envlock.render.terminal.output import console, print_document
from envlock.render.terminal.progress import progress_for_people

app = typer.Typer()


@app.command()
def solve(
    group: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="GROUP...",
            help="Groups of envlock.toml; may be left out where there is one.",
            show_default=False,
            autocompletion=groups_of,
        ),
    ] = None,
    lock_only: Annotated[
        bool, typer.Option("--lock-only", help="Write the lock, and create no environment.")
    ] = False,
    upgrade: Annotated[
        bool, typer.Option("--upgrade", help="Take the newest that fits, not what the lock has.")
    ] = False,
    upgrade_package: Annotated[
        list[str] | None,
        typer.Option(
            "--upgrade-package",
            "-P",
            metavar="NAME",
            help="Take the newest of this one, and move what has to. May be given often.",
            autocompletion=locked_of,
        ),
    ] = None,
    all_groups: Annotated[bool, typer.Option("--all-groups", help="Every group of envlock.toml.")] = False,
    all_targets: Annotated[bool, typer.Option("--all-targets", help="Every target of envlock.toml.")] = False,
    every: Annotated[
        bool, typer.Option("--all", help="Show every distribution of the one group, not only the main ones.")
    ] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print nothing if all is well.")] = False,
    project: ProjectFolder = HERE,
    target: Annotated[
        list[str] | None,
        typer.Option(
            "--target",
            metavar="NAME",
            help="The target; 'local' is this machine. May be given often.",
            autocompletion=targets_of,
        ),
    ] = None,
    knowledge: KnowledgeFolders = None,
    json: Json = False,
    offline: Offline = False,
) -> None:
    """Lock a group and create its environment.

    Python distributions and system components (MPI, CUDA, driver, GPUs, glibc) are solved together. The
    lock is locks/TARGET/pylock.GROUP.toml, which pip and uv can install from, too. What has no wheel is
    built, against the chosen MPI where it needs one.

    Versions of the last lock are kept: only what must move does, and a new wish gets an older release if
    that moves nothing. --upgrade takes the newest that fits; --upgrade-package takes the newest of what it
    names, and moves what has to. A lock that still answers the same request on the same site is used as it
    is; --lock-only solves it again. What the group extends and others own, such as the core's MPI and
    Python, stays; a refusal says whom to ask.

    Several groups or targets are solved in one go. One that is refused does not keep the others from their
    locks and environments, and frozen groups stay as they are. For a target whose interpreters are not on
    this machine, only locks can be made: --lock-only.

    Exit status 0: done; 1: there is no solution, or the group is frozen; 2: the request is wrong; 3: the
    network, the disk or a build failed, and the old environment is unchanged.

    Examples: envlock solve pytorch --lock-only; envlock solve nlp --upgrade-package gensim; envlock solve
    --all-groups --all-targets --lock-only
    """
    if group and all_groups:
        raise typer.BadParameter("name groups, or say --all-groups", param_hint="GROUP")
    if target and all_targets:
        raise typer.BadParameter("name targets, or say --all-targets", param_hint="--target")
    groups, targets = (list(dict.fromkeys(named)) for named in (group or [], target or ["local"]))
    whole = opened(project, targets[0], knowledge, offline=offline)
    if not (groups or all_groups):
        groups = [whole.manifest.only_group()]
    several = all_groups or all_targets or len(groups) > 1 or len(targets) > 1
    upgraded = _upgraded(whole, everything=upgrade, names=upgrade_package or [])
    if several:
        chosen = (groups, [] if all_targets else targets)
        raise typer.Exit(
            _together(whole, *chosen, lock_only=lock_only, upgrade=upgraded, json=json, quiet=quiet)
        )
    answer = None
    if not (lock_only or upgraded):
        as_locked, kept = late("app.solving.as_locked"), late("edges.index.kept_files").KeptFiles(cache())
        answer = as_locked.create_as_locked(
            whole, groups[0], kept, lambda: indexes(whole), progress_for_people()
        )
    if answer is None:
        answer = _solved(whole, groups[0], lock_only=lock_only, upgrade=upgraded, json=json)
    if json:
        print_document(late("render.solving.solution").locked_document(answer))
    elif not quiet:
        late("render.solving.solution").locked_text(answer, console(), every=every)


def _upgraded(project: Project, *, everything: bool, names: Sequence[str]) -> tuple[str, ...]:
    """Return the components to upgrade; the knowledge base is not read where there are none."""
    if everything:
        return (late("solve.request").EVERYTHING,)
    hint = "a version belongs in requires; envlock why-not NAME==VERSION shows what it would take"
    named = (late("app.pins").checked_name(name, "--upgrade-package", hint) for name in names)
    return tuple(project.knowledge.component(name) for name in named)


def _solved(project: Project, group: str, *, lock_only: bool, upgrade: Sequence[str], json: bool) -> Locked:
    """Lock the group, and create its environment where that is wanted; a refusal ends the command."""
    with indexes(project) as catalogue:
        wanted = project.manifest.group(group)
        if wanted.frozen is None:  # fetch the pages of what is asked for while the solver is imported
            catalogue.prefetch(
                wish.requirement.name for wish in wanted.wishes if wish.requirement is not None
            )
        solver = late("app.solving.lock").lock_group if lock_only else late("app.solving.solve").solve
        answer = solver(project, group, catalogue, progress_for_people(), upgrade=upgrade)
    if isinstance(answer, Locked):
        return answer
    view = late("render.solving.refusals")
    if json:
        target = project.options.target
        reasons = (answer.refusal, answer.knowledge, answer.inherited)
        print_document(view.unsolvable_document(group, target, *reasons))
    else:
        view.unsolvable_text(
            group,
            answer.refusal,
            answer.knowledge,
            console(stderr=True),
            layers=project.manifest.layers,
            inherited=answer.inherited,
        )
    raise typer.Exit(ExitStatus.NO)


def _together(
    project: Project,
    groups: list[str],
    targets: list[str],
    *,
    lock_only: bool,
    upgrade: Sequence[str],
    json: bool,
    quiet: bool,
) -> int:
    """Solve groups on targets, none for all; return the worst exit status."""
    with indexes(project) as catalogue:
        outcomes = late("app.solving.fleet").solve_fleet(
            project,
            groups,
            targets,
            catalogue,
            progress_for_people(),
            lock_only=lock_only,
            upgrade=upgrade,
        )
    view = late("render.solving.fleet")
    status = max((outcome.status for outcome in outcomes), default=ExitStatus.YES)
    if json:
        print_document(view.fleet_document(outcomes))
    elif status or not quiet:
        view.fleet_text(outcomes, console())
    return status
