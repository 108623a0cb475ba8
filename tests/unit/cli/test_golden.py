"""What people read: the whole text of commands, as golden files."""

from __future__ import annotations

import datetime as dt
import json
import re
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from tests.unit.cli.conftest import TINY, Said, Site

Envlock = Callable[..., Said]
Golden = Callable[[str, Said], None]

OVERLAY = """\
[[fact]]
id = "alpha-2-beta"
when = { alpha = ">=2" }
then = { beta = "<1.1" }
evidence = "reported"
reason = "alpha 2 reads a table that beta 1.1 no longer has"
sources = [{ title = "https://example.org/alpha/issues/1", checked = 2026-01-31 }]
refuses = [{ alpha = "2.0", beta = "1.1" }]
accepts = [{ alpha = "2.0", beta = "1.0" }]
"""


@pytest.fixture
def overlay(site: Site) -> Path:
    """A site's own knowledge: a fact about the toys of the small index."""
    facts = site.root / "knowledge/facts"
    facts.mkdir(parents=True)
    (facts / "alpha.toml").write_text(OVERLAY)
    return facts.parent


@pytest.fixture
def listed(site: Site) -> None:
    """Releases of real distributions that the site's index lists as well."""
    site.offer("gensim", "4.3.2", ["scipy>=1.7"])
    site.offer("scipy", "1.12.0")


def words(said: Said) -> Said:
    """The words of a help text without its layout, which is typer's and changes with its versions."""
    lines = (re.sub(r"<[\w\[\]]+>|\[required\]", "", line).split() for line in said.out.splitlines())
    return Said(said.status, "\n".join(" ".join(line) for line in lines if line), said.err)


@pytest.mark.parametrize("command", ["", "solve", "check", "run", "activate"])
def test_help(command: str, envlock: Envlock, golden: Golden):
    golden(f"help-{command or 'all'}", words(envlock(*filter(None, [command]), "--help")))


def test_version(envlock: Envlock):
    said = envlock("--version")
    assert (said.status, said.out, said.err) == (0, "envlock <version>\n", "")


@pytest.mark.parametrize(
    ("name", "pins"),
    [
        ("incompatible", ["horovod==0.19.0", "openmpi==3.1.3"]),
        ("compatible", ["gensim==4.3.2", "scipy==1.12.0"]),
        ("unknown", ["horovod==99.0"]),
        ("unlisted", ["gensim==99.0", "scipy==1.12.0", "nobody-made-this==1.0", "tensorlow==2.0"]),
        ("bad-pin", ["horovod=0.19.0"]),
        ("bad-version", ["horovod==new"]),
        ("pinned-twice", ["horovod==0.19.0", "horovod==0.20.0"]),
    ],
)
@pytest.mark.usefixtures("listed")
def test_check(name: str, pins: list[str], envlock: Envlock, golden: Golden):
    golden(f"check-{name}", envlock("check", *pins))


def test_check_of_functions(site: Site, envlock: Envlock, golden: Golden):
    """What fails where it is called is a warning; where all who use it come to that, a refusal."""
    site.offer("maths", "2.0", source="def total(values, *, weights=None):\n    return sum(values)\n")
    call = "    return maths.total(values, weight=None)\n"
    others = "".join(f"\n\ndef other_{one}(): ...\n" for one in "abc")
    site.offer("caller", "1.0", source=f"import maths\n\n\ndef mean(values):\n{call}{others}")
    site.offer("maker", "1.0", source="from maths import total\n\nNOTHING = total((), weight=None)\n")
    site.offer("whole", "1.0", source=f"import maths\n\n\ndef mean(values):\n{call}")
    said = envlock("check", "caller==1.0", "maker==1.0", "maths==2.0", "whole==1.0")
    golden("check-functions", replace(said, out=re.sub(r"read \d{4}-\d\d-\d\d", "read <day>", said.out)))


@pytest.mark.parametrize(
    ("pins", "verdict", "status"),
    [
        (["horovod==0.19.0", "openmpi==3.1.3"], "incompatible", 1),
        (["gensim==4.3.2", "scipy==1.12.0"], "compatible", 0),
        (["horovod==99.0"], "unknown", 0),
        (["gensim==99.0"], "unknown", 0),
    ],
)
@pytest.mark.usefixtures("listed")
def test_check_for_programs(pins: list[str], verdict: str, status: int, envlock: Envlock):
    said = envlock("check", "--json", *pins)
    document = json.loads(said.out)
    assert said.status == status
    assert (document["schema"], document["verdict"]) == ("envlock/check/1", verdict)
    for finding in document["findings"]:
        assert {"fact", "severity", "components", "message", "sources", "fixes"} <= finding.keys()


def test_solve_lock_only(site: Site, envlock: Envlock, golden: Golden):
    golden("solve-lock-only", envlock("solve", "tiny", "--target", "here", "--lock-only"))
    assert site.lock.is_file()
    golden("solve-unchanged", envlock("solve", "tiny", "--target", "here", "--lock-only", "--all"))


def test_solve_for_programs(envlock: Envlock, golden: Golden):
    said = envlock("solve", "tiny", "--target", "here", "--lock-only", "--json")
    assert json.loads(said.out)["schema"] == "envlock/solve/1"
    golden("solve-json", said)


def test_a_fact_of_the_site_shapes_the_lock(overlay: Path, envlock: Envlock, golden: Golden):
    said = envlock("solve", "tiny", "--target", "here", "--lock-only", "--all", "--knowledge", str(overlay))
    golden("solve-with-fact", said)


def test_refused_by_a_fact(site: Site, overlay: Path, envlock: Envlock, golden: Golden):
    site.manifest('[groups.tiny]\nrequires = ["alpha==2.0", "beta==1.1"]\n')
    arguments = ["solve", "tiny", "--target", "here", "--knowledge", str(overlay)]
    before = site.listing()
    golden("refused-by-a-fact", envlock(*arguments))
    said = envlock(*arguments, "--json")
    document = json.loads(said.out)
    assert said.status == 1
    assert (document["schema"], document["solved"]) == ("envlock/solve/1", False)
    assert [(fact["fact"], len(fact["needs"])) for fact in document["facts"]] == [("alpha-2-beta", 1)]
    assert f"needs {document['facts'][0]['needs'][0]}" in envlock(*arguments).err
    assert site.listing() == before


def test_refused_by_metadata(site: Site, envlock: Envlock, golden: Golden):
    site.manifest('[groups.tiny]\nrequires = ["alpha==2.0", "beta<1"]\n')
    golden("refused-by-metadata", envlock("solve", "tiny", "--target", "here"))


def test_refused_because_nobody_offers_it(site: Site, envlock: Envlock, golden: Golden):
    site.manifest('[groups.tiny]\nrequires = ["alpha==2.0", "no-such-thing"]\n')
    shutil.rmtree(site.index / "beta")
    golden("refused-nobody-offers", envlock("solve", "tiny", "--target", "here"))


def test_frozen(site: Site, envlock: Envlock, golden: Golden):
    site.manifest(TINY)
    assert envlock("solve", "tiny", "--target", "here", "--lock-only").status == 0
    until = dt.datetime.now(dt.UTC).date() + dt.timedelta(days=400)
    site.manifest(f'{TINY}[groups.tiny.frozen]\nuntil = {until}\nreason = "the thesis is handed in"\n')
    before = site.listing()
    said = envlock("solve", "tiny", "--target", "here", "--upgrade")
    assert said.status == 1
    golden("frozen", Said(said.status, said.out, said.err.replace(str(until), "<until>")))
    assert site.listing() == before
    site.lock.unlink()
    said = envlock("solve", "tiny", "--target", "here")
    golden("frozen-unlocked", Said(said.status, said.out, said.err.replace(str(until), "<until>")))
