"""What a check finds in the code of what is named."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from envlock.app.checking.code_check import MOST
from tests.unit.cli.conftest import Said, Site

Envlock = Callable[..., Said]
LACKS = "elder 1.0 looks for helper.gone when it is imported (elder.py:1), which helper 2.0 does not have"


@pytest.fixture
def many(site: Site) -> list[str]:
    """More distributions than are looked through, two of which do not go together."""
    site.offer("elder", "1.0", ["helper"], source="from helper import gone\n")
    site.offer("helper", "2.0")
    uploaded(site, "helper", "2024-02-01")
    others = [f"other{number}" for number in range(MOST)]
    for name in others:
        site.offer(name, "1.0")
    return ["elder==1.0", "helper==2.0", *(f"{name}==1.0" for name in others)]


def uploaded(site: Site, name: str, day: str) -> None:
    page = site.index / name / "index.html"
    page.write_text(page.read_text().replace('.whl"', f'.whl" data-upload-time="{day}T00:00:00Z"'))


def test_of_many_those_are_looked_through_that_are_older_than_what_they_ask_for(
    site: Site, envlock: Envlock, many: list[str]
) -> None:
    uploaded(site, "elder", "2024-01-01")
    assert LACKS in " ".join(envlock("check", *many).out.split())


def test_of_many_those_that_came_later_could_try_what_they_ask_for(
    site: Site, envlock: Envlock, many: list[str]
) -> None:
    uploaded(site, "elder", "2024-03-01")
    assert LACKS not in " ".join(envlock("check", *many).out.split())


def test_a_list_of_all_that_is_there_lacks_what_is_imported_and_not_asked_for(
    site: Site, envlock: Envlock
) -> None:
    site.offer("haiku", "1.0", source="import jax\n")
    (site.project / "pins.txt").write_text("haiku==1.0\n")
    told = envlock("check", "--from", "pins.txt")
    assert told.status == 1
    assert "haiku 1.0 imports jax (haiku.py:1), and does not ask for it" in told.out
    assert "jax beside them" in told.out


def test_of_many_the_functions_count_of_those_that_nobody_asks_for(
    site: Site, envlock: Envlock, many: list[str]
) -> None:
    source = "import helper\ndef act():\n    return helper.gone()\n"
    site.offer("elder", "1.0", ["helper"], source=source)
    uploaded(site, "elder", "2024-01-01")
    told = "elder 1.0 looks for helper.gone, which helper 2.0 does not have (elder.py:3)"
    assert told in " ".join(envlock("check", *many).out.split())
    site.offer("above", "1.0", ["elder"])
    assert told not in " ".join(envlock("check", *many, "above==1.0").out.split())


def test_what_is_installed_together_is_looked_through_whoever_installed_it(
    site: Site, envlock: Envlock
) -> None:
    site.offer("elder", "1.0", ["helper"], source="from helper import gone\n")
    site.offer("helper", "2.0")
    for name, version in (("elder", "1.0"), ("helper", "2.0")):
        info = site.project / f"env/lib/python3.11/site-packages/{name}-{version}.dist-info"
        info.mkdir(parents=True)
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")
    told = envlock("check", "--from", "env")
    assert told.status == 1
    assert LACKS in " ".join(told.out.split())


@pytest.mark.parametrize(
    ("source", "requires", "status"),
    [
        ("import under\n", "under==1.0", 1),
        ("import under\n", "under>=1.0", 0),  # another release of it may do
        ("def use():\n    import under\n", "under==1.0", 0),
    ],
    ids=["imported at once", "not the only one", "imported in use"],
)
def test_what_comes_along_as_the_only_release_is_looked_through_where_it_is_imported_at_once(
    site: Site, envlock: Envlock, source: str, requires: str, status: int
) -> None:
    """As googletrans 3.0.0 pins an HTTPX that imports cgi."""
    site.offer("above", "1.0", [requires], source=source)
    site.offer("under", "1.0", source="import cgi\n")
    assert envlock("check", "above==1.0", "python==3.12").status == 0
    said = envlock("check", "above==1.0", "python==3.13")
    assert said.status == status
    assert ("(above 1.0 pins under 1.0)" in " ".join(said.out.split())) == bool(status)
