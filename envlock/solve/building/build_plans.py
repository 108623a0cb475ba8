"""How pins without a usable wheel will be built: the build environment, solved like the rest."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace

from packaging.requirements import Requirement

from envlock.model.component import Range
from envlock.model.knowing.fact import Condition
from envlock.model.knowing.knowledge import Knowledge
from envlock.model.knowing.recipe import Adjustment, Recipe
from envlock.model.locked.pinned import decided_by_node, pinned_versions
from envlock.model.locked.pins import BuildPlan, DistributionPin, Resolution, Solved, SystemPin, Unsolvable
from envlock.model.project.group import Wish
from envlock.model.project.policy import Forms, Policy
from envlock.model.published.catalogue import Catalogue
from envlock.model.published.tree_words import CYTHON_SOURCES, STATED_REQUIREMENTS, TREE_WORDS
from envlock.solve.building.compilers import COMPILER
from envlock.solve.building.unbuildable import Unbuildable
from envlock.solve.era import build_cut_off
from envlock.solve.request import Request

_PATHS = frozenset({"PATH", "LD_LIBRARY_PATH"})
_STANDARD_PREFIXES = frozenset({"", "/", "/usr"})


def plan_builds(
    solved: Solved,
    compiler: str,
    request: Request,
    knowledge: Knowledge,
    catalogue: Catalogue,
    resolve_build: Callable[[Request], Resolution],
) -> Mapping[str, BuildPlan] | Unbuildable:
    """Return a plan for each pin that comes as an sdist, or the first pin that cannot be built.

    Args:
        solved: the answer.
        compiler: the version of the compiler that builds take; empty where none is known.
        request: what it answers.
        knowledge: the recipes.
        catalogue: has the metadata of sdists.
        resolve_build: solves for a build environment.
    """
    plans = {}
    for pin in solved.distributions:
        if pin.file.is_wheel:
            continue
        if pin.component in request.building:
            chain = " -> ".join([*request.building, pin.component])
            why = (f"{pin.name} {pin.version} has no usable wheel and is needed to build itself: {chain}",)
            refusal = Unsolvable(component=pin.component, reasons=(), facts=(), excluded=why)
            return Unbuildable(pin=pin, refusal=refusal)
        plan = _plan(pin, solved, compiler, request, knowledge, catalogue, resolve_build)
        if isinstance(plan, Unsolvable):
            return Unbuildable(pin=pin, refusal=plan)
        plans[pin.component] = plan
    return plans


def _plan(
    pin: DistributionPin,
    solved: Solved,
    compiler: str,
    request: Request,
    knowledge: Knowledge,
    catalogue: Catalogue,
    resolve_build: Callable[[Request], Resolution],
) -> BuildPlan | Unsolvable:
    recipe = knowledge.recipe(pin.component, pin.version)
    systems = _systems(pin, recipe, solved, knowledge)
    present = _present(solved, compiler, request, knowledge)
    holding = (
        [adjustment for adjustment in recipe.adjustments if _holds(adjustment, present)] if recipe else []
    )
    metadata = catalogue.metadata(pin.name, pin.file)
    texts = [
        *metadata.build_requires,
        *(recipe.build_requires if recipe else ()),
        *_carried(systems, knowledge),
    ]
    texts += [text for recipe in holding for text in recipe.build_requires]
    by = f"the build of {pin.name}"
    wishes = [build_wish(text, by, knowledge) for text in texts]
    words = {STATED_REQUIREMENTS: metadata.has_slips, CYTHON_SOURCES: metadata.translates}
    wishes += [_wish_of_word(name, TREE_WORDS[name], by) for name, holds in words.items() if holds]
    against = _against(recipe, pin, solved, knowledge, tools={wish.component for wish in wishes})
    build = Request(
        wishes=tuple(wishes),
        target=request.target,
        interpreter=request.interpreter,
        as_of=build_cut_off(request, pin.file),
        era_of_pins=request.era_of_pins,
        preferred=_preferred(pin, solved, request),
        held=against,
        waived=request.waived,
        policy=policy_of_build(request),
        building=(*request.building, pin.component),
        direct=request.direct,
    )
    older = [build_wish(text, by, knowledge) for text in _old_tools(pin, wishes, request, knowledge)]
    answer = resolve_build(replace(build, wishes=(*wishes, *older)))
    if older and isinstance(answer, Unsolvable):  # the sources ask for later releases
        answer = resolve_build(build)
    if pin.file.direct and request.era_of_pins and isinstance(answer, Unsolvable):  # nothing tells their time
        answer = resolve_build(replace(build, as_of=None))
    if isinstance(answer, Unsolvable):
        return answer
    return BuildPlan(
        requires=tuple(p for p in answer.distributions if p.component not in against),
        against=against,
        systems={s.component: s.version for s in systems} | ({COMPILER: compiler} if compiler else {}),
        variables=_variables(recipe, systems, holding),
        edits=tuple(edit for recipe in holding for edit in recipe.edits),
    )


def _preferred(pin: DistributionPin, solved: Solved, request: Request) -> Mapping[str, str]:
    """Return the versions that a build environment keeps where it can: those of what the build is for.

    What a build environment and the environment around it both want is then built once; tools that are there
    only for the outer build (the wheel that it pins) have no say in the inner one.
    """
    chosen = {other.component: other.version for other in solved.distributions}
    if not request.building or request.preferred.get(pin.component) != pin.version:
        return chosen
    return {name: version for name, version in chosen.items() if name in request.preferred}


def _old_tools(
    pin: DistributionPin, wishes: Iterable[Wish], request: Request, knowledge: Knowledge
) -> Iterator[str]:
    """Yield, for the tools that a build asks for, the releases that its sources were written for."""
    asked = {wish.component for wish in wishes}
    uploaded = pin.file.upload_time
    published = uploaded.date() if uploaded else None
    for old in knowledge.old_tools:
        if old.tool in asked and old.is_meant(published, request.interpreter.version):
            yield f"{old.tool}{old.range.text}"


def policy_of_build(request: Request) -> Policy:
    """Return the part of a request's policy that holds for its builds' tools: what is never built.

    Wheels of tools do no harm to what is built, and without any there would be no beginning.
    """
    return Policy(forms=Forms(only_binary=request.policy.forms.only_binary))


def _present(solved: Solved, compiler: str, request: Request, knowledge: Knowledge) -> Mapping[str, str]:
    """Return what a recipe's conditions may speak of: node, pins, compiler, a virtual component's member.

    Where a mixed kind of node has several of one (GPUs), the first counts.
    """
    of_node = decided_by_node(request.target, knowledge)
    present = {name: chosen[0].version for name, chosen in of_node.items()} | pinned_versions(solved)
    if compiler:
        present[COMPILER] = compiler
    for virtual in knowledge.systems.values():
        for member in virtual.members:
            if member in present:
                present[virtual.name] = present[member]
    return present | {knowledge.flavour_of(name): version for name, version in present.items()}


def _systems(
    pin: DistributionPin, recipe: Recipe | None, solved: Solved, knowledge: Knowledge
) -> tuple[SystemPin, ...]:
    """Return the system components that a pin is built with: its needs, its recipe's words, and their needs.

    For a virtual component that is the member; one that is there, though not needed, is built with as well.
    """
    versions = {system.component: system.version for system in solved.systems} | {pin.component: pin.version}
    spoken = {
        condition.component for part in (recipe.adjustments if recipe else ()) for condition in part.when
    }
    words = {name for name in spoken & versions.keys() if knowledge.systems.get(name) is not None}
    words = {name for name in words if knowledge.systems[name].words}
    needed = set(words)
    for need in knowledge.needs:
        name = need.distribution
        if name in {pin.component, *words} and need.range.contains(versions[name]):
            needed.add(need.component)
            system = knowledge.systems.get(need.component)
            needed.update(system.members if system is not None else ())
    needed.add(COMPILER)
    return tuple(system for system in solved.systems if system.component in needed)


def _against(
    recipe: Recipe | None,
    pin: DistributionPin,
    solved: Solved,
    knowledge: Knowledge,
    *,
    tools: AbstractSet[str],
) -> Mapping[str, str]:
    """Return what is compiled against, closed under dependencies, at the versions of the environment.

    A dependency that is a tool of this build too (the CMake that Triton brings along) comes as the build asks
    for it.
    """
    if recipe is None:
        return {}
    by_name = {other.component: other for other in solved.distributions}
    queue = [name for name in by_name if knowledge.flavour_of(name) in recipe.after and name != pin.component]
    passed_by = {pin.component, *(tools - set(queue))}
    closed: dict[str, str] = {}
    while queue:
        name = queue.pop()
        if name not in closed and name not in passed_by:
            closed[name] = by_name[name].version
            queue.extend(by_name[name].dependencies)
    return dict(sorted(closed.items()))


def _carried(systems: Iterable[SystemPin], knowledge: Knowledge) -> Iterator[str]:
    """Yield requirements for system components from the index, and for what building against them needs."""
    for system in systems:
        for provider in knowledge.providers:
            if provider.distribution == system.distribution:
                for name in (provider.distribution, *provider.devel):
                    yield f"{name.removeprefix('pypi:')}=={system.version}"


def build_wish(text: str, group: str, knowledge: Knowledge) -> Wish:
    """Return what a build wants in its environment as a wish of that build."""
    requirement = Requirement(text)
    return Wish(
        component=knowledge.distribution(requirement.name),
        range=Range.versions(str(requirement.specifier)),
        requirement=requirement,
        text=text,
        group=group,
    )


def _wish_of_word(component: str, word: str, group: str) -> Wish:
    """Return the wish that tells facts what the source tree is like."""
    text = f"{component}=={word}"
    return Wish(component=component, range=Range.words(word), requirement=None, text=text, group=group)


def _variables(
    recipe: Recipe | None, systems: Iterable[SystemPin], holding: Sequence[Adjustment]
) -> Mapping[str, str]:
    variables: dict[str, str] = {}
    for system in systems:
        if system.prefix not in _STANDARD_PREFIXES:
            _merge(variables, {"PATH": f"{system.prefix}/bin", "LD_LIBRARY_PATH": f"{system.prefix}/lib"})
        _merge(variables, system.variables)
    if recipe is not None:
        prefixes = {system.component: system.prefix for system in systems}
        variables |= recipe.variables
        for adjustment in recipe.adjustments:
            holds = adjustment in holding
            variables |= _filled(adjustment.variables if holds else adjustment.otherwise, prefixes)
            for name, flags in adjustment.append.items() if holds else ():
                variables[name] = f"{variables.get(name, '')} {flags}".strip()
    return dict(sorted(variables.items()))


def _filled(variables: Mapping[str, str], prefixes: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Yield variables with the prefixes of system components; one whose component has none is left out."""
    for name, text in variables.items():
        component = text[1:-1] if text.startswith("{") and text.endswith("}") else ""
        value = prefixes.get(component, text) if component else text
        if value:
            yield name, value


def _merge(variables: dict[str, str], more: Mapping[str, str]) -> None:
    for name, value in more.items():
        joined = [value, variables[name]] if name in _PATHS and name in variables else [value]
        variables[name] = ":".join(joined)


def _holds(adjustment: Adjustment, present: Mapping[str, str]) -> bool:
    def met(condition: Condition) -> bool:
        version = present.get(condition.component)
        return version is not None and condition.range.contains(version)

    return all(map(met, adjustment.when)) and not any(map(met, adjustment.unless))
