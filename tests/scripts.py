"""Scripts of ``tools/``, which are no package, as modules."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

TOOLS = Path(__file__).parents[1] / "tools"


def script(name: str) -> ModuleType:
    """The module that a script is."""
    specification = importlib.util.spec_from_file_location(name, TOOLS / f"{name}.py")
    assert specification is not None
    assert specification.loader is not None
    module = importlib.util.module_from_spec(specification)
    sys.modules[name] = module  # where dataclasses look up the module of a class
    specification.loader.exec_module(module)
    return module
