"""A store that several projects share: who holds what in it, and forgetting a project that is gone."""

from __future__ import annotations

from pathlib import Path

from envlock.app.keeping.tidy import Garbage, collect_garbage
from envlock.app.manifest_file import MANIFEST
from envlock.app.project import Project, need_open_store
from envlock.edges.store.holders import is_gone, promises_of
from envlock.edges.store.projects import forget_project, holdings, project_name
from envlock.model.errors import RefusedError, RequestError
from envlock.model.frozen import dataclass
from envlock.model.published.holding import Holding


@dataclass(frozen=True, slots=True, kw_only=True)
class Tidied:
    """What nobody uses in a store, and who holds the rest.

    Attributes:
        garbage: what no group uses, removed or not.
        forgotten: the project that the store no longer knows, or (in a dry run) would no longer know.
        unseen: whether even the parent folder of the forgotten one is missing: it may not be mounted.
        holdings: what each project that shares the store holds, the forgotten one left out.
        here: the name, among those, of the project that asks.
    """

    garbage: tuple[Garbage, ...]
    forgotten: Holding | None
    unseen: bool
    holdings: tuple[Holding, ...]
    here: str


def tidy(
    project: Project,
    *,
    dry_run: bool,
    forget: Path | None = None,
    frozen_too: bool = False,
) -> Tidied:
    """Remove what no group uses, first letting go of what a project that is gone holds.

    Args:
        project: the project whose store it is.
        dry_run: whether to tell only.
        forget: the folder that the project to forget was in.
        frozen_too: whether its promises are to be broken.

    Raises:
        RefusedError: the project to forget is still there, may be there, or has promises that hold.
        RequestError: the store knows no such project, or is damaged.
        SurroundingsError: the store is not the user's to write to, or the disk failed.
    """
    gone = _to_forget(project, forget, frozen_too=frozen_too) if forget is not None else None
    if gone is not None and gone.manifest is not None and not dry_run:
        need_open_store(project)
        forget_project(project.store.root.absolute(), gone.name, gone.manifest)
    return Tidied(
        garbage=collect_garbage(project, dry_run=dry_run, without=gone),
        forgotten=gone,
        unseen=forget is not None and not forget.absolute().parent.exists(),
        holdings=tuple(
            holding for holding in who_holds(project) if gone is None or holding.name != gone.name
        ),
        here=project.store.project,
    )


def who_holds(project: Project) -> tuple[Holding, ...]:
    """Return what each project holds in the store that this one shares; nothing where the store is its own.

    Raises:
        RequestError: a note in the store is damaged.
    """
    return holdings(project.store.root.absolute()) if project.store.project else ()


def _to_forget(project: Project, folder: Path, *, frozen_too: bool) -> Holding:
    """Return what a project that is gone holds in the shared store.

    Nobody can be sure that it is gone, because its file system may not be mounted. So a person names it.

    Args:
        project: another project that shares the store.
        folder: where the project to forget was.
        frozen_too: whether its promises are to be broken.

    Raises:
        RefusedError: it is still there, may be there, or has promises that hold.
        RequestError: the store is this project's own, or knows no such project.
    """
    store, whole = project.store, folder.resolve()
    manifest = whole / MANIFEST
    if not store.project:
        raise RequestError(
            "store-not-shared",
            f"the store {store.root.absolute()} belongs to this project alone",
            where=project.manifest.file,
            hint="remove the project's folder; its store goes with it",
        )
    name = project_name(whole)
    held = who_holds(project)
    found = next((holding for holding in held if holding.name == name), None)
    if found is None:
        gone = [str(holding.manifest.parent) for holding in held if holding.manifest and holding.gone]
        raise RequestError(
            "unknown-project",
            f"no project in {whole} holds anything in the store",
            where=str(store.root.absolute()),
            hint=f"those whose manifest is gone: {', '.join(gone) or 'none'}; envlock gc names all",
        )
    if not is_gone(manifest):
        raise RefusedError(
            "project-exists",
            "the project is still there, or is somewhere you may not look",
            where=str(manifest),
            hint="remove its manifest, or ask its owner to; envlock gc alone removes what it no longer uses",
        )
    promised = promises_of(store.root.absolute() / "holders", manifest)
    if promised and not frozen_too:
        promises = ", ".join(f"{group} until {until}" for group, until in sorted(promised.items()))
        raise RefusedError(
            "frozen",
            "the project has promised that groups do not move, and the promises still hold",
            where=str(whole),
            why=f"frozen: {promises}",
            hint="mount its file system, or wait; if nobody needs the groups, add --frozen-too",
        )
    return Holding(name=name, manifest=manifest, gone=True, current=found.current, promised=promised)
