"""What releases say of themselves: asked once, kept, asked again while a release is young."""

import datetime as dt
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from envlock.edges.cache import Cache
from envlock.edges.declarations import Opened, metadata_file, read_declarations
from envlock.model.errors import SurroundingsError
from envlock.model.published.catalogue import Catalogue, DistFile
from envlock.model.published.metadata import Dependency, Metadata
from tests.memory import MemoryCatalogue

TODAY = dt.date(2024, 6, 1)
OLD, YOUNG = dt.date(2023, 1, 1), dt.date(2024, 5, 20)


class Indexes:
    """Counts how often the indexes are opened."""

    def __init__(self, catalogue: MemoryCatalogue) -> None:
        self.catalogue = catalogue
        self.opened = 0

    def __call__(self) -> AbstractContextManager[Catalogue]:
        self.opened += 1
        return nullcontext(self.catalogue)


class SilentCatalogue(MemoryCatalogue):
    """Lists everything and tells no metadata."""

    def metadata(self, distribution: str, file: DistFile) -> Metadata:
        raise SurroundingsError("index-unreachable", "the index cannot be reached")


@pytest.fixture
def cache(tmp_path: Path) -> Cache:
    return Cache(tmp_path)


def indexes(uploaded: dt.date = OLD, kind: type[MemoryCatalogue] = MemoryCatalogue) -> Indexes:
    files = ["thing-1.0-cp38-cp38-manylinux2014_x86_64.whl", "thing-1.0-cp39-cp39-win_amd64.whl"]
    one = {"requires": ["numpy<2"], "files": files, "uploaded": uploaded}
    return Indexes(kind({"thing": {"1.0": one, "2.0": {"uploaded": uploaded}}}))


WANTED = {"thing": ("thing", "1")}


def test_the_index_is_asked_once(cache: Cache) -> None:
    asked = indexes()
    first = read_declarations(WANTED, cache, asked, today=TODAY).declarations["thing"]
    assert first.requires_dist == ("numpy<2",)
    assert first.versions == ("2.0", "1.0")
    assert len(first.files) == 2
    later = read_declarations(WANTED, cache, asked, today=TODAY + dt.timedelta(days=400))
    assert later.declarations["thing"] == first
    assert asked.opened == 1


def test_a_young_release_is_asked_about_again_on_another_day(cache: Cache) -> None:
    asked = indexes(uploaded=YOUNG)
    for day in (TODAY, TODAY, TODAY + dt.timedelta(days=1)):
        assert read_declarations(WANTED, cache, asked, today=day).declarations["thing"].read == day
    assert asked.opened == 2
    offline = read_declarations(WANTED, cache, None, today=TODAY + dt.timedelta(days=9))
    assert offline.declarations["thing"].read == TODAY + dt.timedelta(days=1)


class CatalogueOfWheels(MemoryCatalogue):
    """Each wheel of which asks for a release of its own, as torchtext's 0.16.2 do."""

    def metadata(self, distribution: str, file: DistFile) -> Metadata:
        python = file.filename.split("-")[2]
        asks = (Dependency.of(Requirement(f"other=={python[2:]}")),)
        return replace(super().metadata(distribution, file), requires_dist=asks)


def test_the_wheel_of_the_named_interpreter_is_read(cache: Cache) -> None:
    files = [f"thing-1.0-cp3{minor}-cp3{minor}-manylinux2014_x86_64.whl" for minor in (10, 12)]
    asked = Indexes(CatalogueOfWheels({"thing": {"1.0": {"files": files, "uploaded": OLD}}}))

    def read(python: str, opened: Opened | None = asked) -> tuple[str, ...]:
        told = read_declarations(WANTED, cache, opened, today=TODAY, python=python)
        return told.declarations["thing"].requires_dist

    assert read("3.10.4") == ("other==310",)
    assert read("3.12") == read("") == read("3.9") == ("other==312",)
    assert (read("3.10"), asked.opened) == (("other==310",), 2)
    assert read("3.10", None) == ("other==310",)


def test_offline_another_interpreters_wheel_is_better_than_none(cache: Cache) -> None:
    files = [f"thing-1.0-cp3{minor}-cp3{minor}-manylinux2014_x86_64.whl" for minor in (10, 12)]
    asked = Indexes(CatalogueOfWheels({"thing": {"1.0": {"files": files, "uploaded": OLD}}}))
    read_declarations(WANTED, cache, asked, today=TODAY)
    told = read_declarations(WANTED, cache, None, today=TODAY, python="3.10")
    assert told.declarations["thing"].requires_dist == ("other==312",)


def test_what_is_not_known_is_told(cache: Cache) -> None:
    wanted = {"thing": ("thing", "3.0"), "other": ("other", "1.0")}
    told = read_declarations(wanted, cache, indexes(), today=TODAY)
    assert told.unlisted == {
        "thing": "no index lists thing 3.0; the newest there is 2.0",
        "other": "no index lists other",
    }
    assert not told.unread
    assert read_declarations(WANTED, cache, None, today=TODAY).unread == {
        "thing": "its metadata is not in the cache"
    }


def test_a_label_that_no_index_lists_is_read_as_what_it_is_a_build_of(cache: Cache) -> None:
    labelled = {"thing": ("thing", "1.0+cu118")}
    declaration = read_declarations(labelled, cache, indexes(), today=TODAY).declarations["thing"]
    assert declaration.version == "1.0+cu118"
    assert declaration.requires_dist == ("numpy<2",)


def test_silence_is_not_kept_as_an_answer(cache: Cache) -> None:
    told = read_declarations(WANTED, cache, indexes(kind=SilentCatalogue), today=TODAY)
    assert told.unread == {"thing": "the index cannot be reached"}
    assert read_declarations(WANTED, cache, indexes(), today=TODAY).declarations["thing"].requires_dist


def test_a_cache_that_cannot_be_written_is_done_without(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    told = read_declarations(WANTED, Cache(tmp_path / "file" / "cache"), indexes(), today=TODAY)
    assert "thing" in told.declarations


def test_of_wheels_that_differ_the_one_for_the_usual_machine_is_read(cache: Cache) -> None:
    """PyTorch 2.0.0 asks for Triton and CUDA's libraries on x86_64 alone, and in those wheels alone."""

    class Differing(MemoryCatalogue):
        def metadata(self, distribution: str, file: DistFile) -> Metadata:
            found = super().metadata(distribution, file)
            return found if "x86_64" in file.filename else replace(found, requires_dist=())

    platforms = ("manylinux1_x86_64", "manylinux2014_aarch64", "macosx_11_0_arm64")
    files = [f"thing-1.0-cp311-cp311-{platform}.whl" for platform in platforms]
    asked = Indexes(Differing({"thing": {"1.0": {"requires": ["triton==2.0.0"], "files": files}}}))
    found = read_declarations(WANTED, cache, asked, today=TODAY).declarations["thing"]
    assert found.requires_dist == ("triton==2.0.0",)


def test_of_wheels_for_two_c_libraries_the_usual_one_s_is_read() -> None:
    """Only a wheel for glibc tells which glibc its compiled modules need."""
    platforms = ("musllinux_1_2_x86_64", "manylinux2014_x86_64", "manylinux2014_aarch64")
    files = [f"thing-1.0-cp311-cp311-{platform}.whl" for platform in platforms]
    release = MemoryCatalogue({"thing": {"1.0": {"files": files}}}).releases("thing")[0]
    read = metadata_file(release, "3.11")
    assert read is not None
    assert read.filename == files[1]


@pytest.mark.parametrize("other", ["cp27", "pp73", "cp39", "cp3_", f"cp{'9' * 5000}"])
def test_the_newest_interpreter_is_that_of_the_highest_version(other: str) -> None:
    files = [f"thing-1.0-{tag}-none-manylinux2014_x86_64.whl" for tag in (other, "cp310")]
    release = MemoryCatalogue({"thing": {"1.0": {"files": files}}}).releases("thing")[0]
    read = metadata_file(release, "")
    assert read is not None
    assert read.filename == files[1]
