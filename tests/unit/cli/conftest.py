"""A small project, a package index in a folder, and the command line run inside this process."""

from __future__ import annotations

import base64
import hashlib
import io
import json
import os
import re
import stat
import sys
import tarfile
import zipfile
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from textwrap import indent
from types import MappingProxyType

import pytest

from envlock import __version__
from envlock.cli import run
from envlock.edges.host.interpreters import ask_interpreter
from envlock.edges.store.protection import unprotect
from envlock.model.project.target import Interpreter
from tests.documents import hold_against_schema
from tests.memory import interpreter

GOLDEN = Path(__file__).parents[2] / "golden" / "cli"
_EPOCH = (1980, 1, 1, 0, 0, 0)
_BUILD_SYSTEM = "[build-system]\nrequires = []\nbuild-backend = 'backend'\nbackend-path = ['.']\n"
_BACKEND = """
import time, zipfile
from pathlib import Path
from textwrap import indent

def build_wheel(folder, config_settings=None, metadata_directory=None):
{work}
    name, info = "{name}-1.0-py3-none-any.whl", "{name}-1.0.dist-info/"
    files = {{"{name}.py": "", info + "METADATA": "Metadata-Version: 2.1\\nName: {name}\\nVersion: 1.0\\n"}}
    files[info + "WHEEL"] = "Wheel-Version: 1.0\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n"
    files[info + "RECORD"] = "".join(f"{{one}},,\\n" for one in [*files, info + "RECORD"])
    with zipfile.ZipFile(Path(folder, name), "w") as wheel:
        for one, text in files.items():
            wheel.writestr(one, text)
    return name
"""
_BOXES = re.compile(r"[─-╿]+")


def laid_open(folder: Path) -> Path:
    """A folder of an environment in which this user, too, and not only root, may change every file."""
    unprotect(folder)
    for path in folder.rglob("*"):
        if path.is_file() and not path.is_symlink():
            path.chmod(path.stat().st_mode | stat.S_IWUSR)
    return folder


@dataclass(frozen=True)
class Said:
    """What one command line printed and how it ended."""

    status: int
    out: str
    err: str

    @property
    def golden(self) -> str:
        parts = [f"exit status {self.status}"]
        parts += [
            f"--- {name}\n{text}" for name, text in (("stdout", self.out), ("stderr", self.err)) if text
        ]
        return "\n".join(line.rstrip() for line in "\n".join(parts).splitlines()) + "\n"


@dataclass(frozen=True)
class Site:
    """A project's folder with everything that it sees of the world.

    Attributes:
        root: the folder of all; what is printed of it reads ``<root>``.
        real: the interpreter of the target ``real``, which runs the tests; that of ``here`` is always the
            same, so that golden texts are, and is not there.
    """

    root: Path
    real: Interpreter

    @property
    def project(self) -> Path:
        return self.root / "project"

    @property
    def index(self) -> Path:
        return self.root / "index"

    @property
    def lock(self) -> Path:
        return self.project / "locks/here/pylock.tiny.toml"

    def manifest(self, text: str, pythons: Iterable[str] = ("3.12.1",)) -> None:
        """Write the manifest: the groups, and two targets, of which ``here`` has some interpreters."""
        targets = _target("here", *map(interpreter, pythons)) + _target("real", self.real)
        (self.project / "envlock.toml").write_text(text + targets)

    def offer(
        self,
        name: str,
        version: str,
        requires: Iterable[str] = (),
        source: str = "",
        files: Mapping[str, str] = MappingProxyType({}),
    ) -> Path:
        """Put a wheel of one module into the index, with more files where there are some."""
        folder = self.index / name
        folder.mkdir(parents=True, exist_ok=True)
        wheel = folder / f"{name}-{version}-py3-none-any.whl"
        write_wheel(wheel, name, version, requires, source or f'version = "{version}"\n', files)
        links = "".join(f'<a href="{path.name}">{path.name}</a>\n' for path in sorted(folder.glob("*.whl")))
        (folder / "index.html").write_text(f"<!DOCTYPE html><html><body>\n{links}</body></html>\n")
        return wheel

    def offer_source(self, name: str, work: str) -> None:
        """Put the source of a distribution into the index whose backend does some work before it builds."""
        files = {
            "pyproject.toml": _BUILD_SYSTEM,
            "backend.py": _BACKEND.format(name=name, work=indent(work, "    ")),
            "PKG-INFO": f"Metadata-Version: 2.2\nName: {name}\nVersion: 1.0\n",
        }
        folder = self.index / name
        folder.mkdir()
        with tarfile.open(folder / f"{name}-1.0.tar.gz", "w:gz") as archive:
            for path, text in files.items():
                entry = tarfile.TarInfo(f"{name}-1.0/{path}")
                entry.size = len(text)
                archive.addfile(entry, io.BytesIO(text.encode()))
        link = f'<a href="{name}-1.0.tar.gz">s</a>'
        (folder / "index.html").write_text(f"<!DOCTYPE html><html><body>{link}</body></html>")

    def listing(self) -> Mapping[str, str]:
        """Every file of the project with its content's hash."""
        files = (path for path in sorted(self.project.rglob("*")) if path.is_file())
        return {
            str(path.relative_to(self.project)): hashlib.sha256(path.read_bytes()).hexdigest()
            for path in files
        }

    def plain(self, text: str) -> str:
        """The text with what differs between machines, days and versions replaced by a word."""
        text = text.replace(str(self.root), "<root>").replace(f"envlock {__version__}", "envlock <version>")
        return re.sub(r"\b[0-9a-f]{64}\b", "<sha256>", text)


def _target(name: str, *pythons: Interpreter) -> str:
    machine = pythons[0].markers["platform_machine"]
    head = f"""
[targets.{name}]
components = {{ glibc = "2.31" }}
machine = "{machine}"
"""
    return head + "".join(_interpreter(name, python) for python in pythons)


def _interpreter(target: str, python: Interpreter) -> str:
    markers = "\n".join(f'{marker} = "{value}"' for marker, value in python.markers.items())
    return f"""
[[targets.{target}.interpreter]]
path = "{python.path}"
version = "{python.version}"
abi = "{python.abi}"
[targets.{target}.interpreter.markers]
{markers}
"""


def write_wheel(
    path: Path,
    name: str,
    version: str,
    requires: Iterable[str],
    source: str,
    files: Mapping[str, str] = MappingProxyType({}),
) -> None:
    """A pure wheel; the same arguments give the same bytes."""
    info = f"{name}-{version}.dist-info"
    metadata = [f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}"]
    metadata += [f"Requires-Dist: {one}" for one in requires]
    wheel = "Wheel-Version: 1.0\nGenerator: tests\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
    members = {
        f"{name}.py": source,
        **files,
        f"{info}/METADATA": "\n".join(metadata) + "\n",
        f"{info}/WHEEL": wheel,
    }
    record = [f"{member},sha256={_digest(text)},{len(text)}" for member, text in members.items()]
    members[f"{info}/RECORD"] = "\n".join([*record, f"{info}/RECORD,,"]) + "\n"
    with zipfile.ZipFile(path, "w") as archive:
        for member, text in members.items():
            archive.writestr(zipfile.ZipInfo(member, date_time=_EPOCH), text)


def _digest(text: str) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(text.encode()).digest()).rstrip(b"=").decode()


TINY = """\
[groups.tiny]
requires = ["alpha==2.0"]
"""


@pytest.fixture(scope="session")
def real() -> Interpreter:
    """The interpreter that runs the tests."""
    found = ask_interpreter(Path(sys.executable).resolve())
    assert found is not None
    return found


@pytest.fixture(scope="session")
def uv_cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A cache of uv's, which knows the interpreter after its first question to it."""
    return tmp_path_factory.mktemp("uv")


@pytest.fixture
def site(real: Interpreter, uv_cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Site:
    """The group ``tiny`` asks for alpha, which needs beta; nothing of the machine's own settings counts."""
    site = Site(root=tmp_path, real=real)
    site.project.mkdir()
    site.offer("alpha", "1.0")
    site.offer("alpha", "2.0", requires=["beta>=1"])
    site.offer("beta", "1.0")
    site.offer("beta", "1.1")
    site.offer("setuptools", "60.0")  # which Pythons before 3.12 need
    site.manifest(TINY)
    for name in [name for name in os.environ if name.startswith(("PIP_", "UV_", "ENVLOCK_", "XDG_"))]:
        monkeypatch.delenv(name)
    settings = {
        "HOME": str(tmp_path / "home"),
        "ENVLOCK_CACHE_DIR": str(tmp_path / "cache"),
        "UV_CACHE_DIR": str(uv_cache),
        "PIP_CONFIG_FILE": os.devnull,
        "PIP_INDEX_URL": site.index.as_uri(),
        "COLUMNS": "100",
        "NO_COLOR": "1",
        "TERM": "dumb",
    }
    for name, value in settings.items():
        monkeypatch.setenv(name, value)
    monkeypatch.chdir(site.project)
    return site


@pytest.fixture
def envlock(site: Site, capsys: pytest.CaptureFixture[str]) -> Callable[..., Said]:
    """Runs a command line; the texts are plain, see ``Site.plain``."""

    def call(*arguments: str) -> Said:
        status = run(list(arguments))
        printed = capsys.readouterr()
        if "--json" in arguments and printed.out.startswith("{"):
            hold_against_schema(json.loads(printed.out))
        return Said(status, site.plain(printed.out), site.plain(printed.err))

    return call


@pytest.fixture
def golden() -> Callable[[str, Said], None]:
    """Compares with ``golden/cli/NAME.txt``; with UPDATE_GOLDEN=1 it is written first."""

    def compare(name: str, said: Said) -> None:
        path = GOLDEN / f"{name}.txt"
        text = _BOXES.sub("", said.golden)
        if os.environ.get("UPDATE_GOLDEN"):
            path.write_text(text)
        assert text == path.read_text()

    return compare
