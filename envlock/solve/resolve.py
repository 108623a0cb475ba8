"""One solve over Python distributions and system components together."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from envlock.judging.judge import judge, with_bundles
from envlock.judging.lessons import met_in
from envlock.model.errors import RefusedError
from envlock.model.frozen import dataclass
from envlock.model.knowing.fact import Fact, Severity
from envlock.model.knowing.knowledge import Knowledge
from envlock.model.locked.pins import Resolution, Solved, Unsolvable
from envlock.model.published.catalogue import Catalogue
from envlock.solve.assignment import assignment_of
from envlock.solve.building.build_plans import plan_builds
from envlock.solve.building.compilers import choose_compiler, with_compiler
from envlock.solve.building.passed_over import of_their_time, with_newer_sources
from envlock.solve.building.unbuildable import Unbuildable, with_builds
from envlock.solve.building.unstated import Asked, Watching, asked_backends, told_pins
from envlock.solve.fallen_back import with_nearer_wishes
from envlock.solve.keeping import versions_to_keep
from envlock.solve.offers.shared import Shared, environment_asked_for
from envlock.solve.refusing.core import Core, core_of, explain_refusal, refused_as_pinned
from envlock.solve.refusing.refuted_before import RefutedBefore
from envlock.solve.reopening import reopened
from envlock.solve.request import Request
from envlock.solve.searching.by_resolvelib import TOO_DEEP
from envlock.solve.searching.outcomes import Refuted
from envlock.solve.searching.solver import Solver

_MAX_LESSONS = 50


def resolve(
    request: Request,
    knowledge: Knowledge,
    catalogue: Catalogue,
    shared: Shared | None = None,
    *,
    remedied: bool = True,
    in_earnest: bool = True,
    objections: Callable[[Solved], Sequence[Fact]] = lambda _: (),
) -> Resolution:
    """Answer a request: all pins with their build plans, or a refusal with its reasons.

    The solver's answer is judged as a whole before it is returned; should a fact speak against it in
    a way that single requirements cannot express (a bundled library beside the system's), the combination is
    learned as a conflict and the solve repeated. One judgement decides, here as in ``envlock check``.

    Versions to keep are held at first, and only those that a refusal is blamed on are let go.

    A refusal comes with what would end it, solved again for each.

    Args:
        request: what to answer.
        knowledge: the knowledge base.
        catalogue: what the indexes offer.
        shared: what other solves over the same knowledge base and catalogue have worked out.
        remedied: whether a refusal is to come with what would end it, which takes most of its time.
        in_earnest: whether a refusal is shown to anybody. One that only ends a try for something better runs
            no build backend, which would lead to more builds, and has no reasons where nothing rests on them.
        objections: what only files tell against an answer that a remedy leads to, as facts.

    Raises:
        RequestError: a file or folder that the manifest names does not exist.
        RefusedError: no answer was found within the bounds on rounds.
        SurroundingsError: an index or its metadata could not be read.
    """
    shared = shared or Shared()
    watching = Watching(catalogue, shared.unstated)
    if in_earnest:
        answer = _resolve(request, knowledge, watching, shared, remedied=remedied, objections=objections)
    else:
        answer = _tried(request, knowledge, watching, shared)
    if not isinstance(answer, Solved):
        return answer
    solver = Solver(request, knowledge, watching, shared)
    return with_nearer_wishes(answer, solver, lambda one: _resolve(one, knowledge, watching, shared))


def _resolve(
    request: Request,
    knowledge: Knowledge,
    catalogue: Catalogue,
    shared: Shared,
    *,
    remedied: bool = False,
    objections: Callable[[Solved], Sequence[Fact]] = lambda _: (),
) -> Resolution:
    answer = _answer(request, knowledge, catalogue, shared, nearest=not request.building)
    if isinstance(answer, Solved):
        return _of_its_time(answer, request, knowledge, catalogue, shared)
    refusal = _explained(answer)
    if isinstance(refusal, Request):
        return _resolve(refusal, knowledge, catalogue, shared, remedied=remedied, objections=objections)
    asked = _asked_backends(request, knowledge, catalogue, shared)
    if asked is not None and isinstance(asked.answer, Solved):
        return asked.answer
    if not remedied:
        return refusal
    if asked is not None:
        if asked.catalogue.built and isinstance(asked.answer, _Refusal):
            # What still refuses it may have nothing to do with what backends have told since.
            refusal, catalogue = _explained(asked.answer), asked.catalogue
            shared = Shared(unstated=asked.catalogue.met)
            if isinstance(refusal, Request):
                return _resolve(refusal, knowledge, catalogue, shared, remedied=True, objections=objections)
        refusal = replace(refusal, excluded=(*refusal.excluded, *asked.failures))
    before = frozenset(shared.unstated)
    found = _remedied(refusal, request, knowledge, catalogue, shared, objections)
    met = [one for url, one in shared.unstated.items() if url not in before]
    _, resolve_build = _afresh(request, knowledge, catalogue, shared)
    told = told_pins(met, request, knowledge, catalogue, resolve_build)
    return _remedied(refusal, request, knowledge, told, Shared(), objections) if told.built else found


def _tried(request: Request, knowledge: Knowledge, catalogue: Catalogue, shared: Shared) -> Resolution:
    """Answer a request as far as that takes no build backend; a refusal may have no reasons."""
    answer = _answer(request, knowledge, catalogue, shared, nearest=True)
    if isinstance(answer, Solved):
        return _of_its_time(answer, request, knowledge, catalogue, shared)
    wider = answer.reopened()
    if wider is not None:
        return _tried(wider, knowledge, catalogue, shared)
    return Unsolvable(component="", reasons=(), facts=(), excluded=())


def _remedied(
    refusal: Unsolvable,
    request: Request,
    knowledge: Knowledge,
    catalogue: Catalogue,
    shared: Shared,
    objections: Callable[[Solved], Sequence[Fact]],
) -> Unsolvable:
    """Return a refusal with what would end it."""
    before = RefutedBefore()

    def answered(amended: Request, known: Knowledge) -> Solved | None:
        if before.rules_out(Solver(amended, known, catalogue, shared)):
            return None
        found = _answer(amended, known, catalogue, shared)
        while isinstance(found, _Refusal) and (wider := found.reopened()):
            found = _answer(wider, known, catalogue, shared)
        if isinstance(found, _Refusal) and known is knowledge:
            before.add(amended, found.refuted.requirements)
        return found if isinstance(found, Solved) else None

    def refuses(amended: Request) -> Unsolvable | None:
        again = _answer(amended, knowledge, catalogue, shared)
        told = _explained(again) if isinstance(again, _Refusal) else None
        return told if isinstance(told, Unsolvable) else None

    from envlock.solve.remedies.fixes import propose  # noqa: PLC0415 - only refusals need them
    from envlock.solve.remedies.ground import Ground  # noqa: PLC0415
    from envlock.solve.remedies.trying import Trying  # noqa: PLC0415

    works = Trying(knowledge, answered, objections)
    ground = Ground(knowledge=knowledge, catalogue=catalogue, works=works, refuses=refuses)
    return replace(refusal, remedies=propose(refusal, request, ground))


def _explained(answer: _Refusal) -> Unsolvable | Request:
    """Explain a refusal; or return the request with the releases that it missed, if it missed any."""
    refusal = refused_as_pinned(answer.solver)
    if refusal is not None:
        return refusal
    core = answer.core()
    wider = reopened(answer.solver, core)
    if wider is not None:
        return wider
    core_facts = {fact.id for fact in core.facts}
    met = (one for fact, one in answer.unbuildable if fact in core_facts)
    return with_builds(explain_refusal(answer.solver, core), met)


def _of_its_time(
    solved: Solved, request: Request, knowledge: Knowledge, catalogue: Catalogue, shared: Shared
) -> Solved:
    """Replace sources older than the interpreter, and releases of a later time, by what states no needs."""
    if not shared.unstated or request.building:
        return solved
    met = shared.unstated.values()
    answer, resolve_build = _afresh(of_their_time(request, met), knowledge, catalogue, shared)
    return with_newer_sources(solved, met, request, knowledge, catalogue, answer, resolve_build)


def _asked_backends(
    request: Request, knowledge: Knowledge, catalogue: Catalogue, shared: Shared
) -> Asked[Solved | _Refusal] | None:
    """Answer with metadata that only build backends tell, where the refusal met such files."""
    if not shared.unstated or request.building:
        return None
    return asked_backends(request, knowledge, catalogue, *_afresh(request, knowledge, catalogue, shared))


def _afresh(
    request: Request, knowledge: Knowledge, catalogue: Catalogue, shared: Shared
) -> tuple[Callable[[Watching], Solved | _Refusal], Callable[[Request], Resolution]]:
    """Return what answers a request again with what backends say, and what solves build environments."""

    def answer(watching: Watching) -> Solved | _Refusal:
        return _answer(request, knowledge, watching, Shared())

    def resolve_build(build: Request) -> Resolution:
        return _resolve(build, knowledge, catalogue, shared)

    return answer, resolve_build


@dataclass(frozen=True, slots=True, kw_only=True)
class _Refusal:
    """A refusal, not yet explained; ``unbuildable`` has the facts' identifiers learned from failed plans."""

    solver: Solver
    refuted: Refuted
    learned: Sequence[Fact]
    unbuildable: Sequence[tuple[str, Unbuildable]]

    def core(self) -> Core:
        """Reduce what cannot hold together, by solving again."""
        return core_of(self.solver, self.refuted, self.learned)

    def reopened(self) -> Request | None:
        """Return the request with the releases of a later time that it missed; ``None`` if it missed none."""
        return None if self.solver.request.as_of is None else reopened(self.solver, self.core())


def _answer(
    request: Request, knowledge: Knowledge, catalogue: Catalogue, shared: Shared, *, nearest: bool = False
) -> Solved | _Refusal:
    """Make attempts until an answer passes the judgement and can be built."""
    solver = Solver(request, knowledge, catalogue, shared)
    learned: list[Fact] = []
    unbuildable: list[tuple[str, Unbuildable]] = []
    keeping = versions_to_keep(solver)
    while len(learned) < _MAX_LESSONS:
        facts = solver.facts.plus(learned)
        try:
            required = (*solver.requirements(), *keeping)
            outcome = solver.attempt(required, facts, far=not keeping, nearest=nearest)
        except RefusedError as error:
            if not keeping or error.code != TOO_DEEP:
                raise
            keeping = ()  # what to keep still comes first among the candidates
            continue
        if isinstance(outcome, Refuted):
            if not outcome.requirements.intersection(keeping):
                return _Refusal(solver=solver, refuted=outcome, learned=learned, unbuildable=unbuildable)
            keeping = tuple(requirement for requirement in keeping if requirement not in outcome.requirements)
            continue
        solved = solver.read(outcome, learned)
        assignment = assignment_of(solved, request, knowledge)
        judgement = judge(assignment, knowledge, waived=request.waived)
        refusals = [finding for finding in judgement.findings if finding.severity is Severity.REFUSE]
        if not refusals:
            built = _with_builds(solved, request, knowledge, catalogue, shared)
            if isinstance(built, Solved):
                return replace(built, warned=judgement.warnings)
            learned.append(built.fact(len(learned)))
            unbuildable.append((learned[-1].id, built))
            continue
        full = with_bundles(assignment, knowledge)
        learned.extend(met_in(full, finding, number) for number, finding in enumerate(refusals, len(learned)))
    raise RefusedError(
        "no-answer",
        "the knowledge base refused every combination that was tried",
        why=f"the last one was refused by {learned[-1].id}",
        hint="pin the components that it names",
    )


def _with_builds(
    solved: Solved, request: Request, knowledge: Knowledge, catalogue: Catalogue, shared: Shared
) -> Solved | Unbuildable:
    """Return the answer with a plan for every pin that has to be built."""
    # The knowledge base itself is the same for all who share; what was learned or is held is not.
    facts = frozenset((fact.id, *fact.when, *fact.then) for fact in knowledge.facts.added)

    def resolve_build(build: Request) -> Resolution:
        key = (environment_asked_for(build), facts)
        if key in shared.builds:
            return shared.builds[key]
        answer = _resolve(build, knowledge, catalogue, shared)
        if isinstance(answer, Solved) and all(pin.file.is_wheel for pin in answer.distributions):
            shared.builds[key] = answer
        return answer

    compiler = choose_compiler(solved, request, knowledge).offer
    solved = with_compiler(solved, compiler)
    version = compiler.version if compiler is not None else ""
    plans = plan_builds(solved, version, request, knowledge, catalogue, resolve_build)
    if isinstance(plans, Unbuildable):
        return plans
    return replace(
        solved,
        distributions=tuple(replace(pin, build=plans.get(pin.component)) for pin in solved.distributions),
    )
