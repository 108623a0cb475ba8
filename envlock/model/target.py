"""Targets: one kind of node that environments run on, detected or written by hand; and its codec."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from envlock.model.component import InvalidVersion, parse_version
from envlock.model.decode import Table


@dataclass(frozen=True, slots=True, kw_only=True)
class Interpreter:
    """A Python interpreter of the target.

    Attributes:
        path: the executable.
        version: the full version, ``3.7.16``.
        abi: the ABI tag of its extension modules, ``cp37m`` (PEP 425).
        markers: the environment of dependency specifiers, as the interpreter itself tells it (PEP 508).
    """

    path: str
    version: str
    abi: str
    markers: Mapping[str, str]

    @property
    def release(self) -> tuple[int, int]:
        """Major and minor version, ``(3, 7)``."""
        major, minor = self.version.split(".")[:2]
        return int(major), int(minor)


@dataclass(frozen=True, slots=True, kw_only=True)
class Offer:
    """A system component that the node has or the site's modules offer.

    Attributes:
        component: the system component's name.
        version: its version (or word).
        prefix: the installation prefix, where it has one.
        modules: modules to load for it, in order.
        variables: environment that activates it besides ``PATH`` and the library path of its prefix.
        note: how it was found, for people (``mpirun --version``).
    """

    component: str
    version: str
    prefix: str = ""
    modules: tuple[str, ...] = ()
    variables: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    note: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """One kind of node.

    Attributes:
        name: the target's name, ``local`` for the machine at hand.
        os: the operating system, for people.
        machine: the processor architecture, as ``uname -m`` prints it.
        interpreters: Python interpreters, newest first.
        offers: system components; those of one name are choices, except that of several GPU generations
            (``gpu_cc``) an environment must run on each.
    """

    name: str
    os: str
    machine: str
    interpreters: tuple[Interpreter, ...]
    offers: tuple[Offer, ...]

    def offered(self, component: str) -> tuple[Offer, ...]:
        """All offers of one component."""
        return tuple(offer for offer in self.offers if offer.component == component)

    @property
    def glibc(self) -> str:
        """The version of the C library; empty where it is not glibc."""
        return next((offer.version for offer in self.offered("glibc")), "")

    @property
    def has_gpu(self) -> bool:
        """Whether the nodes have NVIDIA GPUs."""
        return bool(self.offered("gpu_cc"))


def decode_target(table: Table, name: str, interpreters: tuple[Interpreter, ...]) -> Target:
    """Decode ``[targets.NAME]``; ``interpreters`` are those of the machine at hand where none are written.

    Raises:
        RequestError: a key is unknown, missing or has another shape than expected.
    """
    written = tuple(_decode_interpreter(part) for part in table.tables("interpreter"))
    offers = [
        Offer(component=component, version=_version(table.table("components"), component))
        for component in table.table("components").keys()  # noqa: SIM118 - Table is no mapping
    ]
    for part in table.tables("offer"):
        offers.append(
            Offer(
                component=part.text("component"),
                version=_version(part, "version"),
                prefix=part.text("prefix", ""),
                modules=part.texts("modules"),
                variables=MappingProxyType(part.mapping("variables")),
                note=part.text("note", "written by hand"),
            )
        )
        part.done()
    target = Target(
        name=name,
        os=table.text("os", ""),
        machine=table.text("machine", "x86_64"),
        interpreters=written or interpreters,
        offers=tuple(offers),
    )
    table.done()
    return target


def _version(table: Table, key: str) -> str:
    text = table.text(key)
    if text[:1].isdigit():
        try:
            parse_version(text)
        except InvalidVersion:
            raise table.error(f"{text!r} is no version", key=key) from None
    return text


def _decode_interpreter(table: Table) -> Interpreter:
    interpreter = Interpreter(
        path=table.text("path"),
        version=table.text("version"),
        abi=table.text("abi"),
        markers=MappingProxyType(table.mapping("markers")),
    )
    table.done()
    return interpreter


def encode_target(target: Target) -> dict[str, object]:
    """The document of a target, as ``decode_target`` reads it and ``envlock detect --json`` prints it."""
    return {
        "os": target.os,
        "machine": target.machine,
        "interpreter": [
            {"path": i.path, "version": i.version, "abi": i.abi, "markers": dict(i.markers)}
            for i in target.interpreters
        ],
        "offer": [_encode_offer(offer) for offer in target.offers],
    }


def _encode_offer(offer: Offer) -> dict[str, object]:
    document: dict[str, object] = {"component": offer.component, "version": offer.version}
    if offer.prefix:
        document["prefix"] = offer.prefix
    if offer.modules:
        document["modules"] = list(offer.modules)
    if offer.variables:
        document["variables"] = dict(offer.variables)
    if offer.note:
        document["note"] = offer.note
    return document
