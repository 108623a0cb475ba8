"""What is begun before the node is known: pages, likely metadata, the pages it leads to."""

from __future__ import annotations

import pytest

from envlock.edges.marker_environments import Reader
from envlock.model.component import Range
from tests.patience import wait_until

PLATFORM = Reader(python="3.11").platform()
MACHINE = PLATFORM.markers["platform_machine"]
EVERY = Range.versions("")


def asked(server):
    """The pages and files that were asked for, by their names."""
    return {path.rstrip("/").rpartition("/")[2] for path, _ in server.requests}


def offer(server, wheel, name, *files, headers=()):
    """A page of these wheels, each of the version in its name."""
    links = [
        server.file(f"{name}-{file}.whl", wheel(name, file.partition("-")[0], *headers)) for file in files
    ]
    server.page(name, "".join(links))


def test_it_goes_from_page_to_page(server, catalogue, wheel):
    offer(server, wheel, "foo", "2.0-py3-none-any", "1.0-py3-none-any", headers=["Requires-Dist: bar"])
    offer(server, wheel, "bar", "1.0-py3-none-any", headers=["Requires-Dist: baz"])
    offer(server, wheel, "baz", "1.0-py3-none-any")
    catalogue().prefetch_likely([("Foo", EVERY)], PLATFORM)
    whole = {"foo", "foo-2.0-py3-none-any.whl", "bar", "bar-1.0-py3-none-any.whl"}
    assert wait_until(lambda: asked(server) == {*whole, "baz", "baz-1.0-py3-none-any.whl"})


@pytest.mark.parametrize(
    ("files", "within", "likely"),
    [
        (["2.0-py3-none-any", "1.0-py3-none-any"], "<2", "1.0-py3-none-any"),
        (["2.0rc1-py3-none-any", "1.0-py3-none-any"], "", "1.0-py3-none-any"),
        ([f"1.0-cp311-cp311-manylinux_2_17_{MACHINE}", "1.0-cp310-cp310-win32"], "", "cp311"),
        ([f"1.0-cp39-abi3-manylinux_2_28_{MACHINE}"], "", "abi3"),
        (["2.0-cp311-cp311-win_amd64", "1.0-py3-none-any"], "", "1.0-py3-none-any"),
        (["2.0-cp313-cp313-musllinux_1_2_x86_64"], "", None),
        ([f"1.0-cp311-cp311-manylinux_2_{n}_{MACHINE}" for n in (17, 28)], "", None),
    ],
    ids=["in range", "no pre-release", "this kind of node", "abi3", "what has any", "none", "several"],
)
def test_the_one_wheel_of_the_newest_release_that_has_any(server, catalogue, wheel, files, within, likely):
    offer(server, wheel, "foo", *files)
    one = catalogue()
    one.prefetch_likely([("foo", Range.versions(within))], PLATFORM)
    assert wait_until(lambda: "foo" in asked(server))
    if likely:
        assert wait_until(lambda: len(asked(server)) > 1)
    one.close()
    assert [likely in name for name in asked(server) - {"foo"}] == ([True] if likely else [])


def test_what_only_others_ask_for_is_left_alone(server, catalogue, wheel):
    headers = [f"Requires-Dist: {one}" for one in ("a; python_version < '3.8'", "b; extra == 'c'", "d")]
    offer(server, wheel, "foo", "1.0-py3-none-any", headers=[*headers, "Provides-Extra: c"])
    one = catalogue()
    one.prefetch_likely([("foo", EVERY)], PLATFORM)
    assert wait_until(lambda: "d" in asked(server))
    one.close()
    assert asked(server) == {"foo", "foo-1.0-py3-none-any.whl", "d"}


def test_interpreters_that_a_release_is_not_for_pass_it_by(server, catalogue, wheel):
    newer = server.file("foo-2.0-py3-none-any.whl", wheel("foo", "2.0"))
    newer = newer.replace("<a ", '<a data-requires-python="&gt;=3.12" ')
    server.page("foo", newer + server.file("foo-1.0-py3-none-any.whl", wheel("foo", "1.0")))
    one = catalogue()
    one.prefetch_likely([("foo", EVERY)], PLATFORM)
    assert wait_until(lambda: len(asked(server)) > 1)
    one.close()
    assert asked(server) == {"foo", "foo-1.0-py3-none-any.whl"}


def test_what_is_at_hand_leads_to_nothing(server, catalogue, wheel):
    offer(server, wheel, "foo", "1.0-py3-none-any", headers=["Requires-Dist: bar"])
    with catalogue() as first:
        first.releases("foo")
    server.requests.clear()
    with catalogue() as again:
        again.prefetch_likely([("foo", EVERY)], PLATFORM)
    assert server.requests == []


def test_a_page_that_cannot_be_had_is_told_when_it_is_asked_for(server, catalogue, caplog):
    one = catalogue()
    one.prefetch_likely([("foo", EVERY)], PLATFORM)
    assert list(one.releases("foo")) == []
    assert caplog.records == []
