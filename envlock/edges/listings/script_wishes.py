"""What a program in one file requires, by the comments that say so (PEP 723).

https://packaging.python.org/en/latest/specifications/inline-script-metadata
"""

from __future__ import annotations

import re
from pathlib import Path

from envlock.edges.files import parse_toml, read_text
from envlock.edges.listings.project_wishes import required_python
from envlock.edges.listings.requirement_files import need_requirement
from envlock.edges.listings.uv_settings import with_settings
from envlock.edges.listings.wish_files import Wishes
from envlock.model.decode import Table
from envlock.model.errors import RequestError

_BLOCK = re.compile(r"^# /// script[ \t]*\n(?P<lines>(?:#(?:| .*)\n)+)# ///[ \t]*$", re.MULTILINE)
"""Ends at the last line that may end it: what follows is no comment, or another block."""


def read_script(path: Path) -> Wishes:
    """Read the block ``# /// script`` of a program.

    Raises:
        RequestError: the file is not there, has no such block, or several (``no-wishes``), or the block is no
            TOML or states an invalid requirement.
    """
    text = read_text(path)
    found = list(_BLOCK.finditer(text))
    if len(found) != 1:
        raise RequestError(
            "no-wishes",
            f"the program states {'requirements more than once' if found else 'no requirements'}",
            where=str(path),
            why=f"{len(found) or 'no'} blocks of comments begin with # /// script and end with # ///",
            hint="write one, as PEP 723 has it, or name a requirements file",
        )
    # Spaces in place of the number signs, and all lines before: errors tell line and column of the program.
    toml = "\n" * text.count("\n", 0, found[0].start("lines")) + re.sub(r"(?m)^#", " ", found[0]["lines"])
    document = parse_toml(toml.encode(), path)
    table = Table(document, file=str(path))
    requires = table.texts("dependencies")
    for requirement in requires:
        need_requirement(requirement, f"{path}, dependencies")
    wishes = Wishes(python=required_python(table), requires=requires)
    return with_settings(wishes, table.table("tool").table("uv"), path)
