"""Sources at a commit of a git repository, packed as an archive that is identical wherever it is made."""

from __future__ import annotations

import re
from functools import partial
from pathlib import Path
from typing import IO

from envlock.edges.building.packed_sources import pack_sources
from envlock.edges.cache import Cache
from envlock.edges.git import run_git
from envlock.edges.index.refusals import offline_miss
from envlock.edges.program_errors import last_lines
from envlock.edges.subprocesses import Finished
from envlock.model.errors import RequestError, SurroundingsError
from envlock.model.path_parts import is_place_inside
from envlock.model.project.package_sources import REPOSITORY, without_credentials

_KIND = "commits"
_COMMIT = r"[0-9a-f]{40}"
_git = partial(run_git, patience_s=900.0)


class Repositories:
    """Resolves revisions of repositories to commits, and packs their sources."""

    __slots__ = ("_cache", "_offline")

    def __init__(self, cache: Cache, *, offline: bool) -> None:
        self._cache = cache
        self._offline = offline

    def commit(self, place: str) -> str:
        """Return the commit that a revision is now; offline, the one that it was when last asked.

        Args:
            place: ``git+https://host/name@revision``; without a revision, the repository's ``HEAD`` counts.

        Raises:
            RequestError: ``unknown-revision``.
            SurroundingsError: the repository does not answer.
        """
        url, revision = split_revision(place)
        if re.fullmatch(_COMMIT, revision):
            return revision
        if self._offline:
            known = self._cache.read(_KIND, place)
            if isinstance(known, str):
                return known
            raise offline_miss(place)
        lines = _said(_git(None, "ls-remote", "--", url), url).splitlines()
        refs = {name: commit for commit, _, name in (line.partition("\t") for line in lines)}
        wanted = revision or "HEAD"
        tags, heads = f"refs/tags/{wanted}", f"refs/heads/{wanted}"
        found = next((refs[name] for name in (f"{tags}^{{}}", tags, heads, wanted) if name in refs), "")
        if not found:
            raise RequestError(
                "unknown-revision",
                f"the repository has no tag and no branch {wanted!r}",
                where=without_credentials(url),
                hint="a commit is named by all its 40 digits",
            )
        self._cache.write(_KIND, place, found)
        return found

    def pack(self, place: str, target: IO[bytes]) -> str:
        """Write the sources at a commit as a tar file, and return its sha256.

        The same commit gives the same bytes; git's own files are left out.

        Args:
            place: ``git+https://host/name@commit``, perhaps with ``#subdirectory=...``.
            target: the file to write to.

        Raises:
            RequestError: ``unknown-revision``, or there is no such folder (``source-folder``).
            SurroundingsError: the repository does not answer.
        """
        if self._offline:
            raise offline_miss(place)
        import tempfile  # noqa: PLC0415 - few requests name repositories

        place, _, fragment = place.partition("#")
        url, commit = split_revision(place)
        with tempfile.TemporaryDirectory(prefix="envlock-repository-") as name:
            folder = Path(name) / "checkout"
            folder.mkdir()
            _check_out(folder, url, commit)
            inner = fragment.removeprefix("subdirectory=")
            sources = folder / inner
            if (inner and not is_place_inside(inner)) or not sources.is_dir():
                raise RequestError(
                    "source-folder",
                    f"the repository has no folder {inner!r}",
                    where=without_credentials(place),
                )
            found = (path for path in sources.rglob("*") if path.is_symlink() or path.is_file())
            kept = [path for path in found if ".git" not in path.relative_to(sources).parts]
            return pack_sources(sources, kept, f"sources-{commit[:12]}", target)


def split_revision(place: str) -> tuple[str, str]:
    """Split off the revision after the last ``@`` of a repository URL's path; empty if there is none."""
    scheme, _, rest = place.removeprefix(REPOSITORY).partition("://")
    host, slash, path = rest.partition("/")
    path, _, revision = path.rpartition("@") if "@" in path else (path, "", "")
    return f"{scheme}://{host}{slash}{path}", revision


def _check_out(folder: Path, url: str, commit: str) -> None:
    for arguments in (("init", "-q"), ("remote", "add", "origin", url)):
        _said(_git(folder, *arguments), url)
    # Not every server serves a commit by its hash; otherwise all branches and tags are fetched.
    if _git(folder, "fetch", "-q", "--depth=1", "--", "origin", commit).status != 0:
        _said(_git(folder, "fetch", "-q", "--tags", "origin"), url)
    if _git(folder, "cat-file", "-e", f"{commit}^{{commit}}").status != 0:
        raise RequestError(
            "unknown-revision",
            f"the repository has no commit {commit}",
            where=without_credentials(url),
            hint="a commit that is on no branch or tag cannot be fetched",
        )
    _said(_git(folder, "-c", "core.autocrlf=false", "checkout", "-q", "--detach", commit), url)
    if (folder / ".gitmodules").is_file():
        _said(_git(folder, "submodule", "update", "-q", "--init", "--recursive"), url)


def _said(finished: Finished, url: str) -> str:
    if finished.status == 0:
        return finished.stdout
    raise SurroundingsError(
        "repository-unreachable",
        "the git repository cannot be read",
        where=without_credentials(url),
        why="; ".join(last_lines(finished.stderr.splitlines(), 2)),
        hint="`git ls-remote` with this address tells more; credentials come from git's own helpers",
    )
