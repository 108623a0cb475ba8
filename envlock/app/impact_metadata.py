"""What a distribution that is upgraded requires of the others in a lock by its metadata, and they of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from envlock.edges.clock import today
from envlock.edges.declarations import metadata_file, release_of_version, stated_metadata
from envlock.edges.index.catalogue import IndexCatalogue
from envlock.judging.declared import declared_findings
from envlock.lifecycle.impact import RequirementUnmet, SiteChange, Upgrade, upgraded
from envlock.model.errors import SurroundingsError
from envlock.model.knowing.fact import Severity
from envlock.model.knowing.finding import Finding
from envlock.model.knowing.knowledge import Knowledge
from envlock.model.locked.lock import Lock
from envlock.model.locked.pinned import assignment_on
from envlock.model.locked.pins import DistributionPin
from envlock.model.project.group import Group
from envlock.model.project.target import Target
from envlock.model.published.declaration import Declaration, Published


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
    declarations = {
        pin.component: declaration
        for pin in then.distributions
        if (pin.component in moved or not moved.isdisjoint(pin.dependencies))
        and (declaration := _declaration(pin, lock.python, catalogue, is_new=pin.component in moved))
    }

    def refused(one: Lock) -> Iterator[Finding]:
        for component in sorted(moved & declarations.keys()):
            assignment = assignment_on(one, target, knowledge)
            yield from declared_findings(assignment, declarations, knowledge, of=component)

    known = {(*finding.components,) for finding in refused(lock)}
    for finding in refused(then):
        component = next(iter(finding.components))
        is_known = (*finding.components,) in known and component not in moved
        if finding.severity is Severity.REFUSE and not is_known:
            version = finding.components[component]
            yield RequirementUnmet(component=component, version=version, message=finding.message)


def _declaration(
    pin: DistributionPin, python: str, catalogue: IndexCatalogue, *, is_new: bool
) -> Declaration | None:
    """Return what a release declares; ``None`` where that cannot be had."""
    file, published = pin.file, tuple[Published, ...]()
    try:
        if is_new:
            release = release_of_version(pin.version, catalogue.releases(pin.name))
            files = release.files if release else ()
            published = tuple(
                Published(filename=f.filename, requires_python=f.requires_python) for f in files
            )
            best = metadata_file(release, python) if release else None
            if best is None:
                return None
            file = best
        metadata = stated_metadata(catalogue, pin.name, file)
    except SurroundingsError:
        return None
    return Declaration(
        distribution=pin.name,
        version=pin.version,
        read=today(),
        files=published,
        requires_dist=tuple(map(str, metadata.requires_dist)) if metadata else (),
        versions=(),
    )
