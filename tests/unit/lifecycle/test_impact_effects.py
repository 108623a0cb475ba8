"""What a change of the site does to one group's lock, and whom to ask."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from envlock.lifecycle.drift import FactRefuses, InterpreterGone, Mismatch, NodeChanged, OfferGone
from envlock.lifecycle.impact import (
    Effect,
    Outcome,
    SiteAddition,
    SiteChange,
    SiteRemoval,
    Upgrade,
    WishExcludes,
    effect,
    supposed,
)
from envlock.model.component import Layer
from envlock.model.project.layers import SHIPPED_LAYERS
from envlock.model.project.manifest import decode_manifest
from envlock.model.project.target import Offer
from tests.locks import distribution, lock
from tests.memory import machine
from tests.shipped import KNOWLEDGE

LOCK = lock(distribution("torch", "2.6.0"), distribution("numpy", "1.26.4"), group="mine")
GONE = OfferGone(component="openmpi", version="4.1.4", offered=())


def of(
    written: dict[str, object],
    *mismatches: Mismatch,
    changes: Sequence[SiteChange] = (),
    frozen: bool = False,
) -> Effect:
    base = {"requires": ["torch==2.6.0"], "system": ["openmpi>=4"], "python": "3.11"}
    groups = {"groups": {"base": base, "mine": written}}
    group = decode_manifest(groups, "envlock.toml", KNOWLEDGE).group("mine")
    return effect(group, LOCK, mismatches, changes, KNOWLEDGE, layers=SHIPPED_LAYERS, frozen=frozen)


def asked(found: Effect) -> list[tuple[str, str, str]]:
    [(_, owners)] = found.breaks
    return [(one.component, one.group, one.wish) for one in owners]


def test_an_offer_is_asked_for_by_a_wish_or_by_its_owner_alone() -> None:
    assert asked(of({"extends": "base"}, GONE)) == [("openmpi", "base", "openmpi>=4")]
    assert asked(of({"system": ["mpi"]}, GONE)) == [("openmpi", "mine", "mpi")]
    assert asked(of({"requires": ["mpi4py"]}, GONE)) == [("openmpi", "", "")]
    assert of({}, GONE).breaks[0][1][0].layer is Layer.CORE


def test_an_interpreter_is_asked_for_by_who_names_one() -> None:
    gone = InterpreterGone(version="3.11.2", found=())
    assert asked(of({"python": "3.11"}, gone)) == [("python", "mine", "python ==3.11.*"), ("python", "", "")]
    assert asked(of({}, gone)) == [("python", "", "")]
    assert asked(of({"extends": "base"}, gone)) == [("python", "", "")]
    assert asked(of({"python": "3.11", "system": ["openmpi"]}, GONE)) == [("openmpi", "mine", "openmpi")]


def test_nobody_owns_an_add_on_that_came_along() -> None:
    refused = FactRefuses(fact="f", components=(("numpy", "2.0.0"),), message="too new")
    assert asked(of({"requires": ["gensim"]}, refused)) == []
    inside = FactRefuses(
        fact="f", components=(("cuda", "12.4"),), message="too new", inside=(("cuda", "torch"),)
    )
    assert asked(of({"extends": "base"}, inside)) == [("torch", "base", "torch==2.6.0")]


def test_what_the_node_decides_calls_for_evidence_and_breaks_nothing() -> None:
    changed = NodeChanged(component="driver", locked="525.60", found=("580.65",))
    again = of({}, changed)
    assert (again.breaks, again.again, again.outcome) == ((), (changed,), Outcome.VERIFY_AGAIN)
    both = of({}, changed, GONE)
    assert (both.again, both.outcome) == ((changed,), Outcome.BREAKS)
    assert [reason for reason, _ in both.breaks] == [GONE]
    assert of({}).outcome is Outcome.HOLDS


def test_a_wish_excludes_an_upgrade_of_what_is_locked_alone() -> None:
    written = {"requires": ["numpy<2", "scipy<1"]}
    upgrades = (Upgrade(component="numpy", version="2.0.0"), Upgrade(component="scipy", version="1.14.0"))
    found = of(written, changes=(*upgrades, SiteAddition(component="numpy", version="3")))
    excluded = WishExcludes(component="numpy", version="2.0.0", wish="numpy<2")
    assert [reason for reason, _ in found.breaks] == [excluded]


@pytest.mark.parametrize("frozen", [True, False])
def test_a_freeze_is_told_while_it_holds(frozen: bool) -> None:
    written = {"frozen": {"until": "2999-12-31", "reason": "a thesis"}}
    assert (of(written, frozen=frozen).frozen is not None) is frozen


def test_a_target_as_it_would_be() -> None:
    target = machine(openmpi=["4.1.4", "5.0.8"], driver="525.60")
    changes = (
        SiteRemoval(component="openmpi", version="4.1.4"),
        SiteRemoval(component="python", version="3.11.7"),
        SiteAddition(component="driver", version="580.65"),
        SiteAddition(component="driver", version="570.1"),
        SiteAddition(component="mpich", version="4.2"),
    )
    then = supposed(target, changes, KNOWLEDGE)
    offered = {name: [one.version for one in then.offered(name)] for name in ("openmpi", "driver", "mpich")}
    assert offered == {"openmpi": ["5.0.8"], "driver": ["580.65", "570.1"], "mpich": ["4.2"]}
    assert then.interpreters == ()
    kept = supposed(target, (SiteRemoval(component="openmpi", version="3.0"),), KNOWLEDGE)
    assert kept.interpreters == target.interpreters
    assert Offer(component="glibc", version="2.36") in kept.offers
