from __future__ import annotations

from dataclasses import replace

import pytest

from envlock.lifecycle.decay import (
    ArchiveUnreadable,
    Cause,
    Decay,
    FileElsewhere,
    FileGone,
    FileYanked,
    decay_of_lost_lock,
    decays,
)
from envlock.lifecycle.drift import (
    FactRefuses,
    InterpreterGone,
    LockLost,
    NodeChanged,
    OfferChanged,
    OfferGone,
    OfferMoved,
    WheelUnusable,
)
from envlock.lifecycle.freeze import LOST_LOCK
from envlock.model.knowing.fact import Severity
from envlock.model.knowing.finding import Finding, Fix
from tests.locks import distribution, lock, system

LOCK = lock(system("openmpi", "4.1.4"), distribution("mpi4py", "3.0.3", systems={"openmpi": "4.1.4"}))


def judged(cause: Cause, *, archived: bool = False, findings: tuple[Finding, ...] = ()) -> Decay:
    (found,) = decays([cause], LOCK, findings, archived=archived)
    return found


def test_the_nearest_version_and_what_must_be_built_for_it():
    gone = OfferGone(component="openmpi", version="4.1.4", offered=("5.0.8", "4.0.7", "4.1.6"))
    found = judged(gone, archived=True)
    assert found.hurts
    assert found.way == (
        "nearest here: openmpi 4.1.6; its sources are in the archive; mpi4py would be built again: "
        'envlock thaw stack --reason "...", then envlock solve stack'
    )
    none = OfferGone(component="openmpi", version="4.1.4", offered=())
    assert judged(none).way == "ask for openmpi 4.1.4 to be installed again"


def test_an_interpreter_of_the_same_release():
    gone = InterpreterGone(version="3.7.16", found=("3.11.2", "3.7.17"))
    assert "pyenv install 3.7.16" in judged(gone).way
    assert "solve again for 3.7.17" in judged(gone).way
    assert "solve again" not in judged(InterpreterGone(version="3.7.16", found=("3.11.2",))).way


def test_files_hurt_only_without_an_archive():
    gone = FileGone(filename="a-1.0-py3-none-any.whl", why="the whole release is gone")
    assert judged(gone).hurts
    assert "--archive" in judged(gone).way
    assert not judged(gone, archived=True).hurts
    assert not judged(FileYanked(filename="a-1.0-py3-none-any.whl", why="broken")).hurts
    own = judged(FileElsewhere(filename="ours-1.0.tar.gz", place="src/", there=True))
    assert (own.hurts, "--archive" in own.way) == (False, True)
    assert judged(FileElsewhere(filename="ours-1.0.tar.gz", place="src/", there=False)).hurts


def test_a_node_that_changed_hurts_only_where_a_fact_says_so():
    assert not judged(NodeChanged(component="driver", locked="450.1", found=("580.65",))).hurts
    fact = FactRefuses(fact="cuda-10", components=(("driver", "580.65"),), message="too new")
    finding = Finding(
        fact="cuda-10",
        severity=Severity.REFUSE,
        components={"driver": "580.65"},
        message="too new",
        cause="",
        sources=(),
        fixes=(Fix(component="driver", range=">=410,<570", versions=("565.1",)),),
    )
    found = judged(fact, findings=(finding,))
    assert (found.hurts, found.way) == (True, "a node or site with one of: driver 565.1")
    ranges = (replace(finding.fixes[0], versions=()), Fix(component="cuda", range="<11"))
    assert judged(fact, findings=(replace(finding, fixes=ranges),)).way == (
        "a node or site with one of: driver >=410,<570; cuda <11"
    )
    assert judged(fact, findings=(replace(finding, fixes=()),)).way == "another node or site"
    unusable = WheelUnusable(component="torch", filename="torch-1.4.0-cp37-cp37m-manylinux1_x86_64.whl")
    assert judged(unusable, findings=(finding,)).way == "a node whose C library and processor it is for"


def test_what_to_do_where_all_that_helps_is_to_bring_it_back():
    lost = judged(LockLost(path="locks/local/pylock.stack.toml"))
    assert (lost.hurts, lost.way) == (True, LOST_LOCK)
    assert decay_of_lost_lock("locks/local/pylock.stack.toml") == lost
    gone = judged(ArchiveUnreadable(path="kept", message="there is no such archive"))
    assert gone.way.startswith("copy it back from wherever else it is kept, or make it again: envlock freeze")
    moved = OfferMoved(component="openmpi", version="4.1.4", locked="/opt/a", offered=("/opt/b",))
    assert judged(moved).way.startswith("install it at /opt/a again, or let that lead there; mpi4py would be")


def test_a_file_is_taken_from_the_archive():
    gone = FileGone(filename="a-1.0-py3-none-any.whl", why="the whole release is gone")
    assert judged(gone, archived=True).way == "the archive has it"


def test_another_variable_calls_for_a_verification_alone():
    found = judged(OfferChanged(component="openmpi", version="4.1.4", variables=("OMPI_MCA_btl",)))
    assert (found.hurts, "envlock verify stack" in found.way) == (False, True)


@pytest.mark.parametrize(
    ("offered", "near"),
    [
        (("5.0.8", "4.1.9", "4.1.6", "4.0.4"), "4.1.6"),
        (("4.1.3", "4.1.9"), "4.1.3"),
        (("4.2", "4.1.4.1"), "4.1.4.1"),
        (("5.0", "3.0"), "5.0"),
        (("module", "1.0"), "1.0"),
    ],
)
def test_the_nearest_version_is_that_of_the_longest_same_beginning(offered: tuple[str, ...], near: str):
    gone = OfferGone(component="openmpi", version="4.1.4", offered=offered)
    assert f"nearest here: openmpi {near};" in judged(gone).way


def test_the_archives_sources_help_only_with_what_was_built_against_it():
    gone = OfferGone(component="slurm", version="22.05", offered=("23.02",))
    assert "nothing was built against it" in judged(gone, archived=True).way
    assert "sources are in the archive" not in judged(gone, archived=True).way
    own = OfferGone(component="openmpi", version="4.1.4", offered=("4.1.6",))
    assert "sources are in the archive" not in judged(own).way
