"""Reads requirements files: their exact pins, as ``pip freeze`` and lock compilers write them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path

from packaging.requirements import InvalidRequirement, Requirement

from envlock.edges.files import read_text
from envlock.edges.listings.marker_environments import Platform, Reader
from envlock.edges.listings.pip_options import (
    CONSTRAINTS,
    EDITABLE,
    INCLUDES,
    named_file,
    option_of,
    single_options,
    without_secrets,
)
from envlock.edges.listings.requirement_lines import RequirementLine, contradictions_of, pins_of, ranges_of
from envlock.model.command_line import as_word
from envlock.model.component import Via
from envlock.model.errors import RequestError
from envlock.model.project.package_sources import filename_of, is_url, named_by
from envlock.model.project.package_sources_codec import is_path
from envlock.model.published.listing import Listed, Listing

_BARE_PATH = re.compile(r"(?![-./~])[^\s@:;\[\]]+/")
_OF_PROGRAMS = frozenset({".cfg", ".json", ".lock", ".py"})
_COMMENT = re.compile(r"(^|\s)#.*")
_OPTIONS = re.compile(r"\s-.*")
_EGG = re.compile(r"egg=(?P<name>[A-Za-z0-9][\w.-]*(?:\[[\w.,-]*\])?)(&|$)")
_CONDA_LIST = re.compile(r"\A# packages in environment at (?P<prefix>.+):$", re.MULTILINE)
_CONDA_EXPORT = re.compile(r"^# \$ conda create |^@EXPLICIT$", re.MULTILINE)
"""Headers that conda writes above ``conda list``, and above ``conda list --export`` and ``--explicit``."""
_PIP_LIST = re.compile(r"\APackage +Version\b.*\n-+ ")
_JSON = re.compile(r"\A\s*(\[\s*\{|\{\s*\")")
_COMPILED_FOR = re.compile(r"^#.*(?:\bwith [Pp]ython |--python-version[ =])(\d+\.\d+)", re.MULTILINE)
"""The header that pip-compile and uv write above the requirements that they locked."""


def read_requirements(path: Path, reader: Reader, text: str | None = None) -> Listing:
    """Return what a requirements file, with those that it includes, pins exactly for the reader.

    What it only names is pinned if its constraints pin it.

    Args:
        path: the file.
        reader: the interpreter for which it is read.
        text: its content, if known; included files lie beside it.

    Raises:
        RequestError: a file is an address, is not there, or includes itself; or a line is not a requirement.
    """
    text = read_text(path) if text is None else text
    compiled = compiled_in(text)
    platform = reader.platform(f"=={compiled}.*" if compiled else "")
    lines = with_constraints(lines_of(text, path))
    return replace(listed_among(lines, platform), kind="a requirements file", name=path.name)


def listed_among(lines: Iterable[tuple[str, str, bool]], platform: Platform) -> Listing:
    """Return what lines for pip pin and require on a platform.

    Args:
        lines: place, line, and whether it only narrows.
        platform: the one whose markers count.

    Raises:
        RequestError: a line is not a requirement.
    """
    listed: list[Listed] = []
    others: list[str] = []
    asked: list[RequirementLine] = []
    for place, line, narrows in lines:
        if line.startswith("-") and option_of(line)[0] not in EDITABLE:
            continue
        one = _read(line, place, platform)
        if isinstance(one, Requirement):
            asked.append(RequirementLine(requirement=one, place=place, narrows=narrows))
        elif isinstance(one, Listed) and not narrows:
            listed.append(one)
        elif isinstance(one, str) and not narrows:
            others.append(one)
    pins = pins_of(asked)
    return Listing(
        kind="requirements",
        distributions=(*listed, *(pin for some in pins.values() for pin in some)),
        ranges=ranges_of(asked),
        passed_over=tuple(map(without_secrets, others)),
        read_for=platform.python,
        complete=False,
        contradictions=contradictions_of(asked),
    )


def compiled_in(text: str) -> str:
    """Return the Python series that a requirements file was compiled for, if its header tells; else empty."""
    compiled = _COMPILED_FOR.search(text)
    return compiled[1] if compiled else ""


def is_of_programs(path: Path) -> bool:
    """Whether a file's name rules out a requirements file, although its lines could be read as one."""
    return path.suffix in _OF_PROGRAMS or path.name == "Pipfile"


def requirement_lines(path: Path, including: tuple[Path, ...] = ()) -> Iterator[tuple[str, str]]:
    """Yield the requirements and options of a file and of those that it includes, each with its place.

    Continued lines are joined, comments dropped.

    Raises:
        RequestError: a file is an address, is not there, or includes itself.
    """
    _refuse_cycle(path, including, "the requirements file", "-r", str(path))
    yield from lines_of(read_text(path), path, including)


def lines_of(text: str, path: Path, including: tuple[Path, ...] = ()) -> Iterator[tuple[str, str]]:
    """Like ``requirement_lines``, for a text from a file."""
    _refuse_listing(text, path)
    number, waiting = 0, ""
    for number, raw in enumerate(text.splitlines(), 1):
        waiting += _COMMENT.sub("", raw)
        if waiting.endswith("\\"):
            waiting = waiting[:-1]
            continue
        line, waiting = waiting.strip(), ""
        for option in single_options(line):
            if included := _included(option):
                beside = named_file(path.parent, included, f"{path}, line {number}")
                yield from requirement_lines(beside, (*including, path.resolve()))
            elif option:
                yield f"{path}, line {number}", option
    if waiting.strip():
        yield f"{path}, line {number}", waiting.strip()


def _refuse_cycle(path: Path, including: tuple[Path, ...], what: str, option: str, where: str) -> None:
    if path.resolve() in including:
        hint = f"take the {option} out that leads back to it"
        raise RequestError("requirements-cycle", f"{what} includes itself", where=where, hint=hint)


def _refuse_listing(text: str, path: Path) -> None:
    """Refuse a list of packages that is not a requirements file, and say how to get one."""
    conda = _CONDA_LIST.search(text)
    if conda or _CONDA_EXPORT.search(text):
        place = as_word(conda["prefix"]) if conda else '"$CONDA_PREFIX"'
        raise RequestError(
            "conda-names",
            "the file lists packages by conda's names",
            where=str(path),
            hint=f"name the prefix of the environment: envlock check --from {place}; "
            "or begin with the file of `conda env export --from-history`",
        )
    form = "a table for people" if _PIP_LIST.search(text) else "JSON" if _JSON.search(text) else ""
    if form:
        raise RequestError(
            "no-requirements",
            f"the file is {form}, as pip list prints it",
            where=str(path),
            hint="pip list --format=freeze and pip freeze print requirements",
        )


def with_constraints(
    lines: Iterable[tuple[str, str]], within: tuple[Path, ...] = ()
) -> Iterator[tuple[str, str, bool]]:
    """Yield lines, also of the constraints files they name: place, line, and whether it only narrows.

    A path that says only by a slash that it is one, as pip takes it, begins with a dot afterwards.

    Raises:
        RequestError: a constraints file is an address, is not there, or includes itself.
    """
    for place, line in lines:
        option, value = option_of(line)
        if option not in CONSTRAINTS:
            yield place, f"./{line}" if _BARE_PATH.match(line) else line, bool(within)
            continue
        file = named_file(Path(place.partition(", line ")[0]).parent, value, place)
        _refuse_cycle(file, within, "the constraints file", "-c", place)
        yield from with_constraints(requirement_lines(file), (*within, file.resolve()))


def requirements_among(lines: Iterable[str], file: Path) -> Iterator[tuple[str, str]]:
    """Yield requirements and options that another file has for pip, and those of files that they include.

    Raises:
        RequestError: an included file is an address, is not there, or includes itself.
    """
    for line in lines:
        if included := _included(line.strip()):
            yield from requirement_lines(named_file(file.parent, included, str(file)))
        else:
            yield str(file), line


def _included(line: str) -> str:
    """Return the requirements file that a line includes; empty for any other line."""
    option, value = option_of(line)
    return value if option in INCLUDES else ""


def written_requirement(line: str) -> str:
    """Return a standard requirement: without options, a bare URL with the name in it."""
    text = _OPTIONS.sub("", line).strip()
    address, blank, marker = text.partition(" ")
    if not is_url(address):
        return text
    place, _, fragment = address.partition("#")
    if egg := _EGG.search(fragment):
        rest = _EGG.sub("", fragment).rstrip("&")
        return f"{egg['name']} @ {place}{'#' if rest else ''}{rest}{blank}{marker}"
    named = named_by(filename_of(place))
    return text if named is None else f"{named.distribution} @ {text}"


def need_requirement(text: str, place: str) -> Requirement:
    """Parse a requirement from a file.

    Raises:
        RequestError: it is invalid.
    """
    try:
        return Requirement(text)
    except InvalidRequirement as error:
        raise RequestError(
            "invalid-requirement",
            f"{text!r} is not a valid requirement",
            where=place,
            why=str(error).splitlines()[0],
            hint="write NAME==VERSION or NAME @ ADDRESS, one on each line",
        ) from None


def _read(line: str, place: str, platform: Platform) -> Requirement | Listed | str:
    """Return a line's requirement, or the pin of the file that it names; its text if it has neither."""
    text = line if line.startswith("-") else written_requirement(line)
    if text.startswith("-") or is_url(text):
        return text
    if is_path(text):
        return _of_file(filename_of(text.partition(" ")[0])) or text
    requirement = need_requirement(text, place)
    if requirement.marker is not None and not platform.meets(str(requirement.marker)):
        return f"{text} (for other platforms)"
    if requirement.url is not None:
        return _of_file(requirement.url.partition("#")[0].rpartition("/")[2], requirement.name) or text
    return requirement


def _of_file(filename: str, name: str = "") -> Listed | None:
    """Return the pin that a file's name states, of its distribution or of one by another name."""
    named = named_by(filename)
    if named is None:
        return None
    via = Via.WHEEL if named.tags else Via.BUILD
    return Listed(name=name or named.distribution, version=str(named.version), via=via)
