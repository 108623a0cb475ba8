"""``envlock activate``."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

from envlock.app.making.activation import activation_of
from envlock.app.making.environment import current, need_interpreter
from envlock.cli.opening import opened
from envlock.cli.options import HERE, GroupName, Json, KnowledgeFolders, Offline, ProjectFolder, TargetName
from envlock.render.standing.outdated import note_if_outdated
from envlock.render.terminal.output import print_document, print_text
from envlock.render.using.shells import SHELLS, activation_document

app = typer.Typer()


class Shell(StrEnum):
    """The shells that there is activation text for."""

    SH = "sh"
    BASH = "bash"
    ZSH = "zsh"
    KSH = "ksh"
    CSH = "csh"
    TCSH = "tcsh"
    FISH = "fish"


@app.command()
def activate(
    group: GroupName,
    shell: Annotated[Shell, typer.Option("--shell", help="The shell that is to read it.")] = Shell.SH,
    project: ProjectFolder = HERE,
    target: TargetName = "local",
    knowledge: KnowledgeFolders = None,
    json: Json = False,
    offline: Offline = False,
) -> None:
    r"""Print what makes a group's environment active in your shell, with its MPI and modules.

    envlock_deactivate undoes it. PYTHONPATH and the user's own site-packages are ignored while it is
    active. The environment is the one that the group has now; a later solve changes nothing in shells that
    are open. In fish: envlock activate pytorch --shell fish | source; in csh and tcsh:
    eval "\`envlock activate pytorch --shell csh\`".

    Example: eval "$(envlock activate pytorch)"
    """
    found = current(opened(project, target, knowledge, offline=offline), group)
    note_if_outdated(found, group)
    need_interpreter(found)
    activation = activation_of(found)
    if json:
        print_document(activation_document(activation, target=target))
    else:
        print_text(SHELLS[shell.value](activation))
