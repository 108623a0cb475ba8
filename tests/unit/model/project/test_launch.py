"""A site's settings for starting ranks."""

from __future__ import annotations

import pytest

from envlock.edges.launchers import LAUNCHERS
from envlock.model.decode import Table
from envlock.model.errors import RequestError
from envlock.model.project.launch import LAUNCHER_NAMES, decode_launch


def _table(launcher: str) -> Table:
    return Table({"launcher": launcher}, file="envlock.toml", path="site.launch")


def test_there_is_a_launcher_for_every_name() -> None:
    assert set(LAUNCHERS) == LAUNCHER_NAMES


@pytest.mark.parametrize("word", ["mpiexec", *sorted(LAUNCHERS)])
def test_a_site_names_a_launcher_or_that_of_its_mpi(word: str) -> None:
    assert decode_launch(_table(word)).launcher == word


@pytest.mark.parametrize(
    ("word", "hint"), [("srunn", "did you mean 'srun'? launchers: "), ("zz", "launchers: ")]
)
def test_another_word_is_refused_before_anything_is_solved(word: str, hint: str) -> None:
    with pytest.raises(RequestError) as caught:
        decode_launch(_table(word))
    assert (caught.value.where, word in caught.value.message) == ("envlock.toml, site.launch.launcher", True)
    assert caught.value.hint.startswith(hint)
