"""What a line of a conda environment asks for, as far as it can be asked of a package index."""

from __future__ import annotations

import re

from packaging.specifiers import InvalidSpecifier, SpecifierSet

from envlock.model.frozen import dataclass

_NAME = re.compile(r"[\w.-]+")
_EXPORTED = re.compile(r"==?([^=<>!~,]+)=([^=]+)")
"""Version and build, as ``conda env export`` writes them."""
_BRACKETS = re.compile(r"\s*\[(.*)\]\s*")
_KEY = re.compile(r"""(\w+)\s*=\s*(['"]?)(.*?)\2\s*(?:,|$)""")
_SPACE = re.compile(r"(?<=[<>=!~,])\s+|\s+(?=,)")
"""Space that separates nothing."""
_CONDITION = re.compile(r"(={1,2}|[<>!~]=|[<>]|)([\w.!+*]+)")


@dataclass(frozen=True, slots=True)
class MatchSpec:
    """A package of a conda environment.

    Attributes:
        name: conda's name of it, lower case.
        specifier: its versions as PEP 440 has them; empty for any.
        build: the build, empty where none is named.
    """

    name: str
    specifier: str = ""
    build: str = ""

    @property
    def has_modules(self) -> bool:
        """Whether the build may be one of Python modules, whose name tells the Python that it is for.

        ``conda env export`` lists every library with its build: ``py37h4f3_0``, ``pyhd8ed1ab_0``, ``py_0``,
        ``cuda120py312h4f3_0`` for what has modules, a hash of hexadecimal digits for what has none
        (https://docs.conda.io/projects/conda-build/en/stable/resources/define-metadata.html, build string).
        A pattern (``cuda*``) leaves that open.
        """
        return not self.build or "*" in self.build or "py" in self.build


def read_match_spec(text: str) -> MatchSpec | None:
    """Read ``numpy``, ``numpy=1.18``, ``pytorch::pytorch==1.4.0``, ``scipy>=1.4,<2`` or ``name=1.0=build``.

    In brackets (``numpy[version='>=2', build=py*]``) version and build count. One ``=`` means any version
    that begins so, two and a bare version this one
    (https://docs.conda.io/projects/conda-build/en/stable/resources/package-spec.html). ``None`` for what has
    no counterpart elsewhere: alternatives (``1.0|1.2``), versions that are none of PEP 440.
    """
    text = text.strip().rpartition("::")[2]
    name = _NAME.match(text)
    if name is None:
        return None
    rest = text[name.end() :]
    if bracketed := _BRACKETS.fullmatch(rest):
        keys = {key: value.strip() for key, _, value in _KEY.findall(bracketed[1])}
        rest = f"{keys.get('version', '*')} {keys.get('build', '')}"
    rest = _SPACE.sub("", rest).strip()
    exported = _EXPORTED.fullmatch(rest)
    version, *builds = (f"=={exported[1]}", exported[2]) if exported else rest.split() or [""]
    specifier = _specifier(version)
    if specifier is None or len(builds) > 1:
        return None
    return MatchSpec(name[0].lower(), specifier, *builds)


def _specifier(versions: str) -> str | None:
    """Conditions on versions as PEP 440 has them; ``None`` where that has no such condition."""
    found = []
    for text in filter(None, versions.split(",")):
        match = _CONDITION.fullmatch(text)
        if match is None:
            return None
        operator, version = match.groups()
        stem = version.removesuffix("*").removesuffix(".")
        if not stem:
            continue  # a star alone is any version
        if operator in {"", "=", "==", "!="}:
            ending = ".*" if operator == "=" or version != stem else ""
            found.append(("!=" if operator == "!=" else "==") + stem + ending)
        else:
            found.append(operator + stem)
    try:
        SpecifierSet(",".join(found))
    except InvalidSpecifier:
        return None
    return ",".join(found)
