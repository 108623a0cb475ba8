"""What an administrator reads before changing the site."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from envlock.app.project import Options, open_project
from envlock.lifecycle.impact import SiteAddition, supposed
from tests.unit.cli.conftest import Said, Site

Envlock = Callable[..., Said]
Golden = Callable[[str, Said], None]

GROUPS = """\
[groups.base]
requires = ["alpha==2.0"]
system = ["openmpi", "driver>=500"]

[groups.mine]
extends = "base"
requires = ["beta==1.0"]

[groups.thesis]
extends = "base"
[groups.thesis.frozen]
until = 2999-12-31
reason = "the thesis is handed in"

[groups.plain]
requires = ["beta"]

[groups.later]
requires = ["beta"]
"""
OFFERS = """
[[targets.here.offer]]
component = "openmpi"
version = "4.1.4"
prefix = "/opt/openmpi/4.1.4"

[[targets.here.offer]]
component = "driver"
version = "525.60"
"""
FACT = """\
[[fact]]
id = "alpha-2-beta"
when = { alpha = ">=2" }
then = { beta = "<1.2" }
evidence = "reported"
reason = "alpha 2 reads a table that beta 1.2 no longer has"
sources = [{ title = "https://example.org/alpha/issues/1", checked = 2026-01-31 }]
refuses = [{ alpha = "2.0", beta = "1.2" }]
accepts = [{ alpha = "2.0", beta = "1.1" }]
"""


@pytest.fixture
def locked(site: Site, envlock: Envlock) -> Site:
    """Four groups of five have locks on the target ``here``, which offers one Open MPI and a driver."""
    site.manifest(GROUPS.replace("2999", "2020"))
    path = site.project / "envlock.toml"
    path.write_text(path.read_text() + OFFERS)
    for group in ("base", "mine", "thesis", "plain"):
        said = envlock("solve", group, "--target", "here", "--lock-only")
        assert said.status == 0, said.golden
    path.write_text(path.read_text().replace("2020", "2999"))
    return site


@pytest.fixture
def overlay(site: Site) -> Path:
    facts = site.root / "knowledge/facts"
    facts.mkdir(parents=True)
    (facts / "alpha.toml").write_text(FACT)
    return facts.parent


def outcomes(said: Said) -> Mapping[str, str]:
    return {one["group"]: one["outcome"] for one in json.loads(said.out)["groups"]}


def test_remove(locked: Site, envlock: Envlock, golden: Golden):
    before = locked.listing()
    said = envlock("impact", "--target", "here", "--remove", "openmpi==4.1.4")
    assert said.status == 1
    golden("impact-remove", said)
    assert locked.listing() == before


def test_a_lock_that_cannot_be_read_hides_nothing_of_the_others(
    locked: Site, envlock: Envlock, golden: Golden
):
    lock = locked.project / "locks/here/pylock.mine.toml"
    lock.write_bytes(lock.read_bytes()[:-40])
    said = envlock("impact", "--target", "here", "--driver", "580.65")
    assert said.status == 1  # nobody knows what would become of it
    golden("impact-unreadable", said)
    document = json.loads(envlock("impact", "--target", "here", "--driver", "580.65", "--json").out)
    assert [one["group"] for one in document["groups"]] == ["base", "thesis", "plain"]
    assert [(one["group"], one["code"]) for one in document["unread"]] == [("mine", "unreadable")]
    assert document["breaks"] is False


def test_replace_and_solve_again(locked: Site, envlock: Envlock, golden: Golden):
    before = locked.listing()
    changes = ["--remove", "openmpi==4.1.4", "--add", "openmpi==5.0.7"]
    said = envlock("impact", "--target", "here", *changes, "--resolve")
    golden("impact-replace", said)
    document = json.loads(envlock("impact", "--target", "here", *changes, "--resolve", "--json").out)
    again = {one["group"]: one["solved_again"] for one in document["groups"]}
    assert again == {
        "base": {"solved": True, "moves": ["openmpi 5.0.7"]},
        "mine": {"solved": True, "moves": ["openmpi 5.0.7"]},
        "thesis": None,
        "plain": None,
    }
    assert locked.listing() == before


def test_what_the_extended_group_keeps_stays_for_those_that_extend_it(locked: Site, envlock: Envlock):
    """The base is frozen with the old MPI, so ``mine`` may not take the new one, and is told whom to ask."""
    path = locked.project / "envlock.toml"
    frozen = '[groups.base.frozen]\nuntil = 2999-12-31\nreason = "the course runs"\n\n[groups.mine]'
    owner = '[layers.core]\nowner = "the HPC team"\ncontact = "hpc@example.org"\n\n'
    path.write_text(owner + path.read_text().replace("[groups.mine]", frozen))
    changes = ["--remove", "openmpi==4.1.4", "--add", "openmpi==5.0.7", "--resolve", "--json"]
    said = envlock("impact", "--target", "here", *changes)
    again = {one["group"]: one["solved_again"] for one in json.loads(said.out)["groups"]}
    assert again["base"] is None
    assert again["mine"]["solved"] is False
    why = "openmpi 4.1.4 of the group 'base' belongs to the core layer: ask the HPC team (hpc@example.org)"
    assert why in again["mine"]["why"]


def test_an_addition_breaks_nothing_and_may_be_taken(locked: Site, envlock: Envlock):
    said = envlock("impact", "--target", "here", "--add", "openmpi==5.0.7", "--resolve", "--json")
    assert said.status == 0
    assert set(outcomes(said).values()) == {"holds"}
    again = {one["group"]: one["solved_again"] for one in json.loads(said.out)["groups"]}
    assert again["base"]["moves"] == ["openmpi 5.0.7"]


def test_what_is_no_version_of_a_driver(locked: Site, envlock: Envlock):
    said = envlock("impact", "--target", "here", "--driver", "abc")
    assert (said.status, "such as --driver 580.65.06" in " ".join(said.err.split())) == (2, True)


def test_a_target_without_locks_is_no_answer(locked: Site, envlock: Envlock):
    said = envlock("impact", "--target", "real", "--driver", "400.1", "--json")
    error = json.loads(said.out)["error"]
    assert (said.status, error["code"]) == (2, "no-lock-here")
    assert "locks are for: here" in error["why"]
    shutil.rmtree(locked.project / "locks")
    assert envlock("impact", "--target", "real", "--driver", "400.1").status == 0


def test_another_driver_asks_for_another_verification(locked: Site, envlock: Envlock, golden: Golden):
    said = envlock("impact", "--target", "here", "--driver", "580.65")
    assert said.status == 0
    golden("impact-driver", said)
    said = envlock("impact", "--target", "here", "--driver", "580.65", "--json")
    again = "verify-again"
    assert outcomes(said) == {"base": again, "mine": again, "thesis": again, "plain": "holds"}


def test_an_upgrade_against_a_wish_and_against_a_fact(
    locked: Site, overlay: Path, envlock: Envlock, golden: Golden
):
    locked.offer("beta", "1.2")
    arguments = ["impact", "--target", "here", "--upgrade", "beta==1.2", "--knowledge", str(overlay)]
    said = envlock(*arguments)
    assert said.status == 1
    golden("impact-upgrade", said)
    document = json.loads(envlock(*arguments, "--resolve", "--json").out)
    groups = {one["group"]: one for one in document["groups"]}
    assert [one["code"] for one in groups["base"]["breaks"]] == ["fact-refuses"]
    assert {one["code"] for one in groups["mine"]["breaks"]} == {"fact-refuses", "wish-excludes"}
    assert groups["plain"]["outcome"] == "holds"
    assert groups["base"]["solved_again"] == {"solved": False, "why": "refused by alpha-2-beta"}


def test_a_fact_is_told_once_whatever_each_group_has_locked(locked: Site, overlay: Path, envlock: Envlock):
    locked.offer("alpha", "2.1")
    locked.offer("beta", "1.2")
    path = locked.project / "envlock.toml"
    path.write_text(f'{path.read_text()}[groups.newer]\nrequires = ["alpha==2.1", "beta==1.0"]\n')
    assert envlock("solve", "newer", "--target", "here", "--lock-only").status == 0
    said = envlock("impact", "--target", "here", "--upgrade", "beta==1.2", "--knowledge", str(overlay))
    assert said.out.count("fact-refuses") == 1
    assert "groups  base, mine, thesis, newer (alpha 2.1)" in said.out
    assert "ask     group newer, who asks for alpha==2.1 and beta==1.0" in said.out


def test_an_upgrade_that_only_the_metadata_refuses(locked: Site, envlock: Envlock):
    """Of groups that do not ask for it themselves a lock was said to hold, whatever the others require."""
    locked.offer("beta", "0.9")
    said = envlock("impact", "--target", "here", "--upgrade", "beta==0.9", "--resolve", "--json")
    groups = {one["group"]: one for one in json.loads(said.out)["groups"]}
    assert {one["code"] for one in groups["mine"]["breaks"]} == {"wish-excludes", "requirement-unmet"}
    assert groups["mine"]["solved_again"]["solved"] is False
    (reason,) = groups["base"]["breaks"]
    assert (reason["code"], reason["text"]) == ("requirement-unmet", "alpha 2.0 requires beta >=1, not 0.9")
    assert {one["wish"] for one in reason["ask"]} == {"alpha==2.0"}
    assert groups["plain"]["outcome"] == "holds"


def test_an_upgrade_to_what_requires_something_else(locked: Site, envlock: Envlock):
    locked.offer("alpha", "3.0", requires=["beta>=7"])
    said = envlock("impact", "--target", "here", "--upgrade", "alpha==3.0", "--json")
    groups = {one["group"]: one for one in json.loads(said.out)["groups"]}
    texts = [reason["text"] for reason in groups["base"]["breaks"] if reason["code"] == "requirement-unmet"]
    assert len(texts) == 1
    assert texts[0].startswith("alpha 3.0 requires beta >=7, not 1.")


def test_an_override_counts_in_place_of_metadata(locked: Site, envlock: Envlock):
    path = locked.project / "envlock.toml"
    override = 'overrides = [{ requirement = "beta>=0.5", reason = "it was tried" }]\n'
    plain = '[groups.plain]\nrequires = ["alpha==2.0"]\n'
    path.write_text(path.read_text().replace('[groups.plain]\nrequires = ["beta"]\n', plain + override))
    assert envlock("solve", "plain", "--target", "here", "--lock-only").status == 0
    locked.offer("beta", "0.9")
    said = envlock("impact", "--target", "here", "--upgrade", "beta==0.9", "--json")
    assert outcomes(said)["plain"] == "holds"


def test_another_target(locked: Site, envlock: Envlock):
    said = envlock("impact", "--target", "here", "--to", "real", "--json")
    assert said.status == 1
    codes = {
        one["group"]: [reason["code"] for reason in one["breaks"]] for one in json.loads(said.out)["groups"]
    }
    assert codes["plain"] == ["interpreter-gone"]
    assert codes["base"] == ["interpreter-gone", "offer-gone"]


def test_what_breaks_already_is_not_put_down_to_the_change(locked: Site, envlock: Envlock):
    path = locked.project / "envlock.toml"
    path.write_text(path.read_text().replace('version = "4.1.4"', 'version = "4.1.6"'))
    said = envlock("impact", "--target", "here", "--driver", "525.85", "--json")
    assert said.status == 0
    assert "breaks" not in outcomes(said).values()


def test_a_site_removes_no_distribution(locked: Site, envlock: Envlock):
    said = envlock("impact", "--target", "here", "--remove", "alpha==2.0", "--json")
    assert (said.status, json.loads(said.out)["error"]["code"]) == (2, "not-offered")
    assert "--upgrade alpha==..." in json.loads(said.out)["error"]["hint"]


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        ([], "nothing-to-change"),
        (["--to", "here"], "nothing-to-change"),
        (["--remove", "openmpi==9.9"], "not-offered"),
        (["--remove", "openmpi"], "invalid-pin"),
        (["--remove", "open mpi"], "invalid-pin"),
        (["--driver", "latest"], "invalid-version"),
        (["--driver", "5 5"], "invalid-version"),
        (["--add", "mpi-threads==many"], "unknown-word"),
        (["--add", "alpha==1.0"], "no-system-component"),
        (["--add", "python==3.13.1"], "no-system-component"),
        (["--upgrade", "openmpi==5.0.7"], "no-distribution"),
        (["--upgrade", "alhpa==3.0"], "not-in-locks"),
        (["--upgrade", "beta==99.0"], "not-listed"),
        (["--to", "nowhere"], "unknown-target"),
    ],
)
def test_wrong_requests(arguments: list[str], code: str, locked: Site, envlock: Envlock):
    said = envlock("impact", "--target", "here", *arguments, "--json")
    assert said.status == 2
    error = json.loads(said.out)["error"]
    assert error["code"] == code
    assert error["hint"]


def test_what_is_added_is_named_as_a_check_names_it(locked: Site, envlock: Envlock):
    said = envlock("impact", "--target", "here", "--add", "launcher==srun", "--add", "gpu==H100", "--json")
    added = [(one["component"], one["version"]) for one in json.loads(said.out)["changes"]]
    assert added == [("launcher", "srun"), ("gpu_cc", "9.0")]


def test_a_series_of_a_component_or_of_python(locked: Site, envlock: Envlock):
    said = envlock("impact", "--target", "here", "--remove", "openmpi==4.1", "--json")
    assert {one["group"]: one["outcome"] for one in json.loads(said.out)["groups"]} == {
        "base": "breaks",
        "mine": "breaks",
        "thesis": "breaks",
        "plain": "holds",
    }
    assert envlock("impact", "--target", "here", "--remove", "openmpi==4.1.40").status == 2
    assert envlock("impact", "--target", "here", "--remove", "openmpi==4.1.4").status == 1


def test_who_asks_for_no_change_is_told_which_there_are(locked: Site, envlock: Envlock):
    hint = json.loads(envlock("impact", "--target", "here", "--json").out)["error"]["hint"]
    assert all(one in hint for one in ("--driver", "--remove", "--add", "--upgrade", "--to"))


def test_what_is_removed_is_found_as_pep_440_compares_it(locked: Site, envlock: Envlock):
    path = locked.project / "envlock.toml"
    for offered, removed, status in (
        ("4.1.4+cuda", "4.1.4", 1),
        ("4.1", "4.1.0", 1),
        ("4.1.4rc1", "4.1.4", 1),
        ("4.1.4", "4.1.4rc1", 2),
        ("4.1.4", "4.1.4+cuda", 2),
    ):
        path.write_text(path.read_text().replace('version = "4.1.4"', f'version = "{offered}"'))
        for group in ("base", "mine"):
            assert envlock("solve", group, "--target", "here", "--lock-only").status == 0
        said = envlock("impact", "--target", "here", "--remove", f"openmpi=={removed}")
        assert said.status == status, (offered, removed, said.out, said.err)
        path.write_text(path.read_text().replace(f'version = "{offered}"', 'version = "4.1.4"'))


def test_wishes_of_other_pythons_exclude_nothing_and_constraints_do(site: Site, envlock: Envlock):
    site.manifest(
        """\
[groups.old]
requires = ["beta", "beta<1.2; python_version < '3.5'"]
constraints = ["beta<1.1; python_version < '3.5'"]
[groups.bound]
requires = ["beta"]
constraints = ["beta<1.2"]
"""
    )
    for group in ("old", "bound"):
        assert envlock("solve", group, "--target", "here", "--lock-only").status == 0
    site.offer("beta", "1.2")
    said = envlock("impact", "--target", "here", "--upgrade", "beta==1.2", "--json")
    assert said.status == 1
    groups = {one["group"]: one for one in json.loads(said.out)["groups"]}
    assert groups["old"]["outcome"] == "holds"
    (reason,) = groups["bound"]["breaks"]
    assert (reason["code"], reason["wish"]) == ("wish-excludes", "beta<1.2")
    assert {one["wish"] for one in reason["ask"]} == {"beta", "beta<1.2"}


def test_who_asked_for_a_wheel_is_asked_about_what_is_inside_it(
    locked: Site, overlay: Path, envlock: Envlock
):
    """The site has installed no CUDA: the administrators can do nothing about that of a wheel."""
    (overlay / "builds").mkdir()
    source = 'sources = [{ title = "https://example.org/alpha", checked = 2026-01-31 }]'
    build = f'[[build]]\ndistribution = "alpha"\nversions = ">=2"\nbundles = {{ cuda = "12.1" }}\n{source}\n'
    (overlay / "builds/alpha.toml").write_text(build)
    said = envlock(
        *["impact", "--target", "here", "--driver", "440.33", "--knowledge", str(overlay), "--json"],
    )
    groups = {one["group"]: one for one in json.loads(said.out)["groups"]}
    asked = {(one["component"], one["wish"]) for reason in groups["base"]["breaks"] for one in reason["ask"]}
    assert asked == {("alpha", "alpha==2.0"), ("driver", "driver>=500")}


def test_what_the_node_decides_may_have_several_values(locked: Site, envlock: Envlock):
    """A partition whose nodes get GPUs of two kinds: both count, and replace what was there."""
    path = locked.project / "envlock.toml"
    path.write_text(path.read_text() + '[[targets.here.offer]]\ncomponent = "gpu_cc"\nversion = "7.0"\n')
    changes = ["--add", "gpu_cc==8.0", "--add", "gpu_cc==9.0"]
    said = envlock("impact", "--target", "here", *changes, "--resolve", "--json")
    assert said.status == 0, said.golden
    project = open_project(Options(project=locked.project, target="here"))
    added = [SiteAddition(component="gpu_cc", version=version) for version in ("8.0", "9.0")]
    after = supposed(project.target(), added, project.knowledge)
    assert [one.version for one in after.offered("gpu_cc")] == ["8.0", "9.0"]
