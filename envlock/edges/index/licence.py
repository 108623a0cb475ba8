"""The licence in core metadata, from the best of the three fields that may state it (PEP 639)."""

from __future__ import annotations

_CLASSIFIER = "License :: "
_LONGEST = 80
_NOTHING = frozenset({"", "UNKNOWN"})


def read_licence(content: bytes) -> str:
    """Return ``License-Expression``; else the classifiers' last parts; else ``License``'s first line."""
    from packaging.metadata import parse_email  # noqa: PLC0415 - with Python's email; what is read is cached

    raw, unread = parse_email(content)
    if expression := raw.get("license_expression", ""):
        return expression
    classified = [label for label in raw.get("classifiers", ()) if label.startswith(_CLASSIFIER)]
    names = [label.rpartition(" :: ")[2] for label in classified if not label.endswith("OSI Approved")]
    if names:
        return ", ".join(dict.fromkeys(names))
    text = raw.get("license", "") or " ".join(unread.get("license", ())[:1])
    line = text.strip().partition("\n")[0].strip()
    return "" if line in _NOTHING else line[:_LONGEST]
