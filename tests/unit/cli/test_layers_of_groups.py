"""Who may change what: a group keeps what the group that it extends has and others own."""

from __future__ import annotations

import json
import re
from collections.abc import Callable

import pytest

from envlock.edges.lock_files import read_lock
from tests.unit.cli.conftest import Said, Site

Envlock = Callable[..., Said]
Golden = Callable[[str, Said], None]

LAYERS = """\
[layers.core]
owner = "the HPC team"
contact = "hpc@example.org"
components = ["alpha"]

"""
FRAMEWORK = """\
[layers.framework]
owner = "the ML team"
contact = "ml@example.org"
components = ["beta"]

"""
BASE = """\
[groups.base]
requires = ["alpha==1.0", "beta==1.0"]
system = ["openmpi==4.1.4"]

"""
OFFERS = """
[[targets.here.offer]]
component = "openmpi"
version = "4.1.4"
prefix = "/opt/openmpi/4.1.4"

[[targets.here.offer]]
component = "openmpi"
version = "5.0.7"
prefix = "/opt/openmpi/5.0.7"

[[targets.here.offer]]
component = "mpich"
version = "4.2.0"
prefix = "/opt/mpich"
"""


@pytest.fixture
def written(site: Site) -> Callable[[str], None]:
    """Write the manifest: the layers, the base, and what else there is."""

    def write(groups: str, base: str = BASE, layers: str = LAYERS) -> None:
        site.manifest(layers + base + groups)
        path = site.project / "envlock.toml"
        path.write_text(path.read_text() + OFFERS)

    return write


@pytest.fixture
def solve(envlock: Envlock) -> Callable[[str], Said]:
    return lambda group: envlock("solve", group, "--target", "here", "--lock-only")


def versions(site: Site, group: str) -> dict[str, str]:
    lock = read_lock(site.project / f"locks/here/pylock.{group}.toml").lock
    found = {pin.component: pin.version for pin in lock.systems}
    return found | {pin.component: pin.version for pin in lock.distributions}


def test_add_ons_are_a_groups_own(site: Site, written, solve):
    written('[groups.mine]\nextends = "base"\nrequires = ["beta==1.1"]\n')
    assert solve("base").status == 0
    assert solve("mine").status == 0
    assert versions(site, "mine") == versions(site, "base") | {"beta": "1.1"}


@pytest.mark.parametrize(
    ("name", "group"),
    [
        ("by-site", 'requires = ["alpha==2.0"]\n'),
        ("core-system", 'system = ["openmpi==5.0.7"]\n'),
        ("python", 'python = "3.1"\n'),
    ],
)
def test_what_others_own_is_refused_and_they_are_named(
    name: str, group: str, site: Site, written, solve, golden: Golden
):
    written(f'[groups.mine]\nextends = "base"\n{group}')
    assert solve("base").status == 0
    before = site.listing()
    said = solve("mine")
    assert said.status == 1
    assert "ask the HPC team (hpc@example.org)" in said.err
    golden(f"layers-{name}", said)
    assert site.listing() == before


def test_an_mpi_of_another_family_is_a_move_too(site: Site, written, solve):
    written(
        '[groups.mine]\nextends = "base"\nsystem = ["mpich"]\n', BASE.replace('"openmpi==4.1.4"', '"mpi"')
    )
    assert solve("base").status == 0
    assert "openmpi" in versions(site, "base")
    said = solve("mine")
    assert said.status == 1
    assert "ask the HPC team" in said.err


def test_a_group_that_acts_for_the_owners_moves_it(site: Site, written, solve):
    written('[groups.mine]\nextends = "base"\nlayer = "core"\nsystem = ["openmpi==5.0.7"]\n')
    assert solve("base").status == 0
    assert solve("mine").status == 0
    assert versions(site, "mine")["openmpi"] == "5.0.7"


def test_without_a_lock_of_the_base_there_is_nothing_to_keep(site: Site, written, solve):
    written('[groups.mine]\nextends = "base"\nsystem = ["openmpi==5.0.7"]\n')
    assert solve("mine").status == 0


def test_the_nearest_locked_group_counts(site: Site, written, solve):
    written(
        '[groups.middle]\nextends = "base"\n[groups.mine]\nextends = "middle"\nsystem = ["openmpi==5.0.7"]\n'
    )
    assert solve("base").status == 0
    assert solve("mine").status == 1


def test_an_upgrade_does_not_move_it(site: Site, written, solve, envlock: Envlock):
    loose = BASE.replace("==4.1.4", "").replace("alpha==1.0", "alpha")
    written('[groups.mine]\nextends = "base"\n', BASE)
    assert solve("base").status == 0
    written('[groups.mine]\nextends = "base"\n', loose)
    assert envlock("solve", "mine", "--target", "here", "--lock-only", "--upgrade").status == 0
    found = versions(site, "mine")
    assert (found["openmpi"], found["alpha"]) == ("4.1.4", "1.0")


def test_when_the_base_moves_the_group_is_stale_and_follows(site: Site, written, solve, envlock: Envlock):
    loose = BASE.replace("==4.1.4", "")
    written('[groups.mine]\nextends = "base"\n', BASE)
    assert solve("base").status == solve("mine").status == 0
    written('[groups.mine]\nextends = "base"\n', loose.replace('"openmpi"', '"openmpi==5.0.7"'))
    assert solve("base").status == 0
    said = envlock("status", "--target", "here", "--json")
    mine = next(one for one in json.loads(said.out)["groups"] if one["group"] == "mine")
    moved = [one for one in mine["stale"] if one["code"] == "layer-moved"]
    assert [(one["component"], one["locked"], one["has"]) for one in moved] == [("openmpi", "4.1.4", "5.0.7")]
    assert solve("mine").status == 0
    assert versions(site, "mine")["openmpi"] == "5.0.7"


def test_another_bugfix_release_of_python_stands_in_for_one_that_is_gone(site: Site, solve, envlock: Envlock):
    groups = LAYERS + BASE.replace('system = ["openmpi==4.1.4"]\n', "") + '[groups.mine]\nextends = "base"\n'
    site.manifest(groups, pythons=("3.11.7",))
    assert solve("base").status == 0
    site.manifest(groups, pythons=("3.11.2", "3.12.1"))
    assert solve("mine").status == 0
    assert read_lock(site.project / "locks/here/pylock.mine.toml").lock.python == "3.11.2"
    groups = json.loads(envlock("status", "--target", "here", "--json").out)["groups"]
    codes = {one["group"]: {reason["code"] for reason in one["stale"]} for one in groups}
    assert "interpreter-gone" in codes["base"]
    assert "layer-moved" not in codes["mine"]


def test_where_python_is_gone_a_group_does_not_move_to_another_on_its_own(site: Site, solve):
    groups = LAYERS + BASE.replace('system = ["openmpi==4.1.4"]\n', "") + '[groups.mine]\nextends = "base"\n'
    site.manifest(groups, pythons=("3.11.7",))
    assert solve("base").status == 0
    site.manifest(groups, pythons=("3.12.1",))
    said = solve("mine")
    assert (said.status, "has no Python 3.11, which 'base' has" in said.err) == (1, True), said.golden
    assert "envlock solve base --target here" in said.err


@pytest.mark.parametrize(
    ("now", "told"),
    [
        ({"alpha==1.0": "alpha==2.0"}, ("alpha 1.0", "'base' asks for alpha==2.0")),
        (
            {"[groups.base]": '[groups.base]\npython = "3.11"'},
            ("python 3.12.1", "'base' asks for python ==3.11.*"),
        ),
    ],
    ids=["a wish", "its Python"],
)
def test_who_changed_the_base_and_did_not_solve_it_is_sent_there(
    now: dict[str, str],
    told: tuple[str, str],
    written,
    solve,
):
    written('[groups.mine]\nextends = "base"\n')
    assert solve("base").status == 0
    base = BASE
    for old, new in now.items():
        base = base.replace(old, new)
    written('[groups.mine]\nextends = "base"\n', base)
    said = solve("mine")
    assert (said.status, "code   base-outdated" in said.err) == (1, True), said.golden
    assert all(one in " ".join(said.err.split()) for one in told), said.golden
    assert "envlock solve base --target here" in said.err


def test_with_the_changed_base_the_group_follows(written, solve, envlock: Envlock):
    written('[groups.mine]\nextends = "base"\n')
    assert solve("base").status == 0
    written(
        '[groups.mine]\nextends = "base"\n',
        BASE.replace("alpha==1.0", "alpha==2.0").replace('"beta==1.0"', '"beta"'),
    )
    whole = envlock("solve", "base", "mine", "--target", "here", "--lock-only")
    assert whole.status == 0, whole.golden


def test_impact_names_the_owner(site: Site, written, solve, envlock: Envlock):
    written("", BASE.replace('system = ["openmpi==4.1.4"]', 'python = "3.12"'))
    assert solve("base").status == 0
    python = read_lock(site.project / "locks/here/pylock.base.toml").lock.python
    said = envlock("impact", "--target", "here", "--remove", f"python=={python}")
    assert re.search(r"ask\s+the HPC team \(hpc@example.org\), who own python", said.out)


@pytest.mark.parametrize(
    ("layers", "told"),
    [
        ("[layers.cor]\nowner = 'x'\n", "unknown key 'cor'"),
        ("[layers.core]\ncontact = 'x'\n", "owner"),
        (LAYERS + "[layers.framework]\nowner = 'y'\ncomponents = ['alpha']\n", "belongs to the layer core"),
    ],
)
def test_layers_written_wrongly(layers: str, told: str, written, solve):
    written("", layers=layers)
    said = solve("base")
    assert (said.status, told in said.err) == (2, True), said.err


def test_why_and_why_not_know_what_others_own(site: Site, written, solve, envlock: Envlock, golden: Golden):
    written('[groups.mine]\nextends = "base"\nrequires = ["beta==1.1"]\n')
    assert solve("base").status == 0
    assert solve("mine").status == 0
    golden("why-held", envlock("why", "openmpi", "mine", "--target", "here"))
    said = envlock("why-not", "openmpi==5.0.7", "mine", "--target", "here")
    assert said.status == 1
    golden("why-not-held", said)


def test_a_wish_that_somebody_else_wrote_names_them(written, site: Site, envlock: Envlock) -> None:
    """beta 1.1 of the index is asked for by alpha 2.0; the base asks for beta 1.0 and is not locked."""
    site.offer("gamma", "1.0", ["beta>=1.1"])
    written('[groups.mine]\nextends = "base"\nrequires = ["gamma"]\n', layers=FRAMEWORK)
    said = envlock("solve", "mine", "--target", "here", "--lock-only")
    assert said.status == 1, said.golden
    told = "the group 'base', which you extend, asks for beta ==1.0 "
    told += "(framework: ask the ML team (ml@example.org))"
    assert told in " ".join(said.err.split()), said.golden
    document = json.loads(envlock("solve", "mine", "--target", "here", "--lock-only", "--json").out)
    asked = {one["component"]: one.get("group") for one in document["reasons"] if one["asked_by"] == "you"}
    assert asked == {"beta": "base", "gamma": None}


def test_nobody_is_asked_about_an_inherited_wish_that_every_group_may_replace(
    written, site: Site, envlock: Envlock
) -> None:
    """Frameworks belong to their owners only where the site names some."""
    site.offer("torch", "1.0")
    site.offer("gamma", "1.0", ["torch>=1.1"])
    base = '[groups.base]\nrequires = ["torch==1.0"]\n'
    written('[groups.mine]\nextends = "base"\nrequires = ["gamma"]\n', base=base, layers="")
    said = envlock("solve", "mine", "--target", "here", "--lock-only")
    assert said.status == 1, said.golden
    assert "the group 'base', which you extend, asks for torch ==1.0\n" in said.err, said.golden


def test_what_is_not_the_groups_to_move_is_refused_among_many(
    written: Callable[[str], None], envlock: Envlock, site: Site
) -> None:
    written('[groups.apart]\nextends = "base"\npython = "3.1"\n')
    assert envlock("solve", "base", "--target", "here", "--lock-only").status == 0
    said = envlock("solve", "--all-groups", "--target", "here", "--lock-only")
    assert said.status == 1
    assert "1 refused" in said.out
    assert "failed" not in said.out
