"""Small locks made by hand, and the knowledge that speaks of them."""

from __future__ import annotations

import datetime as dt
import hashlib
from collections.abc import Mapping, Sequence

from packaging.utils import parse_wheel_filename

from envlock.model.knowing.knowledge import Knowledge
from envlock.model.knowing.knowledge_codec import KnowledgeDecoder
from envlock.model.locked.lock import Lock
from envlock.model.locked.pins import BuildPlan, DistributionPin, Origin, SystemPin
from envlock.model.published.catalogue import DistFile

READ = "2026-11-20"
GENSIM_4 = "https://github.com/piskvorky/gensim/blob/4.0.0/CHANGELOG.md"


def distribution(
    name: str,
    version: str,
    *,
    asked_by: Sequence[str] = ("you",),
    against: Mapping[str, str] | None = None,
    systems: Mapping[str, str] | None = None,
    filename: str = "",
    content: str = "",
) -> DistributionPin:
    """A pin: a wheel, or where it is built against something an sdist."""
    built = against is not None or systems is not None
    stem = f"{name.removeprefix('pypi:').replace('-', '_')}-{version}"
    filename = filename or (f"{stem}.tar.gz" if built else f"{stem}-py3-none-any.whl")
    wheel = filename.endswith(".whl")
    return DistributionPin(
        component=name,
        name=name.removeprefix("pypi:"),
        version=version,
        file=DistFile(
            filename=filename,
            url=f"file:///wheels/{filename}",
            sha256=hashlib.sha256((content or filename).encode()).hexdigest(),
            tags=parse_wheel_filename(filename)[3] if wheel else frozenset(),
        ),
        requires_python="",
        extras=(),
        dependencies=(),
        asked_by=tuple(asked_by),
        facts=(),
        build=(
            BuildPlan(requires=(), against=against or {}, systems=systems or {}, variables={})
            if built
            else None
        ),
    )


def system(
    name: str,
    version: str,
    origin: Origin = Origin.SITE,
    *,
    prefix: str = "",
    carried_by: str = "",
    asked_by: Sequence[str] = (),
) -> SystemPin:
    """A pin of a system component."""
    return SystemPin(
        component=name,
        version=version,
        origin=origin,
        prefix=prefix,
        distribution=carried_by,
        modules=(),
        variables={},
        asked_by=tuple(asked_by),
        facts=(),
    )


def lock(
    *pins: DistributionPin | SystemPin,
    group: str = "stack",
    python: str = "3.7.16",
    facts: Mapping[str, str] | None = None,
    as_of: dt.date | None = None,
) -> Lock:
    """A lock of some pins."""
    return Lock(
        group=group,
        target="local",
        python=python,
        requires_python="==3.7.*",
        environment="sys_platform == 'linux'",
        distributions=tuple(pin for pin in pins if isinstance(pin, DistributionPin)),
        systems=tuple(pin for pin in pins if isinstance(pin, SystemPin)),
        facts=facts or {},
        as_of=as_of,
        knowledge="k" * 64,
        inputs="i" * 64,
        created_by="envlock 0.1.0",
    )


def change(name: str, version: str, old: str, new: str = "", **more: object) -> dict[str, object]:
    """A change as a document of the knowledge base has it."""
    sources = [{"title": GENSIM_4, "checked": READ}]
    return {"distribution": name, "version": version, "old": old, "new": new, "sources": sources} | more


def knowledge(*changes: Mapping[str, object]) -> Knowledge:
    """A knowledge base of some changes, which knows a few system components."""
    decoder = KnowledgeDecoder()
    decoder.components(
        {
            "component": [
                {"name": "python", "title": "Python", "layer": "core"},
                {"name": "openmpi", "title": "Open MPI", "layer": "core"},
                {"name": "launcher", "title": "the launcher", "layer": "core", "words": True},
                {"name": "driver", "title": "the driver", "layer": "core", "fixed": True},
            ],
            "flavour": [
                {"distribution": name, "of": "tensorflow"} for name in ("tensorflow-gpu", "tensorflow-cpu")
            ],
        },
        "components.toml",
    )
    decoder.changes({"change": list(changes)}, "changes.toml")
    return decoder.finish("k" * 64)
