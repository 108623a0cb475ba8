"""What was meant by a requirement that PEP 508 does not have: other tools' spellings, and slips."""

from __future__ import annotations

import re

from envlock.model.project.package_sources import filename_of, is_url, named_by

_EXAMPLE = "torch==1.4.0"
_WITH_MARKER = "six; python_version < '3.9'"
_NAME = r"(?P<name>[\w.-]+(?:\[[^\]]*\])?)"
_PIN = r"\g<name>==\g<version>"
_SPELLINGS = (
    (rf"{_NAME} *=(?!=) *(?P<version>[\w.]+\*?)", _PIN),  # conda's
    (rf"{_NAME}(?: +v?|@)(?P<version>\d[\w.]*)", _PIN),
    (rf"{_NAME} *==? *(?P<version>[\w.+!]+) +--hash.*", _PIN),  # pip's; the lock has the hashes
    (rf"{_NAME} *~= *(?P<version>\d+)", r"\g<name>~=\g<version>.0"),  # PEP 440: of one part it means nothing
)
"""Texts that are no requirements, and what is meant by each, as ``re.Match.expand`` takes it."""
_EGG = re.compile(r"egg=([\w.-]+)")


def meant_by(text: str, why: str) -> str:
    """Return what to write in place of a requirement that cannot be read, or else an example.

    Args:
        text: the requirement, as it was written.
        why: the reason that ``packaging`` gives.
    """
    if is_url(text):
        return f"{_name_in(text)} @ {text}"
    for pattern, meant in _SPELLINGS:
        if found := re.fullmatch(pattern, text.strip()):
            return found.expand(meant)
    return _WITH_MARKER if "marker" in why else _EXAMPLE


def _name_in(url: str) -> str:
    """Return the distribution that a URL names by its file or its ``#egg=``; ``NAME`` if it does not."""
    place, _, fragment = url.partition("#")
    named, egg = named_by(filename_of(place)), _EGG.search(fragment)
    return named.distribution if named else egg[1] if egg else "NAME"
