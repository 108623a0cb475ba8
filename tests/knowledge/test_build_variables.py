"""What builds read from the environment: a recipe that sets what its releases ignore is a problem."""

from dataclasses import replace

import pytest

from envlock.edges.knowledge_files import load_knowledge
from envlock.solve.lint import lint_knowledge

KNOWLEDGE = load_knowledge()


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


@pytest.mark.parametrize(
    ("version", "name", "message"),
    [
        ("0.19.0", "HOROVOD_GPU_OPERATIONS", "the builds of horovod >=0.20.0 alone read it"),
        ("0.28.1", "HOROVOD_MPICXX_SHOW", "the builds of horovod <0.20.0 alone read it"),
        ("0.28.1", "HOROVOD_GPU_OPERATION", "no release is known to read it"),
        ("0.28.1", "HOROVOD_GPU_OPERATIONS", None),
        ("0.28.1", "MAKEFLAGS", None),
    ],
)
def test_lint_tells_of_a_variable_that_is_not_read(version: str, name: str, message: str | None) -> None:
    recipe = KNOWLEDGE.recipe("horovod", version)
    assert recipe is not None
    changed = replace(recipe, variables={**recipe.variables, name: "1"})
    recipes = tuple(changed if one is recipe else one for one in KNOWLEDGE.recipes)
    found = [problem.message for problem in lint_knowledge(replace(KNOWLEDGE, recipes=recipes))]
    assert found == ([message] if message else [])
