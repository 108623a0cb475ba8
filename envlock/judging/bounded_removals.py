"""Names that no release has which metadata admits of a distribution that nobody named.

TensorFlow 2.13 requires Keras 2.13.1 or newer, and none of these has ``keras.engine``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from packaging.specifiers import SpecifierSet
from packaging.version import Version

from envlock.judging.removed_names import PastRemoval
from envlock.judging.unnamed_requirements import unnamed_requirements
from envlock.model.component import parse_version
from envlock.model.knowing.finding import Assignment
from envlock.model.knowing.knowledge import Knowledge
from envlock.model.knowing.removal import Removal
from envlock.model.lower_bounds import lower_bounds
from envlock.model.published.declaration import Declaration


def removals_bounded(
    assignment: Assignment, declarations: Mapping[str, Declaration], knowledge: Knowledge
) -> tuple[PastRemoval, ...]:
    """Return the removals that have happened in every release that metadata admits of what nobody named.

    Args:
        assignment: the combination.
        declarations: component -> its declaration.
        knowledge: the removals, and the meaning of names.
    """
    return tuple(
        PastRemoval(
            requirement.component,
            requirement.declaration.version,
            removal,
            asker=requirement.dependent,
            asked=str(requirement.specifiers[0]),
        )
        for requirement in unnamed_requirements(assignment, declarations, knowledge)
        for removal in knowledge.removals.get(knowledge.flavour_of(requirement.component), ())
        if all(_is_without(specifier, removal) for specifier in requirement.specifiers)
    )


def _is_without(specifier: SpecifierSet, removal: Removal) -> bool:
    """Whether all admitted versions lie between the removal and the return of the names, if there is one."""
    lowest = max(_lower(specifier), default=None)
    if lowest is None or not removal.has_happened(str(lowest)):
        return False
    back = parse_version(removal.until) if removal.until else None
    return back is None or any(upper <= back for upper in _upper(specifier))


def _lower(specifier: SpecifierSet) -> Iterator[Version]:
    """Yield versions that no admitted one is below."""
    yield from map(parse_version, lower_bounds(specifier))
    yield from (parse_version(part.version) for part in specifier if part.operator == ">")


def _upper(specifier: SpecifierSet) -> Iterator[Version]:
    """Yield versions that all admitted ones are below."""
    for part in specifier:
        if part.operator == "<":
            yield parse_version(part.version)
