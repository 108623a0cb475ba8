"""What differing files weigh, and which licences are others."""

from __future__ import annotations

import pytest

from envlock.lifecycle.diff import diff_locks
from envlock.lifecycle.weight import licences, weigh
from envlock.model.published.file_summary import FileSummary
from tests.locks import distribution, knowledge, lock

OLD = lock(distribution("a", "1"), distribution("gone", "1"), distribution("same", "1"))
NEW = lock(
    distribution("a", "2"), distribution("new", "1"), distribution("dark", "1"), distribution("same", "1")
)


def summary(download: int, licence: str = "") -> FileSummary:
    return FileSummary(download=download, installed=10 * download, files=1, licence=licence)


def digests(of) -> dict[str, str]:
    return {pin.component: pin.file.sha256 for pin in of.distributions}


def test_only_what_differs_weighs():
    old, new = digests(OLD), digests(NEW)
    known = {old["a"]: summary(1), old["gone"]: summary(2), new["a"]: summary(3), new["new"]: summary(4)}
    known |= {new["same"]: summary(1000)}
    weight = weigh(diff_locks(OLD, NEW, knowledge()), known)
    assert (weight.download, weight.downloads, weight.unknown) == (7, 2, 1)
    assert (weight.installed_old, weight.installed_new) == (30, 70)


@pytest.mark.parametrize(
    ("old", "new", "changed"),
    [
        ("MIT License", "MIT", False),
        ("BSD License", "BSD-3-Clause", False),
        ("Apache Software License", "Apache-2.0", False),
        ("GNU Lesser General Public License v2 or later (LGPLv2+)", "LGPL-2.1-only", False),
        ("MIT License", "GPL-3.0-only", True),
        ("BSD License", "", False),
    ],
)
def test_another_licence_or_another_wording(old: str, new: str, changed: bool):
    known = {digests(OLD)["a"]: summary(1, old), digests(NEW)["a"]: summary(1, new)}
    found = licences(diff_locks(OLD, NEW, knowledge()), known)
    assert [one.component for one in found if one.changed] == (["a"] if changed else [])


def test_newcomers_tell_theirs():
    known = {digests(NEW)["new"]: summary(1, "MIT")}
    [one] = licences(diff_locks(OLD, NEW, knowledge()), known)
    assert (one.component, one.old, one.new, one.changed) == ("new", "", "MIT", False)
