"""The rules of the house: what each floor may import, and where the doors to the outside are.

Each rule is a function over syntax trees that yields violations; ``unit/test_layers.py`` holds the package
against them, and them against planted violations.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path

ROOT = Path(__file__).parents[1] / "envlock"
HOUSE = "envlock"

MAY_IMPORT: Mapping[str, frozenset[str]] = {
    "cli": frozenset({"cli", "render", "app", "model"}),
    "render": frozenset({"render", "app", "lifecycle", "solve", "judging", "model"}),
    "app": frozenset({"app", "edges", "solve", "judging", "lifecycle", "analysis", "model"}),
    "edges": frozenset({"edges", "analysis", "model"}),
    "solve": frozenset({"solve", "judging", "model"}),
    "judging": frozenset({"judging", "model"}),
    "lifecycle": frozenset({"lifecycle", "analysis", "model"}),
    "analysis": frozenset({"analysis", "model"}),
    "model": frozenset({"model"}),
    "probe": frozenset({"probe"}),
    "__main__": frozenset({"cli"}),
}
"""Floor -> floors that it may import."""

CLI_OPENS = frozenset(
    {
        "envlock.edges.cache",
        "envlock.edges.index.catalogue",
        "envlock.edges.pip_configuration",
    }
)
"""The edges that a command opens for its one call into app."""

THIRD_PARTIES: Mapping[str, frozenset[str]] = {
    "cli": frozenset({"typer"}),
    "render": frozenset({"rich"}),
    "app": frozenset({"packaging", "tomlkit"}),
    "edges": frozenset(
        {
            *("backports", "elftools", "filelock", "griffe", "msgspec", "packaging", "pip", "platformdirs"),
            *(
                "poetry",
                "pynvml",
                "pyproject_hooks",
                "pyreqwest",
                "selectolax",
                "tomli_w",
                "tomlkit",
                "uv",
                "xxhash",
                "yaml",
            ),
        }
    ),
    "solve": frozenset({"packaging", "resolvelib"}),
    "judging": frozenset({"packaging"}),
    "lifecycle": frozenset({"cyclonedx", "packageurl", "packaging", "rocrate"}),
    "analysis": frozenset({"packaging"}),
    "model": frozenset({"ClusterShell", "packaging"}),
    "probe": frozenset(),
    "__main__": frozenset(),
    "__init__": frozenset(),
}
"""Floor -> packages of others that its modules import at the top."""

PURE = frozenset({"model", "analysis", "judging", "solve", "lifecycle"})
IMPURE = frozenset(
    {
        *("asyncio", "concurrent", "ctypes", "http", "io", "logging", "multiprocessing", "os", "random"),
        *("secrets", "shutil", "signal", "socket", "subprocess", "sys", "tempfile", "threading", "time"),
        *("urllib", "uuid"),
    }
)
"""Standard modules that reach outside: not for pure floors."""
NOT_OUTSIDE = frozenset(
    {
        (
            "analysis/standard_library.py",
            "sys",
        ),  # for a constant: names of modules
        ("analysis/syntax_trees.py", "threading"),  # for a lock: no two threads may parse at once
    }
)
"""What pure floors import of them all the same."""

LONGEST = 300
"""Lines of a file that a reader still knows as one room."""
STARTS_PROGRAMS = frozenset({"edges/subprocesses.py", "edges/ranks/supervision.py"})
BECOMES_A_PROGRAM = "app/making/environment.py"
LAZY_DOOR = "cli/__init__.py"
LATE = frozenset(
    {
        # The readers of code, 8 % of a warm solve, whose answers mostly lie in the cache.
        ("edges/code/failing.py", "envlock.edges.code.failing_pairs"),
        ("edges/code/lacking.py", "envlock.edges.code.lacked_names"),
        ("edges/code/reading.py", "envlock.analysis.imports.modules"),
        ("edges/code/reading.py", "envlock.edges.code.archived"),
        ("edges/code/reading.py", "envlock.edges.code.release_reads"),
        # The readers of sources, 2 %, whose answers lie there too; and those of sources that manifests name.
        ("edges/index/catalogue.py", "envlock.edges.index.stated_sources"),
        ("edges/index/file_summaries.py", "envlock.edges.index.stated_sources"),
        ("edges/index/metadata_reader.py", "envlock.edges.index.stated_sources"),
        ("edges/index/files.py", "envlock.edges.index.repositories"),
        ("edges/index/files.py", "envlock.edges.index.source_folders"),
        ("edges/index/named_files.py", "envlock.edges.index.named_sources"),
        ("app/solving/build_remarks.py", "envlock.edges.index.source_folders"),
        # What only refusals need, and only waivers that claim evidence: 1 % each.
        ("app/solving/build_remarks.py", "envlock.edges.index.stated_sources"),
        ("solve/resolve.py", "envlock.solve.remedies.fixes"),
        ("solve/resolve.py", "envlock.solve.remedies.context"),
        ("solve/resolve.py", "envlock.solve.remedies.objection_solver"),
        ("app/solving/waivers.py", "envlock.app.solving.claimed_evidence"),
    }
)
"""Modules of ours that are imported where they are needed; the rules of floors and cycles see them too."""
IN_BUILDS = "edges/building/many_compilers.py"
"""Runs in build environments, and imports and reads what is there."""
PARSES_SOURCES = "analysis/syntax_trees.py"
"""For all of ``edges``, which has threads: no two may parse at once."""
READS_VARIABLES = frozenset(
    {
        "app/making/environment.py",  # `run` hands the caller's environment on
        "edges/building/builds.py",  # a build sees it, without what steers Python and compilers
        "edges/cache.py",  # ENVLOCK_CACHE_DIR
        "edges/building/editable.py",  # likewise
        "edges/environments/uv_installs.py",  # uv likewise
        "edges/modules.py",  # what is loaded for all that is started
        "edges/git.py",  # git likewise, with the helpers that have credentials of repositories
        "edges/host/detect.py",  # PATH, HOME: where to look
        "edges/index/built_metadata.py",  # a build backend likewise
        "edges/index/credentials.py",  # NETRC
        "edges/pip_configuration.py",  # PIP_*, and the proxies in messages
        "edges/stated_folders.py",  # [site] store = "$SCRATCH/envlock"
    }
)


@dataclass(frozen=True, eq=False)
class Module:
    """One file of the house; what several rules look at is found once."""

    path: str
    tree: ast.Module
    nodes: tuple[ast.AST, ...]

    @property
    def floor(self) -> str:
        return self.path.partition("/")[0].removesuffix(".py")

    @property
    def name(self) -> str:
        return f"{HOUSE}.{self.path.removesuffix('.py').replace('/', '.')}".removesuffix(".__init__")

    @property
    def package(self) -> str:
        return self.name if self.path.endswith("__init__.py") else self.name.rpartition(".")[0]

    def imports(self, names: frozenset[str]) -> Iterator[str]:
        """All modules imported anywhere in the file, ours to the submodule, others as written."""
        for node in self.importing:
            yield from self.targets(node, names)

    @cached_property
    def importing(self) -> tuple[ast.AST, ...]:
        """All statements that import, wherever they stand."""
        return tuple(node for node in self.nodes if isinstance(node, ast.Import | ast.ImportFrom))

    def targets(self, node: ast.AST, names: frozenset[str]) -> Iterator[str]:
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                parts = self.package.split(".")
                base = ".".join([*parts[: len(parts) - node.level + 1], *filter(None, [node.module])])
            for alias in node.names:
                inner = f"{base}.{alias.name}"
                yield inner if inner in names else base


House = tuple[Module, ...]
Rule = Callable[[House], Iterable[str]]


def house(sources: Mapping[str, str]) -> House:
    trees = {path: ast.parse(source) for path, source in sources.items()}
    return tuple(Module(path, tree, tuple(ast.walk(tree))) for path, tree in trees.items())


def package_modules() -> House:
    """The package as it is, without the data in it."""
    files = [path for path in sorted(ROOT.rglob("*.py")) if "knowledge" not in path.relative_to(ROOT).parts]
    return house({path.relative_to(ROOT).as_posix(): path.read_text() for path in files})


@cache
def names_of(modules: House) -> frozenset[str]:
    return frozenset(module.name for module in modules)


def is_ours(name: str) -> bool:
    return name.partition(".")[0] == HOUSE


def downwards(modules: House) -> Iterator[str]:
    for module in modules:
        for target in filter(is_ours, module.imports(names_of(modules))):
            floor = target.split(".")[1] if "." in target else ""
            opened = module.floor == "cli" and target in CLI_OPENS
            if floor and floor not in MAY_IMPORT.get(module.floor, frozenset()) and not opened:
                yield f"{module.path} imports {target}"
            if not floor and module.floor == "probe":
                yield f"{module.path} imports {target}"


def no_cycles(modules: House) -> Iterator[str]:
    graph = {module.name: set(module.imports(names_of(modules))) - {module.name} for module in modules}
    graph = {name: targets & graph.keys() for name, targets in graph.items()}
    while leaves := {name for name, targets in graph.items() if not targets}:
        graph = {name: targets - leaves for name, targets in graph.items() if name not in leaves}
    if graph:
        yield f"in or above a cycle: {', '.join(sorted(graph))}"


def one_way_between_folders(modules: House) -> Iterator[str]:
    """A folder of a floor, and what lies in it, counts as one; what lies beside folders is none."""
    crossings = set()
    for module in modules:
        for target in filter(is_ours, module.imports(names_of(modules))):
            here, there = folder_of(module.name), folder_of(target)
            if here and there and here != there and here[0] == there[0]:
                crossings.add((here, there))
    for here, there in sorted(crossings):
        if (there, here) in crossings:
            yield f"{'/'.join(here)} and {'/'.join(there)} import each other"


def folder_of(name: str) -> tuple[str, str] | None:
    """Floor and folder of a module's name; ``None`` where it lies in no folder of its floor."""
    parts = name.split(".")
    return (parts[1], parts[2]) if len(parts) > 3 else None


def at_the_top(modules: House) -> Iterator[str]:
    names = names_of(modules)
    for module in modules:
        if set(module.importing) <= set(module.tree.body):
            continue
        for function in module.nodes:
            if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                for node in ast.walk(function):
                    for target in filter(is_ours, module.targets(node, names)):
                        if (module.path, target) in LATE:
                            continue
                        yield f"{module.path} imports {target} inside {function.name}"


def one_lazy_door(modules: House) -> Iterator[str]:
    for module in modules:
        named = {"import_module", "__import__"} & words(module)
        if named and module.path not in {LAZY_DOOR, IN_BUILDS} and module.floor != "probe":
            yield f"{module.path} uses {', '.join(named)}"


def third_parties(modules: House) -> Iterator[str]:
    known = {HOUSE, "__future__", *sys.stdlib_module_names}
    names = names_of(modules)
    for module in modules:
        nodes = module.tree.body if module.floor == "probe" else module.nodes
        for node in nodes:
            for target in module.targets(node, names):
                top = target.partition(".")[0]
                if top not in known and top not in THIRD_PARTIES[module.floor]:
                    yield f"{module.path} imports {top}"


def pure_floors(modules: House) -> Iterator[str]:
    for module in modules:
        if module.floor in PURE:
            for target in module.imports(names_of(modules)):
                if target.partition(".")[0] in IMPURE and (module.path, target) not in NOT_OUTSIDE:
                    yield f"{module.path} imports {target}"
            for word in sorted({"open", "read_text", "write_text"} & words(module)):
                yield f"{module.path} uses {word}"
            for clock in sorted(name for name in dotted(module) if name.endswith((".now", ".today"))):
                yield f"{module.path} uses {clock}"


def programs(modules: House) -> Iterator[str]:
    for module in modules:
        if module.floor == "probe":
            continue
        if "subprocess" in set(module.imports(names_of(modules))) and module.path not in STARTS_PROGRAMS:
            yield f"{module.path} imports subprocess"
        starting = {f"os.{word}" for word in ("system", "popen", "fork", "posix_spawn")} & dotted(module)
        becoming = {name for name in dotted(module) if name.startswith("os.exec")}
        if starting or (becoming and module.path != BECOMES_A_PROGRAM):
            yield f"{module.path} uses {', '.join(sorted(starting | becoming))}"


def parsing(modules: House) -> Iterator[str]:
    for module in modules:
        elsewhere = module.floor != "probe" and module.path not in {PARSES_SOURCES, IN_BUILDS}
        if elsewhere and "ast.parse" in dotted(module):
            yield f"{module.path} uses ast.parse"


def printing(modules: House) -> Iterator[str]:
    for module in modules:
        if module.floor not in {"cli", "render", "probe"}:
            for name in sorted({"print", "sys.stdout", "sys.stderr", "typer.echo"} & dotted(module)):
                yield f"{module.path} uses {name}"


def variables(modules: House) -> Iterator[str]:
    for module in modules:
        reads = {"os.environ", "os.getenv"} & dotted(module)
        if reads and module.floor != "probe" and module.path not in {*READS_VARIABLES, IN_BUILDS}:
            yield f"{module.path} reads {', '.join(sorted(reads))}"


def overseen(modules: House) -> Iterator[str]:
    for module in modules:
        lines = max((node.end_lineno or 0 for node in module.tree.body), default=0)
        if lines > LONGEST:
            yield f"{module.path} has {lines} lines, and may have {LONGEST}"


def documented(modules: House) -> Iterator[str]:
    for module in modules:
        if not (ast.get_docstring(module.tree) or "").strip():
            yield f"{module.path} has no docstring"


@cache
def words(module: Module) -> set[str]:
    """Every name and attribute that is used or imported, by itself."""
    return {part for name in dotted(module) for part in name.split(".")}


@cache
def dotted(module: Module) -> set[str]:
    """``name`` and ``owner.attribute`` as they are used or imported; other owners than names are ``_``."""
    found = set()
    for node in module.nodes:
        if isinstance(node, ast.Name):
            found.add(node.id)
        elif isinstance(node, ast.Attribute):
            owner = node.value.id if isinstance(node.value, ast.Name) else "_"
            owner = node.value.attr if isinstance(node.value, ast.Attribute) else owner
            found.add(f"{owner}.{node.attr}")
        elif isinstance(node, ast.ImportFrom):
            found |= {f"{node.module}.{alias.name}" for alias in node.names}
    return found
