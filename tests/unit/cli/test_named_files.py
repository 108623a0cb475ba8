"""Files that a manifest names itself: wheels and sdists by path and by address, such as trained models."""

from __future__ import annotations

import hashlib
import io
import json
import shutil
import subprocess
import tarfile
import tomllib
from base64 import b64encode
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from packaging.pylock import Pylock

from envlock.edges.store.protection import unprotect
from tests.patience import PATIENCE_S
from tests.unit.cli.conftest import Said, Site, write_wheel
from tests.unit.edges.index.conftest import IndexServer, serving

Envlock = Callable[..., Said]
SOLVE = ["solve", "tiny", "--target", "here", "--lock-only"]
WHEEL = "en_core_toy-2.2.5-py3-none-any.whl"
SDIST = "en_core_toy-2.2.5.tar.gz"
SETUP = 'from setuptools import setup\nsetup(name="en_core_toy", install_requires=["alpha>=1"])\n'
META = "Metadata-Version: 1.1\nName: en_core_toy\nVersion: 2.2.5\n"


@pytest.fixture
def models(site: Site) -> Path:
    """A small model as spaCy's are: a package that needs its library, as a wheel and as an sdist."""
    folder = site.project / "models"
    folder.mkdir()
    write_wheel(
        folder / WHEEL, "en_core_toy", "2.2.5", ["alpha>=1,<2"], "import alpha\nmeta = {'lang': 'en'}\n"
    )
    with tarfile.open(folder / SDIST, "w:gz") as archive:
        for path, text in {"PKG-INFO": META, "setup.py": SETUP, "en_core_toy.py": "import alpha\n"}.items():
            member = tarfile.TarInfo(f"en_core_toy-2.2.5/{path}")
            member.size = len(text)
            archive.addfile(member, io.BytesIO(text.encode()))
    return folder


@pytest.fixture
def server() -> Iterator[IndexServer]:
    with serving() as started:
        yield started


def sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def package(site: Site, name: str = "en-core-toy", target: str = "here") -> dict:
    document = tomllib.loads((site.project / f"locks/{target}/pylock.tiny.toml").read_text())
    Pylock.from_dict(document)
    return next(one for one in document["packages"] if one["name"] == name)


def ask(site: Site, *requires: str, more: str = "") -> None:
    wishes = ", ".join(f'"{one}"' for one in requires)
    site.manifest(f"[groups.tiny]\nrequires = [{wishes}]\n{more}\n")


@pytest.mark.processes
def test_a_model_by_path_is_locked_installed_and_checked(site: Site, envlock: Envlock, models: Path):
    ask(site, f"./models/{WHEEL}")
    said = envlock("solve", "tiny", "--target", "real")
    assert said.status == 0, said.golden
    found = package(site, target="real")
    assert found["archive"]["path"] == f"../../models/{WHEEL}"
    assert found["archive"]["hashes"] == {"sha256": sha256(models / WHEEL)}
    assert found["version"] == "2.2.5"
    assert "wheels" not in found
    assert package(site, "alpha", "real")["version"] == "1.0"  # as the model's metadata wants it
    prefix = Path(envlock("where", "tiny", "--target", "real").out.strip().replace("<root>", str(site.root)))
    code = "import en_core_toy; print(en_core_toy.meta['lang'], en_core_toy.alpha.version)"
    done = subprocess.run(
        [prefix / "bin/python", "-c", code], capture_output=True, text=True, check=True, timeout=PATIENCE_S
    )
    assert done.stdout == "en 1.0\n"
    # Solved again nothing moves; another file in its place is no longer what the lock says.
    lock = site.project / "locks/real/pylock.tiny.toml"
    before = lock.read_bytes()
    assert envlock("solve", "tiny", "--target", "real").status == 0
    assert lock.read_bytes() == before
    said = envlock("status", "--target", "real")
    assert "evidence-missing" in said.out
    assert "wishes-changed" not in said.out
    frozen = '[groups.tiny.frozen]\nuntil = 2999-01-01\nreason = "thesis"\n'
    ask(site, f"./models/{WHEEL}", more=frozen)
    (models / WHEEL).write_bytes((models / WHEEL).read_bytes() + b"altered")
    unprotect(site.project / ".envlock")
    shutil.rmtree(site.project / ".envlock")
    said = envlock("solve", "tiny", "--target", "real")
    assert (said.status, "hash-mismatch" in said.err) == (3, True), said.golden


def test_what_the_manifest_names_has_nothing_to_do_with_an_index(site: Site, envlock: Envlock, models: Path):
    """There, somebody else's project may bear the name."""
    site.offer("en-core-toy", "9.0")
    ask(site, f"./models/{WHEEL}")
    assert envlock("solve", "tiny", "--lock-only", "--target", "real").status == 0
    (reason,) = json.loads(envlock("why", "en-core-toy", "--target", "real", "--json").out)["reasons"]
    assert (reason["version"], reason["newest"], reason["next"]) == ("2.2.5", "", None)
    text = envlock("export", "tiny", "--target", "real").out
    assert f"\n./models/{WHEEL} \\\n    --hash=sha256:" in text
    assert "en-core-toy==" not in text
    promise = ("--until", "2999-01-01", "--reason", "thesis")
    assert envlock("freeze", "tiny", "--target", "real", *promise).status == 0
    said = envlock("freeze", "--check", "--target", "real")
    assert (said.status, f"{WHEEL} comes from models/{WHEEL}" in said.out) == (0, True), said.golden
    assert envlock("freeze", "tiny", "--target", "real", "--archive", "kept").status == 0
    assert "file-elsewhere" not in envlock("freeze", "--check", "--target", "real").out


@pytest.mark.parametrize("wish", [f"./models/{SDIST}", f"en_core_toy @ ./models/{SDIST}"])
def test_a_model_as_an_sdist_is_planned_to_be_built(site: Site, envlock: Envlock, models: Path, wish: str):
    site.offer("wheel", "0.30")
    site.offer("setuptools", "70.0")
    ask(site, wish)
    said = envlock(*SOLVE)
    assert said.status == 0, said.golden
    found = package(site)
    assert found["archive"]["path"] == f"../../models/{SDIST}"
    assert found["archive"]["hashes"] == {"sha256": sha256(models / SDIST)}
    names = [one["name"] for one in found["tool"]["envlock"]["build"]["requires"]]
    assert names == ["setuptools", "wheel"]
    assert package(site, "alpha")["version"] == "2.0"


def test_a_file_of_an_address_is_hashed_and_its_hash_honoured(
    site: Site, envlock: Envlock, models: Path, server: IndexServer
):
    server.file(WHEEL, (models / WHEEL).read_bytes())
    url, digest = f"{server.url}/files/{WHEEL}", sha256(models / WHEEL)
    for wish in (f"en-core-toy @ {url}", f"en-core-toy @ {url}#sha256={digest}"):
        ask(site, wish)
        said = envlock(*SOLVE)
        assert said.status == 0, said.golden
        archive = package(site)["archive"]
        assert (archive["url"], archive["hashes"]) == (url, {"sha256": digest})
    before = site.lock.read_bytes()
    ask(site, f"en-core-toy @ {url}#sha256={'0' * 64}")
    shutil.rmtree(site.root / "cache")
    said = envlock("solve", "tiny", "--target", "real")
    assert (said.status, "hash-mismatch" in said.err) == (3, True), said.golden
    assert site.lock.read_bytes() == before


def test_the_name_in_an_address_opens_it_and_goes_nowhere(
    site: Site, envlock: Envlock, models: Path, server: IndexServer
):
    """A name alone may be a token, as repository hosts accept them."""
    server.file(WHEEL, (models / WHEEL).read_bytes(), password=f"Basic {b64encode(b't0ken:').decode()}")
    url = f"{server.url}/files/{WHEEL}"
    ask(site, f"en-core-toy @ {url.replace('http://', 'http://t0ken@')}")
    assert envlock(*SOLVE).status == 0
    assert package(site)["archive"]["url"] == url
    for command in (["why", "en-core-toy"], ["export", "tiny"], ["export", "tiny", "--format", "pylock"]):
        said = envlock(*command, "--target", "here")
        assert (said.status, url in said.out, "t0ken" in said.out) == (0, True, False), said.golden
    shutil.rmtree(site.root / "cache")  # what the lock says is fetched with the name in the manifest
    assert envlock("solve", "tiny", "--target", "here", "--lock-only").status == 0
    assert "t0ken" not in "".join(
        path.read_text(errors="ignore") for path in site.root.glob("cache/**/*") if path.is_file()
    )


def test_a_dependency_by_address_needs_the_manifests_leave(site: Site, envlock: Envlock, models: Path):
    url = (models / WHEEL).as_uri()
    site.offer("pipeline", "1.0", requires=[f"en-core-toy @ {url}"])
    ask(site, "pipeline")
    said = envlock(*SOLVE)
    assert said.status == 1, said.golden
    assert "takes en-core-toy from file:" in " ".join(said.err.split())
    assert "only the manifest may name such a place" in " ".join(said.err.split())
    assert not site.lock.exists()
    for more in (
        f'[sources]\nen-core-toy = {{ path = "./models/{WHEEL}" }}',
        f'[sources]\nen_core_toy = {{ url = "{url}" }}',
    ):
        ask(site, "pipeline", more=more)
        said = envlock(*SOLVE)
        assert said.status == 0, said.golden
        assert package(site)["tool"]["envlock"]["asked-by"] == ["pipeline 1.0"]


def test_a_named_file_takes_the_place_of_the_index_whatever_the_date(
    site: Site, envlock: Envlock, models: Path
):
    site.offer("en_core_toy", "9.0")
    ask(site, f"./models/{WHEEL}", more="as-of = 2015-01-01")
    said = envlock(*SOLVE)
    assert said.status == 1  # the date keeps alpha out, not the model
    assert "alpha" in said.err
    ask(site, f"./models/{WHEEL}", "en-core-toy>=3")
    said = envlock(*SOLVE)
    assert said.status == 1, said.golden
    assert "en-core-toy" in said.err


def test_a_wheel_for_another_python_is_refused(site: Site, envlock: Envlock, models: Path):
    (models / WHEEL).rename(models / "en_core_toy-2.2.5-cp27-cp27m-any.whl")
    ask(site, "./models/en_core_toy-2.2.5-cp27-cp27m-any.whl")
    said = envlock(*SOLVE)
    assert said.status == 1, said.golden
    assert "no wheel for cp312" in " ".join(said.err.split())


@pytest.mark.parametrize(
    ("wish", "told"),
    [
        ("./models/gone-1.0-py3-none-any.whl", "not where the manifest says"),
        ("./models", "does not say which distribution"),
        (f"other @ ./models/{WHEEL}", "is not a file of 'other'"),
        ("alpha @ https://example.org/archive/v2.0.rpm", "the name of neither a wheel nor an sdist"),
        (
            "alpha @ https://example.org/alpha-1.0.tar.gz#subdirectory=a",
            "an archive cannot have a subdirectory",
        ),
        ("alpha @ hg+https://example.org/alpha", "not a git repository that can be read"),
        ("alpha @ git+ext://example.org/alpha", "not a git repository that can be read"),
        ("alpha @ git+https://me:secret@example.org/alpha", "must not contain a password"),
        (f"alpha @ git+https://example.org/alpha#sha256={'a' * 64}", "a repository has no sha256"),
        (f"en-core-toy @ https://me:secret@example.org/{WHEEL}", "must not contain a password"),
        (f"en-core-toy @ https://example.org/{WHEEL}?token=secret", "must not contain a token"),
        (f"en-core-toy @ ./models/{WHEEL}#sha256=12", "is not a sha256"),
        (f"en-core-toy @ https://example.org/{WHEEL}#md5={'a' * 32}", "md5 would not be checked"),
        (f"en-core-toy @ ftp://example.org/{WHEEL}", "nothing is fetched from 'ftp://"),
        (f"en-core-toy @ ./models/{WHEEL}#sha256={'a' * 64}", "whose hash the manifest tells"),
        ("-e ./src", "editable = true"),
        ("-r base.txt", "envlock init --from FILE"),
        ("-c limits.txt", "constraints = ["),
    ],
)
def test_what_cannot_be_meant(site: Site, envlock: Envlock, models: Path, wish: str, told: str):
    ask(site, wish)
    said = envlock(*SOLVE)
    assert said.status == 2, said.golden
    assert told in " ".join(said.err.split())
    assert not site.lock.exists()
