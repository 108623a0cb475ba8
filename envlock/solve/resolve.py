"""One solve over Python distributions and system components together."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

from envlock.judging.judge import judge, with_bundles
from envlock.judging.learned_conflicts import conflict_of
from envlock.model.errors import RefusedError
from envlock.model.frozen import dataclass
from envlock.model.knowing.fact import Fact, Severity
from envlock.model.knowing.knowledge import Knowledge
from envlock.model.locked.pins import Resolution, Solved, Unsolvable
from envlock.model.published.catalogue import Catalogue
from envlock.solve.assignment import assignment_of
from envlock.solve.building.backend_metadata import Asked, RecordingCatalogue, asked_backends, with_pins_asked
from envlock.solve.building.build_plans import plan_builds
from envlock.solve.building.compilers import choose_compiler, with_compiler
from envlock.solve.building.passed_over_sdists import of_their_time, with_newer_sources
from envlock.solve.building.unbuildable import Unbuildable
from envlock.solve.effort import Effort
from envlock.solve.fallen_back import with_nearer_wishes
from envlock.solve.kept_versions import versions_to_keep
from envlock.solve.offers.shared import Shared, environment_asked_for
from envlock.solve.refusing.refusal import Refusal
from envlock.solve.refusing.refuted_before import RefutedBefore
from envlock.solve.remedies.sparing_catalogue import SparingCatalogue
from envlock.solve.request import Request
from envlock.solve.searching.by_resolvelib import TOO_DEEP
from envlock.solve.searching.outcomes import Refuted
from envlock.solve.searching.solver import Solver

_MAX_CONFLICTS = 50

Objections = Callable[[Solved], Sequence[Fact]]
"""Finds what only files tell against an answer, as facts."""


def resolve(
    request: Request,
    knowledge: Knowledge,
    catalogue: Catalogue,
    shared: Shared | None = None,
    *,
    effort: Effort = Effort.REMEDY,
    objections: Objections = lambda _: (),
) -> Resolution:
    """Answer a request: all pins with their build plans, or a refusal with its reasons.

    The solver's answer is judged as a whole before it is returned; should a fact speak against it in
    a way that single requirements cannot express (a bundled library beside the system's), the combination is
    learned as a conflict and the solve repeated. One judgement decides, here as in ``envlock check``.

    Versions to keep are held at first, and only those that a refusal is blamed on are let go.

    Args:
        request: what to answer.
        knowledge: the knowledge base.
        catalogue: what the indexes offer.
        shared: what other solves over the same knowledge base and catalogue have worked out.
        effort: how far to go before the request is refused, and in refusing it.
        objections: what only files tell against an answer that a remedy leads to, as facts.

    Raises:
        RequestError: a file or folder that the manifest names does not exist.
        RefusedError: no answer was found within the bounds on rounds.
        SurroundingsError: an index or its metadata could not be read.
    """
    shared = shared or Shared()
    recording = RecordingCatalogue(catalogue, shared.unstated)
    resolver = _Resolver(knowledge=knowledge, catalogue=recording, shared=shared, objections=objections)
    answer = resolver.resolve(request, effort)
    if not isinstance(answer, Solved):
        return answer
    return with_nearer_wishes(answer, resolver.solver(request), resolver.resolve)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Resolver:
    """Answers requests over one knowledge base and one catalogue.

    Attributes:
        knowledge: the knowledge base.
        catalogue: what the indexes offer.
        shared: what other solves over both have worked out.
        objections: what only files tell against an answer that a remedy leads to.
    """

    knowledge: Knowledge
    catalogue: RecordingCatalogue
    shared: Shared
    objections: Objections

    def resolve(self, request: Request, effort: Effort = Effort.EXPLAIN) -> Resolution:
        """Answer a request, if need be with what build backends say; see ``resolve``."""
        answer = self.answer(request, nearest=not request.building)
        if isinstance(answer, Solved):
            return self._of_its_time(answer, request)
        refusal = answer.bare() if effort < Effort.EXPLAIN else answer.explained()
        if isinstance(refusal, Request):
            return self.resolve(refusal, effort)
        asked = self._asked_backends(request) if effort > Effort.TRY else None
        if asked is not None and isinstance(asked.answer, Solved):
            return asked.answer
        if effort < Effort.REMEDY:
            return refusal
        resolver = self
        if asked is not None and isinstance(asked.answer, Refusal):
            # What refuses it may have nothing to do with what those files do not state.
            refusal, resolver = asked.answer.explained(), self._over(asked.catalogue)
            if isinstance(refusal, Request):
                return resolver.resolve(replace(refusal, supposing=False), effort)
            refusal = replace(refusal, excluded=(*refusal.excluded, *asked.catalogue.failures))
        return resolver.with_all_remedies(refusal, request)

    def solver(self, request: Request) -> Solver:
        """Return the solver of a request."""
        return Solver(request, self.knowledge, self.catalogue, self.shared)

    def _over(self, catalogue: RecordingCatalogue) -> _Resolver:
        """Return a resolver over a catalogue that knows what build backends have said."""
        return replace(self, catalogue=catalogue, shared=Shared(unstated=catalogue.asked))

    def with_all_remedies(self, refusal: Unsolvable, request: Request) -> Unsolvable:
        """Return a refusal with what would end it; build backends may supply metadata of the pins it met."""
        before = frozenset(self.shared.unstated)
        found = self.with_remedies(refusal, request)
        met = [sdist for url, sdist in self.shared.unstated.items() if url not in before]
        pins = with_pins_asked(met, request, self.knowledge, self.catalogue, self.resolve)
        if not pins.built:
            return found
        return replace(self, catalogue=pins, shared=Shared()).with_remedies(refusal, request)

    def with_remedies(self, refusal: Unsolvable, request: Request) -> Unsolvable:
        """Return a refusal with what would end it."""
        from envlock.solve.remedies.context import RemedyContext  # noqa: PLC0415
        from envlock.solve.remedies.fixes import propose  # noqa: PLC0415 - only refusals need these
        from envlock.solve.remedies.objection_solver import ObjectionSolver  # noqa: PLC0415

        before = RefutedBefore()
        sparing = SparingCatalogue.beside(self.catalogue, request, self.shared)
        # What is passed over here may be read elsewhere.
        trying = replace(self, catalogue=sparing, shared=Shared(unstated=self.shared.unstated))

        def answered(amended: Request, knowledge: Knowledge) -> Solved | None:
            resolver = replace(trying, knowledge=knowledge)
            if before.rules_out(resolver.solver(amended)):
                return None
            found = resolver.answer(amended)
            while isinstance(found, Refusal) and (wider := found.reopened()):
                found = resolver.answer(wider)
            if isinstance(found, Refusal) and knowledge is self.knowledge:
                before.add(amended, found.refuted.requirements)
            return found if isinstance(found, Solved) else None

        works = ObjectionSolver(self.knowledge, answered, self.objections)

        def refuses(amended: Request) -> Unsolvable | None:
            again = trying.answer(amended)
            if isinstance(again, Solved) and works(amended) is None:  # only files and code speak against it
                again = replace(trying, knowledge=works.knowledge).answer(amended)
            explained = None if isinstance(again, Solved) else again.explained()
            return refuses(explained) if isinstance(explained, Request) else explained

        context = RemedyContext(
            knowledge=self.knowledge, catalogue=self.catalogue, works=works, refuses=refuses
        )
        return replace(refusal, remedies=propose(refusal, request, context))

    def _of_its_time(self, solved: Solved, request: Request) -> Solved:
        """Replace sources older than the interpreter, and later releases, by what states no needs."""
        if not self.shared.unstated or request.building:
            return solved
        met = self.shared.unstated.values()
        again = partial(self._afresh, of_their_time(request, met))
        return with_newer_sources(solved, met, request, self.knowledge, self.catalogue, again, self.resolve)

    def _asked_backends(self, request: Request) -> Asked[Solved | Refusal] | None:
        """Answer with metadata that only build backends tell, where the refusal met such files."""
        if not self.shared.unstated or request.building:
            return None
        try:
            return asked_backends(request, self.knowledge, self.catalogue, self._afresh, self.resolve)
        except RefusedError as error:
            if error.code != TOO_DEEP:
                raise
            return None  # the refusal without them has its reasons

    def _afresh(self, request: Request, recording: RecordingCatalogue) -> Solved | Refusal:
        """Answer a request again with what backends say."""
        return replace(self, catalogue=recording, shared=Shared()).answer(request)

    def answer(self, request: Request, *, nearest: bool = False) -> Solved | Refusal:
        """Make attempts until an answer passes the judgement and can be built."""
        solver = self.solver(request)
        learned: list[Fact] = []
        unbuildable: list[tuple[str, Unbuildable]] = []
        keeping = versions_to_keep(solver)
        while len(learned) < _MAX_CONFLICTS:
            facts, required = solver.facts.plus(learned), (*solver.requirements(), *keeping)
            try:
                outcome = solver.attempt(required, facts, far=not keeping, nearest=nearest)
            except RefusedError as error:
                if not keeping or error.code != TOO_DEEP:
                    raise
                keeping = ()  # what to keep still comes first among the candidates
                continue
            if isinstance(outcome, Refuted):
                if not outcome.requirements.intersection(keeping):
                    return Refusal(solver=solver, refuted=outcome, learned=learned, unbuildable=unbuildable)
                keeping = tuple(
                    requirement for requirement in keeping if requirement not in outcome.requirements
                )
                continue
            solved = solver.read(outcome, learned)
            assignment = assignment_of(solved, request, self.knowledge)
            judgement = judge(assignment, self.knowledge, waived=request.waived)
            refusals = [finding for finding in judgement.findings if finding.severity is Severity.REFUSE]
            if not refusals:
                if request.supposing and self.catalogue.supposed(solved) is not None:
                    return solved  # builds are planned once backends have told what these need
                built = self._with_builds(solved, request)
                if isinstance(built, Solved):
                    return replace(built, warned=judgement.warnings)
                learned.append(built.fact(len(learned)))
                unbuildable.append((learned[-1].id, built))
                continue
            full, numbered = with_bundles(assignment, self.knowledge), enumerate(refusals, len(learned))
            learned.extend(conflict_of(full, finding, number) for number, finding in numbered)
        raise RefusedError(
            "no-answer",
            "the knowledge base refused every combination that was tried",
            why=f"the last one was refused by {learned[-1].id}",
            hint="pin the components that it names",
        )

    def _with_builds(self, solved: Solved, request: Request) -> Solved | Unbuildable:
        """Return the answer with a plan for every pin that has to be built."""
        # The knowledge base itself is the same for all who share; what was learned or is held is not.
        facts = frozenset((fact.id, *fact.when, *fact.then) for fact in self.knowledge.facts.added)
        builds = self.shared.builds

        def resolve_build(build: Request) -> Resolution:
            key = (environment_asked_for(build), facts)
            if key in builds:
                return builds[key]
            answer = self.resolve(build)
            if isinstance(answer, Solved) and all(pin.file.is_wheel for pin in answer.distributions):
                builds[key] = answer
            return answer

        compiler = choose_compiler(solved, request, self.knowledge).offer
        solved = with_compiler(solved, compiler)
        version = compiler.version if compiler is not None else ""
        plans = plan_builds(solved, version, request, self.knowledge, self.catalogue, resolve_build)
        if isinstance(plans, Unbuildable):
            return plans
        planned = (replace(pin, build=plans.get(pin.component)) for pin in solved.distributions)
        return replace(solved, distributions=tuple(planned))
