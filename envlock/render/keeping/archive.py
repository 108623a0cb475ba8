"""Views of archives: ``envlock freeze --archive`` and ``envlock restore``."""

from __future__ import annotations

from rich.console import Console
from rich.text import Text

from envlock.app.keeping.freeze import FreezeOutcome
from envlock.app.keeping.restore import Restored
from envlock.model.command_line import as_word
from envlock.render.reports.text import verified_document, verified_text
from envlock.render.terminal.sizes import bytes_text


def frozen_text(outcome: FreezeOutcome, console: Console) -> None:
    """Print the promise, and the archive that was made for it."""
    promise = f"{outcome.group} is frozen until {outcome.freeze.until}: {outcome.freeze.reason}"
    console.print(Text(promise), soft_wrap=True)
    console.print(Text(f"lock {outcome.lock.path}, sha256 {outcome.lock.sha256}"), soft_wrap=True)
    if outcome.outdated:
        line = "note: envlock.toml now asks for something else; what is locked stays"
        console.print(Text(line, style="yellow"), soft_wrap=True)
    if (made := outcome.archived) is not None:
        how = "made" if made.made else "already existed, with every file unchanged"
        line = f"archive {made.path}: {how}; {made.files} wheels and sdists, {bytes_text(made.size)}"
        console.print(Text(line), soft_wrap=True)
        again = f"envlock restore {as_word(made.path)}"
        console.print(Text(f"anywhere, without a network: {again}"), soft_wrap=True)


def frozen_document(outcome: FreezeOutcome) -> dict[str, object]:
    """Return the same as a document for programs."""
    made = outcome.archived
    return {
        "schema": "envlock/freeze/1",
        "group": outcome.group,
        "until": outcome.freeze.until.isoformat(),
        "reason": outcome.freeze.reason,
        "lock": str(outcome.lock.path),
        "lock_sha256": outcome.lock.sha256,
        "outdated": outcome.outdated,
        "manifest": str(outcome.manifest),
        "archive": {"path": str(made.path), "made": made.made, "files": made.files, "bytes": made.size}
        if made
        else None,
    }


def restored_text(restored: Restored, console: Console) -> None:
    """Print what was restored and compared, then the verification."""
    record = restored.record
    line = f"{record.group} of {record.created:%Y-%m-%d} restored into {restored.folder}"
    console.print(Text(line), soft_wrap=True)
    console.print(Text(f"lock {restored.lock.path}, sha256 {restored.lock.sha256}"), soft_wrap=True)
    if restored.python != restored.lock.lock.python:
        line = f"made with Python {restored.python}: {restored.lock.lock.python}, the lock's, is not here"
        console.print(Text(line, style="yellow"), soft_wrap=True)
    console.print(f"{restored.files} installed files compared with the archive's wheels: all equal")
    if restored.verified is not None:
        verified_text(restored.verified, console)


def restored_document(restored: Restored) -> dict[str, object]:
    """Return the same as a document for programs."""
    return {
        "schema": "envlock/restore/1",
        "group": restored.record.group,
        "target": restored.record.target,
        "created": restored.record.created.isoformat(),
        "project": str(restored.folder),
        "lock": str(restored.lock.path),
        "lock_sha256": restored.lock.sha256,
        "prefix": str(restored.prefix),
        "python": {"used": restored.python, "locked": restored.lock.lock.python},
        "files_compared": restored.files,
        "verification": verified_document(restored.verified) if restored.verified else None,
    }
