"""What is known of environments at run time: instructions, variables, features, signs of failures."""

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
    """A distribution that another one loads under conditions of its own, and that nobody imports directly.

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
    """An environment variable that with some releases does not mean what it seems to.

    Attributes:
        component: the component.
        range: its releases.
        name: the variable.
        pattern: a regular expression that its value must match; empty for any value.
        beside: another variable that must also be set; empty for none.
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
    """How a distribution reports whether it was compiled with something.

    Attributes:
        distribution: the distribution's name.
        range: its releases.
        variable: the build variable that requests it; empty where every build has it.
        value: the variable's value.
        modules: framework -> the module to ask if that framework is in the environment; the empty name for a
            module that is always there.
        call: the function to call, without arguments.
        expected: what it must return.
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
    """A pattern of what is observed when ranks fail, and its meaning.

    Attributes:
        id: its name.
        observed: observations that must all have been made, such as ``worlds-of-one``.
        texts: regular expressions, one of which must be found in what was printed or raised; empty for any
            text.
        diagnosis: what it means; ``{launcher}``, ``{library}``, ``{ranks}`` and the named groups of the
            expressions are filled in.
        action: what to do; the named groups are filled in.
        sources: where this was read.
        examples: real texts in which it must be found.
        vague: whether to report it only if no other printed text is a sign of anything.
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
    """The interfaces through which a launcher can tell the ranks of an MPI who they are.

    Attributes:
        component: the MPI.
        range: its releases.
        interfaces: as ``srun --mpi=list`` names them, best first.
        sources: where this was read.
    """

    component: str
    range: Range
    interfaces: tuple[str, ...]
    sources: tuple[Source, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class LibraryVersion:
    """How an MPI states its version in the result of ``MPI_Get_library_version``.

    Attributes:
        component: the MPI.
        pattern: a regular expression whose first group is the version.
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
    "no-room-for-temporary-files",
    "wrong-sum",
)
"""What a signature may require to have been observed."""


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
        """The process management interfaces that a release of an MPI speaks; empty if not known."""
        known = (
            management
            for management in self.managements
            if management.component == mpi and management.range.contains(version)
        )
        return next((one.interfaces for one in known), ())

    def library_version(self, mpi: str) -> str:
        """The expression for the version in an MPI's own words; empty if not known."""
        return next((version.pattern for version in self.library_versions if version.component == mpi), "")
