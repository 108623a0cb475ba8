"""The small project of the command line's tests, where things go wrong."""

from tests.unit.cli.conftest import envlock, site

__all__ = ["envlock", "site"]
