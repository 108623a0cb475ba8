"""The METADATA member of a local or remote wheel."""

from __future__ import annotations

import re
import zipfile
from functools import partial
from typing import IO

from packaging.utils import canonicalize_name

from envlock.edges.archive_damage import damage_raised_as
from envlock.model.errors import SurroundingsError
from envlock.model.published.catalogue import BROKEN_FILE

_MEMBER = r"([^/]+?)-[^/-]+\.dist-info/METADATA"


def read_wheel_metadata(file: IO[bytes], filename: str, distribution: str) -> bytes:
    """Return the bytes of ``NAME-VERSION.dist-info/METADATA``.

    Raises:
        SurroundingsError: the file is not a whole wheel of that distribution.
    """
    with damage_raised_as(partial(broken_file, filename)), zipfile.ZipFile(file) as archive:
        for name in archive.namelist():
            match = re.fullmatch(_MEMBER, name)
            if match and canonicalize_name(match[1]) == distribution:
                return archive.read(name)
    raise broken_file(filename, f"it has no METADATA of {distribution}")


def broken_file(filename: str, why: str) -> SurroundingsError:
    """Return the error for a published file that is not what its name says."""
    return SurroundingsError(
        BROKEN_FILE,
        f"{filename} cannot be read as a distribution",
        where=filename,
        why=why,
        hint='leave that version out, constraints = ["NAME!=VERSION"], or have the file corrected',
    )
