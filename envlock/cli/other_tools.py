"""Commands of pip, uv, Poetry, conda and pixi that envlock calls otherwise, and how."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

_CHANGE = "change requires in envlock.toml, and then: envlock solve GROUP"
_SOLVE = "envlock solve GROUP"
_LOCK = "envlock solve GROUP --lock-only"
_UPGRADE = "envlock solve GROUP --upgrade, or -P NAME for that one alone"
_LIST = "envlock status shows the groups, envlock export GROUP what a lock has"

INSTEAD: Mapping[str, str] = MappingProxyType(
    {
        "add": _CHANGE,
        "build": _SOLVE,
        "clean": "envlock gc for environments, envlock cache --prune for downloads",
        "compile": _LOCK,
        "create": _SOLVE,
        "help": "envlock COMMAND --help",
        "import": "envlock init --from FILE",
        "info": _LIST,
        "install": _CHANGE,
        "list": _LIST,
        "lock": _LOCK,
        "prune": "envlock gc for environments, envlock cache --prune for downloads",
        "remove": _CHANGE,
        "search": "envlock kb search WORD",
        "shell": 'eval "$(envlock activate GROUP)"',
        "sync": _SOLVE,
        "tree": "envlock why NAME",
        "uninstall": _CHANGE,
        "update": _UPGRADE,
        "upgrade": _UPGRADE,
    }
)
"""What to run, or to do, in place of a command of another tool."""
