"""Pins that a person wrote: ``NAME==VERSION``."""

from __future__ import annotations

import re
from collections.abc import Sequence

from packaging.utils import InvalidName, canonicalize_name, is_normalized_name
from packaging.version import Version

from envlock.model.command_line import as_word
from envlock.model.component import DISTRIBUTION_PREFIX, PYTHON, InvalidVersion, parse_version
from envlock.model.errors import RequestError
from envlock.model.gpu import GPUS
from envlock.model.knowing.finding import Chosen
from envlock.model.knowing.knowledge import Knowledge
from envlock.model.knowing.other_name import OtherName

EXAMPLE = "write NAME==VERSION, such as horovod==0.19.0 openmpi==3.1.2"
_FILE = re.compile(r"^-$|/|\.(txt|in|toml|lock|ya?ml)$")
_ONE_SIGN = re.compile(r"([\w.-]+)(?:=|@|:)v?(\d[\w.+]*)")
"""A version as conda, npm and others write it."""
_EXTRAS = re.compile(r"\s*\[([\w.\-\s,]*)\]\s*$")


def read_pin(pin: str, knowledge: Knowledge, example: str) -> tuple[str, str]:
    """Return the component and the version that one pin names; extras are left out.

    A name that only stands for a component means that component (``gpu==H100`` its ``gpu_cc``).

    Args:
        pin: as it was written.
        knowledge: what names and words mean.
        example: what to write, for errors.

    Raises:
        RequestError: ``invalid-pin``, ``invalid-name``, ``invalid-version`` or ``unknown-word``.
    """
    component, version, _ = _parse(pin, knowledge, example)
    return component, version


def read_pins(pins: Sequence[str], knowledge: Knowledge) -> dict[str, tuple[Chosen, ...]]:
    """Return the combination that pins name.

    A name that only stands for a component (``os==CentOS7``: the C library) gives way to its own name.

    Raises:
        RequestError: a pin is malformed, its version is invalid, or one component has two versions.
    """
    assignment: dict[str, tuple[Chosen, ...]] = {}
    by_other_names: dict[str, tuple[Chosen, ...]] = {}
    for pin in pins:
        if "==" not in pin and _FILE.search(pin):
            raise _no_pin(pin, f"for a file or a folder: envlock check --from {as_word(pin)}")
        component, version, meant = _parse(pin, knowledge, EXAMPLE)
        if meant:
            by_other_names[component] = (*by_other_names.get(component, ()), Chosen(version=version))
            continue
        before = assignment.get(component, ())
        if before and component not in GPUS:
            raise RequestError(
                "pinned-twice",
                f"{component} is given as {before[0].version} and as {version}",
                where=pin,
                hint="name each component once",
            )
        assignment[component] = (*before, Chosen(version=version))
    return by_other_names | assignment


def read_extras(pins: Sequence[str], knowledge: Knowledge) -> dict[str, frozenset[str]]:
    """Map each component to the extras that pins ask of it."""
    found: dict[str, frozenset[str]] = {}
    for pin in pins:
        name, extras = _split(pin.partition("==")[0])
        if extras:
            found[_component(name, knowledge)] = extras
    return found


def _parse(pin: str, knowledge: Knowledge, example: str) -> tuple[str, str, bool]:
    """Return component, version, and whether the pin only gives them by the name of something else."""
    name, separator, version = (part.strip() for part in pin.partition("=="))
    if not separator or not name or not version or version.startswith("="):
        meant = _ONE_SIGN.fullmatch(pin)
        raise _no_pin(pin, f"write {meant[1]}=={meant[2]}" if meant else example)
    name, extras = _split(name)
    others = knowledge.called.get(canonicalize_name(checked_name(name, pin, example)), ())
    component = _component(name, knowledge)
    system = knowledge.systems.get(component)
    if extras and system is not None:
        raise RequestError("invalid-name", f"{name} has no extras", where=pin, hint=example)
    if any(other.values for other in others):
        texts = (version, f"{name} {version}")  # what is called "Ubuntu 18.04" may come as ubuntu==18.04
        if named := next(filter(None, (_meant(other, text) for other in others for text in texts)), None):
            return (*named, True)
        if not _is_distribution(name, version, knowledge):
            raise _not_known(others, name, version, pin)
        component, system = canonicalize_name(name), None
    if system is not None:
        version = system.spelling(version)
    if system is not None and system.words:
        if system.unknown_words(version):
            raise RequestError(
                "unknown-word",
                f"{version!r} is not a value of {name}",
                where=pin,
                hint=f"it is one of {', '.join(system.vocabulary)}",
            )
        return component, version, False
    vendors = system is not None and component != PYTHON  # may add words of their own to it
    try:
        parse_version(version) if vendors else Version(version)
    except InvalidVersion:
        raise RequestError(
            "invalid-version",
            f"{version!r} is not a version of {name}",
            where=pin,
            why="a version is one word that begins with a number, and not a series"
            if vendors
            else "PEP 440 has no such version",
            hint=example,
        ) from None
    return component, version, False


def _no_pin(pin: str, hint: str) -> RequestError:
    return RequestError("invalid-pin", f"{pin!r} is not a pin", where=pin, hint=hint)


def _meant(other: OtherName, value: str) -> tuple[str, str] | None:
    version = other.version(value)
    return None if version is None else (other.component, version)


def _is_distribution(name: str, value: str, knowledge: Knowledge) -> bool:
    """Whether this is a release of a distribution that bears the name too (``arch==7.2.0``, no processor)."""
    try:
        Version(value)
    except InvalidVersion:
        return False
    return canonicalize_name(name) in knowledge.facts.components


def _not_known(others: Sequence[OtherName], name: str, value: str, pin: str) -> RequestError:
    components = [other.component for other in others]
    return RequestError(
        "unknown-word",
        f"it is not known which {' or '.join(components)} the {name} {value!r} has",
        where=pin,
        hint=f"name it: {' or '.join(f'{component}==VERSION' for component in components)}",
    )


def _component(name: str, knowledge: Knowledge) -> str:
    others = knowledge.called.get(canonicalize_name(name))
    return others[0].component if others else knowledge.component(name)


def _split(name: str) -> tuple[str, frozenset[str]]:
    """Split a name from its extras; malformed extras stay with the name, which is then invalid."""
    written = _EXTRAS.search(name)
    extras = [extra.strip() for extra in written[1].split(",")] if written else []
    if written is None or any(not is_normalized_name(canonicalize_name(extra)) for extra in extras):
        return name.strip(), frozenset()
    return name[: written.start()], frozenset(map(canonicalize_name, extras))


def checked_name(name: str, where: str, hint: str) -> str:
    """Return a component's name as it was written.

    Raises:
        RequestError: ``invalid-name``.
    """
    try:
        canonicalize_name(name.removeprefix(DISTRIBUTION_PREFIX), validate=True)
    except InvalidName:
        raise RequestError("invalid-name", f"{name!r} is not a name", where=where, hint=hint) from None
    return name
