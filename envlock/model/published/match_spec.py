"""What a line of a conda environment requires, as far as a package index can be asked for it."""

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
"""Spaces that separate nothing."""
_BEYOND_RELEASE = re.compile(r"\d(?:a|b|rc|\.post|\.dev)\d+$")
"""The end of a version of which PEP 440 knows no series."""
_CUDA = re.compile(r"(?:cuda|cu)_?(?:(\d+)\.(\d+)|(\d{2})(\d))")
_VARIANT = re.compile(r"\*.*[a-z]|cuda|cu\d|[cg]pu|(?:\A|[_*]|no)mpi")
"""Builds that somebody chose: patterns with words, and those for a CUDA, for no GPU or with an MPI."""
_CONDITION = re.compile(r"(={1,2}|[<>!~]=|[<>]|)([\w.!+*]+)")


@dataclass(frozen=True, slots=True)
class MatchSpec:
    """A package in a conda environment.

    Attributes:
        name: conda's name for it, in lower case.
        specifier: its versions as a PEP 440 specifier; empty for any.
        build: the build; empty where none is named.
    """

    name: str
    specifier: str = ""
    build: str = ""

    @property
    def has_modules(self) -> bool:
        """Whether the build may contain Python modules, in which case its name tells for which Python.

        ``conda env export`` lists every library with its build: ``py37h4f3_0``, ``pyhd8ed1ab_0``, ``py_0``,
            ``cuda120py312h4f3_0`` for builds with modules, a hash in hexadecimal digits for those without
            (https://docs.conda.io/projects/conda-build/en/stable/resources/define-metadata.html, build
            string). A pattern (``cuda*``) leaves it open.
        """
        return not self.build or "*" in self.build or "py" in self.build

    @property
    def is_variant(self) -> bool:
        """Whether the build is one of several that differ in what they can do, and not only by interpreter.

        ``py3.9_cuda11.3_cudnn8.3.2_0``, ``cpu_py39h2b5a1c7_0``, ``mpi_openmpi_*``.
        """
        return _VARIANT.search(self.build) is not None

    @property
    def cuda(self) -> str:
        """The series of CUDA that the build names (``cuda11.3``, ``cuda112``, ``cu113``); empty for none."""
        found = _CUDA.search(self.build)
        return ".".join(filter(None, found.groups())) if found else ""


def read_match_spec(text: str) -> MatchSpec | None:
    """Read ``numpy``, ``numpy=1.18``, ``pytorch::pytorch==1.4.0``, ``scipy>=1.4,<2`` or ``name=1.0=build``.

    In brackets (``numpy[version='>=2', build=py*]``) version and build count. One ``=`` means any version
    that begins with this one, two or a bare version exactly this one
    (https://docs.conda.io/projects/conda-build/en/stable/resources/package-spec.html). ``None`` for what has
    no counterpart elsewhere: alternatives (``1.0|1.2``), versions outside PEP 440.
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
    """Translate conditions on versions into PEP 440 specifiers; ``None`` where it has no such condition."""
    found = []
    for text in filter(None, versions.split(",")):
        match = _CONDITION.fullmatch(text)
        if match is None:
            return None
        operator, version = match.groups()
        stem = version.removesuffix("*").removesuffix(".")
        if not stem:
            continue  # a star alone means any version
        if operator in {"", "=", "==", "!="}:
            begins = operator == "=" or version != stem
            ending = ".*" if begins and not _BEYOND_RELEASE.search(stem) else ""
            found.append(("!=" if operator == "!=" else "==") + stem + ending)
        else:
            found.append(operator + stem)
    try:
        SpecifierSet(",".join(found))
    except InvalidSpecifier:
        return None
    return ",".join(found)
