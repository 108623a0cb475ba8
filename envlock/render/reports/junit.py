"""A verification as JUnit XML, for continuous integration systems.

One suite for the verification, one case for each check: ``failure`` for what failed, ``error`` for what
crashed or ran out of time, ``skipped`` with its reason for what is not applicable. What only warns
passes, because the format knows no warnings, and says so in ``system-out``. The document is valid by the
schema of Jenkins' xUnit plug-in (junit-10.xsd), which counts what was skipped only in suites.
"""

from __future__ import annotations

from xml.etree import ElementTree as ET

from envlock.model.node_sets import folded
from envlock.model.proving.report import Check, Outcome, Report
from envlock.render.reports.families import family_of
from envlock.render.reports.markup import element, xml_document

_KINDS = {
    Outcome.FAILED: "failure",
    Outcome.CRASHED: "error",
    Outcome.TIMED_OUT: "error",
    Outcome.NOT_APPLICABLE: "skipped",
}


def junit_text(report: Report) -> str:
    """Return the document."""
    kinds = [_KINDS.get(check.outcome, "") for check in report.checks]
    numbers = {
        "tests": len(report.checks),
        "failures": kinds.count("failure"),
        "errors": kinds.count("error"),
        "time": f"{report.seconds:.3f}",
    }
    suite = element(
        "testsuite",
        element("properties", *_properties(report)),
        *(_case(check, report) for check in report.checks),
        name=f"envlock verify {report.group} on {report.target}",
        timestamp=f"{report.started:%Y-%m-%dT%H:%M:%S}",
        hostname=report.hosts[0],
        skipped=kinds.count("skipped"),
        **numbers,
    )
    return xml_document(element("testsuites", suite, name="envlock", **numbers))


def _properties(report: Report) -> list[ET.Element]:
    properties = {
        "lock": report.lock,
        "lock_sha256": report.lock_sha256,
        "envlock": report.envlock,
        "hosts": folded(report.hosts),
        "ranks": str(len(report.ranks)),
    }
    return [element("property", name=name, value=value) for name, value in properties.items()]


def _case(check: Check, report: Report) -> ET.Element:
    kind = _KINDS.get(check.outcome)
    said = None
    if kind:
        type_ = None if kind == "skipped" else check.outcome.value
        said = element(kind, check.message if type_ else None, message=check.message, type=type_)
    elif check.outcome is Outcome.WARNED:
        said = element("system-out", f"warned: {check.message}")
    return element(
        "testcase",
        said,
        classname=f"{report.group}.{report.target}.{family_of(check).replace(' ', '-')}",
        name=f"{check.id} {check.name}",
        time=f"{check.seconds:.3f}",
    )
