"""Targets, kinds of nodes that environments run on, detected or written by hand; and their codec."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import field, replace
from types import MappingProxyType

from packaging.utils import canonicalize_name, is_normalized_name
from packaging.version import Version

from envlock.model.component import (
    DISTRIBUTION_PREFIX,
    PROCESSOR,
    USUAL_MACHINE,
    InvalidSpecifier,
    InvalidVersion,
    Range,
    is_version,
)
from envlock.model.cpython import cpython_markers, usual_abi
from envlock.model.decode import Table
from envlock.model.frozen import dataclass
from envlock.model.gpu import GPUS, NodeGpu
from envlock.model.project.launch import NOTHING_SAID, LaunchSettings, decode_launch

_FULL = 3
"""The parts of an interpreter's full version: major, minor and micro."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Interpreter:
    """A Python interpreter of the target.

    Attributes:
        path: the executable; empty where none is given, as a lock needs none.
        version: the full version, ``3.7.16``.
        abi: the ABI tag of its extension modules, ``cp37m`` (PEP 425).
        markers: the marker environment as the interpreter itself reports it (PEP 508).
        modules: the modules without which it does not start, as its own library is found by them alone.
        toolchain: the generation of EasyBuild's toolchains that these belong to, by its GCC; empty for none.
    """

    path: str
    version: str
    abi: str
    markers: Mapping[str, str]
    modules: tuple[str, ...] = ()
    toolchain: str = ""

    @property
    def release(self) -> tuple[int, int]:
        """Major and minor version, ``(3, 7)``."""
        major, minor = self.version.split(".")[:2]
        return int(major), int(minor)


@dataclass(frozen=True, slots=True, kw_only=True)
class Offer:
    """What the node or the site's modules offer: a system component, or a distribution built there.

    Attributes:
        component: the system component's name, or the distribution's identifier.
        version: its version (or word).
        prefix: the installation prefix, if it has one.
        modules: the modules to load for it, in order.
        variables: what activates it in addition to ``PATH`` and the library path of its prefix.
        note: how it was found, for users (``mpirun --version``).
        properties: words of other components that come with it (``mpi-threads`` -> ``multiple``).
        requires: for a distribution, component -> the versions that it was built with or needs
            (``cray-mpich`` -> ``==7.7.*``).
    """

    component: str
    version: str
    prefix: str = ""
    modules: tuple[str, ...] = ()
    variables: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    note: str = ""
    properties: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    requires: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """One kind of node.

    Attributes:
        name: the target's name; ``local`` for this machine.
        os: the operating system, for users.
        machine: the processor architecture, as ``uname -m`` prints it.
        interpreters: Python interpreters, newest first.
        offers: system components; several of one name are alternatives, except that an environment must run
            on every GPU generation (``gpu_cc``, ``gpu_gfx``).
        launch: how to start ranks there.
        distributions: Python distributions that the site's modules provide and that need not be installed.
    """

    name: str
    os: str
    machine: str
    interpreters: tuple[Interpreter, ...]
    offers: tuple[Offer, ...]
    launch: LaunchSettings = NOTHING_SAID
    distributions: tuple[Offer, ...] = ()

    def interpreter(self, version: str) -> Interpreter | None:
        """Return the interpreter of exactly this version; ``None`` if there is none."""
        return next(
            (interpreter for interpreter in self.interpreters if interpreter.version == version), None
        )

    def offered(self, component: str) -> tuple[Offer, ...]:
        """All offers of one component, including the words that come with other offers, each once."""
        words = dict.fromkeys(
            offer.properties[component] for offer in self.offers if component in offer.properties
        )
        everything = (*self.offers, *self.implied, *self.distributions)
        own = tuple(one for one in everything if one.component == component)
        return own + tuple(
            Offer(component=component, version=word)
            for word in words
            if all(offer.version != word for offer in own)
        )

    @property
    def implied(self) -> tuple[Offer, ...]:
        """Offers that are implied: the architecture as the processors' family, if none is given."""
        if any(offer.component == PROCESSOR for offer in self.offers):
            return ()
        return (Offer(component=PROCESSOR, version=self.machine, note="the architecture"),)

    @property
    def glibc(self) -> str:
        """The version of the C library; empty where it is not glibc."""
        return next((offer.version for offer in self.offered("glibc")), "")

    @property
    def gpus(self) -> tuple[NodeGpu, ...]:
        """The generations of the nodes' GPUs, NVIDIA's first."""
        return tuple(NodeGpu(name, offer.version) for name in GPUS for offer in self.offered(name))


def decode_target(table: Table, name: str, interpreters: tuple[Interpreter, ...]) -> Target:
    """Decode ``[targets.NAME]``; ``interpreters`` are this machine's, used where none are written.

    Raises:
        RequestError: a key is unknown or missing, or its value has an unexpected type.
    """
    machine = table.text("machine", USUAL_MACHINE)
    written = tuple(_decode_interpreter(part, machine) for part in table.tables("interpreter"))
    here = tuple(_as_there(interpreter, machine) for interpreter in interpreters)
    parts = table.table("components")
    names = parts.names()
    offers = [Offer(component=component, version=_version(parts, component)) for component in names]
    for part in table.tables("offer"):
        offers.append(
            Offer(
                component=part.text("component"),
                version=_version(part, "version"),
                prefix=part.text("prefix", ""),
                modules=part.texts("modules"),
                variables=MappingProxyType(part.variables("variables")),
                note=part.text("note", "written by hand"),
                properties=MappingProxyType(part.mapping("properties")),
            )
        )
        part.done()
    target = Target(
        name=name,
        os=table.text("os", ""),
        machine=machine,
        interpreters=written or here,
        offers=tuple(offers),
        launch=decode_launch(table.table("launch")),
        distributions=tuple(_decode_distribution(part) for part in table.tables("distribution")),
    )
    table.done()
    return target


def _as_there(interpreter: Interpreter, machine: str) -> Interpreter:
    """Describe this machine's interpreter as one of a node, where nothing of a laptop's system counts."""
    own = interpreter.markers
    there = cpython_markers(interpreter.version, interpreter.release, machine)
    if own["platform_system"] == there["platform_system"]:
        there = {**own, "platform_machine": machine}
    return replace(interpreter, markers=MappingProxyType(there))


def _decode_distribution(table: Table) -> Offer:
    name = table.text("name")
    if not is_normalized_name(canonicalize_name(name.removeprefix(DISTRIBUTION_PREFIX))):
        raise table.error(f"{name!r} is not a distribution's name", key="name", hint='such as "horovod"')
    requires = table.table("requires")
    for key in requires.names():
        try:
            Range.versions(requires.text(key))
        except InvalidSpecifier:
            hint = f'write {key} = ">=4.1,<5" or {key} = "==4.1.*"'
            raise requires.error(
                f"{requires.text(key)!r} is not a range of versions", key=key, hint=hint
            ) from None
    offer = Offer(
        component=name if name.startswith(DISTRIBUTION_PREFIX) else str(canonicalize_name(name)),
        version=_version(table, "version"),
        prefix=table.text("prefix", ""),
        modules=table.texts("modules"),
        variables=MappingProxyType(table.variables("variables")),
        note=table.text("note", "written by hand"),
        requires=MappingProxyType(table.mapping("requires")),
    )
    table.done()
    return offer


def _version(table: Table, key: str) -> str:
    if isinstance(table.raw(key), list):
        hint = "write each version as an offer: [[targets.NAME.offer]] with component and version"
        raise table.error("expected one version, found a list", key=key, hint=hint)
    text = table.text(key)
    if text[:1].isdecimal() and not is_version(text):
        hint = f'use numbers separated by dots: {key} = "4.1.6"'
        raise table.error(f"{text!r} is not a version", key=key, hint=hint)
    return text


def _decode_interpreter(table: Table, machine: str) -> Interpreter:
    path, version = table.text("path", ""), table.text("version")
    version = version.removesuffix("+")  # a build from git says 3.11.5+, which is no version by PEP 440
    try:
        release = Version(version).release
    except InvalidVersion:
        release = ()
    if len(release) < _FULL:
        raise table.error(
            f"{version!r} is not a Python version", key="version", hint='write all of it: "3.11.7"'
        )
    abi = table.text("abi", usual_abi(release[:2]))
    if not re.fullmatch(rf"cp{release[0]}{release[1]}[a-z]*", abi):
        hint = f'such as "{usual_abi(release[:2])}"'
        message = f"{abi!r} is not an ABI of CPython {release[0]}.{release[1]}"
        raise table.error(message, key="abi", hint=hint)
    usual, written = cpython_markers(version, release, machine), table.mapping("markers")
    table.table("markers").only(usual)
    modules = table.texts("modules")
    table.done()
    markers = MappingProxyType({**usual, **written})
    return Interpreter(path=path, version=version, abi=abi, markers=markers, modules=modules)


def encode_target(target: Target) -> dict[str, object]:
    """Encode a target as ``decode_target`` reads it and ``envlock detect --json`` prints it."""
    document: dict[str, object] = {
        "os": target.os,
        "machine": target.machine,
        "interpreter": [encode_interpreter(interpreter) for interpreter in target.interpreters],
        "offer": [encode_offer(offer) for offer in target.offers],
    }
    if target.distributions:
        document["distribution"] = [
            _encode_distribution(distribution) for distribution in target.distributions
        ]
    return document


def _encode_distribution(offer: Offer) -> dict[str, object]:
    document = encode_offer(offer)
    return {"name": document.pop("component"), **document, "requires": dict(offer.requires)}


def encode_interpreter(interpreter: Interpreter) -> dict[str, object]:
    """Encode one of a target's interpreters."""
    document: dict[str, object] = {
        "path": interpreter.path,
        "version": interpreter.version,
        "abi": interpreter.abi,
        "markers": dict(interpreter.markers),
    }
    return document | ({"modules": list(interpreter.modules)} if interpreter.modules else {})


def encode_offer(offer: Offer) -> dict[str, object]:
    """Encode one of a target's offers, without what it lacks."""
    document: dict[str, object] = {"component": offer.component, "version": offer.version}
    if offer.prefix:
        document["prefix"] = offer.prefix
    if offer.modules:
        document["modules"] = list(offer.modules)
    if offer.variables:
        document["variables"] = dict(offer.variables)
    if offer.note:
        document["note"] = offer.note
    if offer.properties:
        document["properties"] = dict(offer.properties)
    return document
