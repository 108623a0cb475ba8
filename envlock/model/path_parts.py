"""What a text must be like before it becomes a part of a path: names of groups, targets and files; hashes.

Manifests are people's own; locks, archives and pages of indexes come from elsewhere, and must not lead out of
the folder that they are for.
"""

from __future__ import annotations

import re

_GROUP = re.compile(r"\w[\w-]{0,99}")
_TARGET = re.compile(r"\w[\w.-]{0,99}")
_SHA256 = re.compile(r"[0-9a-f]{64}")


def is_group_name(text: str) -> bool:
    """What a lock's name may have between its dots (PEP 751), and what is one plain file everywhere."""
    return _GROUP.fullmatch(text) is not None and text == text.lower()


def is_target_name(text: str) -> bool:
    """What may name a folder of locks."""
    return _TARGET.fullmatch(text) is not None


def is_file_name(text: str) -> bool:
    """A file's name alone, without a way to it."""
    return "/" not in text and "\0" not in text and text.strip(".") != ""


def is_place_inside(text: str) -> bool:
    """A relative path, with slashes, that does not lead up."""
    return "\0" not in text and all(part not in {"", ".."} for part in text.split("/"))


def is_sha256(text: str) -> bool:
    """64 hexadecimal digits, in small letters."""
    return _SHA256.fullmatch(text) is not None
