"""The README of an archive: what it is, what it needs, and how to use it with envlock and without."""

from __future__ import annotations

from collections.abc import Iterator

from envlock.lifecycle.publishing.citation import Cited, citation_text
from envlock.model.locked.archive import ArchiveRecord, InterpreterOrigin
from envlock.model.locked.lock import Lock
from envlock.model.locked.pins import Origin

_FROM = {
    "uv": "installed by uv: uv python install {0}",
    "pyenv": "compiled by pyenv: pyenv install {0}",
    "system": "the operating system's own",
    "other": "at {1}",
}


def readme(record: ArchiveRecord, lock: Lock, cited: Cited) -> str:
    """Return the README's text."""
    needs = "\n".join(f"  - {one}" for one in needed(lock, record.python))
    return f"""{cited.title}

{cited.abstract}
Archived on {cited.day} with {cited.maker}. Frozen until {record.frozen.until}: {record.frozen.reason}

What this archive needs from a machine, because it is not in here:
{needs}

With envlock, without a network:
  envlock restore THIS-ARCHIVE

Without envlock, from this folder, with that Python:
  python -m venv ENVIRONMENT
  ENVIRONMENT/bin/pip install --no-index --no-deps --require-hashes --find-links wheels -r requirements.txt

What is what:
  {record.lock}: the lock, a pylock.toml (PEP 751) with envlock's part in [tool.envlock]
  wheels/: what the environment installs; sdists/ and build/: to build again what was built
  envlock.toml, target.json, knowledge/: what the lock answers, for which machine, and by which knowledge
  *.report.json: the last verification, where there was one
  sbom.cdx.json: all components with hashes and licences (CycloneDX)
  ro-crate-metadata.json: this archive described for research repositories (RO-Crate)
  ../manifest-sha256.txt: the hash of every file (BagIt); sha256sum -c manifest-sha256.txt compares

Please cite:
  {citation_text(cited)}
"""


def needed(lock: Lock, python: InterpreterOrigin) -> Iterator[str]:
    """Yield in words what a machine must have for the environment."""
    series = ".".join(python.version.split(".")[:2])
    came = _FROM.get(python.kind, _FROM["other"]).format(python.version, python.path) if python.path else ""
    build = f" ({python.build})" if python.build else ""
    own = ", ".join(filter(None, [f"Python {python.version}", f"{came}{build}"]))
    yield f"{own}; where that cannot be had, another {series}"
    for pin in lock.systems:
        if pin.origin is Origin.SITE:
            place = ", ".join(filter(None, [" ".join(pin.modules), pin.prefix]))
            yield f"{pin.component} {pin.version}" + (f" ({place})" if place else "")
        elif pin.origin is Origin.NODE:
            yield f"{pin.component}, as on a node with {pin.version}"
