"""What a solve does about names that dependencies of the group's time do not have yet."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace

import pytest

from envlock.app.solving import late_names
from envlock.model.locked.pins import DistributionPin
from tests.unit.cli.conftest import Said, Site

Envlock = Callable[..., Said]


@pytest.mark.parametrize(
    ("code", "holder"),
    [("import holder\nprint(holder.new)\n", "2.0"), ("import holder\ndef use():\n    holder.new\n", "1.0")],
    ids=["read on import", "read in use alone"],
)
def test_a_later_release_brings_dependencies_that_have_what_it_reads(
    site: Site, envlock: Envlock, monkeypatch: pytest.MonkeyPatch, code: str, holder: str
):
    site.offer("anchor", "1.0")
    site.offer("reader", "1.0", ["holder"], source=code)
    site.offer("holder", "1.0", source="old = 1\n")
    site.offer("holder", "2.0", source="old = new = 1\n")
    _tell_days(
        site,
        {
            "anchor-1.0": "2024-01-10",
            "reader-1.0": "2024-11-01",
            "holder-1.0": "2024-01-01",
            "holder-2.0": "2024-09-01",
        },
    )
    _tell_sizes(monkeypatch)
    site.manifest('[groups.tiny]\nas-of = "auto"\nrequires = ["anchor==1.0", "reader"]\n')
    assert envlock("solve", "tiny", "--target", "here", "--lock-only").status == 0
    packages = tomllib.loads(site.lock.read_text())["packages"]
    assert {one["name"]: one["version"] for one in packages} == {
        "anchor": "1.0",
        "reader": "1.0",
        "holder": holder,
    }


def test_a_dozen_releases_without_a_name_are_gone_past(
    site: Site, envlock: Envlock, monkeypatch: pytest.MonkeyPatch
):
    """As peft 0.2.0 goes with accelerate from 0.12 on, of which all came after the time of the pins."""
    days = {"anchor-1.0": "2024-01-10", "reader-1.0": "2024-11-01"}
    site.offer("anchor", "1.0")
    site.offer("reader", "1.0", ["holder"], source="import holder\nprint(holder.new)\n")
    for number in range(1, 13):
        site.offer("holder", f"{number}.0", source="new = 1\n" if number == 12 else "old = 1\n")
        days[f"holder-{number}.0"] = f"2024-06-{number:02}"
    _tell_days(site, days)
    _tell_sizes(monkeypatch)
    site.manifest('[groups.tiny]\nas-of = "auto"\nrequires = ["anchor==1.0", "reader"]\n')
    assert envlock("solve", "tiny", "--target", "here", "--lock-only").status == 0
    packages = tomllib.loads(site.lock.read_text())["packages"]
    assert {one["name"]: one["version"] for one in packages}["holder"] == "12.0"


def _tell_days(site: Site, days: Mapping[str, str]) -> None:
    """Say on an index's pages when the wheels came out, by name and version."""
    for file, day in days.items():
        page = site.index / file.partition("-")[0] / "index.html"
        href = f'href="{file}-py3-none-any.whl"'
        page.write_text(page.read_text().replace(href, f'{href} data-upload-time="{day}T00:00:00Z"'))


def _tell_sizes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Such an index tells no sizes of files, and what may be large is not read."""
    read = late_names.read_pinned

    def sized(pins: Iterable[DistributionPin], *rest: object, **more: object) -> object:
        return read([replace(one, file=replace(one.file, size=1)) for one in pins], *rest, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(late_names, "read_pinned", sized)
