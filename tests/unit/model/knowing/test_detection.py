"""How components show on a node: the documents that tell it."""

from __future__ import annotations

import pytest

from envlock.model.errors import RequestError
from envlock.model.knowing.knowledge_codec import KnowledgeDecoder
from tests.shipped import KNOWLEDGE

SYSTEMS = {"component": [{"name": name, "title": name, "layer": "core"} for name in ("openmpi", "mpich")]}
SOURCES = [{"title": "module avail", "checked": "2026-11-27"}]


def decoded(*tables: dict[str, object], kind: str = "site-module") -> KnowledgeDecoder:
    decoder = KnowledgeDecoder().components(SYSTEMS, "components.toml")
    for table in tables:
        decoder.detection({kind: [{**table, "sources": SOURCES}]}, "detection.toml")
    return decoder


def test_a_site_adds_the_names_of_its_modules() -> None:
    ours = {"component": "openmpi", "names": ["MPI-Fast"]}
    found = decoded({"names": ["OpenMPI", "mpich"]}, ours).finish("digest").detection
    assert found.modules == {"openmpi": "openmpi", "mpich": "mpich", "mpi-fast": "openmpi"}


def test_a_site_adds_the_words_of_its_modules_names() -> None:
    found = decoded({"categories": ["MPI"]}, {"qualifiers": ["gcc"]}, kind="module-words").finish("digest")
    names = found.detection.module_names
    assert (names.categories, names.qualifiers) == ({"mpi"}, {"gcc"})


@pytest.mark.parametrize(
    ("tables", "kind", "message"),
    [
        (
            [{"component": "openmpi", "names": ["mpi"]}, {"component": "mpich", "names": ["MPI"]}],
            "site-module",
            "'mpi' already means 'openmpi'",
        ),
        ([{"names": ["unheard-of"]}], "site-module", "'unheard-of' is not a system component"),
        ([{"component": "numpy", "name": "libnumpy"}], "library", "'numpy' is not a system component"),
        ([{"component": "mpich", "name": "lib("}], "library", "not a regular expression"),
        (
            [{"component": "mpich", "files": ["mpi.h"], "version-file": "mpi.h"}],
            "headers",
            "need each other",
        ),
    ],
)
def test_what_a_document_may_not_say(tables: list[dict[str, object]], kind: str, message: str) -> None:
    with pytest.raises(RequestError, match=message) as caught:
        decoded(*tables, kind=kind)
    assert caught.value.where.startswith(f"detection.toml, {kind}[0].")


def test_what_ships_speaks_of_system_components_only_and_finds_each_once() -> None:
    signs = KNOWLEDGE.detection
    ways = [*signs.libraries, *signs.headers, *signs.folders]
    components = [one.component for one in ways]
    assert len(set(components)) == len(components)
    assert {*components, *signs.modules.values()} <= set(KNOWLEDGE.systems)
