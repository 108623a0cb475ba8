"""What the functions of one distribution do with another one, and cannot."""

from __future__ import annotations

from envlock.model.frozen import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class FailingUse:
    """A name that is read or called somewhere, and is not there or does not take what it is called with.

    Attributes:
        name: the dotted name.
        fault: how it is called, and that this is not taken, in a few words; empty where the name is missing.
        where: the file and the line.
        function: the function in which that is; empty for the module itself.
        is_sure: whether it comes to that whenever the function is called, or the module imported.
        on_import: whether it comes to that whenever the distribution is imported.
        is_central: whether a good part of the functions or modules that it exports come to it.
    """

    name: str
    fault: str
    where: str
    function: str
    is_sure: bool
    on_import: bool
    is_central: bool
