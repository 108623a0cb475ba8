"""Sdists that do not state their dependencies: asked of their build backends, where nothing else answers."""

from __future__ import annotations

import io
import subprocess
import tarfile
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest

from envlock.edges.index import built_metadata
from tests.patience import PATIENCE_S
from tests.unit.cli.conftest import Said, Site

Envlock = Callable[..., Said]
SOLVE = ["solve", "tiny", "--target", "real", "--lock-only"]
PYPROJECT = '[build-system]\nrequires = []\nbuild-backend = "backend"\nbackend-path = ["."]\n'
BACKEND = """
import os, socket, sys, time
def prepare_metadata_for_build_wheel(folder, config_settings=None):
    with open({asked!r}, "a") as file:
        file.write("%d.%d\\n" % sys.version_info[:2])
    {extra}
    os.mkdir(os.path.join(folder, "odd-2.0.dist-info"))
    with open(os.path.join(folder, "odd-2.0.dist-info", "METADATA"), "w") as file:
        file.write("Metadata-Version: 2.1\\nName: odd\\nVersion: 2.0\\nRequires-Dist: beta<1.1\\n")
    return "odd-2.0.dist-info"
def build_wheel(*args):
    raise SystemExit("not for metadata")
"""

WARNING = """
[[fact]]
id = "delta-odd-3"
when = { delta = "*" }
then = { odd = "<3" }
severity = "warn"
evidence = "reported"
reason = "a part of delta fails beside odd 3"
sources = [{ title = "https://example.org/delta", checked = 2026-06-01 }]
refuses = [{ delta = "1.0", odd = "3.0" }]
accepts = [{ delta = "1.0", odd = "2.0" }]
"""


@pytest.fixture
def odd(site: Site) -> Callable[..., None]:
    """Puts odd 2.0 into the index, whose backend does something before it tells that it needs beta."""

    def offer(extra: str = "pass") -> None:
        folder = site.index / "odd"
        folder.mkdir(exist_ok=True)
        backend = BACKEND.format(asked=str(site.root / "asked"), extra=extra)
        with tarfile.open(folder / "odd-2.0.tar.gz", "w:gz") as archive:
            for path, text in {"pyproject.toml": PYPROJECT, "backend.py": backend}.items():
                member = tarfile.TarInfo(f"odd-2.0/{path}")
                member.size = len(text)
                archive.addfile(member, io.BytesIO(text.encode()))
        links = "".join(f'<a href="{path.name}">{path.name}</a>\n' for path in sorted(folder.glob("odd-*")))
        (folder / "index.html").write_text(f"<!DOCTYPE html><html><body>\n{links}</body></html>\n")

    return offer


def ask(site: Site, *requires: str, more: str = "") -> None:
    wishes = ", ".join(f'"{one}"' for one in requires)
    site.manifest(f"{more}\n[groups.tiny]\nrequires = [{wishes}]\n")


def pins(site: Site) -> dict[str, str]:
    document = tomllib.loads((site.project / "locks/real/pylock.tiny.toml").read_text())
    found = {one["name"]: one["version"] for one in document["packages"]}
    found.pop("setuptools", "")  # which Pythons before 3.12 need
    return found


def asked(site: Site) -> list[str]:
    file = site.root / "asked"
    return file.read_text().split() if file.exists() else []


def test_a_backend_is_asked_once_where_nothing_else_answers(site: Site, envlock: Envlock, odd):
    odd()
    ask(site, "odd")
    said = envlock(*SOLVE)
    assert said.status == 0, said.golden
    assert pins(site) == {"odd": "2.0", "beta": "1.0"}
    version = ".".join(site.real.version.split(".")[:2])
    assert asked(site) == [version]
    lock = site.project / "locks/real/pylock.tiny.toml"
    before = lock.read_bytes()
    lock.unlink()
    assert envlock(*SOLVE).status == 0
    assert lock.read_bytes() == before
    assert asked(site) == [version]
    assert envlock("why", "beta", "--target", "real").status == 0


def test_a_backend_is_asked_where_the_python_is_open_as_well(site: Site, envlock: Envlock, odd):
    odd()
    ask(site, "odd")
    manifest = site.project / "envlock.toml"
    text = manifest.read_text()
    other = text[text.index("[[targets.here.interpreter]]") : text.index("[targets.real]")]
    older = other.replace("targets.here", "targets.real").replace("3.12", "3.8").replace("cp312", "cp38")
    manifest.write_text(text + older)
    said = envlock(*SOLVE)
    assert said.status == 0, said.golden
    assert pins(site) == {"odd": "2.0", "beta": "1.0"}
    assert asked(site) == [".".join(site.real.version.split(".")[:2])]


def test_no_code_runs_where_another_version_states_its_own(site: Site, envlock: Envlock, odd):
    site.offer("odd", "1.0", requires=["beta>=1"])
    odd()
    ask(site, "odd")
    assert envlock(*SOLVE).status == 0
    assert pins(site) == {"odd": "1.0", "beta": "1.1"}
    assert asked(site) == []
    ask(site, "odd>=2")
    assert envlock(*SOLVE).status == 0
    assert pins(site) == {"odd": "2.0", "beta": "1.0"}


def test_the_manifest_may_forbid_it(site: Site, envlock: Envlock, odd):
    odd()
    ask(site, "odd", more="build-metadata = false")
    said = envlock(*SOLVE)
    assert said.status == 1, said.golden
    assert "does not state its dependencies" in " ".join(said.err.split())
    assert "may not be asked" in " ".join(said.err.split())
    assert asked(site) == []


@pytest.mark.parametrize(
    ("extra", "deadline_s", "told"),
    [
        ("raise ValueError('a backend of its own mind')", PATIENCE_S, "a backend of its own mind"),
        (
            "return\nimport absent\ndef other():\n    folder = ''",
            PATIENCE_S,
            "No module named 'absent'",
        ),
        (
            "import atexit; atexit.register(print, 'and more\\n' * 30); raise OSError('out of its mind')",
            PATIENCE_S,
            "dependencies: OSError: out of its mind",
        ),
        ("time.sleep(3600)", 1.0, "did not end within"),
        ("print('still busy', flush=True); time.sleep(3600)", 1.0, "did not end within"),
    ],
)
def test_a_backend_that_fails_is_told(
    site: Site,
    envlock: Envlock,
    odd,
    monkeypatch: pytest.MonkeyPatch,
    extra: str,
    deadline_s: float,
    told: str,
):
    monkeypatch.setattr(built_metadata, "_DEADLINE_S", deadline_s)
    odd(extra)
    ask(site, "odd")
    said = envlock(*SOLVE)
    assert said.status == 1, said.golden
    assert told in " ".join(said.err.split()), said.err
    assert not list(site.project.rglob("pylock.*"))


def test_a_backend_has_no_network(site: Site, envlock: Envlock, odd):
    alone = ["unshare", "--user", "--map-root-user", "--net", "true"]
    if (
        not Path("/usr/bin/unshare").exists()
        or subprocess.run(alone, check=False, timeout=PATIENCE_S).returncode
    ):
        pytest.skip("this machine lets no user close the network")
    odd("assert open('/proc/net/dev').read().count(':') == 1, 'there is a network'")
    ask(site, "odd")
    said = envlock(*SOLVE)
    assert said.status == 0, said.golden


@pytest.mark.parametrize("name", ["no_proxy", "NO_PROXY"])
def test_no_host_is_spared_the_proxy_that_leads_nowhere(
    site: Site, envlock: Envlock, odd, monkeypatch: pytest.MonkeyPatch, name: str
):
    """Where the kernel cannot close the network, nothing else keeps a backend from it."""
    monkeypatch.setenv(name, "*")
    odd("from urllib.request import proxy_bypass; assert not proxy_bypass('example.org'), 'spared'")
    ask(site, "odd")
    said = envlock(*SOLVE)
    assert said.status == 0, said.golden


def test_no_code_runs_for_a_release_that_is_only_nicer(site: Site, envlock: Envlock, odd):
    """A fact warns of odd 3, and what comes before it would have to be built: no preference is worth that."""
    site.offer("odd", "3.0")
    site.offer("delta", "1.0", requires=["odd"])
    odd()
    (site.project / "ours/facts").mkdir(parents=True)
    (site.project / "ours/facts/odd.toml").write_text(WARNING.lstrip())
    ask(site, "delta", more='[site]\nknowledge = ["ours"]\n')
    said = envlock(*SOLVE)
    assert said.status == 0, said.golden
    assert pins(site)["odd"] == "3.0"
    assert asked(site) == []
    assert "a part of delta fails" in said.out
