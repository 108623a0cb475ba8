"""A C library that the tags of a wheel do not tell of."""

import datetime as dt

import pytest

from envlock.judging.c_library import glibc_findings
from envlock.model.knowing.finding import Chosen
from envlock.model.published.code_reads import CodeReads

CODE = CodeReads(
    distribution="thing",
    version="1.0",
    read=dt.date(2026, 6, 1),
    on_import={"numpy.float": "a.py:1", "glibc.GLIBC_2_4": "one.so", "glibc.GLIBC_2_28": "two.so"},
    on_build={},
)


@pytest.mark.parametrize(
    ("there", "told"),
    [
        ({"glibc": "2.17"}, ["thing 1.0 needs glibc 2.28 when it is imported (two.so), not 2.17"]),
        ({"glibc": "2.28"}, []),
        ({"glibc": "2.17", "processor": "aarch64"}, []),
        ({}, []),
    ],
)
def test_an_older_one_is_refused(there: dict[str, str], told: list[str]) -> None:
    assignment = {name: (Chosen(version=version),) for name, version in there.items()}
    found = [one.message.partition(", although")[0] for one in glibc_findings(assignment, {"thing": CODE})]
    assert found == told
