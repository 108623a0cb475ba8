"""How a distribution is built from source, and what its build reads from the environment."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Mapping

from envlock.model.component import Range
from envlock.model.frozen import dataclass
from envlock.model.knowing.fact import Condition, Source
from envlock.model.knowing.source_edit import SourceEdit


@dataclass(frozen=True, slots=True, kw_only=True)
class Adjustment:
    """A part of a recipe that depends on what else is there.

    Attributes:
        when: components that must all be present and inside their ranges for it to hold.
        unless: components of which none may be present and inside its range for it to hold.
        variables: environment variables set when it holds.
        otherwise: environment variables set when it does not.
        append: flags added, blank-separated, to variables when it holds.
        build_requires: further requirements of the build environment when it holds.
        edits: changes of the sources when it holds, for what no variable can say.
    """

    when: tuple[Condition, ...]
    unless: tuple[Condition, ...]
    variables: Mapping[str, str]
    otherwise: Mapping[str, str]
    append: Mapping[str, str]
    build_requires: tuple[str, ...] = ()
    edits: tuple[SourceEdit, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Recipe:
    """How a distribution is built from source on a node.

    Attributes:
        distribution: the distribution's name.
        range: the versions it speaks of.
        build_requires: requirements of the build environment, besides what the sdist itself declares.
        after: distributions of the same environment that, where present, are compiled against: they join the
            build environment at their locked versions and are part of the build's key.
        variables: environment variables of the build; here and in adjustments, ``{mlsl}`` stands for the
            prefix of a system component, and a variable whose component has none is left to its module.
        adjustments: what depends on the rest of the stack.
        sources: where this was read or seen.
    """

    distribution: str
    range: Range
    build_requires: tuple[str, ...]
    after: tuple[str, ...]
    variables: Mapping[str, str]
    adjustments: tuple[Adjustment, ...]
    sources: tuple[Source, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class OldTool:
    """The releases of a build tool that old sources were written for, where they name the tool alone.

    Attributes:
        tool: the tool's name, as a distribution.
        range: its releases from before it changed.
        before: sources that were published before this day were written for those.
        python: the interpreters that those work with.
        reason: what it changed.
        sources: where this was read or seen.
    """

    tool: str
    range: Range
    before: dt.date
    python: Range
    reason: str
    sources: tuple[Source, ...]

    def is_meant(self, published: dt.date | None, python: str) -> bool:
        """Whether sources of that day want it with that interpreter; a day that nobody tells is none."""
        return published is not None and published < self.before and self.python.contains(python)


@dataclass(frozen=True, slots=True, kw_only=True)
class OldTranslation:
    """What a tool wrote in C, and later interpreters do not compile.

    Attributes:
        tool: the tool's name, as a distribution.
        range: its releases that wrote so.
        python: the interpreters for which that does not compile.
        field: the field of the interpreter that such C uses; empty where all of it is meant.
        reason: what the interpreter changed.
        sources: where this was read or seen.
    """

    tool: str
    range: Range
    python: Range
    field: str
    reason: str
    sources: tuple[Source, ...]

    def is_meant(self, written: str, python: str) -> bool:
        """Whether it speaks of C that was ``written`` so (``Metadata.translated``), with that interpreter."""
        version, *fields = written.split()
        met = self.range.contains(version) and self.python.contains(python)
        return met and (not self.field or self.field in fields)


@dataclass(frozen=True, slots=True, kw_only=True)
class BuildFailure:
    """What the output of a failed build is a sign of.

    Attributes:
        id: its name.
        pattern: a regular expression that is found in the output.
        hint: what to do; ``{name}`` is what the pattern's group of that name found.
        examples: real lines in which it must be found.
        sources: where this was read or seen.
    """

    id: str
    pattern: str
    hint: str
    examples: tuple[str, ...]
    sources: tuple[Source, ...]

    def advice(self, output: str) -> str | None:
        """What to do about a build that printed this; ``None`` where it is no sign of this failure."""
        found = re.search(self.pattern, output)
        return None if found is None else self.hint.format(**found.groupdict())


@dataclass(frozen=True, slots=True, kw_only=True)
class BuildVariable:
    """A variable of the environment that a distribution's build reads in some of its releases.

    Attributes:
        distribution: the distribution's name.
        name: the variable's name.
        range: the releases that read it; others ignore it without a word.
        note: what it does.
        sources: where this was read.
    """

    distribution: str
    name: str
    range: Range
    note: str
    sources: tuple[Source, ...]
