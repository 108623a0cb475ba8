"""The base of all errors: what went wrong, where, why, and what to do next."""

from __future__ import annotations

from enum import IntEnum


class ExitStatus(IntEnum):
    """Exit statuses of every command."""

    YES = 0
    NO = 1
    BAD_REQUEST = 2
    SURROUNDINGS = 3
    INTERRUPTED = 130


class EnvlockError(Exception):
    """An error a person can act on.

    Attributes:
        code: stable kebab-case reference, for scripts and for searching.
        message: what went wrong, one sentence without a full stop.
        where: the file, line or path (``facts[3].when.driver``) it is about; may be empty.
        why: the reason, when the message alone does not tell; may be empty.
        hint: what to do next; may be empty.
        status: the exit status that the command ends with.
    """

    status = ExitStatus.BAD_REQUEST

    def __init__(
        self,
        code: str,
        message: str,
        *,
        where: str = "",
        why: str = "",
        hint: str = "",
    ) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.where = where
        self.why = why
        self.hint = hint

    def __str__(self) -> str:
        parts = [self.message]
        if self.where:
            parts.append(f"at {self.where}")
        if self.why:
            parts.append(self.why)
        return ": ".join(parts)


class RequestError(EnvlockError):
    """The request is wrong: a file, an argument or a name that the user can correct (exit status 2)."""


class RefusedError(EnvlockError):
    """The answer is no: the request is well-formed but must not be carried out (exit status 1)."""

    status = ExitStatus.NO


class SurroundingsError(EnvlockError):
    """The surroundings failed: network, disk, launcher, a build (exit status 3)."""

    status = ExitStatus.SURROUNDINGS


class StoppedError(EnvlockError):
    """Somebody ended the command before it was done (exit status 130)."""

    status = ExitStatus.INTERRUPTED
