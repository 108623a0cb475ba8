"""An archive or a lock as a Research Object Crate: JSON-LD that repositories and their indexes read.

It is written as plain JSON, as RO-Crate 1.1 defines it (https://w3id.org/ro/crate/1.1, sections 4 to 6 and
8): a descriptor, a root data set, one entity for each file, and contextual entities for the software.
"""

from __future__ import annotations

import json
from collections.abc import Mapping

from envlock.lifecycle.publishing.citation import Cited, citation_text
from envlock.model.component import PYTHON
from envlock.model.frozen import dataclass

_CONTEXT = "https://w3id.org/ro/crate/1.1/context"
_PROFILE = "https://w3id.org/ro/crate/1.1"
_TERMS = {"sha256": "http://schema.org/sha256"}
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
    lock = cited.lock
    software = [
        {
            "@id": f"#{pin.name}=={pin.version}",
            "@type": "SoftwareApplication",
            "name": pin.name,
            "softwareVersion": pin.version,
            **({"license": licences[pin.component]} if licences.get(pin.component) else {}),
        }
        for pin in lock.distributions
    ]
    versions = {PYTHON: lock.python} | {pin.component: pin.version for pin in lock.systems}
    system = [
        {
            "@id": f"#system-{name}",
            "@type": "SoftwareApplication",
            "name": name,
            "softwareVersion": version,
        }
        for name, version in versions.items()
    ]
    group = {"@id": f"#group-{lock.group}", "@type": "Organization", "name": cited.author}
    root: dict[str, object] = {
        "@id": "./",
        "@type": "Dataset",
        "name": cited.title,
        "description": cited.abstract,
        "datePublished": cited.day.isoformat(),
        "license": "Each piece of software is under its own licence, as told with it.",
        "creditText": citation_text(cited),
        "identifier": f"sha256:{cited.lock_sha256}",
        "creator": {"@id": group["@id"]},
        "mentions": [{"@id": one["@id"]} for one in software],
        "softwareRequirements": [{"@id": one["@id"]} for one in system],
        "hasPart": [{"@id": one.path} for one in files],
    }
    descriptor = {
        "@id": CRATE,
        "@type": "CreativeWork",
        "conformsTo": {"@id": _PROFILE},
        "about": {"@id": "./"},
    }
    graph = [descriptor, root, group, *(_file(one) for one in files), *software, *system]
    return json.dumps({"@context": [_CONTEXT, _TERMS], "@graph": graph}, indent=1, sort_keys=True) + "\n"


def _file(file: CrateFile) -> dict[str, object]:
    suffix = "." + file.path.rpartition(".")[2]
    described = {"description": file.about} if file.about else {}
    return {
        "@id": file.path,
        "@type": "File",
        "name": file.path.rpartition("/")[2],
        "contentSize": str(file.size),
        "encodingFormat": _FORMATS.get(suffix, "application/octet-stream"),
        "sha256": file.sha256,
        **described,
    }
