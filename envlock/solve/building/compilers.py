"""The compiler that an answer's builds take, of those on the nodes and in the site's modules.

A build takes the compiler that it finds: that of EasyBuild's generation, which the modules of an MPI bring
along, or else the node's own. Where a module's suits better, that is loaded for builds, and for what
they make, which needs its C++ library.

What the knowledge base says of compilers chooses among them, and refuses none: recipes may get along.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from envlock.judging.judge import judge
from envlock.judging.learned_conflicts import learned_conflict
from envlock.model.component import Range, Via
from envlock.model.frozen import dataclass
from envlock.model.knowing.fact import WARNED_OF, Condition, Fact, Severity
from envlock.model.knowing.finding import Assignment, Chosen, Finding
from envlock.model.knowing.knowledge import Knowledge
from envlock.model.locked.pins import Origin, Solved, SystemPin
from envlock.model.project.target import Offer
from envlock.model.project.toolchains import TOOLCHAIN
from envlock.solve.assignment import assignment_of
from envlock.solve.request import Request

COMPILER = "gcc"
_CUDA = "cuda"


@dataclass(frozen=True, slots=True, kw_only=True)
class Compiling:
    """A compiler for an answer's builds.

    Attributes:
        offer: the compiler; ``None`` where nothing is built, or none is known.
        against: what the knowledge base says against it beside what is built.
    """

    offer: Offer | None = None
    against: tuple[Finding, ...] = ()

    @property
    def rank(self) -> tuple[int, int]:
        """How many findings would end a build, and how many there are at all."""
        return sum(finding.severity is Severity.REFUSE for finding in self.against), len(self.against)


def choose_compiler(solved: Solved, request: Request, knowledge: Knowledge) -> Compiling:
    """Return the compiler with the least that speaks against it, the usual one of those alike."""
    built = {pin.component for pin in solved.distributions if not pin.file.is_wheel}
    if not built:
        return Compiling()
    assignment = assignment_of(solved, request, knowledge)
    offers = list(_offered(solved, assignment, request))
    if len(offers) == 1 and TOOLCHAIN not in assignment:
        return Compiling(offer=offers[0])
    some = [
        Compiling(offer=offer, against=tuple(_against(offer, built, assignment, request, knowledge)))
        for offer in offers
    ]
    return min(some, key=lambda compiling: compiling.rank, default=Compiling())


def with_compiler(solved: Solved, compiler: Offer | None) -> Solved:
    """Return an answer that has its compiler loaded, where a module brings it that nothing else loads."""
    if compiler is None or not compiler.modules or any(pin.component == COMPILER for pin in solved.systems):
        return solved
    pin = SystemPin(
        component=COMPILER,
        version=compiler.version,
        origin=Origin.SITE,
        prefix=compiler.prefix,
        distribution="",
        modules=compiler.modules,
        variables=compiler.variables,
        asked_by=tuple(
            f"{distribution.name} {distribution.version}"
            for distribution in solved.distributions
            if not distribution.file.is_wheel
        ),
        facts=(),
    )
    # First, as sites with hierarchies show an MPI's module only where its compiler's is loaded.
    return replace(solved, systems=(pin, *solved.systems))


def of_other_generations(solved: Solved, request: Request, knowledge: Knowledge) -> Iterator[Fact]:
    """Yield conflicts that lead to modules of other generations, where the compiler does not suit."""
    places = {(pin.component, pin.version, pin.modules) for pin in solved.systems}
    bringing = {
        offer.component: offer.version
        for offer in request.target.offers
        if TOOLCHAIN in offer.properties and (offer.component, offer.version, offer.modules) in places
    }
    if not bringing:
        return
    for finding in choose_compiler(solved, request, knowledge).against:
        met = {**finding.components, **bringing}
        yield learned_conflict(
            f"{WARNED_OF}{finding.fact}",
            [
                Condition(component=name, range=Range.only(version))
                for name, version in met.items()
                if name != COMPILER
            ],
            reason=finding.message,
            cause=finding.cause,
            sources=finding.sources,
        )


def _offered(solved: Solved, assignment: Assignment, request: Request) -> Iterator[Offer]:
    """Yield the compilers that builds of an answer may take, the usual one first."""
    pinned = {pin.version for pin in solved.systems if pin.component == COMPILER}
    offers = request.target.offered(COMPILER)
    if pinned:
        yield from (offer for offer in offers if offer.version in pinned)
    elif TOOLCHAIN in assignment:
        # The modules of the generation load it, so that nothing else need.
        yield Offer(component=COMPILER, version=assignment[TOOLCHAIN][0].version)
    else:
        yield from sorted(offers, key=lambda offer: bool(offer.modules))


def _against(
    offer: Offer, built: set[str], assignment: Assignment, request: Request, knowledge: Knowledge
) -> Iterator[Finding]:
    """Yield what speaks against a compiler, of what is built and of the CUDA that it is built with."""
    beside = {**assignment, COMPILER: (Chosen(version=offer.version, via=Via.SITE),)}
    for finding in judge(beside, knowledge, waived=request.waived).findings:
        others = finding.components.keys() - {COMPILER}
        is_against = COMPILER in finding.components and finding.severity is not Severity.NOTE
        if is_against and others & {*built, _CUDA}:
            yield finding
