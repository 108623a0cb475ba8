"""Models as sdists, editable folders and unstated dependencies, with the real index and real builds."""

from __future__ import annotations

import io
import subprocess
import tarfile
import tomllib
from pathlib import Path

import pytest

from tests.live.conftest import Workplace

pytestmark = pytest.mark.live

MODEL = {
    "PKG-INFO": "Metadata-Version: 1.0\nName: xx_toy_model\nVersion: 2.2.5\n",
    "meta.json": '{"lang": "xx", "spacy_version": ">=2.2.2"}',
    "MANIFEST.in": "include meta.json\n",
    "setup.py": (
        "import json\nfrom setuptools import setup\n"
        "meta = json.load(open('meta.json'))\n"
        "setup(name='xx_toy_model', version='2.2.5', packages=['xx_toy_model'], "
        "install_requires=['wasabi' + meta['spacy_version'].replace('2.2.2', '0.6.0')])\n"
    ),
    "xx_toy_model/__init__.py": "import wasabi\n\n\ndef load():\n    return wasabi.__name__\n",
}
"""In the manner of trained spaCy models: the setup.py reads its dependencies out of meta.json."""
SETUPTOOLS = '[build-system]\nrequires = ["setuptools>=64"]\nbuild-backend = "setuptools.build_meta"\n'
HATCHLING = '[build-system]\nrequires = ["hatchling"]\nbuild-backend = "hatchling.build"\n'
POETRY = '[build-system]\nrequires = ["poetry-core"]\nbuild-backend = "poetry.core.masonry.api"\n'
PROJECT = '[project]\nname = "mytools"\nversion = "0.3"\ndependencies = ["six"]\n'
OF_POETRY = (
    '[tool.poetry]\nname = "mytools"\nversion = "0.3"\ndescription = ""\nauthors = []\n'
    '[tool.poetry.dependencies]\npython = ">=3.8"\nsix = "*"\n'
)


def model(folder: Path) -> None:
    folder.mkdir()
    with tarfile.open(folder / "xx_toy_model-2.2.5.tar.gz", "w:gz") as archive:
        for path, text in MODEL.items():
            member = tarfile.TarInfo(f"xx_toy_model-2.2.5/{path}")
            member.size = len(text)
            archive.addfile(member, io.BytesIO(text.encode()))


def say(place: Workplace, code: str) -> str:
    prefix = place.envlock("where", "stack").strip()
    done = subprocess.run(
        [f"{prefix}/bin/python", "-c", code], capture_output=True, text=True, check=True, timeout=60
    )
    return done.stdout.strip()


def test_a_model_whose_setup_py_computes_its_dependencies(tmp_path: Path):
    model(tmp_path / "models")
    (tmp_path / "envlock.toml").write_text(
        '[groups.stack]\npython = "3.11"\nrequires = ["./models/xx_toy_model-2.2.5.tar.gz"]\n'
    )
    place = Workplace(tmp_path)
    place.envlock("solve", "stack")
    packages = {one["name"]: one for one in tomllib.loads(place.lock("stack").read_text())["packages"]}
    assert packages["xx-toy-model"]["archive"]["path"] == "../../models/xx_toy_model-2.2.5.tar.gz"
    assert "wasabi" in packages  # which only its build backend could tell
    assert say(place, "import xx_toy_model; print(xx_toy_model.load())") == "wasabi"
    report = place.envlock("status", status=1)  # it was never verified
    assert "wishes-changed" not in report


@pytest.mark.parametrize(
    "pyproject",
    [SETUPTOOLS + PROJECT, HATCHLING + PROJECT, POETRY + OF_POETRY],
    ids=["setuptools", "hatchling", "poetry"],
)
def test_an_editable_folder_of_a_real_backend(tmp_path: Path, pyproject: str):
    source = tmp_path / "src" / "mytools"
    source.mkdir(parents=True)
    (tmp_path / "src" / "pyproject.toml").write_text(pyproject)
    (source / "__init__.py").write_text("word = 'first'\n")
    (tmp_path / "envlock.toml").write_text(
        '[groups.stack]\npython = "3.11"\nrequires = ["mytools"]\n'
        '[sources]\nmytools = { path = "./src", editable = true }\n'
    )
    place = Workplace(tmp_path)
    place.envlock("solve", "stack")
    assert say(place, "import mytools, six; print(mytools.word)") == "first"
    (source / "__init__.py").write_text("word = 'second'\n")
    assert say(place, "import mytools; print(mytools.word)") == "second"
    place.envlock("repair", "stack", "--dry-run")
