"""What a group's own folders of sources state that they need: its wishes as much as what the manifest has.

A project with a ``setup.py`` is asked for as a folder; the pins in it are the group's own, and tell its time.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from packaging.requirements import Requirement

from envlock.model.component import Range
from envlock.model.errors import SurroundingsError
from envlock.model.knowing.knowledge import Knowledge
from envlock.model.project.group import Wish
from envlock.model.project.package_sources import Direct
from envlock.model.project.target import Interpreter
from envlock.model.published.catalogue import Catalogue
from envlock.solve.request import holds


def stated_wishes(
    wishes: Iterable[Wish],
    direct: Mapping[str, Direct],
    interpreter: Interpreter,
    knowledge: Knowledge,
    catalogue: Catalogue,
) -> Iterator[Wish]:
    """Yield what the folders that are asked for state, without what only their code would tell.

    Args:
        wishes: what the group asks for under the interpreter.
        direct: component -> the file or folder that it comes from.
        interpreter: for whose markers it is yielded.
        knowledge: knows the components' names.
        catalogue: reads the folders.

    Raises:
        RequestError: a folder is not there, or not what it should be.
        SurroundingsError: it cannot be read.
    """
    for wish in wishes:
        folder = direct.get(wish.component)
        if folder is None or not (folder.editable or folder.is_folder):
            continue
        extras = {"", *(wish.requirement.extras if wish.requirement else ())}
        for text, marker in _stated(folder, catalogue):
            if any(holds(marker, interpreter, extra) for extra in extras):
                yield _wish(text, wish, knowledge)


def _stated(folder: Direct, catalogue: Catalogue) -> Iterator[tuple[str, str]]:
    """Yield the dependencies that a folder states, each with its marker; none where only its code tells."""
    for file in catalogue.named(folder).files:
        try:
            metadata = catalogue.metadata(folder.distribution, file)
        except SurroundingsError:
            continue  # the solve meets this, too, and says what to do
        yield from ((need.text, need.marker) for need in metadata.requires_dist if not need.url)


def _wish(text: str, of: Wish, knowledge: Knowledge) -> Wish:
    requirement = Requirement(text)
    requirement.marker = None  # it holds
    return Wish(
        component=knowledge.distribution(requirement.name),
        range=Range.versions(str(requirement.specifier)),
        requirement=requirement,
        text=str(requirement),
        group=of.group,
    )
