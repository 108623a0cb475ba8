"""The lock of one group on one target: a PEP 751 document with envlock's own part in ``[tool.envlock]``."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Mapping
from dataclasses import field, replace
from types import MappingProxyType

from envlock.model.component import USUAL_MACHINE, is_version
from envlock.model.decode import Table
from envlock.model.frozen import dataclass
from envlock.model.knowing.fact import Condition
from envlock.model.knowing.source_edit import decode_edit, encode_edits
from envlock.model.locked.file_codec import decode_file, encode_file, own_of_file
from envlock.model.locked.learned_codec import decode_learned, encode_learned
from envlock.model.locked.pins import BuildPlan, DistributionPin, Origin, SystemPin
from envlock.model.path_parts import is_group_name, is_target_name

LOCK_VERSION = "1.0"
"""The version of PEP 751's format."""
TOOL_VERSION = 1
"""The version of envlock's own part; a lock with another number is refused with a hint."""
_MACHINE = r"platform_machine == '(\w+)'"
MEND = "restore it from version control, or delete it and lock again: envlock solve GROUP --lock-only"
"""What to do about a lock that cannot be read; an existing one is never overwritten unread."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Lock:
    """The exact answer for one group on one target.

    Attributes:
        group: the group's name.
        target: the target's name.
        python: the full version of the interpreter for which it was solved.
        requires_python: the interpreters that may install it (``==3.7.*``).
        environment: the marker of the platforms that may install it.
        distributions: pins, by name.
        systems: pins of system components, by name.
        facts: facts that shaped the answer -> why, in one sentence.
        learned: those of the facts that a solve learned from files and code -> the conditions that exclude
            each other. Who solves again starts with them: pins that are kept show nothing of it.
        as_of: the cut-off date that applied.
        knowledge: digest of the knowledge base.
        inputs: digest of the wishes and the policy; if it differs, the lock is stale.
        created_by: the program and its version.
        overrides: requirements that counted in place of metadata -> why.
        python_because: why it is not the newest interpreter that the group allows; empty where it is, or
            where the group left no choice.
    """

    group: str
    target: str
    python: str
    requires_python: str
    environment: str
    distributions: tuple[DistributionPin, ...]
    systems: tuple[SystemPin, ...]
    facts: Mapping[str, str]
    as_of: dt.date | None
    knowledge: str
    inputs: str
    created_by: str
    overrides: Mapping[str, str] = field(default_factory=dict)
    python_because: str = ""
    learned: Mapping[str, tuple[Condition, ...]] = field(default_factory=dict)

    @property
    def machine(self) -> str:
        """The architecture of the nodes that it is for, as ``uname -m`` prints it, taken from its marker."""
        found = re.search(_MACHINE, self.environment)
        return found[1] if found else USUAL_MACHINE


def same_answer(one: Lock, other: Lock) -> bool:
    """Whether two locks pin the same, whatever knowledge base and envlock produced them.

    A fact that is added elsewhere or reworded is no reason to change a group's environment.
    """
    return encode_lock(_bare(one)) == encode_lock(_bare(other))


def _bare(lock: Lock) -> Lock:
    return replace(lock, knowledge="", created_by="", python_because="", facts=dict.fromkeys(lock.facts, ""))


def encode_lock(lock: Lock) -> dict[str, object]:
    """Encode a lock; equal locks give equal documents, including the order of keys."""
    own: dict[str, object] = {
        "version": TOOL_VERSION,
        "group": lock.group,
        "target": lock.target,
        "python": lock.python,
        "knowledge": lock.knowledge,
        "inputs": lock.inputs,
    }
    if lock.python_because:
        own["python-because"] = lock.python_because
    if lock.as_of is not None:
        own["as-of"] = lock.as_of
    own["facts"] = dict(sorted(lock.facts.items()))
    if lock.learned:
        own["learned"] = encode_learned(lock.learned)
    if lock.overrides:
        own["overrides"] = [
            {"requirement": text, "reason": reason} for text, reason in sorted(lock.overrides.items())
        ]
    own["system"] = [_encode_system(pin) for pin in lock.systems]
    return {
        "lock-version": LOCK_VERSION,
        "environments": [lock.environment],
        "requires-python": lock.requires_python,
        "created-by": lock.created_by,
        "packages": [_encode_distribution(pin) for pin in lock.distributions],
        "tool": {"envlock": own},
    }


def _encode_distribution(pin: DistributionPin) -> dict[str, object]:
    document: dict[str, object] = {"name": pin.name}
    of_folder = pin.file.editable or pin.file.is_folder
    if not of_folder:  # PEP 751: what may change with its sources has none
        document["version"] = pin.version
    if pin.requires_python:
        document["requires-python"] = pin.requires_python
    if pin.dependencies:
        document["dependencies"] = [{"name": name.removeprefix("pypi:")} for name in pin.dependencies]
    document |= encode_file(pin.file, pin.name)
    own: dict[str, object] = {"component": pin.component}
    if of_folder:
        own["version"] = pin.version
    own |= own_of_file(pin.file, pin.name)
    if pin.file.index is not None:
        own["index"] = pin.file.index.name
    for key, values in (
        ("extras", pin.extras),
        ("asked-by", pin.asked_by),
        ("facts", pin.facts),
        ("dependencies", pin.dependencies),
    ):
        if values:
            own[key] = list(values)
    if pin.build is not None:
        own["build"] = _encode_build(pin.build)
    document["tool"] = {"envlock": own}
    return document


def _encode_build(plan: BuildPlan) -> dict[str, object]:
    document: dict[str, object] = {
        "against": dict(plan.against),
        "systems": dict(plan.systems),
        "variables": dict(plan.variables),
    }
    if plan.edits:
        document["edits"] = encode_edits(plan.edits)
    return document | {"requires": [_encode_distribution(required) for required in plan.requires]}


def _encode_system(pin: SystemPin) -> dict[str, object]:
    document: dict[str, object] = {
        "component": pin.component,
        "version": pin.version,
        "origin": pin.origin.value,
    }
    optional: dict[str, object] = {
        "prefix": pin.prefix,
        "distribution": pin.distribution,
        "modules": list(pin.modules),
        "variables": dict(pin.variables),
        "asked-by": list(pin.asked_by),
        "facts": list(pin.facts),
    }
    return document | {key: value for key, value in optional.items() if value}


def decode_lock(document: Mapping[str, object], file: str) -> Lock:
    """Decode a lock that envlock wrote.

    Raises:
        RequestError: it is not envlock's, is of another version, or was edited into another form.
    """
    root = Table(document, file=file)
    if not root.has("tool") or not root.table("tool").has("envlock"):
        raise root.error("this is not a lock of envlock", key="tool.envlock", hint=MEND)
    newer = "update envlock, or " + MEND
    if root.text("lock-version") != LOCK_VERSION:
        raise root.error(
            f"unknown lock version {root.text('lock-version')!r}", key="lock-version", hint=newer
        )
    own = root.table("tool").table("envlock")
    if own.integer("version") != TOOL_VERSION:
        raise own.error(
            f"written by another version of envlock ({root.text('created-by')})", key="version", hint=newer
        )
    own.text("seal", "")  # checked where the bytes are at hand
    for key, is_one in (("group", is_group_name), ("target", is_target_name)):
        if not is_one(own.text(key)):
            raise own.error(f"a {key} may not be called {own.text(key)!r}", key=key, hint=MEND)
    lock = Lock(
        group=own.text("group"),
        target=own.text("target"),
        python=_version(own, "python"),
        requires_python=root.text("requires-python"),
        environment=next(iter(root.texts("environments")), ""),
        distributions=tuple(_decode_distribution(table) for table in root.tables("packages")),
        systems=tuple(_decode_system(table) for table in own.tables("system")),
        facts=MappingProxyType(own.mapping("facts")),
        as_of=own.date("as-of") if own.has("as-of") else None,
        knowledge=own.text("knowledge"),
        inputs=own.text("inputs"),
        created_by=root.text("created-by"),
        overrides=MappingProxyType(
            {table.text("requirement"): table.text("reason") for table in own.tables("overrides")}
        ),
        python_because=own.text("python-because", ""),
        learned=MappingProxyType(decode_learned(own.tables("learned"))),
    )
    own.done()
    return lock


def _decode_distribution(table: Table) -> DistributionPin:
    own = table.table("tool").table("envlock")
    build = own.table("build") if own.has("build") else None
    return DistributionPin(
        component=own.text("component"),
        name=table.text("name"),
        version=_version(own if own.has("version") else table, "version"),
        file=decode_file(table, own),
        requires_python=table.text("requires-python", ""),
        extras=own.texts("extras"),
        dependencies=own.texts("dependencies"),
        asked_by=own.texts("asked-by"),
        facts=own.texts("facts"),
        build=_decode_build(build) if build is not None else None,
    )


def _version(table: Table, key: str) -> str:
    text = table.text(key)
    if not is_version(text):
        raise table.error(f"{text!r} is no version", key=key, hint=MEND)
    return text


def _decode_build(table: Table) -> BuildPlan:
    return BuildPlan(
        requires=tuple(_decode_distribution(required) for required in table.tables("requires")),
        against=MappingProxyType(table.mapping("against")),
        systems=MappingProxyType(table.mapping("systems")),
        variables=MappingProxyType(table.variables("variables")),
        edits=tuple(decode_edit(part) for part in table.tables("edits")),
    )


def _decode_system(table: Table) -> SystemPin:
    pin = SystemPin(
        component=table.text("component"),
        version=table.text("version"),
        origin=table.choice("origin", Origin),
        prefix=table.text("prefix", ""),
        distribution=table.text("distribution", ""),
        modules=table.texts("modules"),
        variables=MappingProxyType(table.variables("variables")),
        asked_by=table.texts("asked-by"),
        facts=table.texts("facts"),
    )
    table.done()
    return pin
