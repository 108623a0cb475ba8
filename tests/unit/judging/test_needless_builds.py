"""What is said of builds where a wheel is there."""

from __future__ import annotations

import datetime as dt

import pytest

from envlock.judging.judge import judge
from envlock.judging.needless_builds import without_needless_builds
from envlock.model.component import Via
from envlock.model.knowing.finding import Chosen, Verdict
from envlock.model.published.declaration import Declaration, Published
from tests.shipped import KNOWLEDGE

WHEEL = "PyYAML-6.0-cp39-cp39-manylinux_2_17_x86_64.manylinux2014_x86_64.whl"


def declared(*files: str) -> dict[str, Declaration]:
    own = Declaration(
        distribution="pyyaml",
        version="6.0",
        read=dt.date(2026, 11, 29),
        files=tuple(Published(filename=one, requires_python=">=3.6") for one in files),
        requires_dist=(),
        versions=("6.0",),
    )
    return {"pyyaml": own}


@pytest.mark.parametrize(
    ("more", "files", "pythons", "via", "refused"),
    [
        ({}, [WHEEL], ["3.9"], None, False),
        ({}, [WHEEL], ["3.12", "3.9"], None, False),
        ({}, [WHEEL], ["3.12"], None, True),
        ({}, [WHEEL], [], None, True),
        ({}, ["PyYAML-6.0.tar.gz"], ["3.9"], None, True),
        ({}, [WHEEL], ["3.9"], Via.BUILD, True),
        ({"gcc": (Chosen(version="9.4"),)}, [WHEEL], ["3.9"], None, True),
        ({"gcc": (Chosen(version="9.4", via=Via.SITE),)}, [WHEEL], ["3.9"], None, False),
        ({"driver": (Chosen(version="535.54.03"),)}, [WHEEL], ["3.9"], None, False),
        ({"glibc": (Chosen(version="2.12"),)}, [WHEEL], ["3.9"], None, True),
    ],
)
def test_a_build_counts_where_there_is_no_wheel_or_somebody_names_what_builds(
    more, files, pythons, via, refused
) -> None:
    named = {"pyyaml": (Chosen(version="6.0", via=via),), "cython": (Chosen(version="3.0.1"),), **more}
    before = judge(named, KNOWLEDGE)
    assert before.verdict is Verdict.INCOMPATIBLE
    after = without_needless_builds(before, named, declared(*files), KNOWLEDGE, pythons)
    assert (after.verdict is Verdict.INCOMPATIBLE) is refused
    assert len(after.findings) == len(before.findings) - (not refused)


def test_other_findings_stay() -> None:
    named = {"pyyaml": (Chosen(version="6.0"),), "torch": (Chosen(version="2.1.0"),)}
    named |= {"torchvision": (Chosen(version="0.15.0"),), "cython": (Chosen(version="3.0.1"),)}
    after = without_needless_builds(judge(named, KNOWLEDGE), named, declared(WHEEL), KNOWLEDGE, ["3.9"])
    assert [one.fact for one in after.findings] == ["torchvision-0.15"]
