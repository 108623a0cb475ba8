"""Groups of commands that take the options common to all before a command's name as well as after it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from typer.core import TyperGroup

_TAKES_VALUE = {"--project": True, "--target": True, "--knowledge": True, "--json": False, "--offline": False}


def common_after_name(arguments: Sequence[str]) -> list[str]:
    """Move common options that come first behind the command's name, where the command reads them.

    >>> common_after_name(["--project", "lab", "--json", "solve", "stack"])
    ['solve', '--project', 'lab', '--json', 'stack']
    """
    name = 0
    while name < len(arguments) and (option := arguments[name].partition("=")[0]) in _TAKES_VALUE:
        name += 2 if _TAKES_VALUE[option] and option == arguments[name] else 1
    return [*arguments[name : name + 1], *arguments[:name], *arguments[name + 1 :]]


class CommonFirstGroup(TyperGroup):
    """A group of commands that takes common options before a command's name."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Read the group's own options, after moving common ones to the command."""
        moved = common_after_name(args)
        if args and moved[0].partition("=")[0] in _TAKES_VALUE:
            ctx.fail(f"Missing command: {ctx.command_path} COMMAND {' '.join(args)}")
        return super().parse_args(ctx, moved)
