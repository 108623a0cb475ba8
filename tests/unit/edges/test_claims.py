from __future__ import annotations

import errno
import fcntl
import os
import re
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from filelock import SoftFileLease

from envlock.edges.claims import _FORGOTTEN_S, _LEASE_S, claim
from envlock.model.errors import SurroundingsError
from tests.patience import wait_until

HOLD = (
    "import sys, time; from pathlib import Path; from envlock.edges.claims import claim\n"
    "with claim(Path(sys.argv[1]), Path('/store/k')): Path(sys.argv[2]).touch(); time.sleep(3600)"
)


def test_a_second_claim_waits_and_then_says_what_is_busy(tmp_path: Path) -> None:
    first, second = (claim(tmp_path / "k", Path("/store/k"), wait_s=0.0) for _ in range(2))
    with first, pytest.raises(SurroundingsError) as caught, second:
        pass
    assert (caught.value.code, caught.value.where) == ("store-busy", "/store/k")


def test_another_host_is_kept_out_where_its_locks_do_not_reach(tmp_path: Path) -> None:
    # What a host sees whose file system does not carry locks: the lease alone.
    lease = SoftFileLease(tmp_path / "k.lease", lease_duration=60.0, timeout=0)
    with (
        lease,
        pytest.raises(SurroundingsError, match="has not finished"),
        claim(tmp_path / "k", Path("k"), wait_s=0.0),
    ):
        pass


def test_a_killed_owner_blocks_nobody(tmp_path: Path) -> None:
    command = [sys.executable, "-c", HOLD, str(tmp_path / "k"), str(tmp_path / "held")]
    with subprocess.Popen(command) as owner:
        assert wait_until((tmp_path / "held").exists)
        owner.send_signal(signal.SIGKILL)
    with claim(tmp_path / "k", Path("k"), wait_s=_LEASE_S / 2):  # sooner than its lease runs out
        pass


def test_an_owner_that_lost_its_claim_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("envlock.edges.claims._LEASE_S", 0.3)

    def hold() -> None:
        with claim(tmp_path / "k", Path("k")):
            (renewal,) = (one for one in threading.enumerate() if one.name.startswith("filelock-lease"))
            (tmp_path / "k.lease").unlink()
            assert wait_until(lambda: not renewal.is_alive())

    with pytest.raises(SurroundingsError) as caught:
        hold()
    assert caught.value.code == "claim-lost"


def test_a_lease_that_says_nothing_is_waited_for_only_while_it_is_new(tmp_path: Path) -> None:
    """Its maker was killed between making it and writing to it."""
    lease = tmp_path / "k.lease"
    lease.touch()
    with pytest.raises(SurroundingsError) as caught, claim(tmp_path / "k", tmp_path, wait_s=0.1):
        pytest.fail("it may be in the making")
    assert caught.value.code == "store-busy"
    old = lease.stat().st_mtime - 61
    os.utime(lease, (old, old))
    with claim(tmp_path / "k", tmp_path, wait_s=5.0):
        assert lease.read_bytes()
    assert not list(tmp_path.glob("k.lease*"))


def test_a_lease_of_another_host_that_nobody_touches_holds_back_nobody(tmp_path: Path) -> None:
    """A scheduler killed the job that held it: who does not wait, such as a garbage collection, goes on."""
    lease = tmp_path / "k.lease"
    with SoftFileLease(lease, lease_duration=_LEASE_S, timeout=0):
        content = lease.read_text()
    lease.write_text(re.sub("host=.*", "host=node7.example.org", content))
    with pytest.raises(SurroundingsError), claim(tmp_path / "k", tmp_path, wait_s=0.0):
        pytest.fail("its owner may be alive")
    old = lease.stat().st_mtime - _FORGOTTEN_S - 1
    os.utime(lease, (old, old))
    with claim(tmp_path / "k", tmp_path, wait_s=0.0):
        assert "node7" not in lease.read_text()
    assert not list(tmp_path.glob("k.lease*"))


@pytest.mark.parametrize("number", [errno.ENOSYS, errno.ENOLCK, errno.EOPNOTSUPP])
@pytest.mark.filterwarnings("error")
def test_a_file_system_without_locks_has_leases(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    """Lustre without ``flock``, NFS without its lock manager."""

    def flock(*_: object) -> None:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(fcntl, "flock", flock)
    with (
        claim(tmp_path / "k", Path("k")),
        pytest.raises(SurroundingsError) as caught,
        claim(tmp_path / "k", Path("k"), wait_s=0.0),
    ):
        pytest.fail("another has it")
    assert caught.value.code == "store-busy"
    test_a_lease_of_another_host_that_nobody_touches_holds_back_nobody(tmp_path)
    (tmp_path / "k").write_text("25554\nnode7.example.org\n1\n")  # as filelock's own way out left it
    with claim(tmp_path / "k", Path("k"), wait_s=0.0):
        pass
