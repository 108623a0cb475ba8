"""What solves over one catalogue and one knowledge base need not work out twice."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import field

from envlock.model.frozen import dataclass
from envlock.model.locked.pins import Solved
from envlock.model.published.catalogue import DistFile
from envlock.solve.offers.releases import Ranked
from envlock.solve.request import Request
from envlock.solve.requirements import Requirement


@dataclass(frozen=True, slots=True)
class Unstated:
    """A file that a solve met, and whose dependencies only its build backend would tell."""

    distribution: str
    file: DistFile


@dataclass(frozen=True, slots=True)
class Shared:
    """Work that several solves share.

    Attributes:
        ranked: distribution, exact pin and surroundings -> its candidates.
        metadata_requirements: markers, overrides, a waiver, what is supposed and direct sources -> identifier
            and URL of a file -> what its metadata requires.
        unstated: URL of a file that was met and does not state its dependencies -> that file.
        builds: build environment asked for -> its answer, where that needs no further build.
    """

    ranked: dict[Hashable, Ranked] = field(default_factory=dict)
    metadata_requirements: dict[Hashable, dict[tuple[str, str], tuple[Requirement, ...]]] = field(
        default_factory=dict
    )
    unstated: dict[str, Unstated] = field(default_factory=dict)
    builds: dict[Hashable, Solved] = field(default_factory=dict)

    def files_read(self) -> frozenset[str]:
        """Return the URLs of all files of whose metadata something was needed."""
        return frozenset(url for read in self.metadata_requirements.values() for _, url in read)


def environment_asked_for(build: Request) -> Hashable:
    """Return what the answer to a build rests on, as long as nothing in it must be built in turn.

    Which distribution it is for does not matter then, and most sdists ask for the same: setuptools and wheel.
    """
    wishes = tuple(wish.text for wish in build.wishes)
    kept, held = frozenset(build.preferred.items()), frozenset(build.held.items())
    # A remedy supposes a node of the same name with other components.
    node = frozenset((offer.component, offer.version, offer.prefix) for offer in build.target.offers)
    place = (build.target.name, node, build.interpreter.path, build.interpreter.version)
    time = (build.as_of, build.era_of_pins)
    ways = (build.policy.forms.only_binary, frozenset(build.direct.items()))
    return (wishes, kept, held, *place, *time, build.waived, *ways)
