"""Where an interpreter comes from, and which build of its version it is."""

from __future__ import annotations

import re

from envlock.edges.host.tools import ask
from envlock.model.locked.archive import InterpreterOrigin
from envlock.model.project.target import Interpreter

_KINDS = (
    ("uv", re.compile(r"/uv/python/|/cpython-\d[^/]*-linux-[^/]*/bin/")),
    ("pyenv", re.compile(r"/versions/\d[^/]*/bin/")),
    ("system", re.compile(r"^/usr/bin/")),
)


def origin_of(interpreter: Interpreter) -> InterpreterOrigin:
    """Return what one needs to know to get the same interpreter; its build is empty if it does not answer."""
    build = ask([interpreter.path, "-I", "-S", "-c", "import sys; print(sys.version)"])
    kind = next((kind for kind, pattern in _KINDS if pattern.search(interpreter.path)), "other")
    return InterpreterOrigin(
        version=interpreter.version, path=interpreter.path, kind=kind, build=" ".join(build.split())
    )
