"""The modules of the standard library, whichever Python runs envlock."""

from envlock.analysis.standard_library import STANDARD_MODULES


def test_what_later_interpreters_removed_belongs_to_it_too():
    """CI runs this by Python 3.13 as well, which has none of them but json."""
    assert {"asyncore", "cgi", "distutils", "imp", "json"} <= STANDARD_MODULES
    assert "numpy" not in STANDARD_MODULES
