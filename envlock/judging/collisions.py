"""Wheels that exclude each other, by a shared file or two versions of a library, and unusable wheels."""

from __future__ import annotations

import datetime as dt
import re
from base64 import urlsafe_b64encode
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from hashlib import sha256
from itertools import combinations, product

from envlock.judging.implied import carried_components
from envlock.judging.learned_conflicts import learned_conflict
from envlock.judging.stand_ins import are_builds_of_one
from envlock.model.component import Range, Via, parse_version
from envlock.model.counting import first_of
from envlock.model.frozen import dataclass
from envlock.model.knowing.fact import Condition, Fact, Severity, Source
from envlock.model.knowing.finding import Finding
from envlock.model.knowing.knowledge import Knowledge
from envlock.model.locked.installed import Installed

NATIVE_COLLISION = "native-collision"
"""The identifier of all these findings, for waivers."""

_BROKEN_WHEEL = "broken-wheel"

_SHARED_OBJECT = r"\.so(\.\d+)*$"
_BY_MISTAKE = r"(?:tests?|docs?|examples?|benchmarks?|scripts?|tools?)/|[^/]+(?<!\.py)$"
"""What lies at the top level by its maker's mistake, and what nobody imports from there."""
_SHOWN = 3

_DECLARATIONS = (
    "",
    "__path__ = __import__('pkgutil').extend_path(__path__, __name__)",
    '__path__ = __import__("pkgutil").extend_path(__path__, __name__)',
    "from pkgutil import extend_path\n__path__ = extend_path(__path__, __name__)",
    "from pkgutil import extend_path\n\n__path__ = extend_path(__path__, __name__)",
    "__import__('pkg_resources').declare_namespace(__name__)",
    '__import__("pkg_resources").declare_namespace(__name__)',
)
"""What ``__init__.py`` of a folder that several distributions share says, as the packaging guide has it, or
nothing (https://packaging.python.org/en/latest/guides/packaging-namespace-packages/, read 2026-11-30)."""


def _recorded(text: str) -> str:
    """Write the digest of a file as RECORD has it (PEP 376)."""
    return f"sha256={urlsafe_b64encode(sha256(text.encode()).digest()).decode().rstrip('=')}"


_DECLARING = frozenset(
    _recorded((text + ending).replace("\n", line_end))
    for text, ending, line_end in product(_DECLARATIONS, ("", "\n"), ("\n", "\r\n"))
)
"""Digests of such files, however their lines end: which of them stays makes no difference in one folder."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WheelContents:
    """A wheel of an environment and what it installs.

    Attributes:
        component: the distribution, as an identifier.
        version: its version.
        filename: the wheel's name.
        installed: what it installs, except its own dist-info.
    """

    component: str
    version: str
    filename: str
    installed: Installed


def two_versions(versions: Mapping[str, str], knowledge: Knowledge) -> tuple[Finding, ...]:
    """Refuse distributions that are the same library in two versions: two of CUDA, cuDNN or NCCL.

    Both end up in one folder (``nvidia/``) or under one soname, and a process loads whichever comes first.

    Args:
        versions: distribution -> version; only those that *are* a library count, not what frameworks bundle
            in their own wheels, which they find by their own path.
        knowledge: which distributions are which library.
    """
    carried: dict[str, list[tuple[str, str]]] = defaultdict(list)
    for name, version in sorted(versions.items()):
        if knowledge.carriers_of(name):
            for component, library_version in carried_components(name, version, knowledge).items():
                carried[component].append((name, library_version))
    return tuple(
        _two(component, one, other, versions, knowledge)
        for component, found in sorted(carried.items())
        for one, other in combinations(found, 2)
        if one[1] != other[1]
    )


def _two(
    component: str,
    one: tuple[str, str],
    other: tuple[str, str],
    versions: Mapping[str, str],
    knowledge: Knowledge,
) -> Finding:
    title = knowledge.systems[component].title
    owners = {name: versions[name] for name, _ in (one, other)}
    both = " and ".join(f"{version} ({name} {versions[name]})" for name, version in (one, other))
    return Finding(
        fact=NATIVE_COLLISION,
        severity=Severity.REFUSE,
        components=owners,
        message=f"{title} would be in the environment twice: {both}",
        cause="a process loads the one that it finds first, whichever it was built for",
        sources=tuple(
            dict.fromkeys(
                source
                for name in owners
                for carrier in knowledge.carriers_of(name)
                for source in carrier.sources
            )
        ),
        fixes=(),
    )


def same_files(wheels: Sequence[WheelContents], today: dt.date) -> tuple[Finding, ...]:
    """Report files that several wheels install with different content.

    The last one installed remains, and which that is is chance: shared objects are refused, and other files
    get a warning, or a note where they lie there by mistake. Content that is identical, or says no more than
    that the folder is shared, does no harm in an environment that is never changed, and is not reported.

    Args:
        wheels: all wheels of an environment.
        today: the day on which their RECORDs were read, for the sources.
    """
    tops = Counter(top for wheel in wheels for top in wheel.installed.tops)
    beside = [wheel for wheel in wheels if any(tops[top] > 1 for top in wheel.installed.tops)]
    files = {wheel.filename: wheel.installed.files for wheel in beside}
    seen: set[str] = set()
    twice: set[str] = set()
    for paths in files.values():
        twice |= seen & paths.keys()
        seen |= paths.keys()
    clashes: dict[tuple[Severity, tuple[str, ...]], list[str]] = defaultdict(list)
    for path in twice:
        owners = [wheel for wheel in beside if path in files[wheel.filename]]
        digests = {files[wheel.filename][path] for wheel in owners}
        if len(digests) > 1 and not digests <= _DECLARING:
            clashes[_harm(path), tuple(sorted({wheel.component for wheel in owners}))].append(path)
    by_name = {wheel.component: wheel for wheel in wheels}
    return tuple(
        _clash(severity, [by_name[name] for name in names], sorted(paths), today)
        for (severity, names), paths in sorted(clashes.items())
        if len(names) > 1
    )


def _harm(path: str) -> Severity:
    if re.search(_SHARED_OBJECT, path):
        return Severity.REFUSE
    return Severity.NOTE if re.match(_BY_MISTAKE, path) else Severity.WARN


def _clash(severity: Severity, owners: list[WheelContents], paths: list[str], today: dt.date) -> Finding:
    names = " and ".join(f"{owner.component} {owner.version}" for owner in owners)
    return Finding(
        fact=NATIVE_COLLISION,
        severity=severity,
        components={owner.component: owner.version for owner in owners},
        message=f"{names} both own {first_of(paths, _SHOWN)}, with different content",
        cause="the file of the one that is installed last stays; both load it",
        sources=tuple(Source(title=f"RECORD of {owner.filename}", checked=today) for owner in owners),
        fixes=(),
    )


def broken_wheel(component: str, version: str, message: str, why: str) -> Finding:
    """Refuse a wheel that no installer could unpack."""
    return Finding(
        fact=_BROKEN_WHEEL,
        severity=Severity.REFUSE,
        components={component: version},
        message=message,
        cause=why,
        sources=(),
        fixes=(),
    )


def _major(version: str) -> str:
    parsed = parse_version(version)
    return f"{parsed.epoch}!{parsed.major}" if parsed.epoch else str(parsed.major)


def as_conflict(finding: Finding, knowledge: Knowledge) -> Fact:
    """Turn a finding into a fact to solve around: the major versions involved are incompatible.

    Of two builds of one library, all versions are: their modules stay the same. A broken wheel says nothing
    about other versions.
    """
    if finding.fact == _BROKEN_WHEEL:
        pins = sorted(finding.components.items())
        return learned_conflict(
            f"{_BROKEN_WHEEL}:{'+'.join(f'{name}-{version}' for name, version in pins)}",
            (Condition(component=name, range=Range.only(version), via=Via.WHEEL) for name, version in pins),
            reason=finding.message,
            cause=finding.cause,
        )
    majors = {name: _major(version) for name, version in sorted(finding.components.items())}
    spans = {f"{name}-{major}": (name, f"=={major}.*") for name, major in majors.items()}
    if are_builds_of_one(finding.components, knowledge):
        spans = {name: (name, "") for name in majors}
    return learned_conflict(
        f"{NATIVE_COLLISION}:{'+'.join(spans)}",
        (Condition(component=name, range=Range.versions(versions)) for name, versions in spans.values()),
        reason=finding.message,
        cause=finding.cause,
        sources=finding.sources,
        severity=finding.severity,
    )
