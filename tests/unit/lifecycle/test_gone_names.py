"""Names that the knowledge base knows to be gone: of Python itself, and of what is compiled."""

from __future__ import annotations

import pytest

from envlock.lifecycle.code_breaks import CodeBreak, Moved, find_code_breaks
from envlock.lifecycle.diff import diff_locks
from envlock.lifecycle.gone_names import gone_names
from envlock.model.knowing.knowledge import Knowledge
from envlock.model.knowing.knowledge_codec import KnowledgeDecoder
from tests.locks import READ, distribution, lock
from tests.programs import read_program

SOURCES = [{"title": "https://docs.python.org/3/whatsnew/3.10.html", "checked": READ}]


def removal(component: str, since: str, *names: str, **more: str) -> dict[str, object]:
    return {"component": component, "since": since, "names": list(names), "sources": SOURCES, **more}


def knowledge() -> Knowledge:
    decoder = KnowledgeDecoder()
    python = {"name": "python", "title": "Python", "layer": "core"}
    module = {"names": ["distutils"], "brought-by": ["setuptools"], "sources": SOURCES}
    decoder.components({"component": [python], "module": [module]}, "components.toml")
    removals = [
        removal("python", "3.10", "collections.Mapping"),
        removal("python", "3.12", "distutils"),
        removal("python", "3.8", "time.clock"),
        removal("numpy", "1.24", "numpy.bool", until="2"),
        removal("numpy", "1.24", "numpy.may", warning="only some fail"),
    ]
    decoder.removals({"removal": removals}, "removals.toml")
    return decoder.finish("k" * 64)


def breaks(source: str, numpy: tuple[str, str] = ("1.23.5", "1.26.4"), *beside: str) -> list[CodeBreak]:
    old = lock(distribution("numpy", numpy[0]), python="3.8.18")
    further = [distribution(name, "70.0") for name in beside]
    new = lock(distribution("numpy", numpy[1]), *further, python="3.12.1")
    known = knowledge()
    difference = diff_locks(old, new, known)
    gone = gone_names(difference, {pin.component for pin in new.distributions}, known)
    moved = [Moved(component=name, api=None, renames=(), gone=names) for name, names in gone.items()]
    return list(find_code_breaks([read_program(source, "train.py")], moved))


@pytest.mark.parametrize(
    ("source", "name"),
    [
        ("from collections import Mapping, OrderedDict", "collections.Mapping"),
        ("import collections as c\nc.Mapping.register(int)", "collections.Mapping"),
        ("import distutils.version", "distutils"),
        ("from distutils.version import LooseVersion", "distutils"),
        ("import numpy as np\na.astype(np.bool)", "numpy.bool"),
        ("from numpy import bool as B", "numpy.bool"),
    ],
)
def test_what_is_gone_is_certain(source: str, name: str) -> None:
    assert [(one.name, one.sure) for one in breaks(source)] == [(name, True)]


@pytest.mark.parametrize(
    "source",
    [
        "import time\ntime.clock()",  # gone before already
        "from collections.abc import Mapping",
        "import numpy as np\nnp.bool_(1)",
        "collections = 1\nMapping = 2",
    ],
)
def test_what_is_there_is_no_break(source: str) -> None:
    assert breaks(source) == []


def test_what_came_back_is_no_break() -> None:
    assert breaks("import numpy as np\nnp.bool", ("1.23.5", "2.1.0")) == []
    [back] = breaks("import numpy as np\nnp.bool", ("2.1.0", "1.26.4"))
    assert back.note == "gone since numpy 1.24"


def test_who_provides_a_module_again() -> None:
    [gone] = breaks("import distutils")
    assert gone.note == "gone since python 3.12; setuptools provides it"
    assert breaks("import distutils", ("1.23.5", "1.26.4"), "setuptools") == []


def test_what_only_warns_is_likely() -> None:
    [one] = breaks("import numpy\nnumpy.may")
    assert (one.sure, one.note) == (False, "only some fail")
