"""Names and words of a manifest's target, checked against those that the knowledge base has."""

from __future__ import annotations

from collections.abc import Iterator

from packaging.utils import canonicalize_name

from envlock.model.component import DISTRIBUTION_PREFIX, PYTHON, is_version
from envlock.model.errors import RequestError
from envlock.model.knowing.knowledge import Knowledge
from envlock.model.near_names import near_names
from envlock.model.project.target import Target

_ARCHITECTURES = frozenset(
    {"aarch64", "armv7l", "i686", "loongarch64", "ppc64", "ppc64le", "riscv64", "s390x", "x86_64"}
)
"""Those of the platform tags of Linux that installers know (``packaging._manylinux``, PEP 600)."""


def need_known_names(target: Target, knowledge: Knowledge, manifest: str) -> None:
    """Refuse a name that is not a component, and a version or a word that a component cannot have.

    Args:
        target: as the manifest has it.
        knowledge: what the names mean.
        manifest: the manifest's file, for messages.

    Raises:
        RequestError: ``unknown-component``, ``invalid-version`` or ``unknown-word``, with what was meant.
    """
    where = f"{manifest}, targets.{target.name}"
    for offer in target.distributions:
        if offer.component in knowledge.systems:
            raise RequestError(
                "unknown-component",
                f"{offer.component!r} is a system component, not a distribution",
                where=where,
                hint=f"write [[targets.{target.name}.offer]], or {DISTRIBUTION_PREFIX}{offer.component}",
            )
        meant = knowledge.component(offer.component)
        if meant != offer.component:
            raise RequestError(
                "unknown-component",
                f"{offer.component!r} is not a component's name",
                where=where,
                hint=f'write name = "{meant}"',
            )
        if not is_version(offer.version):
            raise RequestError(
                "invalid-version",
                f"{offer.version!r} is not a version of {offer.component}",
                where=where,
                hint='use numbers separated by dots: version = "0.28.1"',
            )
    said = [(offer.component, offer.version) for offer in target.offers]
    said += [pair for offer in target.offers for pair in offer.properties.items()]
    for name, value in said:
        if name == PYTHON:
            raise RequestError(
                "unknown-component",
                "a node's Pythons are not among its components",
                where=where,
                hint=f'write [[targets.{target.name}.interpreter]], and below it version = "3.11.9"',
            )
        _need_known(name, value, knowledge, where)
    _need_architecture(target.machine, knowledge, where)


def _need_architecture(machine: str, knowledge: Knowledge, where: str) -> None:
    """Refuse an architecture of which no wheel is: none would be usable, and nothing would say why."""
    meant = next((word for _, word in _meant("machine", machine, knowledge)), machine)
    if machine in _ARCHITECTURES and meant == machine:
        return
    near = [meant] if meant != machine else near_names(machine, sorted(_ARCHITECTURES))
    raise RequestError(
        "unknown-word",
        f"{machine!r} is not an architecture that Linux knows",
        where=f"{where}.machine",
        hint=f'write machine = "{near[0]}", as uname -m prints it'
        if near
        else f"it is one of {', '.join(sorted(_ARCHITECTURES))}",
    )


def _need_known(name: str, value: str, knowledge: Knowledge, where: str) -> None:
    system = knowledge.systems.get(name)
    if system is None:
        near = near_names(name, knowledge.systems)
        meant = f"did you mean {near[0]!r}?" if near else "envlock kb show lists what there is"
        called = _meant(name, value, knowledge)
        raise RequestError(
            "unknown-component",
            f"{name!r} is not a system component",
            where=where,
            hint=next((f'write {component} = "{version}"' for component, version in called), meant),
        )
    spelling = system.spelling(value)
    if not system.words and not (is_version(value) and spelling == value):
        hint = "use numbers separated by dots: envlock kb show " + name
        hint = hint if spelling == value else f'write {name} = "{spelling}"'
        raise RequestError("invalid-version", f"{value!r} is not a version of {name}", where=where, hint=hint)
    if system.words and system.unknown_words(value):
        raise RequestError(
            "unknown-word",
            f"{value!r} is not a value of {name}",
            where=where,
            hint=f"it is one of {', '.join(system.vocabulary)}",
        )


def _meant(name: str, value: str, knowledge: Knowledge) -> Iterator[tuple[str, str]]:
    """Yield the system components that people call by a name, each with its version or word."""
    for other in knowledge.called.get(canonicalize_name(name), ()):
        if (version := other.version(value)) is not None:
            yield other.component, version
