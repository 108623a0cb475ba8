"""The house stands, and each of its rules sees the violations planted for it."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from tests.house import (
    CLI_OPENS,
    MAY_IMPORT,
    READS_VARIABLES,
    STARTS_PROGRAMS,
    House,
    Rule,
    at_the_top,
    documented,
    dotted,
    downwards,
    house,
    names_of,
    no_cycles,
    one_lazy_door,
    one_way_between_folders,
    overseen,
    package_modules,
    parsing,
    printing,
    programs,
    pure_floors,
    third_parties,
    variables,
)

PLANTED: Mapping[Rule, tuple[Mapping[str, str], ...]] = {
    downwards: (
        {"solve/a.py": "from envlock.edges import files", "edges/files.py": ""},
        {"judging/a.py": "from envlock.solve import search", "solve/search.py": ""},
        {"edges/a.py": "if TYPE_CHECKING:\n    import envlock.judging.judge"},
        {"model/a.py": "def f():\n    from ..app import check", "app/checking/check.py": ""},
        {"cli/a.py": "from envlock.edges.store.store import Store"},
        {"probe/a.py": "import envlock"},
        {"cellar/a.py": "from envlock.model import errors"},
    ),
    no_cycles: (
        {"model/a.py": "from envlock.model.b import B", "model/b.py": "from envlock.model import a"},
        {"probe/a.py": "from . import b", "probe/b.py": "def f():\n    from .a import x"},
    ),
    one_way_between_folders: (
        {
            "edges/store/a.py": "from envlock.edges.ranks.b import b",
            "edges/ranks/b.py": "b = 1",
            "edges/ranks/c.py": "from envlock.edges.store import d",
            "edges/store/d.py": "",
        },
    ),
    at_the_top: (
        {"app/a.py": "def f():\n    from envlock.edges import files"},
        {"app/a.py": "class A:\n    def f(self):\n        if 1:\n            import envlock.model.errors"},
        {"probe/a.py": "def f():\n    from .b import x", "probe/b.py": ""},
        {"edges/code/failing.py": "def f():\n    from envlock.analysis.functions import failing"},
    ),
    one_lazy_door: (
        {"app/a.py": "import importlib\nimportlib.import_module('envlock.solve')"},
        {"render/a.py": "from importlib import import_module"},
        {"cli/a.py": "__import__('envlock.edges')"},
    ),
    third_parties: (
        {"edges/a.py": "import torch"},
        {"app/a.py": "def f():\n    from mpi4py import MPI"},
        {"solve/a.py": "from rich import box"},
        {"probe/a.py": "import numpy"},
    ),
    pure_floors: (
        {"solve/a.py": "import os.path"},
        {"model/a.py": "from urllib.request import urlopen"},
        {"lifecycle/a.py": "open('x')"},
        {"model/a.py": "from pathlib import Path\nPath('x').read_text()"},
        {"lifecycle/a.py": "import datetime as dt\ndt.date.today()"},
    ),
    programs: (
        {"app/a.py": "import subprocess"},
        {"edges/a.py": "from subprocess import run"},
        {"edges/a.py": "import os\nos.system('x')"},
        {"edges/a.py": "from os import execvp"},
    ),
    parsing: ({"lifecycle/a.py": "import ast\nast.parse('')"},),
    printing: (
        {"edges/a.py": "print(1)"},
        {"app/a.py": "import sys\nsys.stderr.write('x')"},
        {"model/a.py": "from sys import stdout"},
    ),
    variables: (
        {"model/a.py": "import os\nos.environ['HOME']"},
        {"render/a.py": "from os import getenv"},
    ),
    overseen: ({"model/a.py": "'''A.'''" + "\n" * 300 + "b = 1"},),
    documented: ({"model/a.py": "'no docstring' + ''"}, {"model/a.py": "''"}),
}

RULES = tuple(PLANTED)


@pytest.fixture(scope="module")
def ours() -> House:
    return package_modules()


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.__name__)
def test_the_house_stands(rule: Rule, ours: House) -> None:
    assert list(rule(ours)) == []


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.__name__)
def test_a_planted_violation_is_seen(rule: Rule) -> None:
    for sources in PLANTED[rule]:
        assert list(rule(house(sources))), sources


def test_what_is_right_is_not_refused() -> None:
    right = house(
        {
            "__init__.py": "'''The house.'''",
            "cli/a.py": "'''A.'''\nfrom envlock.app.b import b\nimport envlock.edges.cache\nprint(b)",
            "app/b.py": "'''B.'''\nfrom envlock import __version__\nfrom envlock.solve.c import c",
            "solve/c.py": "'''C.'''\nfrom packaging.version import Version\nfrom envlock.model import d",
            "model/d.py": "'''D.'''\nfrom dataclasses import dataclass",
            "probe/__init__.py": "'''P.'''\nfrom . import e",
            "probe/e.py": "'''E.'''\nimport os\ndef f():\n    import torch\n    print(os.environ['A'])",
        }
    )
    assert [problem for rule in RULES for problem in rule(right)] == []


def test_lists_of_exceptions_are_no_longer_than_needed(ours: House) -> None:
    by_path = {module.path: module for module in ours}
    assert all("os.environ" in dotted(by_path[path]) for path in READS_VARIABLES)
    assert all("subprocess" in set(by_path[path].imports(frozenset())) for path in STARTS_PROGRAMS)
    opened = {target for module in ours if module.floor == "cli" for target in module.imports(names_of(ours))}
    assert opened >= CLI_OPENS
    assert {module.floor for module in ours} == {*MAY_IMPORT, "__init__"}
