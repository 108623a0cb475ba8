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
    """A part of a recipe that depends on what else is present.

    Attributes:
        when: components that must all be present and inside their ranges for it to apply.
        unless: components none of which may be present and inside its range for it to apply.
        variables: environment variables set when it applies.
        otherwise: environment variables set when it does not.
        append: flags to append to variables, separated by blanks, when it applies.
        build_requires: further requirements of the build environment when it applies.
        edits: changes to the sources when it applies, for what no variable can express.
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
        range: the versions it covers.
        build_requires: requirements of the build environment in addition to those that the sdist declares.
        after: distributions that, if they are in the same environment, are compiled against: they join the
            build environment at their locked versions and are part of the build's key.
        variables: environment variables of the build; here and in adjustments ``{mlsl}`` stands for the
            prefix of a system component, and a variable whose component has no prefix is left to its module.
        adjustments: what depends on the rest of the stack.
        sources: where this was read or observed.
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
    """The releases of a build tool for which old sources were written that require it without a version.

    Attributes:
        tool: the tool's name, as a distribution.
        range: its releases from before the change.
        before: sources published before this day were written for those.
        python: the interpreters that those releases work with.
        reason: what changed.
        sources: where this was read or observed.
    """

    tool: str
    range: Range
    before: dt.date
    python: Range
    reason: str
    sources: tuple[Source, ...]

    def is_meant(self, published: dt.date | None, python: str) -> bool:
        """Whether sources of that day want it with that interpreter; sources of an unknown day do not."""
        return published is not None and published < self.before and self.python.contains(python)


@dataclass(frozen=True, slots=True, kw_only=True)
class OldTranslation:
    """C code written by a tool that later interpreters do not compile.

    Attributes:
        tool: the tool's name, as a distribution.
        range: its releases that wrote such code.
        python: the interpreters for which it does not compile.
        field: the field of the interpreter that such C uses; empty where all of that code is meant.
        reason: what changed in the interpreter.
        sources: where this was read or observed.
    """

    tool: str
    range: Range
    python: Range
    field: str
    reason: str
    sources: tuple[Source, ...]

    def is_meant(self, written: str, python: str) -> bool:
        """Whether it covers C that was ``written`` so (``Metadata.translated``), with that interpreter."""
        version, *fields = written.split()
        met = self.range.contains(version) and self.python.contains(python)
        return met and (not self.field or self.field in fields)


@dataclass(frozen=True, slots=True, kw_only=True)
class BuildFailure:
    """A failure that the output of a build is a sign of.

    Attributes:
        id: its name.
        pattern: a regular expression to find in the output.
        hint: what to do; ``{name}`` is filled in from the pattern's group of that name.
        examples: real lines in which it must be found.
        sources: where this was read or observed.
    """

    id: str
    pattern: str
    hint: str
    examples: tuple[str, ...]
    sources: tuple[Source, ...]

    def advice(self, output: str) -> str | None:
        """What to do about a build with this output; ``None`` where it is no sign of this failure."""
        found = re.search(self.pattern, output)
        return None if found is None else self.hint.format(**found.groupdict())


@dataclass(frozen=True, slots=True, kw_only=True)
class BuildVariable:
    """An environment variable that some releases of a distribution read in their build.

    Attributes:
        distribution: the distribution's name.
        name: the variable's name.
        range: the releases that read it; others silently ignore it.
        note: what it does.
        sources: where this was read.
    """

    distribution: str
    name: str
    range: Range
    note: str
    sources: tuple[Source, ...]
