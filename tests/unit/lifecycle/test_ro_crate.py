"""Research Object Crates of locks and archives."""

import datetime as dt
import json

from envlock.lifecycle.publishing.citation import Cited
from envlock.lifecycle.publishing.ro_crate import CrateFile, ro_crate
from tests.locks import distribution, lock, system

CITED = Cited(
    lock=lock(distribution("pypi:numpy", "1.26.4"), system("openmpi", "4.1.6")),
    lock_sha256="ab" * 32,
    day=dt.date(2026, 1, 2),
    reason="",
    maker="envlock 0.1.0",
)
FILES = (CrateFile(path="sources/my model.whl", sha256="cd" * 32, size=3, about="a model"),)

IN_CONTEXT = frozenset(
    {
        *("@id", "@type", "about", "author", "conformsTo", "contentSize", "datePublished", "description"),
        *("encodingFormat", "hasPart", "identifier", "license", "mentions", "name"),
        *("softwareRequirements", "softwareVersion"),
    }
)
"""Of the terms in https://w3id.org/ro/crate/1.1/context those with which locks are described."""


def described(*files: CrateFile) -> dict[str, dict[str, object]]:
    crate = json.loads(ro_crate(CITED, files, {"pypi:numpy": "BSD-3-Clause"}))
    return {one["@id"]: one for one in crate["@graph"]}


def test_identifiers_of_files_are_written_as_uris() -> None:
    graph = described(*FILES)
    assert graph["./"]["hasPart"] == {"@id": "sources/my%20model.whl"}
    assert graph["sources/my%20model.whl"] == {
        "@id": "sources/my%20model.whl",
        "@type": "File",
        "name": "my model.whl",
        "description": "a model",
        "contentSize": "3",
        "encodingFormat": "application/zip",
        "sha256": "cd" * 32,
    }


def test_what_the_environment_is_made_of() -> None:
    graph = described()
    assert graph["./"]["mentions"] == {"@id": "#numpy==1.26.4"}
    assert graph["#numpy==1.26.4"]["license"] == "BSD-3-Clause"
    assert graph["#system-openmpi"]["softwareVersion"] == "4.1.6"
    assert graph["./"]["datePublished"] == "2026-01-02"
    assert graph["ro-crate-metadata.json"]["conformsTo"] == {"@id": "https://w3id.org/ro/crate/1.1"}


def test_equal_arguments_give_equal_text() -> None:
    assert ro_crate(CITED, FILES, {}) == ro_crate(CITED, FILES, {})


def test_every_term_is_in_the_context() -> None:
    """Validators refuse a crate with another one."""
    document = json.loads(ro_crate(CITED, FILES, {"pypi:numpy": "BSD-3-Clause"}))
    _, own = document["@context"]
    assert {term for one in document["@graph"] for term in one} - IN_CONTEXT == set(own)


def test_whose_it_is_and_its_licence_are_entities() -> None:
    graph = described()
    for term in ("author", "license"):
        assert graph[graph["./"][term]["@id"]]["name"]
