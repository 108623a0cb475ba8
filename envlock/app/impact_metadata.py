"""What a distribution that is upgraded requires of the others in a lock by its metadata, and they of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import nullcontext

from envlock.edges.cache import Cache, default_root
from envlock.edges.clock import today
from envlock.edges.declarations import read_declarations
from envlock.edges.index.catalogue import IndexCatalogue
from envlock.judging.declared import declared_findings
from envlock.lifecycle.impact import RequirementUnmet, SiteChange, Upgrade, upgraded
from envlock.model.knowing.fact import Severity
from envlock.model.knowing.finding import Finding
from envlock.model.knowing.knowledge import Knowledge
from envlock.model.locked.lock import Lock
from envlock.model.locked.pinned import assignment_on
from envlock.model.project.group import Group
from envlock.model.project.target import Target


def requirements_unmet(
    group: Group,
    lock: Lock,
    changes: Sequence[SiteChange],
    target: Target,
    knowledge: Knowledge,
    catalogue: IndexCatalogue,
) -> Iterator[RequirementUnmet]:
    """Yield what metadata refuses in a lock with the upgraded versions, and does not in the lock as it is.

    What the group overrides is not asked of metadata, and what no index tells is left out.
    """
    overridden = {override.component for override in group.policy.overrides}
    moved = {change.component for change in changes if isinstance(change, Upgrade)} - overridden
    then = upgraded(lock, changes)
    wanted = {
        pin.component: (pin.name, pin.version)
        for pin in then.distributions
        if not pin.file.direct and not moved.isdisjoint((pin.component, *pin.dependencies))
    }
    opened = nullcontext(catalogue)
    declared = read_declarations(
        wanted, Cache(default_root()), lambda: opened, today=today(), python=lock.python
    ).declarations

    def refused(one: Lock) -> Iterator[Finding]:
        for component in sorted(moved):
            yield from declared_findings(
                assignment_on(one, target, knowledge), declared, knowledge, of=component
            )

    known = {(*finding.components,) for finding in refused(lock)}
    for finding in refused(then):
        component, version = next(iter(finding.components.items()))
        is_known = (*finding.components,) in known and component not in moved
        if finding.severity is Severity.REFUSE and not is_known:
            yield RequirementUnmet(component=component, version=version, message=finding.message)
