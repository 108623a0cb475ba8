"""What conda is to install, whatever file says so."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field

from envlock.model.frozen import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class CondaPackages:
    """An environment of conda's.

    Attributes:
        kind: what they were read from, for people.
        specs: packages from conda channels, as written.
        pip: lines for pip, each with its place, including those of files that it names.
        variables: names of the variables that are set when the environment is activated.
        further: what some of its users need in addition, by name.
        left_out: what else the file says, with what to write instead.
    """

    kind: str
    specs: tuple[str, ...]
    pip: tuple[tuple[str, str], ...]
    variables: tuple[str, ...] = ()
    further: Mapping[str, CondaPackages] = field(default_factory=dict)
    left_out: tuple[str, ...] = ()
