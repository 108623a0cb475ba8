"""``export``: a group's lock in the forms that other tools read."""

from __future__ import annotations

import datetime as dt
from enum import StrEnum
from uuid import NAMESPACE_URL, uuid5

import tomlkit

from envlock import __version__
from envlock.app.keeping.archive import ArchiveSource, licences_of
from envlock.app.project import Project
from envlock.app.verifying.evidence import report_path
from envlock.edges.digests import file_sha256
from envlock.edges.lock_files import LockFile, read_own_lock
from envlock.lifecycle.publishing.citation import Cited
from envlock.lifecycle.publishing.plain_lock import plain_lock
from envlock.lifecycle.publishing.requirements import requirements_text
from envlock.lifecycle.publishing.ro_crate import CrateFile, ro_crate
from envlock.lifecycle.publishing.sbom import sbom


class Form(StrEnum):
    """A form to export to."""

    REQUIREMENTS = "requirements"
    PYLOCK = "pylock"
    SBOM = "sbom"
    RO_CRATE = "ro-crate"


def export(project: Project, group: str, form: Form, source: ArchiveSource) -> str:
    """Return a group's lock on the chosen target in another form, as text; the lock stays the truth.

    Args:
        project: the project.
        group: the group.
        form: the form.
        source: is asked for licences, which a lock does not have; those that are not available are left out.

    Raises:
        RequestError: there is no such group, it has no lock, or its lock was edited by hand.
    """
    file = read_own_lock(project.need_lock(group))
    if form is Form.REQUIREMENTS:
        return requirements_text(file.lock)
    if form is Form.PYLOCK:
        return tomlkit.dumps(plain_lock(file.lock))
    licences = licences_of(file.lock.distributions, source)
    time = dt.datetime.now(dt.UTC).replace(microsecond=0)
    if form is Form.SBOM:
        serial = str(uuid5(NAMESPACE_URL, f"sha256:{file.sha256}"))
        return sbom(file.lock, project.knowledge, licences, serial=serial, made=time)
    frozen = project.manifest.group(group).frozen
    cited = Cited(
        lock=file.lock,
        lock_sha256=file.sha256,
        day=time.date(),
        reason=frozen.reason if frozen else "",
        maker=f"envlock {__version__}",
    )
    return ro_crate(cited, _files(file), licences)


def _files(file: LockFile) -> tuple[CrateFile, ...]:
    """Return the lock and its evidence, beside which the crate's description is to lie."""
    abouts = {file.path: "the lock (PEP 751)", report_path(file.path): "the last verification"}
    return tuple(
        CrateFile(path=path.name, sha256=file_sha256(path), size=path.stat().st_size, about=about)
        for path, about in abouts.items()
        if path.is_file()
    )
