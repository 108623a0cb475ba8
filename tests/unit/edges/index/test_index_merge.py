"""Listings of several places, by version."""

from __future__ import annotations

from packaging.tags import Tag

from envlock.edges.index.merge import MergedListing
from envlock.edges.index.page_rows import Row, grouped
from envlock.model.published.catalogue import Release, Releases


def listing(*places: list[Row]) -> MergedListing:
    return MergedListing("foo", [grouped(rows, "foo") for rows in places])


def row(version: str, **options: object) -> Row:
    return Row(
        f"foo-{version}-py3-none-any.whl", f"https://example.org/foo-{version}-py3-none-any.whl", **options
    )


def test_one_version_written_in_two_ways_is_one_release() -> None:
    found = listing([row("1.0"), row("2.0")], [row("1.0.0"), row("1.5")])
    assert [(one.text, len(one.files)) for one in found.releases] == [("2.0", 1), ("1.5", 1), ("1.0", 2)]


def test_a_second_place_with_known_versions_only_keeps_the_order() -> None:
    found = listing([row("2.0", sha256="a"), row("1.0"), row("10.0")], [row("2.0", sha256="a", size=7)])
    assert [one.text for one in found.releases] == ["10.0", "2.0", "1.0"]
    assert [file.size for file in found.releases[1].files] == [7]


def test_the_first_day_is_that_of_the_first_file_anywhere() -> None:
    found = listing(
        [row("1.0", upload_time="2020-03-02T00:00:00Z", sha256="a")],
        [row("1.0", upload_time="2020-03-01T23:59:59Z", sha256="b")],
    )
    assert str(found.releases[0].since) == "2020-03-01"
    assert listing([row("1.0")]).releases[0].since is None


def test_the_order_of_the_listing_stays_however_versions_are_written() -> None:
    names = ["foo-1.0-py2-none-any.whl", "foo-1.0.0-py3-none-any.whl", "foo-1.0-py4-none-any.whl"]
    found = grouped([Row(name, name) for name in [*names, "bar-1.0-py3-none-any.whl"]], "foo")
    assert (found.texts, [row[0] for row in found.rows(0)]) == (["1.0"], names)


def test_versions_are_told_normalised() -> None:
    texts = ["1.0", "v2", "03.1", "4.post", "5.0.post01", "6.0+Local.1"]
    found = grouped([Row(f"foo-{text}-py3-none-any.whl", "x") for text in texts], "foo")
    assert found.texts == ["6.0+local.1", "5.0.post1", "4.post0", "3.1", "2", "1.0"]


def test_times_that_cannot_be_read_do_not_hide_those_that_can() -> None:
    times = [
        "2020-13-01T00:00:00Z",
        "2020-03-01T24:30:00.5Z",
        "2020-03-02T01:00:00.5Z",
        "2020-04-01T00:00:00Z",
    ]
    assert [day(times), day([*times, "2020-03-02T01:00:00+03:00"]), day(times[:1])] == [
        *("2020-03-02", "2020-03-02", "")
    ]


def day(times: list[str]) -> str:
    (since,) = grouped([row("1.0", upload_time=text, sha256=text) for text in times], "foo").since
    return since


def test_sidecars_are_known_once_files_are() -> None:
    found = listing([row("1.0", sidecar="ab")])
    (file,) = found.releases[0].files
    assert found.sidecars == {file.url: "ab"}


def test_older_releases_offer_the_wheel_that_fits_where_this_one_does() -> None:
    names = [
        *("foo-4.0-cp311-cp311-linux_x86_64.whl", "foo-4.0-cp310-cp310-linux_x86_64.whl"),
        *("foo-5.0-cp311-cp311-linux_x86_64.whl", "foo-3.0rc1-cp311-cp311-linux_x86_64.whl"),
        *("foo-3.0.tar.gz", "foo-2.0-cp311-cp311-manylinux1_x86_64.linux_x86_64.whl"),
        *("foo-1.0-cp310-cp310-linux_x86_64.whl", "foo-0.9-cp311-cp311-linux_x86_64.whl"),
    ]
    withdrawn = Row("foo-1.5-cp311-cp311-linux_x86_64.whl", "x", yanked="broken")
    found = listing([*(Row(name, name) for name in names), withdrawn])
    (newest,) = found.releases[0].files
    assert newest.filename == names[2]
    assert [file.filename for file in found.alike_before(newest)] == [names[0], names[5], names[7]]
    (last,) = found.releases[-1].files
    assert list(found.alike_before(last)) == []
    (sdist,) = next(one.files for one in found.releases if one.text == "3.0")
    assert list(found.alike_before(sdist)) == []


def test_wheels_come_first_and_an_archive_of_bzip2_last() -> None:
    names = ["foo-1.0.tar.bz2", "foo-1.0.tar.gz", "foo-1.0-py3-none-any.whl"]
    (release,) = listing([Row(name, f"https://example.org/{name}") for name in names]).releases
    assert [file.filename for file in release.files] == names[::-1]


def test_releases_are_made_when_one_gets_to_them() -> None:
    made = []

    def make(place: int) -> Release:
        made.append(place)
        return Release.of("foo", "cba"[place], ())

    found = Releases("cba", ["", "2020-03-02", "2020-03-01"], make)
    assert (len(found), made) == (3, [])
    assert next(iter(found)).text == "c"
    assert [one.text for one in found[1:][::-1]] == ["a", "b"]
    assert found[-1].text == "a"
    assert found[1:][::-1].texts == "ab"
    assert found[1:][::-1].days == ["2020-03-01", "2020-03-02"]
    assert made == [0, 2, 1]


def test_wheels_that_do_not_fit_are_passed_over_and_sdists_are_not() -> None:
    names = ["foo-1.0-cp311-cp311-linux_x86_64.whl", "foo-1.0-cp310-cp310-linux_x86_64.whl", "foo-1.0.tar.gz"]
    (release,) = listing([Row(name, f"https://example.org/{name}") for name in names]).releases

    def fits(tags: frozenset[Tag]) -> bool:
        return any(tag.abi == "cp310" for tag in tags)

    assert [file.filename for file in release.files_for(fits)] == names[1:]
    assert [file.filename for file in release.files] == names
