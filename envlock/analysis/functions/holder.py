"""A distribution whose names others read and call: what is wrong with a use of one of them."""

from __future__ import annotations

from collections.abc import Iterable

from envlock.analysis.functions.callees import Callees
from envlock.analysis.functions.flow import Use
from envlock.analysis.imports.contents import Contents
from envlock.analysis.imports.holdings import Holdings
from envlock.analysis.imports.modules import BESIDE, own_of
from envlock.analysis.standard_library import STANDARD_MODULES

_A_MODULE = "as a function, and it is a module"
"""The fault of calling something that is a module."""


class Holder:
    """A distribution whose names others read and call.

    Attributes:
        owners: its packages and modules.
    """

    def __init__(self, contents: Contents) -> None:
        """Take its contents, as far as they are known."""
        modules = contents.modules
        others = BESIDE | STANDARD_MODULES
        self.owners = frozenset(
            package for package in own_of(modules) if package.partition(".")[0] not in others
        )
        self._contents = contents
        self._callees = Callees(modules if contents.is_whole else {})
        self._holdings = Holdings(
            modules if contents.tells_all else {}, is_whole=contents.is_whole, compiled=contents.compiled
        )

    def prepare(self, uses: Iterable[Use]) -> None:
        """Fetch what these uses need, which would otherwise come one by one."""
        self._contents.prefetch({use.name for use in uses if use.call is None})

    def fault(self, use: Use) -> str | None:
        """Return what is wrong with a use, as in ``FailingUse``; ``None`` if nothing is known to be."""
        if use.call is None:
            return "" if self._holdings.lacks(use.name) else None
        if self._holdings.is_mere_module(use.name):
            return _A_MODULE
        parameters = self._callees.parameters(use.name)
        return parameters.refusal(use.call) or None if parameters else None
