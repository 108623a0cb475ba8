"""The small project of the command line's tests, where things go wrong."""

from tests.unit.cli.conftest import envlock, real, site, uv_cache

__all__ = ["envlock", "real", "site", "uv_cache"]
