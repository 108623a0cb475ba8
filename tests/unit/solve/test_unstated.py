"""What build backends say of themselves is told once for all files of which it is the same."""

from __future__ import annotations

from envlock.solve.building.unstated import told_once


def test_the_same_failure_of_several_files_is_told_once():
    failures = [(f"a-{n}.tar.gz", f"the build backend of a-{n}.tar.gz is silent: no folder") for n in "321"]
    failures.insert(1, ("b-1.tar.gz", "b-1.tar.gz: no compiler"))
    assert told_once(failures) == (
        "the build backend of a-3.tar.gz and 2 more is silent: no folder",
        "b-1.tar.gz: no compiler",
    )
