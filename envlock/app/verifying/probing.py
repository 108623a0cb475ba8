"""The probe at work inside a group's environment, in one folder that every rank sees."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

from envlock.app.making.environment import Current, variables
from envlock.app.project import Project
from envlock.app.verifying.launching import Start
from envlock.edges.files import read_bytes, write_error, write_text
from envlock.edges.log_files import both_ends
from envlock.edges.ranks.heartbeats import read_heartbeats
from envlock.edges.ranks.native_stacks import stack_tools
from envlock.edges.ranks.probe_archive import write_probe
from envlock.edges.ranks.supervision import supervise
from envlock.edges.subprocesses import run_logged
from envlock.model.errors import SurroundingsError
from envlock.model.frozen import dataclass
from envlock.model.proving.probing import OneProcess, Plan, Supervision, encode_plan
from envlock.model.proving.rank_result import RankResult, decode_rank

_SLACK_S = 60.0
_CHECKS = 10
"""How many checks of one process the time limit allows for, should all hang, one after the other."""


@contextmanager
def working_folder(
    project: Project, found: Current, prefix: str, *, elsewhere: Path | None = None
) -> Iterator[Path]:
    """Make a new folder that ranks on other nodes see, and remove it at the end.

    It is in the store, or, where that is closed to this user, beside the lock, where the report goes anyway.
    What cannot be removed at once, such as a file that a dying rank keeps open on NFS, is left to ``gc``.

    Args:
        project: the project.
        found: the environment.
        prefix: the beginning of its name.
        elsewhere: a folder for whoever may write to neither, as long as the nodes see it.

    Raises:
        SurroundingsError: ``disk-full``, or ``not-writable`` in all places.
    """
    places = [project.store.root.absolute(), found.file.path.absolute().parent]
    with ExitStack() as opened:
        for place in places if elsewhere is None else [*places, elsewhere]:
            try:
                place.mkdir(parents=True, exist_ok=True)
                made = TemporaryDirectory(dir=place, prefix=prefix, ignore_cleanup_errors=True)
            except OSError as error:
                refused = write_error(place, error)
                continue
            yield Path(opened.enter_context(made))
            return
        raise refused


@dataclass(frozen=True, slots=True, kw_only=True)
class Probing:
    """One environment, one plan, one folder.

    Attributes:
        found: the environment.
        plan: what the probe is asked.
        start: how ranks are started.
        folder: where its files go; every rank sees it.
    """

    found: Current
    plan: Plan
    start: Start
    folder: Path

    def prepare(self) -> None:
        """Write the probe and its plan."""
        write_probe(self._archive)
        plan = replace(
            self.plan,
            nodes=self.start.job.fewest_places,
            stack_tools=stack_tools(),
            variables=self.start.known_variables(),
            inherited=self.start.inherited(),
        )
        write_text(self._plan, json.dumps(encode_plan(plan)))

    def one_process(self) -> OneProcess:
        """Run the probe in one process, on this host if ranks run here, else on the first of their nodes.

        A login node may have another processor and other libraries than those nodes, and no GPU.
        """
        result, log = self.folder / "one-process.json", self.folder / "one-process.log"
        command = [str(self._python), str(self._archive), "one-process", "--launched"]
        command += ["--plan", str(self._plan), "--out", str(result)]
        environment: Mapping[str, str] = variables(self.found)
        if not self.start.here:
            command = self._found_by_path(self.start.alone(tuple(command)))
            environment = self.start.environment
        deadlines, trouble = self.plan.deadlines, ""
        try:
            run_logged(
                command,
                env=environment,
                log=log,
                timeout_s=deadlines.imports + deadlines.exercise + _CHECKS * deadlines.check + _SLACK_S,
            )
        except SurroundingsError as error:
            trouble = error.message
        if not result.is_file():
            printed = both_ends(log).partition("\n")[2] if log.is_file() else ""
            return OneProcess(command=tuple(command), trouble=trouble or "it left no result", output=printed)
        elsewhere = () if self.start.here else tuple(command)
        return OneProcess(command=elsewhere, document=json.loads(read_bytes(result)))

    def ranks(self) -> Supervision:
        """Run ranks under a launcher, supervised."""
        out = self.folder / "ranks"
        out.mkdir()
        arguments = [str(self._archive), "rank", "--plan", str(self._plan), "--out-dir", str(out)]
        return supervise(
            self._found_by_path(self.start.command((str(self._python), *arguments))),
            environment=self.start.environment,
            deadline_s=self.plan.deadlines.ranks,
            phase_deadline_s=self.plan.deadlines.phase,
            out_dir=out,
            ranks=self.plan.ranks,
        )

    def benchmark(self, back_end: str, calls: Mapping[int, int], sweeps: int) -> tuple[str, ...]:
        """Return the program of one rank that times a back end in the way of a known benchmark.

        Args:
            back_end: its name in the plan.
            calls: size in bytes -> how many calls are timed.
            sweeps: how often all sizes are gone through.
        """
        file = self.folder / f"benchmark-{back_end}.json"
        inherited = self.start.inherited()
        plan = replace(self.plan, back_ends=(back_end,), calls=calls, sweeps=sweeps, inherited=inherited)
        write_text(file, json.dumps(encode_plan(plan)))
        return str(self._python), str(self._archive), "benchmark", "--plan", str(file)

    def results(self) -> list[RankResult]:
        """Return the ranks' last heartbeats."""
        found = read_heartbeats(self.folder / "ranks")
        return [decode_rank(document, file=name) for name, document in found.items()]

    def _found_by_path(self, command: list[str]) -> list[str]:
        """Return a command whose program is the first of that name on the environment's PATH, not on ours."""
        return [shutil.which(command[0], path=self.start.environment["PATH"]) or command[0], *command[1:]]

    @property
    def _python(self) -> Path:
        return self.found.prefix / "bin/python"

    @property
    def _archive(self) -> Path:
        return self.folder / "probe.pyz"

    @property
    def _plan(self) -> Path:
        return self.folder / "plan.json"
