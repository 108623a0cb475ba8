"""An archive or a lock as a Research Object Crate: JSON-LD that repositories and their indexes read.

RO-Crate 1.1 (https://w3id.org/ro/crate/1.1, sections 4 to 6 and 8): a descriptor, a root data set, one entity
for each file, and contextual entities for the software.
"""

from __future__ import annotations

import json
from collections.abc import Mapping

from envlock.lifecycle.publishing.citation import Cited, citation_text
from envlock.model.component import PYTHON
from envlock.model.frozen import dataclass

_TERMS = {term: f"http://schema.org/{term}" for term in ("creditText", "sha256")}
"""Terms that the context of RO-Crate 1.1 does not have yet."""
CRATE = "ro-crate-metadata.json"
"""The file name that the specification requires."""
_FORMATS = {
    ".whl": "application/zip",
    ".gz": "application/gzip",
    ".zip": "application/zip",
    ".json": "application/json",
    ".toml": "application/toml",
    ".txt": "text/plain",
    ".cff": "text/yaml",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class CrateFile:
    """A file of a crate.

    Attributes:
        path: relative to the crate.
        sha256: its hash.
        size: its length in bytes.
        about: what it is, for people; empty if its name says enough.
    """

    path: str
    sha256: str
    size: int
    about: str = ""


def ro_crate(cited: Cited, files: tuple[CrateFile, ...], licences: Mapping[str, str]) -> str:
    """Return the crate's description as JSON text; the same arguments give the same text.

    Args:
        cited: what to describe.
        files: its files, without the description itself.
        licences: component -> its licence, as in its metadata.
    """
    from rocrate.model import ContextEntity  # noqa: PLC0415 - brings an HTTP client, and few commands need it
    from rocrate.rocrate import ROCrate  # noqa: PLC0415

    lock = cited.lock
    crate = ROCrate(version="1.1")
    crate.metadata.extra_terms.update(_TERMS)

    def entity(identifier: str, kind: str, **properties: str | None) -> ContextEntity:
        stated = {term: value for term, value in properties.items() if value}
        return crate.add(ContextEntity(crate, identifier, {"@type": kind, **stated}))

    for file in files:
        crate.add_file(dest_path=file.path, properties=_properties(file))
    described = {
        "name": cited.title,
        "description": cited.abstract,
        "datePublished": cited.day.isoformat(),
        "license": entity(
            "#licences",
            "CreativeWork",
            name="the licences of the software",
            description="Each piece of software is under its own licence, as stated with it.",
        ),
        "creditText": citation_text(cited),
        "identifier": f"sha256:{cited.lock_sha256}",
        "author": entity(f"#group-{lock.group}", "Organization", name=cited.author),
        "mentions": [
            entity(
                f"#{pin.name}=={pin.version}",
                "SoftwareApplication",
                name=pin.name,
                softwareVersion=pin.version,
                license=licences.get(pin.component),
            )
            for pin in lock.distributions
        ],
        "softwareRequirements": [
            entity(f"#system-{name}", "SoftwareApplication", name=name, softwareVersion=version)
            for name, version in {
                PYTHON: lock.python,
                **{pin.component: pin.version for pin in lock.systems},
            }.items()
        ],
    }
    for term, value in described.items():
        crate.root_dataset[term] = value
    document = crate.metadata.generate()
    document["@graph"] = [{term: _alone(value) for term, value in one.items()} for one in document["@graph"]]
    return json.dumps(document, indent=1, sort_keys=True) + "\n"


def _alone(value: object) -> object:
    """Return the only value of a list, which is to stand without brackets (the appendix on JSON-LD)."""
    return value[0] if isinstance(value, list) and len(value) == 1 else value


def _properties(file: CrateFile) -> dict[str, str]:
    suffix = "." + file.path.rpartition(".")[2]
    return {
        "name": file.path.rpartition("/")[2],
        "contentSize": str(file.size),
        "encodingFormat": _FORMATS.get(suffix, "application/octet-stream"),
        "sha256": file.sha256,
        **({"description": file.about} if file.about else {}),
    }
