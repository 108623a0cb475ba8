"""What builds read from the environment: a recipe that sets what its releases ignore is a problem."""

from dataclasses import replace

import pytest

from envlock.judging.lint import lint_knowledge
from envlock.model.knowing.facts import Facts
from tests.shipped import KNOWLEDGE


@pytest.mark.parametrize(
    ("version", "name", "read"),
    [
        ("0.19.5", "HOROVOD_GPU_OPERATIONS", False),
        ("0.20.0", "HOROVOD_GPU_OPERATIONS", True),
        ("0.19.5", "HOROVOD_MPICXX_SHOW", True),
        ("0.20.0", "HOROVOD_MPICXX_SHOW", False),
        ("0.16.4", "HOROVOD_WITH_MPI", False),
        ("0.17.0", "HOROVOD_WITH_MPI", True),
    ],
)
def test_which_releases_read_a_variable(version: str, name: str, read: bool) -> None:
    (variable,) = [one for one in KNOWLEDGE.variables if one.name == name]
    assert variable.range.contains(version) is read


def test_lint_tells_of_a_variable_that_is_not_read() -> None:
    added = {
        "0.19.0": ["HOROVOD_GPU_OPERATIONS"],
        "0.28.1": ["HOROVOD_MPICXX_SHOW", "HOROVOD_GPU_OPERATION", "HOROVOD_GPU_OPERATIONS", "MAKEFLAGS"],
    }
    recipes = list(KNOWLEDGE.recipes)
    for version, names in added.items():
        recipe = KNOWLEDGE.recipe("horovod", version)
        assert recipe is not None
        variables = {**recipe.variables, **dict.fromkeys(names, "1")}
        recipes[recipes.index(recipe)] = replace(recipe, variables=variables)
    without_facts = replace(KNOWLEDGE, recipes=tuple(recipes), facts=Facts({}, {}))
    found = lint_knowledge(without_facts)
    assert sorted(problem.message for problem in found) == [
        "no release is known to read it",  # HOROVOD_GPU_OPERATION
        "the builds of horovod <0.20.0 alone read it",  # HOROVOD_MPICXX_SHOW for 0.28.1
        "the builds of horovod >=0.20.0 alone read it",  # HOROVOD_GPU_OPERATIONS for 0.19.0
    ]
