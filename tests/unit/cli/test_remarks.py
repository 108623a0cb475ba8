"""What a solve says of an answer that nothing refuses."""

from __future__ import annotations

import json
from collections.abc import Callable

from tests.unit.cli.conftest import Said, Site

Envlock = Callable[..., Said]
NOBODY, NO_MARKER = "nobody gets", "its marker holds for no Python of this group on any target"
SOLVE = ("solve", "tiny", "--target", "here", "--lock-only")


def test_what_was_withdrawn_misnamed_or_not_read_is_told(site: Site, envlock: Envlock):
    site.offer("alpha", "3.0", ["beta>dev", "gamma; extra == 'slow'"])
    page = site.index / "alpha" / "index.html"
    link = '<a href="alpha-3.0'
    page.write_text(page.read_text().replace(link, link.replace("<a", '<a data-yanked="wrong\n results "')))
    wishes = '"alpha[slow,fast]==3.0", "beta[none]; python_version < \'3\'"'
    site.offer("gamma", "1.0")
    site.manifest(f"[groups.tiny]\nrequires = [{wishes}]\n")
    said = envlock(*SOLVE)
    assert said.status == 0, said.golden
    told = [line.removeprefix("note").strip() for line in said.out.splitlines() if line.startswith("note")]
    assert told == [
        f"{NOBODY} \"beta[none]; python_version < '3'\": {NO_MARKER}",
        "alpha 3.0 was withdrawn by its publishers: wrong results",
        "alpha 3.0 has no extra 'fast'",
        "alpha 3.0: of the requirement 'beta>dev' only 'beta' can be read and counts",
    ]
    assert json.loads(envlock(*SOLVE, "--json").out)["remarks"] == told


def test_a_wish_that_fell_back_for_years_is_told(site: Site, envlock: Envlock):
    site.offer("gamma", "1.0")
    site.offer("gamma", "2.0", ["delta<1"])
    site.offer("delta", "1.0")
    for page in site.index.glob("*/index.html"):
        dated = page.read_text().replace('.whl"', '.whl" data-upload-time="2026-05-26T00:00:00Z"')
        first = 'gamma-1.0-py3-none-any.whl" data-upload-time="202'
        page.write_text(dated.replace(f"{first}6", f"{first}4"))
    site.manifest('[groups.tiny]\nrequires = ["delta==1.0", "gamma"]\nas-of = 2026-06-30\n')
    said = envlock(*SOLVE)
    assert said.status == 0, said.golden
    assert [line for line in said.out.splitlines() if line.startswith("note")] == [
        (
            "note         gamma 1.0 is more than a year older than 2.0, which the group admits as well: "
            "envlock why-not gamma==2.0 tiny --target here tells what keeps that out"
        )
    ]


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


def test_a_requirement_of_one_of_the_targets_is_not_left_out_unsaid(site: Site, envlock: Envlock):
    wishes = ["beta==1.0; python_version < '3.12'", "beta==1.0; sys_platform == 'win32'"]
    for pythons, python, told in (
        (("3.12.1",), "", wishes),
        (("3.12.1", "3.8.1"), "", wishes[1:]),
        (("3.12.1", "3.8.1"), 'python = "3.12"', wishes),
    ):
        site.manifest(f"[groups.tiny]\n{python}\nrequires = {['alpha', *wishes]}\n", pythons)
        manifest = site.project / "envlock.toml"
        manifest.write_text(manifest.read_text().partition("[targets.real]")[0])
        remarks = json.loads(envlock(*SOLVE, "--json").out)["remarks"]
        assert [one.split(": its marker")[0] for one in remarks] == [f'nobody gets "{one}"' for one in told]


def test_a_name_to_upgrade_that_no_lock_has_is_told_of_several_groups(site: Site, envlock: Envlock):
    site.manifest('[groups.tiny]\nrequires = ["alpha==2.0"]\n[groups.other]\nrequires = ["gamma==1.0"]\n')
    site.offer("gamma", "1.0")
    args = ("solve", "--all-groups", "--target", "here", "--lock-only")
    said = envlock(*args, "-P", "alhpa", "-P", "gamma")
    assert said.status == 0
    notes = [line for line in said.out.splitlines() if line.startswith("note")]
    assert len(notes) == 1, said.out
    assert "alhpa is not in the lock, to be upgraded; did you mean alpha?" in notes[0]


def test_what_several_groups_should_know_is_told_once_with_their_names(site: Site, envlock: Envlock):
    given_up(site, "alpha", "archived", "use gamma")
    site.manifest('[groups.tiny]\nrequires = ["alpha==2.0"]\n[groups.other]\nrequires = ["alpha"]\n')
    said = envlock("solve", "--all-groups", "--target", "here", "--lock-only")
    notes = [line.split(maxsplit=1)[1] for line in said.out.splitlines() if line.startswith("note")]
    assert notes == ["tiny@here, other@here: alpha is archived: use gamma, says its index"]


def test_what_a_fact_warns_of_is_told(site: Site, envlock: Envlock):
    ours = site.project / "ours"
    (ours / "facts").mkdir(parents=True)
    (ours / "facts" / "ours.toml").write_text(
        '[[fact]]\nid = "alpha-beta"\nreason = "alpha may hang"\nevidence = "documented"\nseverity = "warn"\n'
        'when = { alpha = "*" }\nthen = { beta = ">=9" }\n'
        'sources = [{ title = "ours", checked = 2026-11-27 }]\n'
    )
    told = "alpha 2.0 needs beta >=9, not beta 1.1: alpha may hang (fact alpha-beta)"
    for _ in ("locked", "unchanged"):
        assert json.loads(envlock(*SOLVE, "--knowledge", str(ours), "--json").out)["remarks"] == [told]


def test_a_day_that_has_yet_to_come_is_told(site: Site, envlock: Envlock):
    site.manifest("[groups.tiny]\nrequires = []\nas-of = 2999-01-01\n")
    said = envlock(*SOLVE)
    assert (said.status, "as-of = 2999-01-01 has yet to come" in said.out) == (0, True)


def test_a_module_of_two_owners_is_told(site: Site, envlock: Envlock):
    """Which of the two stays is chance, and each verifies with it: who imports it should know."""
    site.offer("gamma", "1.0", files={"shared.py": "word = 'of gamma'", "LICENSE": "gamma's"})
    site.offer("delta", "1.0", files={"shared.py": "word = 'of delta'", "LICENSE": "delta's"})
    site.manifest('[groups.tiny]\nrequires = ["gamma", "delta"]\n')
    said = envlock("solve", "tiny", "--target", "here", "--lock-only", "--json")
    assert said.status == 0, said.golden
    assert json.loads(said.out)["remarks"] == [
        "delta 1.0 and gamma 1.0 both own shared.py, with different content (fact native-collision)"
    ]
