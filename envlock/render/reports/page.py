"""A verification as one page of HTML that needs nothing else: no network, no other file."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from xml.etree import ElementTree as ET

from envlock.app.verifying.reports import Shown
from envlock.lifecycle.evidence.regression import Metric, metric_text, metrics
from envlock.model.counting import number_of
from envlock.model.node_sets import folded
from envlock.model.proving.report import Check, Outcome, Report
from envlock.render.reports.comparison_page import comparison_section
from envlock.render.reports.curves import curves_section
from envlock.render.reports.families import counted, counts, families
from envlock.render.reports.log_chart import sparkline
from envlock.render.reports.markup import element, html_document, html_table
from envlock.render.reports.places import pairs_section, places_section
from envlock.render.reports.style import SCRIPT, STYLE
from envlock.render.standing.reasons import reason_text

_CLASSES = {
    Outcome.PASSED: ("good", "\u2713"),
    Outcome.WARNED: ("warn", "!"),
    Outcome.NOT_APPLICABLE: ("none", "\u2013"),
    Outcome.FAILED: ("bad", "\u2717"),
    Outcome.CRASHED: ("bad", "\u2717"),
    Outcome.TIMED_OUT: ("bad", "\u2717"),
}
_MOST_DETAILS = 20_000
_FEWEST = 2


def report_page(shown: Shown) -> str:
    """Return the page of a report.

    Args:
        shown: the report and what is known around it.
    """
    report = shown.report
    sections = [
        _checks(report.checks),
        places_section(report),
        curves_section(report),
        comparison_section(report.comparison),
        pairs_section(report),
        _environment(shown),
        _history(shown.history),
    ]
    there = [section for section in sections if section is not None]
    title = f"{report.group} on {report.target}: {_word(report)}"
    head = element(
        "head",
        element("meta", charset="utf-8"),
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element("title", title),
        element("style", STYLE),
    )
    body = element(
        "body",
        element("header", *_headline(shown), element("nav", *_links(there), aria_label="Sections")),
        element("main", *_notices(shown), *there),
        element("script", SCRIPT),
    )
    return html_document(element("html", head, body, lang="en"))


def _word(report: Report) -> str:
    return "verified" if report.passed else "not verified"


def _headline(shown: Shown) -> Iterator[ET.Element]:
    report = shown.report
    verdict = element("span", _word(report), class_=f"verdict {'good' if report.passed else 'bad'}")
    expired = element("span", "expired", class_="verdict warn") if shown.doubts and report.passed else None
    yield element("h1", f"{report.group} on {report.target} ", verdict, " ", expired)
    ranks = number_of(len(report.ranks), "rank")
    yield element(
        "p",
        f"{report.started:%Y-%m-%d %H:%M} UTC, {report.seconds:.0f} s, {ranks} on {folded(report.hosts)}; "
        f"{counted(report.checks)}",
    )


def _links(sections: Sequence[ET.Element]) -> Iterator[ET.Element]:
    for section in sections:
        heading = section.find("h2")
        yield element("a", heading.text if heading is not None else "", href=f"#{section.get('id')}")


def _notices(shown: Shown) -> Iterator[ET.Element]:
    bad = [check for check in shown.report.checks if not check.outcome.good]
    if bad:
        lines = (element("li", element("b", f"{check.id} {check.name}: "), check.message) for check in bad)
        yield element("div", element("b", "What failed"), element("ul", *lines), class_="notice bad")
    doubts = [reason_text(doubt) for doubt in shown.doubts if doubt.code != "evidence-failed"]
    if doubts:
        heading = element("b", "This report no longer counts")
        yield element(
            "div", heading, element("ul", *(element("li", doubt) for doubt in doubts)), class_="notice warn"
        )


def _checks(checks: Sequence[Check]) -> ET.Element:
    options = [
        element("option", f"{outcome.value.replace('-', ' ')} ({number})", value=outcome.value)
        for outcome, number in counts(checks)
    ]
    form = element(
        "form",
        element("label", "Result ", element("select", element("option", "all", value=""), *options)),
        element("label", "Text ", element("input", type="search")),
        element("output", class_="note"),
        class_="filter",
        hidden="hidden",
    )
    head = element(
        "tr", *(element("th", text, scope="col") for text in ("", "check", "result", "what was seen"))
    )
    bodies = [
        element(
            "tbody",
            element("tr", element("th", name, colspan=4, scope="rowgroup"), class_="family"),
            *(_check(check) for check in found),
        )
        for name, found in families(checks)
    ]
    table = element("table", element("thead", head), *bodies, class_="checks")
    return element("section", element("h2", "Checks"), form, table, id="checks")


def _check(check: Check) -> ET.Element:
    colour, sign = _CLASSES[check.outcome]
    return element(
        "tr",
        element("td", check.id, class_="id"),
        element("td", check.name, class_="name"),
        element("td", f"{sign} {check.outcome.value.replace('-', ' ')}", class_=f"outcome {colour}"),
        element("td", check.message, _details(check), class_="said"),
        data_outcome=check.outcome.value,
    )


def _details(check: Check) -> ET.Element | None:
    """Return what a check rests on, where that is worth a look."""
    if not check.details or check.outcome in (Outcome.PASSED, Outcome.NOT_APPLICABLE):
        return None
    text = json.dumps(check.details, indent=1, ensure_ascii=False, default=str)
    if len(text) > _MOST_DETAILS:
        text = text[:_MOST_DETAILS] + "\n... the rest is in the report's JSON"
    return element("details", element("summary", "details"), element("pre", text))


def _environment(shown: Shown) -> ET.Element:
    report = shown.report
    around = report.surroundings
    libraries = dict.fromkeys(
        str(rank.mpi["library"]).partition("\n")[0].split(",")[0]
        for rank in report.ranks
        if "library" in rank.mpi
    )
    rows = {
        "lock": f"{report.lock}, sha256 {report.lock_sha256}",
        "MPI library": ", ".join(libraries),
        **around.systems,
        "kernel": around.kernel,
        "verified from": around.host,
        **{path: f"sha256 {digest}" for path, digest in around.libraries.items() if digest},
        "knowledge base": report.knowledge,
        "envlock": report.envlock,
    }
    facts = element(
        "table",
        element(
            "tbody",
            *(
                element("tr", element("th", name, scope="row"), element("td", element("code", value)))
                for name, value in rows.items()
                if value
            ),
        ),
    )
    return element("section", element("h2", "Environment"), facts, _versions(shown), id="environment")


def _versions(shown: Shown) -> ET.Element | None:
    if not shown.versions:
        return None
    rows = (
        element(
            "tr",
            element("th", version.component, scope="row"),
            element("td", version.version),
            element("td", version.origin),
        )
        for version in shown.versions
    )
    table = element("table", element("tbody", *rows))
    summary = element("summary", f"{number_of(len(shown.versions), 'component')} of the lock")
    return element("details", summary, table)


def _history(history: Sequence[Report]) -> ET.Element | None:
    """Return numbers of runs in time, and how each run ended; ``None`` for a first run."""
    if len(history) < _FEWEST:
        return None
    series: dict[tuple[str, str], list[Metric]] = {}
    for report in reversed(history):
        for metric in metrics(report):
            series.setdefault((metric.name, metric.unit), []).append(metric)
    lines = [
        element(
            "tr",
            element("th", f"{name}{' bus bandwidth' if unit == 'GB/s' else ''}", scope="row"),
            element(
                "td",
                sparkline([one.value for one in found], f"{name}: " + ", ".join(map(metric_text, found))),
            ),
            element("td", metric_text(found[0]), class_="number"),
            element("td", metric_text(found[-1]), class_="number"),
        )
        for (name, unit), found in series.items()
        if len(found) >= _FEWEST
    ]
    runs = [
        element(
            "tr",
            element("th", f"{run.started:%Y-%m-%d %H:%M}", scope="row"),
            element("td", _word(run), class_="good" if run.passed else "bad"),
            element("td", f"{number_of(len(run.ranks), 'rank')} on {number_of(len(run.hosts), 'node')}"),
            element("td", element("code", run.lock_sha256[:12])),
        )
        for run in history
    ]
    numbers = html_table(("", "in time", "first", "last"), lines) if lines else None
    return element(
        "section",
        element("h2", "History"),
        element("div", numbers, class_="wide"),
        element(
            "details",
            element("summary", number_of(len(history), "run")),
            element("table", element("tbody", *runs)),
        ),
        id="history",
    )
