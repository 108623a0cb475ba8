"""How to cite a frozen environment: one sentence, and a Citation File Format document (CFF 1.2.0)."""

from __future__ import annotations

import datetime as dt
import json

from envlock.model.counting import number_of
from envlock.model.frozen import dataclass
from envlock.model.locked.lock import Lock
from envlock.model.locked.pins import YOU

_SHOWN_DIGITS = 12
_MOST = 6


@dataclass(frozen=True, slots=True, kw_only=True)
class Cited:
    """An environment to cite.

    Attributes:
        lock: the lock of the environment.
        lock_sha256: the digest of the lock's bytes, which identifies the environment exactly.
        day: when it was archived.
        reason: why it was frozen; empty if it was not.
        maker: the program that made it, with its version.
    """

    lock: Lock
    lock_sha256: str
    day: dt.date
    reason: str
    maker: str

    @property
    def author(self) -> str:
        """The group, since nobody else is known to have chosen its contents."""
        return f"the research group {self.lock.group}"

    @property
    def title(self) -> str:
        """What the environment is, in one line."""
        return f"Software environment {self.lock.group}: {', '.join(self.asked)}, Python {self.lock.python}"

    @property
    def asked(self) -> list[str]:
        """What the group itself asked for, with versions; the first few."""
        names = [f"{pin.name} {pin.version}" for pin in self.lock.distributions if YOU in pin.asked_by]
        names += [f"{pin.component} {pin.version}" for pin in self.lock.systems if YOU in pin.asked_by]
        return [*names[:_MOST], "and others"] if len(names) > _MOST else names

    @property
    def abstract(self) -> str:
        """Exactly which environment it is, for which target, and why it was kept."""
        count = len(self.lock.distributions)
        frozen = f" Frozen because {self.reason}." if self.reason else ""
        return (
            f"{number_of(count, 'Python distribution')} with their hashes, locked for {self.lock.target}, "
            f"Python {self.lock.python}, lock sha256 {self.lock_sha256}.{frozen}"
        )


def citation_text(cited: Cited) -> str:
    """Return the suggested citation, to be completed with the DOI of the archive's deposit."""
    digits = cited.lock_sha256[:_SHOWN_DIGITS]
    return f"{cited.author} ({cited.day.year}). {cited.title}. Made with {cited.maker}; lock sha256 {digits}."


def citation_file(cited: Cited) -> str:
    """Return CITATION.cff; its values are JSON strings, which are valid YAML 1.2."""
    fields = {
        "cff-version": "1.2.0",
        "message": "If you use this environment, please cite it, and the software in it.",
        "type": "dataset",
        "title": cited.title,
        "abstract": cited.abstract,
        "date-released": cited.day.isoformat(),
        "version": cited.lock_sha256[:_SHOWN_DIGITS],
    }
    lines = [f"{key}: {json.dumps(value, ensure_ascii=False)}" for key, value in fields.items()]
    return "\n".join([*lines, "authors:", f"  - name: {json.dumps(cited.author, ensure_ascii=False)}"]) + "\n"
