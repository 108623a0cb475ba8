"""Four nodes in namespaces, a project that they share, and envlock on their login node."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from envlock.edges.ranks.heartbeats import NodeLogs

CHECKOUT = Path(__file__).parents[2]
SCRIPT = str(CHECKOUT / "tools/cluster.sh")
MANIFEST = CHECKOUT / "fixtures/cluster/envlock.toml"
ENVLOCK = str(Path(sys.executable).with_name("envlock"))
STATE = Path(os.environ.get("ENVLOCK_CLUSTER", "/var/tmp/envlock-cluster"))
_GOOD = ("passed", "not-applicable", "warned")
NODES = ("n1", "n2", "n3", "n4")


class Bad(dict[str, str]):
    """What speaks against an environment; who looks for a check that is not there is told what is."""

    def __missing__(self, identifier: str) -> str:
        raise AssertionError(f"{identifier} is not among what speaks against it: {dict(self)}")


@dataclass(frozen=True)
class Proof:
    """What a verification said."""

    document: Mapping[str, object] = field(repr=False)

    @property
    def hosts(self) -> list[str]:
        return [str(rank["host"]) for rank in self._report["ranks"]]

    @property
    def launchers(self) -> set[str]:
        """By whose variables the ranks found their places."""
        return {rank["launcher"]["source"] for rank in self._report["ranks"]}

    @property
    def libraries(self) -> set[str]:
        return {str(rank["mpi"].get("library", "")).splitlines()[0] for rank in self._report["ranks"]}

    @property
    def command(self) -> str:
        """What started the ranks."""
        (launch,) = (check for check in self._report["checks"] if check["id"] == "L1")
        return " ".join(launch["details"]["command"])

    @property
    def stacks(self) -> Mapping[str, str]:
        """What supervision got to see of ranks that hung, by ``host-pid`` and ``host-pid native``."""
        (watched,) = (check for check in self._report["checks"] if check["id"] == "W1")
        stacks: Mapping[str, str] = watched["details"]["stacks"]
        return stacks

    @property
    def bad(self) -> Bad:
        """Checks that speak against the environment: by identifier, outcome and message."""
        found = Bad()
        for check in self._report["checks"]:
            if check["outcome"] not in _GOOD:
                found[check["id"]] = f"{found.get(check['id'], '')}{check['outcome']}: {check['message']}\n"
        return found

    @property
    def told(self) -> str:
        """All that was said against it, in one text."""
        return "".join(f"{identifier} {text}" for identifier, text in self.bad.items())

    def messages(self, name: str) -> str:
        """What the checks of a name said."""
        return "\n".join(check["message"] for check in self._report["checks"] if check["name"] == name)

    @property
    def _report(self) -> dict:
        return self.document["report"]


@dataclass(frozen=True)
class UnderWay:
    """A verification that runs."""

    folder: Path
    process: subprocess.Popen[str] = field(repr=False)

    def finished(self) -> Proof:
        """What it says in the end."""
        stdout, stderr = self.process.communicate(timeout=400)
        assert self.process.returncode in (0, 1), f"{self.process.args}\n{stdout}\n{stderr}"
        return Proof(json.loads(stdout[stdout.index("{") :]))

    def rank_on(self, node: str, phase: str) -> int:
        """The process number, on its node, of a rank that has come to a phase."""
        logs: dict[Path, NodeLogs] = {}
        while self.process.poll() is None:
            for folder in self.folder.glob(".envlock/verify-*/ranks"):
                log = logs.setdefault(folder, NodeLogs(folder))
                for told in log.look():
                    rank = log.documents[told]
                    if rank["host"] == node and str(rank["phase"]).startswith(phase):
                        return int(str(rank["pid"]))
            time.sleep(0.02)
        raise AssertionError(f"over before a rank on {node} was seen in {phase!r}: {self.finished().told}")


@dataclass(frozen=True)
class Cluster:
    """The cluster, and a project in a folder that every node sees."""

    folder: Path

    def run(self, node: str, *command: str, check: bool = True, timeout: float = 300) -> str:
        """A command on a node; its standard output."""
        done = subprocess.run(
            [SCRIPT, "run", node, *command],
            cwd=self.folder,
            capture_output=True,
            text=True,
            timeout=timeout,
            check=False,
        )
        assert not check or done.returncode == 0, f"{node}: {command}\n{done.stdout}\n{done.stderr}"
        return done.stdout

    def prefix(self, group: str) -> Path:
        """A group's environment; the first time it is solved and made, on the machine that has a network."""
        link = self.folder / ".envlock/current/local" / group
        if not link.exists():
            solve = [ENVLOCK, "solve", group]
            done = subprocess.run(solve, cwd=self.folder, capture_output=True, text=True, check=False)
            assert done.returncode == 0, done.stdout + done.stderr
        return link.resolve()

    def verify(self, group: str, *options: str, before: tuple[str, ...] = ()) -> Proof:
        """Verify a group from the login node, ``before`` first on the command line.

        With small messages, and without what one process shows, which is the same on every cluster.
        """
        with self.verifying(group, *options, before=before) as under_way:
            return under_way.finished()

    def verify_all(self, group: str, *options: str, before: tuple[str, ...] = ()) -> Proof:
        """The same with what one process shows."""
        with self.verifying(group, *options, before=before, only=()) as under_way:
            return under_way.finished()

    @contextmanager
    def verifying(
        self,
        group: str,
        *options: str,
        before: tuple[str, ...] = (),
        only: tuple[str, ...] = ("--ranks-only",),
    ) -> Iterator[UnderWay]:
        """The same under way, so that something can happen to it."""
        self.prefix(group)
        small = () if "--max-bytes" in options else ("--max-bytes", "4096")
        only = () if "--submit" in options else only
        command = [SCRIPT, "run", "login", *before, ENVLOCK, "verify", group]
        command += [*options, *small, *only, "--json"]
        with subprocess.Popen(
            command, cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        ) as process:
            try:
                yield UnderWay(folder=self.folder, process=process)
            finally:
                process.kill()

    @contextmanager
    def site_says(self, launch: str) -> Iterator[None]:
        """A line more of the site's ``[site.launch]``, or another ``variables``, for a while."""
        manifest = self.folder / "envlock.toml"
        lines = MANIFEST.read_text().splitlines()
        key = launch.partition(" ")[0]
        manifest.write_text(
            "\n".join([*(one for one in lines if not one.startswith(f"{key} =")), launch, ""])
        )
        try:
            yield
        finally:
            shutil.copy(MANIFEST, manifest)

    @contextmanager
    def on(self, node: str, begin: str, end: str) -> Iterator[None]:
        """Something that is true of one node, for a while; both are lines of shell."""
        self.run(node, "sh", "-c", begin)
        try:
            yield
        finally:
            self.run(node, "sh", "-c", end)
