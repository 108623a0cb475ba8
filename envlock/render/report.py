"""Views of a verification report."""

from __future__ import annotations

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from envlock.app.verify import Verified
from envlock.model.report import Outcome, Report, encode_report

_STYLES = {
    Outcome.PASSED: "green",
    Outcome.WARNED: "yellow",
    Outcome.NOT_APPLICABLE: "dim",
    Outcome.FAILED: "bold red",
    Outcome.CRASHED: "bold red",
    Outcome.TIMED_OUT: "bold red",
}


def verified_text(verified: Verified, console: Console) -> None:
    """Print every check, then every rank, then the verdict."""
    report = verified.report
    checks = Table(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 2, 0, 0))
    inside = f"{verified.prefix}/"
    for heading in ("check", "", "result", "what was seen"):
        checks.add_column(heading, overflow="fold", no_wrap=heading != "what was seen")
    for check in report.checks:
        result = Text(check.outcome.value, style=_STYLES[check.outcome])
        told = Text(check.message.replace(inside, ""))
        checks.add_row(check.id, check.name, result, told)
    console.print(checks)
    if report.ranks:
        console.print(_ranks_table(report))
    verdict = (
        Text("verified", style="bold green") if report.passed else Text("not verified", style="bold red")
    )
    console.print(
        Text.assemble(verdict, f"  {report.group} on {report.target} in {report.seconds:.0f} s, lock ")
        + Text(report.lock_sha256[:12], style="dim")
    )
    console.print(Text.assemble(("report  ", "cyan"), str(verified.path)), soft_wrap=True)


def _ranks_table(report: Report) -> Table:
    ranks = Table(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 2, 0, 0))
    for heading in ("rank", "of", "host", "local", "MPI library", "summed right over"):
        ranks.add_column(heading, overflow="fold")
    for rank in report.ranks:
        right = [name for name, result in rank.back_ends.items() if result.outcome == Outcome.PASSED.value]
        ranks.add_row(
            _number(rank.rank),
            _number(rank.size),
            rank.host,
            _number(rank.local_rank),
            str(rank.mpi.get("library", "")).split(",")[0],
            ", ".join(right),
        )
    return ranks


def _number(value: int | None) -> str:
    return "?" if value is None else str(value)


def verified_document(verified: Verified) -> dict[str, object]:
    """The same for programs: the report itself, and where it lies."""
    return {
        "schema": "envlock/verify/1",
        "passed": verified.report.passed,
        "path": str(verified.path),
        "report": encode_report(verified.report),
    }
