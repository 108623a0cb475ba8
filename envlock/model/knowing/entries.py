"""Every entry of a knowledge base by kind and key, to compare two bases or to search one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass

from envlock.model.component import Range
from envlock.model.knowing.detection import Detection
from envlock.model.knowing.fact import Condition, Source
from envlock.model.knowing.knowledge import Knowledge
from envlock.model.knowing.running import Running

Entry = tuple[str, str, object]
"""Its kind, a key that stays the same when only its contents change, and its contents."""


def entries(knowledge: Knowledge) -> Mapping[tuple[str, str], object]:
    """Map kind and key to the contents of each entry."""
    found = [
        *_of_components(knowledge),
        *_of_names(knowledge),
        *_of_builds(knowledge),
        *_of_detection(knowledge.detection),
        *_of_running(knowledge.running),
    ]
    return {(kind, " ".join(key.split())): says for kind, key, says in found}


def _of_components(k: Knowledge) -> Iterator[Entry]:
    """Components, and what goes together."""
    yield from (("component", name, one) for name, one in k.systems.items())
    yield from (("fact", fact.id, fact) for fact in k.facts)
    yield from (("coverage", name, covered) for name, covered in k.coverage.items())
    yield from (("provider", f"{p.component} by {p.distribution}", p) for p in k.providers)
    yield from (("carrier", f"{c.component} by {c.distribution} {c.range.text}", c) for c in k.carriers)
    yield from (("need", f"{n.distribution} {n.range.text} of {n.component}", n) for n in k.needs)
    yield from (("stand-in", one.distribution, one) for one in k.stand_ins)
    yield from (("kept-at", name, kept) for name, kept in k.kept_at.items())
    yield from (("by-build", name, labels) for name, labels in k.by_build.items())
    yield from (("interpreter", version, day) for version, day in k.interpreters.items())
    for changes in k.changes.values():
        yield from (("change", f"{c.distribution} {c.version} {c.old or c.new}", c) for c in changes)
    for some in k.removals.values():
        yield from (("removal", f"{r.component} {r.since} {min(r.names)}", r) for r in some)
    yield from (("second-hand", address, address) for address in k.secondhand)


def _of_names(k: Knowledge) -> Iterator[Entry]:
    """Other names of things."""
    yield from (("flavour", flavour, of) for flavour, of in k.flavours.items())
    yield from (("conda", name, meant) for name, meant in k.conda.items())
    alone = k.conda_alone
    yield from (("conda-alone", name, name) for name in (*alone.families, *alone.names.split()))
    yield from (("module", name, bringing) for name, bringing in k.modules.items())
    yield from (("called", name, meant) for name, meant in k.called.items())
    yield from (("named-for", name, forms) for name, forms in k.named_for.items())


def _of_builds(k: Knowledge) -> Iterator[Entry]:
    """Published builds, and how to build."""
    for some in k.bundles.values():
        yield from (("build", f"{b.distribution} {b.range.text} {b.label} {b.machine}", b) for b in some)
    yield from (("recipe", f"{r.distribution} {r.range.text}", r) for r in k.recipes)
    yield from (("variable", f"{v.distribution} {v.name} {v.range.text}", v) for v in k.variables)
    yield from (("old-tool", f"{o.tool} {o.range.text}", o) for o in k.old_tools)
    yield from (
        ("old-translation", f"{o.tool} {o.range.text} {o.python.text}", o) for o in k.old_translations
    )
    yield from (("failure", f.id, f) for f in k.failures)


def _of_detection(detection: Detection) -> Iterator[Entry]:
    """How components show on a node."""
    yield from (
        ("library", f"{library.component} {library.name}", library) for library in detection.libraries
    )
    yield from (
        ("headers", f"{header.component} {' '.join(header.files)}", header) for header in detection.headers
    )
    yield from (("folder", f"{folder.component} {folder.version}", folder) for folder in detection.folders)
    yield from (("site-module", name, component) for name, component in detection.modules.items())
    yield from (("module-category", word, word) for word in detection.categories)
    yield from (("module-qualifier", word, word) for word in detection.qualifiers)
    yield from (("toolchain", name, gcc) for name, gcc in detection.toolchains.items())
    yield from (("without-screens", gpu, gpu) for gpu in detection.without_screens)


def _of_running(running: Running) -> Iterator[Entry]:
    """What a verification looks for."""
    yield from (
        (
            "instructions",
            f"{instruction.distribution} {instruction.range.text} {instruction.machine}",
            instruction,
        )
        for instruction in running.instructions
    )
    yield from (
        ("plugin", f"{plugin.distribution} {plugin.range.text}", plugin) for plugin in running.plugins
    )
    for v in running.variables:
        yield "run-variable", f"{v.component} {v.range.text} {v.name} {v.pattern} {v.beside}", v
    yield from (
        (
            "feature",
            f"{feature.distribution} {feature.range.text} {feature.call} {feature.variable} {feature.value}",
            feature,
        )
        for feature in running.features
    )
    yield from (("signature", signature.id, signature) for signature in running.signatures)
    yield from (
        ("process-management", f"{management.component} {management.range.text}", management)
        for management in running.managements
    )
    yield from (("library-version", version.component, version) for version in running.library_versions)


def in_words(value: object) -> str:
    """Put an entry, or a part of it, into words."""
    match value:
        case Source():
            return f"{value.title} ({value.checked})"
        case Range():
            return value.text
        case Mapping():
            return ", ".join(f"{name} {in_words(one)}" for name, one in value.items())
        case tuple():
            return "; ".join(in_words(one) for one in value)
    if is_dataclass(value) and not isinstance(value, Condition):
        return " ".join(in_words(getattr(value, field.name)) for field in fields(value))
    return str(value)
