"""Uses of one distribution by the functions of another that fail."""

from __future__ import annotations

from envlock.model.frozen import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class FailingUse:
    """A name that is read or called somewhere, but does not exist or does not accept such a call.

    Attributes:
        name: the dotted name.
        fault: how it is called and why that fails, in a few words; empty where the name is missing.
        where: the file and line.
        function: the function that contains it; empty for the module itself.
        is_sure: whether it is reached whenever the function is called or the module imported.
        on_import: whether it is reached whenever the distribution is imported.
        is_central: whether many of the functions or modules that the distribution exports reach it.
        ends_all: whether no module of the distribution that imports the other one can be imported any more,
            or none of its commands can be run, if there is nothing else to it.
    """

    name: str
    fault: str
    where: str
    function: str
    is_sure: bool
    on_import: bool
    is_central: bool
    ends_all: bool = False

    @property
    def surety(self) -> tuple[bool, bool, bool, bool]:
        """How surely people meet it: the greater, the surer."""
        return self.on_import, self.is_central, self.ends_all, self.is_sure
