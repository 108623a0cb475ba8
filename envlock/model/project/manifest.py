"""The manifest ``envlock.toml``: groups, targets, the site, layers, waivers; and its decoder."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping, Sequence
from types import MappingProxyType

from envlock.model.command_line import LOCAL
from envlock.model.counting import first_of
from envlock.model.decode import Table
from envlock.model.errors import RequestError
from envlock.model.frozen import dataclass
from envlock.model.knowing.knowledge import Knowledge
from envlock.model.near_names import near_names
from envlock.model.path_parts import is_sha256, is_target_name
from envlock.model.project.group import Group
from envlock.model.project.group_codec import decode_groups
from envlock.model.project.launch import NOTHING_SAID, LaunchSettings, decode_launch
from envlock.model.project.layers import SHIPPED_LAYERS, Layers, decode_layers
from envlock.model.project.package_sources import NO_SOURCES, PackageSources
from envlock.model.project.package_sources_codec import decode_sources

_LISTED = 12
"""How many groups a message lists at most."""
VERIFIED = "verified"
"""The evidence of a waiver that rests on the latest verification, whichever that is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Waiver:
    """A recorded, expiring decision to go against a fact.

    Attributes:
        fact: the fact.
        reason: why.
        owner: who answers for it.
        expires: the last day on which it holds.
        evidence: ``verified`` where it holds for groups whose latest verification on the target counts; the
            sha256 of a report's file where it rests on that report; empty where it claims none.
    """

    fact: str
    reason: str
    owner: str
    expires: dt.date
    evidence: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Manifest:
    """A whole project.

    Attributes:
        file: the manifest's path, for messages.
        groups: the groups by name, in the order written.
        targets: hand-written targets, not decoded until one is requested.
        store: the folder of environments; empty for the project's own ``.envlock``.
        waivers: recorded decisions to go against facts.
        launch: how ranks are started at this site, whatever the target.
        layers: who owns what on this site.
        sources: the indexes, files and folders that it names for distributions.
    """

    file: str
    groups: Mapping[str, Group]
    targets: Mapping[str, Table]
    store: str
    waivers: tuple[Waiver, ...]
    launch: LaunchSettings = NOTHING_SAID
    layers: Layers = SHIPPED_LAYERS
    sources: PackageSources = NO_SOURCES

    @property
    def addresses(self) -> Sequence[str]:
        """The addresses of files that it names itself, some with a user name for their host."""
        wishes = (wish.direct for group in self.groups.values() for wish in group.wishes)
        named = (*self.sources.direct.values(), *filter(None, wishes))
        return [one.place for one in named if one.place.startswith(("https://", "http://"))]

    def expired(self, fact: str, today: dt.date) -> dt.date | None:
        """Return the last day of a fact's waiver, if that has passed and no other waiver of it holds."""
        days = [waiver.expires for waiver in self.waivers if waiver.fact == fact]
        return max(days) if days and max(days) < today else None

    def group(self, name: str) -> Group:
        """Return a group by name.

        Raises:
            RequestError: there is no group of that name.
        """
        if name in self.groups:
            return self.groups[name]
        nearest_first = tuple(dict.fromkeys((*near_names(name, self.groups), *self.groups)))
        raise RequestError(
            "unknown-group",
            f"there is no group {name!r}",
            where=self.file,
            hint=f"groups: {first_of(nearest_first, _LISTED) or 'none yet; add [groups.NAME]'}",
        )

    def only_group(self) -> str:
        """Return the name of the group that is meant where none is named: there is one alone.

        Raises:
            RequestError: there is none, or there are several.
        """
        if not self.groups:
            raise RequestError(
                "no-groups", "there is no group yet", where=self.file, hint="add [groups.NAME] with requires"
            )
        first, *others = self.groups
        if others:
            raise RequestError(
                "usage",
                "a group has to be named, since there are several",
                where=self.file,
                hint=f"groups: {first_of(tuple(self.groups), _LISTED)}; or --all-groups",
            )
        return first


def decode_manifest(document: Mapping[str, object], file: str, knowledge: Knowledge) -> Manifest:
    """Decode a manifest; names of system components are those of the knowledge base.

    Raises:
        RequestError: a key, a version, a requirement or a reference between groups is wrong.
    """
    root = Table(document, file=file)
    groups = decode_groups(root.table("groups"), knowledge)
    layers = decode_layers(root.table("layers"), knowledge)
    targets = _decode_targets(root.table("targets"))
    site = root.table("site")
    store = site.text("store", "")
    launch = decode_launch(site.table("launch"))
    site.texts("knowledge")  # folders of the knowledge base, which was already read for this call
    site.done()
    waivers = tuple(_decode_waiver(table) for table in root.tables("waivers"))
    manifest = Manifest(
        file=file,
        groups=MappingProxyType(groups),
        targets=MappingProxyType(targets),
        store=store,
        waivers=waivers,
        launch=launch,
        layers=layers,
        sources=decode_sources(root, knowledge),
    )
    root.done()
    return manifest


def _decode_targets(targets: Table) -> dict[str, Table]:
    """Check the targets' names, each of which becomes a folder of locks, without decoding them."""
    found = {name: targets.table(name) for name in targets.names()}
    for name, table in found.items():
        if name == LOCAL:
            raise table.error(
                f"{LOCAL!r} always means the machine at hand and cannot be defined",
                hint="use another name, and pass --target NAME",
            )
        if not is_target_name(name):
            raise table.error(
                f"a target's name may not be {name!r}",
                hint="letters, digits, -, _ and dots: it becomes the folder locks/<target>",
            )
    return found


def _decode_waiver(table: Table) -> Waiver:
    waiver = Waiver(
        fact=table.text("fact"),
        reason=table.text("reason"),
        owner=table.text("owner"),
        expires=table.date("expires"),
        evidence=table.text("evidence", ""),
    )
    if waiver.evidence not in ("", VERIFIED) and not is_sha256(waiver.evidence):
        raise table.error(
            f"{waiver.evidence!r} is not evidence",
            key="evidence",
            hint=f'write evidence = "{VERIFIED}", or the sha256 of a report',
        )
    table.done()
    return waiver
