"""What is said to end a refusal does: also where only files speak against it."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from envlock.solve.refusing import refusal as refusing
from tests.unit.cli.conftest import Said, Site

Envlock = Callable[..., Said]
SOLVE = ("solve", "tiny", "--target", "here", "--lock-only")


def test_what_collides_is_not_proposed(site: Site, envlock: Envlock):
    """Gamma 1.0 needs what is not there; 2.0 owns a library of delta's, and so leads to the next refusal."""
    site.offer("gamma", "1.0", ["beta>=9"])
    site.offer("gamma", "2.0", files={"lib/x.so": "gamma's"})
    site.offer("delta", "1.0", files={"lib/x.so": "delta's"})
    site.offer("delta", "1.1")
    site.manifest('[groups.tiny]\nrequires = ["gamma==1.0", "delta==1.0"]\n')
    said = envlock(*SOLVE)
    assert said.status == 1, said.golden
    assert [line.strip() for line in said.err.partition("and works:")[2].splitlines() if line] == [
        "yours: ask for gamma ==2.0 instead of ==1.0, and ask for delta ==1.1 instead of ==1.0",
        (
            "also in the way: you ask for gamma; you ask for delta ==1.0; gamma 1.0 needs beta >=9; "
            "native-collision:delta-1+gamma-2"
        ),
    ]


def test_what_only_files_speak_against_does_not_hide_what_else_is_in_the_way(site: Site, envlock: Envlock):
    """One wish is on no index; without it the two others still own the same file in those releases."""
    for version, files in (("1.0", {"lib/x.so": "delta's"}), ("2.0", {})):
        site.offer("delta", version, files=files)
    site.offer("gamma", "1.0", files={"lib/x.so": "gamma's"})
    site.manifest('[groups.tiny]\nrequires = ["nowhere", "gamma==1.0", "delta==1.0"]\n')
    said = envlock(*SOLVE)
    assert said.status == 1, said.golden
    assert "yours: ask for delta ==2.0 instead of ==1.0, and leave out nowhere" in said.err, said.golden


def test_all_that_no_index_knows_is_dropped_at_once(site: Site, envlock: Envlock):
    """As many an ``environment.yml`` asks for programs that conda alone has."""
    site.offer("gamma", "1.0")
    programs = ["hhsuite", "hmmer", "kalign", "mafft", "muscle", "samtools", "bwa"]
    asked = ", ".join(f'"{one}==1.0"' for one in programs)
    site.manifest(f'[groups.tiny]\nrequires = [{asked}, "gamma==2.0"]\n')
    said = envlock(*SOLVE)
    assert said.status == 1, said.golden
    assert [line.strip() for line in said.err.partition("and works:")[2].splitlines() if line] == [
        (
            "yours: ask for gamma ==1.0 instead of ==2.0, "
            "and leave out hhsuite, hmmer, kalign, mafft, muscle, samtools and bwa"
        ),
        "also in the way: you ask for gamma ==2.0; no release of gamma is ==2.0; nearest is 1.0",
    ]


@pytest.mark.parametrize(
    ("of_theta", "more"),
    [((), ()), (("sigma>=2",), ("ask for sigma ==2.1 instead of ==1.0",))],
    ids=["three", "four"],
)
def test_what_lists_every_pin_keeps_all_but_the_few_in_the_way(
    of_theta: tuple[str, ...], more: tuple[str, ...], site: Site, envlock: Envlock
):
    """As what conda exports or pip freezes: with releases that no index has, and one that does not fit."""
    site.offer("alpha", "1.0", ["gamma<2"])
    site.offer("alpha", "2.0", ["gamma<2", "delta>=2"])
    for name in ("gamma", "delta", "kappa", "sigma"):
        for version in ("1.0", "2.0", "2.1"):
            site.offer(name, version)
    for version in ("1.3.1", "1.3.9", "1.4", "3.0"):
        site.offer("omega", version, ["sigma"])
    site.offer("distro", "1.0")
    site.offer("theta", "1.0", of_theta)
    site.offer("theta", "2.0", of_theta)
    pins = [
        *("alpha==1.0", "delta==1.0", "gamma==2.0", "kappa==2.0", "omega==1.3.4"),
        *("sigma==1.0", "theta==1.0", "distro===0.23ubuntu1"),
    ]
    site.manifest(f"[groups.tiny]\nrequires = {pins}\n")
    said = envlock(*SOLVE)
    assert said.status == 1, said.golden
    told = [line.strip() for line in said.err.partition("and works:")[2].splitlines() if line]
    changes = {one.strip() for one in told[0].removeprefix("yours:").split(", and")}
    assert changes == {
        "ask for gamma ==1.0 instead of ==2.0",
        "ask for omega ==1.3.1 instead of ==1.3.4",
        "ask for distro ==1.0 instead of ===0.23ubuntu1",
        *more,
    }


def test_of_several_interpreters_only_the_refusal_that_is_shown_is_explained(
    site: Site, envlock: Envlock, monkeypatch: pytest.MonkeyPatch
) -> None:
    explained: list[object] = []
    explain_refusal = refusing.explain_refusal

    def counted(*arguments: object) -> object:
        explained.append(arguments)
        return explain_refusal(*arguments)

    monkeypatch.setattr(refusing, "explain_refusal", counted)
    site.offer("alpha", "1.0")
    site.manifest('[groups.tiny]\nrequires = ["alpha>9"]\n', pythons=("3.10.14", "3.11.9", "3.12.1"))
    assert "you ask for alpha >9" in envlock(*SOLVE).err
    assert len(explained) == 1
