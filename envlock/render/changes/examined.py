"""Views of how files and a program show the difference between two locks: ``envlock diff``."""

from __future__ import annotations

from collections.abc import Iterable

from rich.console import Console
from rich.text import Text

from envlock.app.diff import Examined, FileChanges, ProgramBreaks
from envlock.lifecycle.code_breaks import CodeBreak
from envlock.lifecycle.minimum_changes import MinimumChange
from envlock.lifecycle.weight import Licence, Weight
from envlock.model.counting import number_of
from envlock.model.published.api import ApiState
from envlock.render.changes.code_breaks import api_document, certainty, code_break_document, state_text, why
from envlock.render.changes.diff import diff_document, diff_text
from envlock.render.terminal.sizes import bytes_text

_STYLES = {True: "bold red", False: "yellow"}


def examined_text(found: Examined, console: Console) -> None:
    """Print what changes, what it asks of the node, what it weighs, and what of a program fails."""
    diff_text(found.diff, console, found.asked)
    _section("Demands on the node", asked_texts(found), console)
    if found.files is not None and not found.diff.empty:
        _files_text(found.files, console)
    if found.code is not None:
        _code_text(found.code, console)


def _section(heading: str, lines: Iterable[str], console: Console) -> None:
    shown = list(lines)
    if shown:
        console.print(Text(f"\n{heading}", style="bold"))
    for line in shown:
        console.print(Text(f"  {line}"), soft_wrap=True)


def asked_texts(found: Examined) -> list[str]:
    """Return a line for each thing that is asked of the node differently than before."""
    lines = [_minimum_text(minimum) for minimum in found.minimums if minimum.old != minimum.new]
    old, new = found.mpi
    return [*lines, f"MPI {old or 'none'} -> {new or 'none'}"] if old != new else lines


def _minimum_text(change: MinimumChange) -> str:
    if not change.old:
        return f"{change.component} {change.new} or later, which nothing asked for before"
    if not change.new:
        return f"{change.component}: no longer needed; it was {change.old} or later"
    return f"{change.component} {change.old} -> {change.new} or later"


def weight_text(weight: Weight) -> str:
    """Return one line on what the differing files weigh."""
    sizes = f"{bytes_text(weight.download)} to download in {number_of(weight.downloads, 'file')}; installed "
    sizes += f"{bytes_text(weight.installed_old)} -> {bytes_text(weight.installed_new)}"
    return f"{sizes}; the size of {weight.unknown} is unknown" if weight.unknown else sizes


def licence_text(licence: Licence) -> str:
    """Return one line on a licence."""
    return (
        f"{licence.component}: {licence.old} -> {licence.new}, another licence"
        if licence.changed
        else f"{licence.component}: {licence.new}"
    )


def _files_text(files: FileChanges, console: Console) -> None:
    _section("Files that differ", [weight_text(files.weight)], console)
    changed = [licence for licence in files.licences if licence.changed]
    if changed:
        console.print(Text("\nOther licences", style="bold red"))
    for one in changed:
        console.print(Text(f"  {licence_text(one)}"), soft_wrap=True)
    _section(
        "Licences of newcomers",
        [licence_text(licence) for licence in files.licences if not licence.changed],
        console,
    )
    interfaces = interface_texts(files)
    if quiet := len(files.apis) - len(interfaces):
        who = f"{quiet} more" if interfaces else number_of(quiet, "distribution")
        interfaces.append(f"{who} moved and lost no public name")
    _section("Public interfaces", interfaces, console)


def interface_texts(files: FileChanges) -> list[str]:
    """Return a line for each public interface that changed or could not be compared."""
    return [
        f"{name}: {state_text(api)}"
        for name, api in files.apis.items()
        if api.changes or api.state is not ApiState.COMPARED
    ]


def _code_text(code: ProgramBreaks, console: Console) -> None:
    console.print(Text(f"\nYour code: {code_summary(code)}", style="bold"))
    for fault in code.breaks:
        _break_text(fault, console)
    for name, reason in code.unread:
        console.print(Text(f"  {name}: cannot be read as Python: {reason}", style="yellow"), soft_wrap=True)


def code_summary(code: ProgramBreaks) -> str:
    """Return how many uses fail, in a few words."""
    sure = sum(fault.sure for fault in code.breaks)
    likely = len(code.breaks) - sure
    files = number_of(code.files, "file")
    if not code.breaks:
        return f"nothing in {files} uses what is gone, as far as this can be read"
    uses = f"{sure} use{' fails' if sure == 1 else 's fail'}"
    return f"{uses} in {files}" + (f", {likely} more may" if likely else "")


def _break_text(fault: CodeBreak, console: Console) -> None:
    use = fault.use
    place = Text(f"{use.place}:{use.column}", style="cyan")
    console.print(Text.assemble("  ", place, "  ", (use.text, "bold")), soft_wrap=True)
    line = Text.assemble(
        "    ", (certainty(fault), _STYLES[fault.sure]), f"  {why(fault)} ({fault.component})"
    )
    if fault.new:
        line.append_text(Text.assemble(": write ", (fault.new, "green")))
    console.print(line, soft_wrap=True)
    if fault.note:
        console.print(Text(f"             {fault.note}", style="dim"), soft_wrap=True)


def examined_document(found: Examined) -> dict[str, object]:
    """Return the same for programs: the difference itself, with what else was examined."""
    files, code = found.files, found.code
    return {
        **diff_document(found.diff),
        "asked": dict(zip(("old", "new"), found.asked, strict=True)),
        "mpi": {"old": found.mpi[0] or None, "new": found.mpi[1] or None},
        "minimums": [
            {"component": minimum.component, "old": minimum.old or None, "new": minimum.new or None}
            for minimum in found.minimums
        ],
        "files": _weight_document(files.weight) if files else None,
        "licences": [_licence_document(licence) for licence in files.licences] if files else None,
        "api": [api_document(name, api) for name, api in files.apis.items()] if files else None,
        "code": {
            "files": code.files,
            "unread": [{"file": name, "why": reason} for name, reason in code.unread],
            "breaks": [code_break_document(fault) for fault in code.breaks],
        }
        if code
        else None,
    }


def _weight_document(weight: Weight) -> dict[str, object]:
    return {
        "download_bytes": weight.download,
        "downloads": weight.downloads,
        "installed_bytes_old": weight.installed_old,
        "installed_bytes_new": weight.installed_new,
        "unknown": weight.unknown,
    }


def _licence_document(licence: Licence) -> dict[str, object]:
    return {
        "component": licence.component,
        "old": licence.old or None,
        "new": licence.new or None,
        "changed": licence.changed,
    }
