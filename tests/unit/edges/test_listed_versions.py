"""Which releases the package indexes list."""

import datetime as dt
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path

from envlock.edges.cache import Cache
from envlock.edges.declarations import Opened
from envlock.edges.listed_versions import read_listed_versions
from envlock.model.errors import SurroundingsError
from envlock.model.published.catalogue import Catalogue, Releases
from tests.memory import MemoryCatalogue

TODAY = dt.date(2024, 6, 1)
TOMORROW = TODAY + dt.timedelta(days=1)


class HalfCatalogue(MemoryCatalogue):
    """Cannot tell of one distribution."""

    def releases(self, distribution: str) -> Releases:
        if distribution == "silent":
            raise SurroundingsError("index-unreachable", "the index cannot be reached")
        return super().releases(distribution)


def listing(*versions: str) -> Opened:
    def indexes() -> AbstractContextManager[Catalogue]:
        return nullcontext(HalfCatalogue({"thing": {version: {} for version in versions}}))

    return indexes


def test_they_are_asked_once_a_day(tmp_path: Path) -> None:
    cache = Cache(tmp_path)
    assert read_listed_versions(["thing"], cache, listing("1.0"), today=TODAY) == {"thing": ("1.0",)}
    later = listing("1.0", "2.0")
    assert read_listed_versions(["thing"], cache, later, today=TODAY) == {"thing": ("1.0",)}
    assert read_listed_versions(["thing"], cache, later, today=TOMORROW) == {"thing": ("2.0", "1.0")}
    assert read_listed_versions(["thing"], cache, None, today=TOMORROW.replace(year=2030)) == {
        "thing": ("2.0", "1.0")
    }


def test_nothing_is_said_of_what_cannot_be_asked(tmp_path: Path) -> None:
    cache = Cache(tmp_path)
    assert read_listed_versions(["silent", "thing"], cache, listing("1.0"), today=TODAY) == {
        "thing": ("1.0",)
    }
    assert not read_listed_versions(["other"], cache, None, today=TODAY)
