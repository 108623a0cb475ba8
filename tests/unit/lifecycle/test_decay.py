from __future__ import annotations

from envlock.lifecycle.decay import Cause, Decay, FileElsewhere, FileGone, FileYanked, decays
from envlock.lifecycle.drift import FactRefuses, InterpreterGone, NodeChanged, OfferGone
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
