"""What a solve says of an answer that nothing refuses."""

from __future__ import annotations

import json
from collections.abc import Callable

from tests.unit.cli.conftest import Said, Site

Envlock = Callable[..., Said]
SOLVE = ("solve", "tiny", "--target", "here", "--lock-only")


def test_what_was_withdrawn_misnamed_or_not_read_is_told(site: Site, envlock: Envlock):
    site.offer("alpha", "3.0", ["beta>dev", "gamma; extra == 'slow'"])
    page = site.index / "alpha" / "index.html"
    link = '<a href="alpha-3.0'
    page.write_text(page.read_text().replace(link, link.replace("<a", '<a data-yanked="wrong results"')))
    wishes = '"alpha[slow,fast]==3.0", "beta[none]; python_version < \'3\'"'
    site.offer("gamma", "1.0")
    site.manifest(f"[groups.tiny]\nrequires = [{wishes}]\n")
    said = envlock(*SOLVE)
    assert said.status == 0, said.golden
    told = [line.removeprefix("note").strip() for line in said.out.splitlines() if line.startswith("note")]
    assert told == [
        "alpha 3.0 was withdrawn by its publishers: wrong results",
        "alpha 3.0 has no extra 'fast'",
        "alpha 3.0: of the requirement 'beta>dev' only 'beta' can be read and counts",
    ]
    assert json.loads(envlock(*SOLVE, "--json").out)["remarks"] == told


def test_nothing_is_said_of_what_is_well(site: Site, envlock: Envlock):
    assert "note" not in envlock(*SOLVE).out


def given_up(site: Site, name: str, word: str, reason: str) -> None:
    """Have the index say something of a project (PEP 792)."""
    page = site.index / name / "index.html"
    told = f'<meta name="pypi:project-status" content="{word}">'
    told += f'<meta name="pypi:project-status-reason" content="{reason}">'
    page.write_text(page.read_text().replace("<body>", f"{told}<body>"))


def test_a_project_that_was_given_up_is_told_where_the_group_asks_for_it(site: Site, envlock: Envlock):
    given_up(site, "alpha", "archived", "use gamma")
    given_up(site, "beta", "deprecated", "")
    said = envlock(*SOLVE)
    assert [line.split(maxsplit=1)[1] for line in said.out.splitlines() if line.startswith("note")] == [
        "alpha is archived: use gamma, says its index"
    ]
    assert "project    deprecated (its index)" in envlock("why", "beta", "tiny", "--target", "here").out


def test_a_quarantined_project_is_refused_by_name(site: Site, envlock: Envlock):
    given_up(site, "beta", "quarantined", "malware")
    said = envlock(*SOLVE)
    assert said.status == 1, said.golden
    assert "beta is quarantined: malware, says its index, which withholds its files" in said.err


def test_a_target_without_a_c_library_builds_and_says_so(site: Site, envlock: Envlock):
    site.offer_source("gamma", "pass")
    python = f'[[targets.far.interpreter]]\nversion = "{site.real.version}"\n'
    manifest = site.project / "envlock.toml"
    manifest.write_text(f'[groups.tiny]\nrequires = ["gamma"]\n[targets.far]\n{python}')
    told = "the target 'far' has no glibc"
    assert told in envlock("solve", "tiny", "--lock-only", "--target", "far").out
    manifest.write_text(f'{manifest.read_text()}[targets.far.components]\nglibc = "2.28"\n')
    assert told not in envlock("solve", "tiny", "--lock-only", "--target", "far").out
