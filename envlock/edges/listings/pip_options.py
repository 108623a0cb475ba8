"""Options in requirements files, and the files that they name."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from envlock.model.decode import Table
from envlock.model.errors import RequestError
from envlock.model.project.package_sources import SECRET_PARAMETER, is_url

INCLUDES = ("-r", "--requirement")
CONSTRAINTS = ("-c", "--constraint")
EDITABLE = ("-e", "--editable")
_NEXT = re.compile(r"\s+(?=-(?:-[a-z]|[a-z]\s))")
"""Where another option begins on one line."""
_BY_GIT = re.compile(r"(?<![\w+.-])(?:git\+)?git://")
"""How a line names a repository by that protocol: with pip's prefix or, behind ``-e``, without it."""
_BY_HTTPS = "https in place of git://, which GitHub answers no more since March 2022"
_ANY = "*"
"""What Pipenv and pixi write for any version."""
_QUOTED = re.compile(r"""(["'])(?P<inside>[^"']*)\1""")
_CREDENTIALS = re.compile(r"(?<=://)[^/\s]+(?=@)")


def secured(lines: Iterable[tuple[str, str, bool]], upgraded: list[str]) -> Iterator[tuple[str, str, bool]]:
    """Yield lines whose repositories are read by https where they name git's own protocol; tell of these.

    Nothing secures that protocol, and GitHub ended it in March 2022:
    https://github.blog/security/application-security/improving-git-protocol-security-github/

    Args:
        lines: the place of each, its text, and whether it is a constraint.
        upgraded: is added to.
    """
    for place, line, narrows in lines:
        by_https = _BY_GIT.sub("git+https://", line)
        if by_https != line:
            upgraded.append(f"{without_secrets(line)} ({place}); {_BY_HTTPS}")
        yield place, by_https, narrows


def single_options(line: str) -> list[str]:
    """Return the options on a line, each for itself; of any other line that line alone.

    >>> single_options("-i https://example.org/simple --pre")
    ['-i https://example.org/simple', '--pre']
    """
    return _NEXT.split(line) if line.startswith("-") else [line]


def option_of(line: str) -> tuple[str, str]:
    """Split an option from its value, in pip's forms: ``-r FILE``, ``-rFILE``, ``--requirement="FILE"``.

    Both are empty if the line is not an option.
    """
    if not line.startswith("-"):
        return "", ""
    if not line.startswith("--"):
        return line[:2], _unquoted(line[2:].strip())
    option, *value = re.split(r"[=\s]", line, maxsplit=1)
    return option, _unquoted(value[0].strip()) if value else ""


def _unquoted(value: str) -> str:
    """Return a value without the quotes around it, which pip reads as a shell does."""
    quoted = _QUOTED.fullmatch(value)
    return value if quoted is None else quoted["inside"]


def named_file(folder: Path, value: str, place: str) -> Path:
    """Return the file that an option in a file of this folder names.

    Raises:
        RequestError: it is an address, which pip would fetch.
    """
    if is_url(value.lower()):
        raise RequestError(
            "requirements-address",
            f"{without_secrets(value)} is an address, and requirements are read from files alone",
            where=place,
            why="what an address holds may change from one day to the next",
            hint="download it, and name the file here instead",
        )
    return folder / value


def repository_address(table: Table) -> str:
    """Return a repository's address as pip has it, from a table as Pipenv, pixi and uv write them."""
    revision = next((table.text(key) for key in ("rev", "tag", "branch", "ref") if table.has(key)), "")
    folder = table.text("subdirectory", "")
    address = f"git+{table.text('git').removeprefix('git+')}"
    return address + (f"@{revision}" if revision else "") + (f"#subdirectory={folder}" if folder else "")


def requirement_line(name: str, entry: Table, url: str) -> str:
    """Return a package as pip has it, without markers, from a table as Pipenv and pixi write them.

    A bare version means itself alone.

    Args:
        name: the package.
        entry: its table.
        url: the key of a file's address.
    """
    extras = f"[{','.join(texts)}]" if (texts := entry.texts("extras")) else ""
    if entry.has("path"):
        return f"{'-e ' if entry.flag('editable', default=False) else ''}{entry.text('path')}{extras}"
    if entry.has("git"):
        return f"{name}{extras} @ {repository_address(entry)}"
    if entry.has(url):
        return f"{name}{extras} @ {entry.text(url)}"
    version = entry.text("version", _ANY).strip().removeprefix(_ANY)
    return f"{name}{extras}{'' if version[:1] in '<>=!~' else '=='}{version}"


def without_secrets(line: str) -> str:
    """Return a line that may be shown: output lands in CI logs, where no password or token belongs.

    A name without a password goes too, because it may be a token, as repository hosts accept them.
    """
    return SECRET_PARAMETER.sub("", _CREDENTIALS.sub("***", line))
