"""Two commands at once on one store: one makes, the other waits and takes it."""

from __future__ import annotations

import io
import subprocess
import sys
import tarfile
from collections.abc import Callable
from pathlib import Path

from tests.patience import PATIENCE_S
from tests.unit.cli.conftest import TINY, Said, Site

Envlock = Callable[..., Said]
REAL = ["--target", "real"]
BACKEND = """
import time, zipfile
from pathlib import Path

def build_wheel(folder, config_settings=None, metadata_directory=None):
    with open({record!r}, "a") as record:
        record.write("x")
    time.sleep(1)
    name, info = "slow-1.0-py3-none-any.whl", "slow-1.0.dist-info/"
    files = {{"slow.py": "", info + "METADATA": "Metadata-Version: 2.1\\nName: slow\\nVersion: 1.0\\n"}}
    files[info + "WHEEL"] = "Wheel-Version: 1.0\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n"
    files[info + "RECORD"] = "".join(f"{{one}},,\\n" for one in [*files, info + "RECORD"])
    with zipfile.ZipFile(Path(folder, name), "w") as wheel:
        for one, text in files.items():
            wheel.writestr(one, text)
    return name
"""


def offer_source(site: Site, record: Path) -> None:
    """Put the source of ``slow`` into the index; each build of it leaves a mark."""
    files = {
        "pyproject.toml": "[build-system]\nrequires = []\nbuild-backend = 'backend'\nbackend-path = ['.']\n",
        "backend.py": BACKEND.format(record=str(record)),
        "PKG-INFO": "Metadata-Version: 2.2\nName: slow\nVersion: 1.0\n",
    }
    folder = site.index / "slow"
    folder.mkdir()
    with tarfile.open(folder / "slow-1.0.tar.gz", "w:gz") as archive:
        for name, text in files.items():
            entry = tarfile.TarInfo(f"slow-1.0/{name}")
            entry.size = len(text)
            archive.addfile(entry, io.BytesIO(text.encode()))
    (folder / "index.html").write_text(
        '<!DOCTYPE html><html><body><a href="slow-1.0.tar.gz">s</a></body></html>'
    )


def together(*groups: str) -> None:
    """Solve groups in as many processes at once."""
    command = [sys.executable, "-m", "envlock", "solve", *REAL]
    running = [
        subprocess.Popen([*command, group], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        for group in groups
    ]
    for one in running:
        _, told = one.communicate(timeout=PATIENCE_S)
        assert one.returncode == 0, told


def sound(site: Site, envlock: Envlock, *groups: str) -> None:
    """Every group has its lock's environment, whole."""
    assert envlock("status", *REAL).out.count("never verified") == len(groups)
    for group in groups:
        assert '"matches_lock": true' in envlock("where", group, *REAL, "--json").out
        assert envlock("repair", group, *REAL, "--dry-run").status == 0


def test_the_same_group_twice(site: Site, envlock: Envlock) -> None:
    together("tiny", "tiny")
    sound(site, envlock, "tiny")
    assert len(list((site.project / ".envlock/environments").iterdir())) == 1


def test_two_groups_that_need_the_same_build(site: Site, envlock: Envlock) -> None:
    record = site.root / "builds"
    offer_source(site, record)
    site.manifest(f'[groups.one]\nrequires = ["slow"]\n[groups.two]\nrequires = ["slow", "beta"]\n{TINY}')
    together("one", "two", "tiny")
    sound(site, envlock, "one", "two", "tiny")
    assert record.read_text() == "x"
    assert len(list((site.project / ".envlock/wheels").glob("*/*.whl"))) == 1
