"""Checks of texts that become parts of paths: names of groups, targets and files; hashes.

Users write their own manifests, but locks, archives and index pages come from elsewhere and must not lead out
of the folder that they are for.
"""

from __future__ import annotations

import re

_GROUP = re.compile(r"\w[\w-]{0,99}")
_TARGET = re.compile(r"\w[\w.-]{0,99}")
_SHA256 = re.compile(r"[0-9a-f]{64}")


def is_group_name(text: str) -> bool:
    """Whether a text may stand between a lock's dots (PEP 751) and is a plain file name everywhere."""
    return _GROUP.fullmatch(text) is not None and text == text.lower()


def is_target_name(text: str) -> bool:
    """Whether a text may name a folder of locks."""
    return _TARGET.fullmatch(text) is not None


def is_file_name(text: str) -> bool:
    """Whether a text is a bare file name, without a path."""
    return "/" not in text and "\0" not in text and text.strip(".") != ""


def is_place_inside(text: str) -> bool:
    """Whether a text is a relative path, with slashes, that does not lead up."""
    return "\0" not in text and all(part not in {"", ".."} for part in text.split("/"))


def is_sha256(text: str) -> bool:
    """Whether a text is 64 hexadecimal digits in lower case."""
    return _SHA256.fullmatch(text) is not None
