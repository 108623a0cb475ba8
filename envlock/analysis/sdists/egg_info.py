"""Dependencies as setuptools writes them into an sdist: ``NAME.egg-info/requires.txt``.

The format is described at https://setuptools.pypa.io/en/latest/deprecated/python_eggs.html#requires-txt
"""

from __future__ import annotations

from collections.abc import Iterator

from envlock.analysis.core_metadata import Fields


def read_requires_txt(text: str) -> Fields:
    """Read the file; sections ``[extra]``, ``[:marker]`` and ``[extra:marker]`` become markers."""
    requires: list[str] = []
    extras: dict[str, None] = {}
    for extra, marker, requirement in _entries(text):
        if extra:
            extras[extra] = None
        if requirement:
            requires.append(with_condition(requirement, extra, marker))
    return Fields(requires_dist=tuple(requires), requires_python="", provides_extra=tuple(extras))


def with_condition(requirement: str, extra: str, marker: str) -> str:
    """Return a requirement restricted by its own marker, a further marker, and an extra."""
    body, _, own = requirement.partition(";")
    conditions = [f"({part.strip()})" for part in (own, marker) if part.strip()]
    if extra:
        conditions.append(f'extra == "{extra}"')
    return f"{body.strip()} ; {' and '.join(conditions)}" if conditions else body.strip()


def _entries(text: str) -> Iterator[tuple[str, str, str]]:
    """Yield extra, marker and requirement of each line; a section's head has an empty requirement."""
    extra = marker = ""
    for line in map(str.strip, text.splitlines()):
        if not line or line.startswith("#"):
            continue
        if line.startswith("[") and line.endswith("]"):
            extra, _, marker = line[1:-1].partition(":")
            yield extra.strip(), marker, ""
        else:
            yield extra.strip(), marker, line
