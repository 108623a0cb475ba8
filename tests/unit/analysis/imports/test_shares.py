"""Half of what a package has may look for something, where importing the package itself runs nothing."""

import pytest

from envlock.analysis.imports.modules import Module
from envlock.analysis.imports.shares import reads_of_half

FAST = {"thing._fast": Module("thing/_fast.abi3.so", "", ("numpy.C_API_1",))}
READ = {"numpy.C_API_1": "thing/_fast.abi3.so"}


def modules(**sources: str) -> dict[str, Module]:
    """A package named thing with these modules, and a compiled one."""
    python = {f"thing.{name}": Module(f"thing/{name}.py", text) for name, text in sources.items()}
    root = python.pop("thing.init", Module("", "")).source
    return {"thing": Module("thing/__init__.py", root), **python, **FAST}


@pytest.mark.parametrize(
    ("sources", "found"),
    [
        ({"mask": "import thing._fast", "coco": "from . import mask"}, READ),
        ({"mask": "from . import _fast", "words": ""}, READ),
        ({"mask": "from . import _fast", "test_mask": "", "tests": "", "_own": ""}, READ),
        ({"mask": "from . import _fast", "words": "", "numbers": ""}, {}),
        ({"mask": "from . import _fast", "init": "from . import _own", "_own": ""}, {}),
        ({"mask": "try:\n    from . import _fast\nexcept ImportError:\n    pass\n"}, {}),
    ],
    ids=["all", "half", "tests do not count", "less", "it imports something", "can do without"],
)
def test_what_half_of_a_package_runs_counts_where_its_own_import_runs_nothing(
    sources: dict[str, str], found: dict[str, str]
) -> None:
    assert reads_of_half(modules(**sources), ["thing"]) == found


def test_a_package_of_many_modules_is_used_in_parts() -> None:
    many = {f"part{number}": "from . import _fast" for number in range(61)}
    assert reads_of_half(modules(**many), ["thing"]) == {}
