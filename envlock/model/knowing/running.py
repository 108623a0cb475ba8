"""What is known of a made environment when it runs: instructions, variables, features, signs of failures."""

from __future__ import annotations

from collections.abc import Mapping

from envlock.model.component import Range
from envlock.model.frozen import dataclass
from envlock.model.knowing.fact import Source


@dataclass(frozen=True, slots=True, kw_only=True)
class Instructions:
    """Processor instructions that published builds use beyond their architecture's baseline.

    Attributes:
        distribution: the distribution's name.
        range: its releases.
        machine: the architecture (``x86_64``).
        features: flags as ``/proc/cpuinfo`` shows them.
        sources: where this was read.
    """

    distribution: str
    range: Range
    machine: str
    features: tuple[str, ...]
    sources: tuple[Source, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Plugin:
    """A distribution that another one loads, under conditions of its own, and that is not imported by itself.

    Attributes:
        distribution: its name.
        range: its releases.
        message: who loads it, and when.
        sources: where this was read.
    """

    distribution: str
    range: Range
    message: str
    sources: tuple[Source, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class RunVariable:
    """A variable that does not mean what it seems to with some releases.

    Attributes:
        component: whose releases.
        range: the releases.
        name: the variable.
        pattern: a regular expression that its value must match; empty for any value.
        beside: another variable that must be set too; empty for none.
        message: what is wrong, and what to set instead.
        sources: where this was read.
    """

    component: str
    range: Range
    name: str
    pattern: str
    beside: str
    message: str
    sources: tuple[Source, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Feature:
    """How a distribution tells whether it was compiled with something.

    Attributes:
        distribution: the distribution's name.
        range: its releases.
        variable: the variable of its build that asks for it; empty where every build has it.
        value: the variable's value.
        modules: framework -> the module to ask where the framework is in the environment; the empty name for
            one that is always there.
        call: the function to call without arguments.
        expected: what it must answer.
        sources: where this was read.
    """

    distribution: str
    range: Range
    variable: str
    value: str
    modules: Mapping[str, str]
    call: str
    expected: bool
    sources: tuple[Source, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Signature:
    """A pattern of what is observed when ranks fail, and what it is a sign of.

    Attributes:
        id: its name.
        observed: observations that must all be made, ``worlds-of-one``.
        texts: regular expressions; one of them must be found in what was printed or raised. None: any.
        diagnosis: what it means; ``{launcher}``, ``{library}`` and ``{ranks}`` are filled in, and what named
            groups of the expressions stand for.
        action: what to do; such groups are filled in.
        sources: where this was read.
        examples: real texts in which it must be found.
        vague: whether it is told only where no other printed text is a sign of anything.
    """

    id: str
    observed: tuple[str, ...]
    texts: tuple[str, ...]
    diagnosis: str
    action: str
    sources: tuple[Source, ...]
    examples: tuple[str, ...]
    vague: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ProcessManagement:
    """The interfaces by which a launcher can tell ranks of an MPI who they are.

    Attributes:
        component: the MPI.
        range: its releases.
        interfaces: as ``srun --mpi=list`` names them, the best one first.
        sources: where this was read.
    """

    component: str
    range: Range
    interfaces: tuple[str, ...]
    sources: tuple[Source, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class LibraryVersion:
    """How an MPI tells its version in what ``MPI_Get_library_version`` answers.

    Attributes:
        component: the MPI.
        pattern: a regular expression, whose first group is the version.
        sources: where this was read.
    """

    component: str
    pattern: str
    sources: tuple[Source, ...]


OBSERVATIONS = (
    "worlds-of-one",
    "no-rank-appeared",
    "some-ranks-missing",
    "rank-hangs",
    "rank-killed",
    "wrong-sum",
)
"""What a signature may ask to have been observed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Running:
    """All that is known of running environments."""

    instructions: tuple[Instructions, ...] = ()
    plugins: tuple[Plugin, ...] = ()
    variables: tuple[RunVariable, ...] = ()
    features: tuple[Feature, ...] = ()
    signatures: tuple[Signature, ...] = ()
    managements: tuple[ProcessManagement, ...] = ()
    library_versions: tuple[LibraryVersion, ...] = ()

    def interfaces(self, mpi: str, version: str) -> tuple[str, ...]:
        """The process management interfaces that a release of an MPI speaks; none where it is not known."""
        known = (one for one in self.managements if one.component == mpi and one.range.contains(version))
        return next((one.interfaces for one in known), ())

    def library_version(self, mpi: str) -> str:
        """The expression for the version in an MPI's own words; empty where it is not known."""
        return next((one.pattern for one in self.library_versions if one.component == mpi), "")
