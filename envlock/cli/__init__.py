"""Command line: arguments, one call into app, render, exit status.

Each command lives in its own module, which is imported only when that command runs, so that help and
completion stay quick however much the commands need.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
from contextlib import suppress
from importlib import import_module
from typing import Any, NamedTuple, NoReturn

import typer
from typer.core import TyperCommand
from typer.main import get_command

from envlock import __version__
from envlock.cli.common_first import CommonFirstGroup, common_after_name
from envlock.cli.other_tools import INSTEAD
from envlock.cli.streams import outlive_listeners
from envlock.model.errors import EnvlockError, ExitStatus, RequestError, StoppedError, SurroundingsError
from envlock.model.near_names import near_names


class _Entry(NamedTuple):
    module: str
    help: str
    panel: str


_DAILY, _PROOF, _KNOWLEDGE = "Environments", "Proof and change", "Knowledge"
_COMMANDS = {
    "init": _Entry("init", "Begin a project: write the smallest envlock.toml.", _DAILY),
    "detect": _Entry("detect", "Show this machine as a target.", _DAILY),
    "solve": _Entry("solve", "Lock a group and create its environment.", _DAILY),
    "where": _Entry("where", "Print the prefix of a group's environment.", _DAILY),
    "run": _Entry("run", "Run a command inside a group's environment.", _DAILY),
    "activate": _Entry("activate", "Print what activates a group's environment in your shell.", _DAILY),
    "module": _Entry("module", "Write a module file for a group's environment.", _DAILY),
    "rollback": _Entry("rollback", "Go back to a group's previous environment.", _DAILY),
    "repair": _Entry("repair", "Compare an environment with what was installed, and repair it.", _DAILY),
    "gc": _Entry("gc", "Show, and remove, environments that no group uses.", _DAILY),
    "cache": _Entry("cache", "Show what is kept of downloads and indexes, and prune it.", _DAILY),
    "verify": _Entry("verify", "Prove an environment: imports, libraries, allreduce on ranks.", _PROOF),
    "report": _Entry("report", "Show the last verification again, as text, HTML or JUnit.", _PROOF),
    "status": _Entry("status", "Show how every group stands, and why it is stale.", _PROOF),
    "impact": _Entry("impact", "Show which groups a change of the site would break.", _PROOF),
    "diff": _Entry("diff", "Show what changes between two locks or groups, and what it breaks.", _PROOF),
    "freeze": _Entry("freeze", "Promise that a group does not move.", _PROOF),
    "thaw": _Entry("thaw", "Take such a promise back.", _PROOF),
    "export": _Entry("export", "Write a lock as requirements, pylock, CycloneDX or RO-Crate.", _PROOF),
    "restore": _Entry("restore", "Make an archived environment again, without a network.", _PROOF),
    "why": _Entry("why", "Show who asked for a component and what chose its version.", _KNOWLEDGE),
    "why-not": _Entry("why_not", "Show what another version would take, or what refuses it.", _KNOWLEDGE),
    "check": _Entry("check", "Judge a combination of versions without solving.", _KNOWLEDGE),
    "kb": _Entry("kb", "Look into the knowledge base, and check it.", _KNOWLEDGE),
}
_COMPLETION = frozenset({"install_completion", "show_completion"})


class _LazyGroup(CommonFirstGroup):
    """Commands known by name and one line of help; the rest is imported when one is run."""

    def list_commands(self, ctx: Any) -> list[str]:  # noqa: ARG002 - click's signature
        """Return all commands in the order of help."""
        return list(_COMMANDS)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:  # noqa: ARG002 - click's signature
        """Return a stand-in with the command's help, enough to list it."""
        if cmd_name not in _COMMANDS:
            return None
        entry = _COMMANDS[cmd_name]
        return TyperCommand(cmd_name, help=entry.help, rich_help_panel=entry.panel)

    def format_commands(self, ctx: Any, formatter: Any) -> None:  # noqa: ARG002 - click's signature
        """Write all commands with their line of help, by panel."""
        for panel in dict.fromkeys(entry.panel for entry in _COMMANDS.values()):
            with formatter.section(panel):
                formatter.write_dl(
                    [(name, entry.help) for name, entry in _COMMANDS.items() if entry.panel == panel]
                )

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Return the command itself, imported now; for an unknown name, suggest the nearest."""
        if args and args[0] not in _COMMANDS and not args[0].startswith("-"):
            near, instead = near_names(args[0], _COMMANDS), INSTEAD.get(args[0])
            suggestion = (
                f" In envlock: {instead}" if instead else f" Did you mean {near[0]!r}?" if near else ""
            )
            ctx.fail(f"No such command {args[0]!r}.{suggestion}")
        name, command, rest = super().resolve_command(ctx, args)
        if name in _COMMANDS:
            command = _loaded(_COMMANDS[name].module)
        return name, command, rest


def _loaded(module: str) -> Any:
    """Return a command, its help reflowed to the terminal's width; completion is the whole program's."""
    app: typer.Typer = import_module(f"envlock.cli.{module}").app
    app.rich_markup_mode = "markdown"
    command = get_command(app)
    command.params = [param for param in command.params if param.name not in _COMPLETION]
    return command


_app = typer.Typer(
    cls=_LazyGroup,
    no_args_is_help=True,
    rich_markup_mode=None,  # a list of commands needs no tables, and rich takes longer than all the rest
    context_settings={"help_option_names": ["-h", "--help"]},
    help="Solve, lock, build and verify Python environments together with the MPI, CUDA, driver and GPUs "
    "that they run on.",
    epilog="Begin: envlock init; envlock solve stack; envlock verify stack.",
)


def _version(value: bool) -> None:
    if value:
        typer.echo(f"envlock {__version__}")
        raise typer.Exit


@_app.callback()
def _root(
    version: bool = typer.Option(
        False, "--version", callback=_version, is_eager=True, help="Print the version."
    ),
) -> None:
    pass


def late(module: str) -> Any:
    """Return one of our modules that a command needs only with some of its options, imported now."""
    return import_module(f"envlock.{module}")


def main() -> None:
    """Run the ``envlock`` program."""
    heed_interruptions()
    outlive_listeners()
    status = int(ExitStatus.YES)
    try:
        status = run(sys.argv[1:])
        if status == ExitStatus.INTERRUPTED:
            typer.echo("interrupted", err=True)
        sys.stdout.flush()
        sys.stderr.flush()
    except KeyboardInterrupt:  # while a result or an error was being printed
        status = int(ExitStatus.INTERRUPTED)
        with suppress(OSError):
            os.write(2, b"interrupted\n")
    except OSError as error:
        status = int(ExitStatus.SURROUNDINGS)
        with suppress(OSError):
            os.write(2, f"error: the output cannot be written: {error.strerror}\n".encode())
    # A normal exit would free the objects of a solve one by one, which takes a sixth of its time, and wait
    # for threads that an interrupt left waiting for the network.
    os._exit(status)


def heed_interruptions(again_s: float = 10.0) -> None:
    """Let Ctrl-C, a scheduler's SIGTERM and a closed terminal end a command and what it started.

    Python drops an interrupt that comes while it runs a destructor or a callback of the import system, and
    libraries may catch one: it comes again at once where Python says so, and after some seconds otherwise.
    """

    def interrupt(_kind: int, _frame: object) -> NoReturn:
        _interrupt_again(again_s)
        raise KeyboardInterrupt

    def dropped(what: sys.UnraisableHookArgs) -> None:
        if what.exc_type is KeyboardInterrupt:
            _interrupt_again(0.01)
        else:
            sys.__unraisablehook__(what)

    sys.unraisablehook = dropped
    for kind in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(kind) is not signal.SIG_IGN:  # as in a shell's background, or under nohup
            signal.signal(kind, interrupt)


def _interrupt_again(after_s: float) -> None:
    this = threading.main_thread().ident or 0
    again = threading.Timer(after_s, signal.pthread_kill, (this, signal.SIGINT))
    again.daemon = True
    again.start()


def run(arguments: list[str]) -> int:
    """Run one command line; return the exit status."""
    try:
        _stand_somewhere()
        result = get_command(_app).main(args=arguments, prog_name="envlock", standalone_mode=False)
    except EnvlockError as error:
        return _told(error, arguments)
    except KeyboardInterrupt:
        return _interrupted(arguments)
    except typer.Abort as abort:  # typer also raises it for an end of file, as if somebody had been asked
        if isinstance(abort.__cause__, EOFError):
            return _told_by_typer(abort.__cause__, arguments)
        return _interrupted(arguments)
    except Exception as error:  # noqa: BLE001 - the outermost frame: bugs must be reported, not lost
        refusal = import_module("envlock.edges.system_refusals").refusal_of_the_system(error)
        if isinstance(error, OSError) and "--install-completion" in arguments:
            refusal = _no_place_for_completion(error)
        return _told(refusal, arguments) if refusal else _told_by_typer(error, arguments)
    status = int(result or 0)
    return _interrupted(arguments) if status == ExitStatus.INTERRUPTED else status  # what typer makes of it


def _stand_somewhere() -> None:
    try:
        os.getcwd()  # noqa: PTH109 - what Path.cwd does, without the path
    except FileNotFoundError:
        raise RequestError(
            "folder-missing",
            "the folder in which envlock was started is gone",
            hint="change to one that exists: cd to its path, even if another has taken its place",
        ) from None


def _no_place_for_completion(error: OSError) -> EnvlockError:
    return SurroundingsError(
        "not-writable",
        "the completion cannot be written into your home",
        where=str(error.filename or ""),
        why=error.strerror or str(error),
        hint="envlock --show-completion prints it: keep it where your shell reads it",
    )


def _interrupted(arguments: list[str]) -> int:
    """Tell programs at once; people are told at the very end."""
    again = "run the same command again; what was there before is unchanged"
    _tell_programs(StoppedError("interrupted", "the command was interrupted", hint=again), arguments)
    return int(ExitStatus.INTERRUPTED)


def _told(error: EnvlockError, arguments: list[str]) -> int:
    errors = import_module("envlock.render.terminal.errors")
    errors.error_text(error, import_module("envlock.render.terminal.output").console(stderr=True))
    _tell_programs(error, arguments)
    return int(error.status)


def _told_by_typer(error: Exception, arguments: list[str]) -> int:
    show = getattr(error, "show", None)
    if show is not None:  # a usage error of the command line itself
        show()
        if type(error).__name__ == "NoArgsIsHelpError":  # what it shows is the help
            return int(ExitStatus.BAD_REQUEST)
        if _command(arguments) == "run" and "--" not in arguments:
            typer.echo(
                "  next   everything after -- belongs to the command: envlock run GROUP -- COMMAND", err=True
            )
        typer.echo("  code   usage", err=True)
        said = error.format_message() if hasattr(error, "format_message") else str(error)
        _tell_programs(RequestError("usage", said, hint="envlock COMMAND --help"), arguments)
        return int(ExitStatus.BAD_REQUEST)
    import traceback  # noqa: PLC0415 - seldom needed, one hopes

    traceback.print_exception(error)
    typer.echo("error: this is a bug in envlock; please report the lines above", err=True)
    bug = SurroundingsError(
        "bug",
        "this is a bug in envlock",
        why=f"{type(error).__name__}: {error}",
        hint="please report what is on standard error",
    )
    _tell_programs(bug, arguments)
    return int(bug.status)


def _tell_programs(error: EnvlockError, arguments: list[str]) -> None:
    """With --json, print the error as the only document on standard output."""
    ours = arguments[: arguments.index("--")] if "--" in arguments else arguments
    if "--json" in ours:
        output = import_module("envlock.render.terminal.output")
        errors = import_module("envlock.render.terminal.errors")
        output.print_document(errors.error_document(error, _command(arguments) or "error"))


def _command(arguments: list[str]) -> str:
    """Return the command of a command line; empty if it names none that there is."""
    name = next(iter(common_after_name(arguments)), "")
    return name if name in _COMMANDS else ""
