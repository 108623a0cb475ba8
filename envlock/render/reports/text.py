"""Views of a verification report in a terminal, in a pipe and for programs."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from rich.console import Console
from rich.text import Text

from envlock.app.verifying.reports import Shown
from envlock.app.verifying.verify import Verified
from envlock.lifecycle.evidence.news import News
from envlock.lifecycle.evidence.regression import metric_text, metrics
from envlock.model.counting import first_of
from envlock.model.proving.report import Check, Outcome, Report, encode_report
from envlock.render.reports.families import counted, families
from envlock.render.reports.markup import clean
from envlock.render.solving.solution import note_line
from envlock.render.standing.reasons import reason_document, reason_text
from envlock.render.terminal.sheets import Sheet

_SAID_BY_THE_RESULT = "not applicable: "
_TURNED = 8
"""How many checks that turned in the same way are named: where no rank began, most of fifty have."""

_STYLES = {
    Outcome.PASSED: "green",
    Outcome.WARNED: "yellow",
    Outcome.NOT_APPLICABLE: "dim",
    Outcome.FAILED: "bold red",
    Outcome.CRASHED: "bold red",
    Outcome.TIMED_OUT: "bold red",
}


def verified_text(verified: Verified, console: Console, written: Iterable[Path] = ()) -> None:
    """Print failures, checks by family, ranks, what is new, possible causes, and the verdict."""
    _report_text(verified.report, console, f"{verified.prefix}/")
    if verified.news:
        _news_text(verified.news, console)
    for warning in verified.warned:
        console.print(note_line(warning), soft_wrap=True)
    reports = [("report", verified.path)] if verified.path else []
    _verdict_text(verified.report, console, [*reports, *_files(written)])
    if not verified.path:
        console.print("only ranks were tried; that is no evidence, and no report was kept", style="yellow")


def shown_text(shown: Shown, console: Console, written: Iterable[Path]) -> None:
    """Print the same for a report that is looked at again, and why it does not count today."""
    _report_text(shown.report, console, "")
    for doubt in shown.doubts:
        console.print(
            Text.assemble((doubt.code, "red"), f"  {reason_text(doubt)}"),
            soft_wrap=True,
        )
    _verdict_text(shown.report, console, [("report", shown.path), *_files(written)], again=shown)


def _files(written: Iterable[Path]) -> list[tuple[str, Path]]:
    return [("written", path) for path in written]


def _report_text(report: Report, console: Console, inside: str) -> None:
    bad = [check for check in report.checks if not check.outcome.good]
    if bad:
        console.print(_checks_table([("what failed", bad)], inside))
    console.print(_checks_table(families(report.checks), inside))
    if report.ranks:
        console.print(_ranks_table(report))


def _checks_table(groups: Iterable[tuple[str, list[Check]]], inside: str) -> Sheet:
    """Return one table, with each group of checks under its name."""
    table = Sheet("check", "", "result", "what was seen", wrap={"what was seen"})
    for name, checks in groups:
        table.add_row("", Text(name, style="bold"), "", "")
        for check in checks:
            result = Text(check.outcome.value, style=_STYLES[check.outcome])
            message = check.message.removeprefix(_SAID_BY_THE_RESULT)
            seen = Text(clean(message.replace(inside, "") if inside else message))
            table.add_row(check.id, check.name, result, seen)
        table.add_section()
    return table


def _ranks_table(report: Report) -> Sheet:
    ranks = Sheet("rank", "of", "host", "local", "MPI library", "correct sums over")
    for rank in report.ranks:
        right = [name for name, result in rank.back_ends.items() if result.outcome == Outcome.PASSED.value]
        ranks.add_row(
            _number(rank.rank),
            _number(rank.size),
            rank.host,
            _number(rank.local_rank),
            str(rank.mpi.get("library", "")).split(",")[0].partition("\n")[0],
            ", ".join(right),
        )
    return ranks


def _number(value: int | None) -> str:
    return "?" if value is None else str(value)


def _news_text(news: News, console: Console) -> None:
    lines = ["another lock"] if news.other_lock else []
    lines += [f"{reason.what} was {reason.verified}, is {reason.found}" for reason in news.surroundings]
    turned: dict[str, list[str]] = {}
    for turn in news.turned:
        before, now = (outcome.value if outcome else "not there" for outcome in (turn.before, turn.now))
        turned.setdefault(f"{before} -> {now}", []).append(f"{turn.id} {turn.name}")
    lines += [f"{how}: {first_of(names, _TURNED)}" for how, names in turned.items()]
    heading = f"new since {news.since:%Y-%m-%d %H:%M}"
    if not lines:
        heading = f"nothing new since {news.since:%Y-%m-%d %H:%M}"
    console.print(Text(heading, style="bold"))
    for line in lines:
        console.print(Text(f"  {line}"), soft_wrap=True)


def _verdict_text(
    report: Report, console: Console, files: Iterable[tuple[str, Path]], again: Shown | None = None
) -> None:
    verdict = (
        Text("verified", style="bold green") if report.passed else Text("not verified", style="bold red")
    )
    if again and again.doubts and report.passed:
        verdict = Text("expired", style="bold red")
    when = f", {report.started:%Y-%m-%d %H:%M} UTC" if again else ""
    console.print(
        Text.assemble(verdict, f"  {report.group} on {report.target} in {report.seconds:.0f} s{when}, lock ")
        + Text(report.lock_sha256[:12], style="dim")
        + Text(f": {counted(report.checks)}"),
        soft_wrap=True,
    )
    for label, path in files:
        console.print(Text.assemble((f"{label}  ", "cyan"), str(path)), soft_wrap=True)


def history_text(shown: Shown, console: Console) -> None:
    """Print every kept run, newest first, with its numbers."""
    table = Sheet("run", "verdict", "ranks", "nodes", "lock", "numbers", wrap={"numbers"})
    for run in shown.history:
        table.add_row(
            f"{run.started:%Y-%m-%d %H:%M}",
            Text("verified", style="green") if run.passed else Text("not verified", style="red"),
            str(len(run.ranks)),
            str(len(run.hosts)),
            run.lock_sha256[:12],
            ", ".join(f"{metric.name} {metric_text(metric)}" for metric in metrics(run)),
        )
    console.print(table if shown.history else "no runs are kept")


def verified_document(verified: Verified) -> dict[str, object]:
    """Return the same for programs: the report itself, and where it lies."""
    news = verified.news
    return {
        "schema": "envlock/verify/1",
        "passed": verified.report.passed,
        "path": str(verified.path) if verified.path else None,
        "report": encode_report(verified.report),
        "metrics": _metrics_documents(verified.report),
        "news": _news_document(news) if news else None,
        "warned": list(verified.warned),
    }


def _metrics_documents(report: Report) -> list[dict[str, object]]:
    return [{"name": metric.name, "value": metric.value, "unit": metric.unit} for metric in metrics(report)]


def _news_document(news: News) -> dict[str, object]:
    return {
        "since": news.since.isoformat(),
        "other_lock": news.other_lock,
        "surroundings": [reason_document(reason) for reason in news.surroundings],
        "turned": [
            {
                "id": turn.id,
                "name": turn.name,
                "before": turn.before.value if turn.before else None,
                "now": turn.now.value if turn.now else None,
            }
            for turn in news.turned
        ],
    }


def shown_document(shown: Shown, *, history: bool) -> dict[str, object]:
    """Return a report looked at again: the report itself, and under ``today`` what is known of it now."""
    today: dict[str, object] = {
        "path": str(shown.path),
        "counts": shown.report.passed and not shown.doubts,
        "doubts": [reason_document(doubt) for doubt in shown.doubts],
    }
    if history:
        today["history"] = [_run_document(run) for run in shown.history]
    return {**encode_report(shown.report), "today": today}


def _run_document(run: Report) -> dict[str, object]:
    return {
        "started": run.started.isoformat(),
        "passed": run.passed,
        "lock_sha256": run.lock_sha256,
        "ranks": len(run.ranks),
        "hosts": list(run.hosts),
        "metrics": _metrics_documents(run),
    }
