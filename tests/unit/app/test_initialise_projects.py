"""What a project begins with where uv, Poetry, Pipenv or setuptools say what it takes."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from envlock.app.initialise import init
from envlock.app.project import Options, open_project
from envlock.model.errors import RequestError

POETRYS = """\
[tool.poetry]
name = "x"
version = "0.1"
description = ""
authors = []
[tool.poetry.dependencies]
python = "^2.7 || ^3.8"
numpy = "^1.24"
torch = [{ version = "<2", python = "<3.9" }, { version = "~2.1", python = ">=3.9" }]
transformers = { version = "4.*", extras = ["torch"] }
scipy = { version = ">=1.9", optional = true }
ours = { path = "../ours", develop = true }
early = { version = "^1.0", allow-prereleases = true }
[tool.poetry.extras]
fast = ["scipy"]
[tool.poetry.dev-dependencies]
pytest = "^7"
[tool.poetry.group.docs]
optional = true
[tool.poetry.group.docs.dependencies]
sphinx = "*"
"""


def place_sources(folder: Path) -> None:
    folder.mkdir()
    (folder / "pyproject.toml").write_text('[project]\nname = "Ours"\nversion = "1.0"\n')


UVS = """\
[project]
name = "x"
dependencies = ["torch", "ours", "theirs", "member", "either"]
[tool.uv]
constraint-dependencies = ["urllib3<2"]
override-dependencies = ["protobuf>=4", "six>=1; python_version<'3.9'", "six>=2; python_version>='3.9'"]
dev-dependencies = ["ruff"]
no-build-package = ["scipy"]
environments = ["sys_platform == 'linux'"]
[tool.uv.sources]
torch = [
  { index = "CPU", marker = "sys_platform != 'linux'" },
  { index = "cu124", marker = "sys_platform == 'linux'" },
]
ours = { path = "libs/ours", editable = true }
theirs = { git = "https://example.org/theirs.git", tag = "v1.0", subdirectory = "python" }
member = { workspace = true }
either = [{ index = "CPU", extra = "cpu" }, { index = "cu124", extra = "gpu" }]
gone = { index = "private" }
[[tool.uv.index]]
name = "CPU"
url = "https://example.org/whl/cpu"
[[tool.uv.index]]
name = "cu124"
url = "https://example.org/whl/cu124"
explicit = true
[[tool.uv.index]]
name = "private"
url = "https://me:s3cret@example.org/simple"
"""


def test_settings_of_uv_are_taken_over_or_told(tmp_path: Path):
    file = tmp_path / "pyproject.toml"
    file.write_text(UVS)
    begun = init(tmp_path, python="3.11", requires=[], begin_from=file)
    manifest = open_project(Options(project=tmp_path)).manifest
    policy = manifest.group("stack").policy
    assert [one.text for one in policy.constraints] == ["urllib3<2"]
    assert [(str(one.requirement), one.reason) for one in policy.overrides] == [
        ("protobuf>=4", "pyproject.toml says so")
    ]
    assert policy.forms.only_binary == {"scipy"}
    assert begun.further == {"dev": ("ruff",)}
    assert [(one.name, one.explicit) for one in manifest.sources.indexes] == [("cpu", False), ("cu124", True)]
    assert manifest.sources.pinned == {"torch": "cu124"}
    ours, theirs = (manifest.sources.direct[name] for name in ("ours", "theirs"))
    assert (ours.place, ours.editable) == ("libs/ours", True)
    assert (theirs.place, theirs.subdirectory) == ("git+https://example.org/theirs.git@v1.0", "python")
    assert [text.partition(": ")[0] for text in begun.left_out] == [
        "tool.uv.environments",
        "tool.uv.index private",
        "tool.uv.override-dependencies six>=1; python_version<'3.9'",
        "tool.uv.override-dependencies six>=2; python_version>='3.9'",
        *(f"tool.uv.sources.{name}" for name in ("member", "either", "gone")),
    ]
    assert "s3cret" not in (tmp_path / "envlock.toml").read_text() + "".join(begun.left_out)


def test_indexes_that_share_a_name_are_left_to_people(tmp_path: Path):
    file = tmp_path / "pyproject.toml"
    first, second = "https://example.org/a/simple", "https://example.org/b/simple"
    file.write_text(f'[project]\nname = "x"\n[tool.uv]\nextra-index-url = ["{first}", "{second}"]\n')
    begun = init(tmp_path, python="3.11", requires=["torch==1+cu1"], begin_from=file)
    indexes = open_project(Options(project=tmp_path)).manifest.sources.indexes
    assert [(one.name, one.url) for one in indexes] == [("extra", first)]
    assert [text.partition(": ")[0] for text in begun.left_out] == [f"tool.uv.extra-index-url {second}"]


@pytest.mark.parametrize(
    ("old", "new", "where"),
    [
        ("sys_platform != 'linux'", "never", "tool.uv.sources.torch[0].marker"),
        ('index = "cu124", marker', "index = 1, marker", "tool.uv.sources.torch[1].index"),
        ('"protobuf>=4"', '"protobuf=>4"', "tool.uv.override-dependencies"),
        ('url = "https://example.org/whl/cpu"', "url = 3", "tool.uv.index[0].url"),
    ],
)
def test_settings_that_uv_does_not_take_are_refused(tmp_path: Path, old: str, new: str, where: str):
    file = tmp_path / "pyproject.toml"
    file.write_text(UVS.replace(old, new))
    with pytest.raises(RequestError) as caught:
        init(tmp_path, python="3.11", requires=[], begin_from=file)
    assert where in caught.value.where
    assert not (tmp_path / "envlock.toml").exists()


def test_sources_of_poetry_send_what_it_sends(tmp_path: Path):
    file = tmp_path / "pyproject.toml"
    file.write_text(
        POETRYS.replace(
            'scipy = { version = ">=1.9", optional = true }',
            'scipy = { version = ">=1.9", optional = true, source = "PyTorch_CPU" }\n'
            'six = { version = "*", source = "PyPI" }',
        )
        + '[[tool.poetry.source]]\nname = "PyTorch_CPU"\nurl = "https://example.org/cpu"\n'
        'priority = "explicit"\n'
        '[[tool.poetry.source]]\nname = "mirror"\nurl = "https://example.org/mirror"\n'
        '[[tool.poetry.source]]\nname = "old"\nurl = "https://example.org/old"\nsecondary = true\n'
        '[[tool.poetry.source]]\nname = "PyPI"\n'
    )
    init(tmp_path, python="", requires=[], begin_from=file)
    sources = open_project(Options(project=tmp_path)).manifest.sources
    assert [(one.name, one.explicit) for one in sources.indexes] == [
        *(("pytorch-cpu", True), ("mirror", False), ("old", True))
    ]
    assert sources.pinned == {"scipy": "pytorch-cpu", "six": "pip"}


def test_a_secret_source_of_poetry_s_is_told_with_what_it_sends(tmp_path: Path):
    file = tmp_path / "pyproject.toml"
    file.write_text(
        POETRYS.replace('numpy = "^1.24"', 'numpy = { version = "^1.24", source = "ours" }')
        + '[[tool.poetry.source]]\nname = "ours"\nurl = "https://me:s3cret@example.org/simple"\n'
        'priority = "explicit"\n'
    )
    begun = init(tmp_path, python="", requires=[], begin_from=file)
    assert begun.requires[0] == "numpy>=1.24,<2.0"
    told = [text for text in begun.left_out if not text.startswith("ours:")]
    assert told == [
        "source ours: see [[indexes]] and [sources] of the manifest",
        'numpy from ours alone: [[indexes]] of that name, and [sources] numpy = "ours"',
    ]
    assert "s3cret" not in begun.manifest.read_text()


PIPFILE = """\
[[source]]
url = "https://example.org/simple"
name = "pypi"
[[source]]
url = "https://example.org/whl/cu113"
name = "PyTorch"
[[source]]
url = "https://me:s3cret@example.org/simple"
name = "private"
[packages]
numpy = "*"
torch = {version = "==1.12.1+cu113", index = "PyTorch"}
inner = {version = "*", index = "private"}
requests = {extras = ["socks"], version = ">=2", sys_platform = "== 'linux'", markers = "os_name == 'posix'"}
theirs = {git = "https://example.org/x.git", ref = "v1", subdirectory = "python"}
file = {file = "https://example.org/file-1.0.tar.gz"}
six = "1.16"
ours = {path = "./ours", editable = true}
[dev-packages]
pytest = {version = "*", index = "pypi"}
theirs-too = {path = "./gone"}
[docs]
sphinx = "*"
[requires]
python_version = "3.8"
"""


def test_a_pipfile_is_read_as_pipenv_reads_it(tmp_path: Path):
    place_sources(tmp_path / "ours")
    (tmp_path / "Pipfile").write_text(PIPFILE)
    begun = init(tmp_path, python="", requires=[], begin_from=tmp_path / "Pipfile")
    assert begun.python == "3.8"
    assert begun.requires == (
        "Ours",
        "numpy",
        "torch==1.12.1+cu113",
        "inner",
        "requests[socks]>=2 ; (os_name == 'posix') and (sys_platform == 'linux')",
        "theirs @ git+https://example.org/x.git@v1#subdirectory=python",
        "file @ https://example.org/file-1.0.tar.gz",
        "six==1.16",
    )
    assert begun.further == {"dev": ("pytest",), "docs": ("sphinx",)}
    document = tomllib.loads(begun.manifest.read_text())
    assert document["indexes"] == [{"name": "pytorch", "url": "https://example.org/whl/cu113"}]
    assert document["sources"] == {
        "Ours": {"path": "./ours", "editable": True},
        "torch": "pytorch",
        "pytest": "pip",
    }
    assert [text.partition(" (")[0].partition(";")[0] for text in begun.left_out] == [
        "./gone",
        "source private",
        'inner from private alone: [[indexes]] of that name, and [sources] inner = "private"',
    ]
    assert "s3cret" not in begun.manifest.read_text() + "".join(begun.left_out)


@pytest.mark.parametrize("early", [True, False])
def test_pipenv_s_early_releases_are_those_of_everything_named(tmp_path: Path, early: bool):
    setting = f"[pipenv]\nallow_prereleases = {str(early).lower()}\n"
    (tmp_path / "Pipfile").write_text(f'{setting}[packages]\nnumpy = "*"\n[dev-packages]\npytest = "*"\n')
    init(tmp_path, python="3.11", requires=[], begin_from=tmp_path / "Pipfile")
    policy = open_project(Options(project=tmp_path)).manifest.group("stack").policy
    assert policy.prereleases == ({"numpy", "pytest"} if early else set())


@pytest.mark.parametrize(
    ("text", "code", "where"),
    [
        ("[packages]\n", "no-wishes", "Pipfile"),
        ('[packages]\nnumpy = "=>1"\n', "invalid-requirement", "Pipfile, numpy"),
        ("[packages]\nnumpy = 3\n", "invalid-document", "packages.numpy"),
        ("packages = 3\n", "invalid-document", "packages"),
    ],
)
def test_what_is_no_pipfile_is_told(tmp_path: Path, text: str, code: str, where: str):
    (tmp_path / "Pipfile").write_text(text)
    with pytest.raises(RequestError) as caught:
        init(tmp_path, python="3.11", requires=[], begin_from=tmp_path / "Pipfile")
    assert (caught.value.code, where in caught.value.where) == (code, True), caught.value.where
    assert not (tmp_path / "envlock.toml").exists()


def test_poetrys_own_form_is_read_as_poetry_reads_it(tmp_path: Path):
    file = tmp_path / "pyproject.toml"
    file.write_text(POETRYS)
    begun = init(tmp_path, python="", requires=[], begin_from=file)
    manifest = open_project(Options(project=tmp_path)).manifest
    assert begun.python == ">=3.8,<4.0"
    assert [wish.text for wish in manifest.group("stack").wishes] == [
        "numpy>=1.24,<2.0",
        'torch<2 ; python_version < "3.9"',
        'torch>=2.1,<2.2 ; python_version >= "3.9"',
        "transformers[torch]==4.*",
        "early>=1.0,<2.0",
    ]
    assert begun.further == {"fast": ("scipy>=1.9",), "dev": ("pytest>=7,<8",), "docs": ("sphinx",)}
    assert manifest.group("stack").policy.prereleases == {"early"}
    assert [text.partition(":")[0] for text in begun.left_out] == ["ours"]  # not there, so nobody knows it


def test_several_ranges_of_poetry_s_become_one_from_first_to_last(tmp_path: Path):
    file = tmp_path / "pyproject.toml"
    several = 'numpy = "^1.24 || ^2.1"\nsix = "!=1.15"\nattrs = ">=20,<21 || >=22"\nidna = "3.4 || 3.6"'
    file.write_text(POETRYS.replace('numpy = "^1.24"', several))
    begun = init(tmp_path, python="", requires=[], begin_from=file)
    assert begun.requires[:4] == ("numpy>=1.24,<3.0", "six!=1.15", "attrs>=20", "idna>=3.4,<=3.6")
    assert "attrs >=20,<21 || >=22: taken as >=20, as a requirement has no 'or'" in begun.left_out


def test_a_source_that_is_none_is_passed_by_as_poetry_does(tmp_path: Path):
    file = tmp_path / "pyproject.toml"
    file.write_text(POETRYS.replace("[tool.poetry]\n", "[tool.poetry]\nsource = [[]]\n"))
    assert init(tmp_path, python="", requires=[], begin_from=file).python == ">=3.8,<4.0"


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        ('numpy = "^1.24"', "numpy = 3", "tool.poetry.dependencies.numpy"),
        ('numpy = "^1.24"', 'numpy = "new"', "Could not parse version constraint: new"),
        ('numpy = "^1.24"', 'numpy = { version = "*", markers = "==" }', "Unexpected token"),
    ],
)
def test_what_poetry_does_not_accept_is_told(tmp_path: Path, old: str, new: str, why: str):
    file = tmp_path / "pyproject.toml"
    file.write_text(POETRYS.replace(old, new))
    with pytest.raises(RequestError) as caught:
        init(tmp_path, python="", requires=[], begin_from=file)
    assert (caught.value.code, why in caught.value.why) == ("invalid-project", True), caught.value.why
    assert not (tmp_path / "envlock.toml").exists()


def test_groups_of_poetry_count_beside_a_project(tmp_path: Path):
    file = tmp_path / "pyproject.toml"
    file.write_text(
        '[project]\nname = "x"\nversion = "0.1"\ndependencies = ["torch (>=2,<3)"]\n'
        '[tool.poetry.group.dev.dependencies]\npytest = "^7"\n'
    )
    begun = init(tmp_path, python="3.11", requires=[], begin_from=file)
    assert (begun.requires, begun.further) == (("torch>=2,<3",), {"dev": ("pytest>=7,<8",)})


def test_a_group_and_an_extra_of_poetrys_may_bear_one_name(tmp_path: Path):
    file = tmp_path / "pyproject.toml"
    file.write_text(
        '[tool.poetry]\nname = "x"\nversion = "0.1"\ndescription = ""\nauthors = []\n'
        '[tool.poetry.dependencies]\npython = "^3.8"\nblack = { version = "^22.8", optional = true }\n'
        '[tool.poetry.extras]\ndev = ["black"]\n'
        '[tool.poetry.group.dev.dependencies]\npytest = "^7"\n'
    )
    begun = init(tmp_path, python="3.11", requires=[], begin_from=file)
    assert begun.further == {"dev": ("black>=22.8,<23.0", "pytest>=7,<8")}


def test_what_setuptools_reads_elsewhere_is_read_there(tmp_path: Path):
    file = tmp_path / "pyproject.toml"
    file.write_text(
        '[project]\nname = "x"\ndynamic = ["dependencies", "optional-dependencies"]\n'
        '[tool.setuptools.dynamic]\ndependencies = { file = ["requirements.txt"] }\n'
        'optional-dependencies.train = { file = "train.txt" }\n'
    )
    (tmp_path / "requirements.txt").write_text("torch==2.6.0  # GPUs\n\nscipy\n")
    (tmp_path / "train.txt").write_text("tqdm\n")
    begun = init(tmp_path, python="3.11", requires=[], begin_from=file)
    assert (begun.requires, begun.further) == (("torch==2.6.0", "scipy"), {"train": ("tqdm",)})
    assert begun.left_out == ()
    (tmp_path / "requirements.txt").unlink()
    begun = init(tmp_path, python="3.11", requires=[], begin_from=file, force=True)
    assert begun.left_out == ("dependencies are dynamic: only a build of the project tells them",)


def test_folders_of_poetrys_become_sources(tmp_path: Path) -> None:
    place_sources(tmp_path / "ours")
    (tmp_path / "file").mkdir()
    file = tmp_path / "file" / "pyproject.toml"
    file.write_text(POETRYS)
    begun = init(tmp_path / "file", python="3.11", requires=[], begin_from=file)
    assert tomllib.loads(begun.manifest.read_text())["sources"] == {
        "Ours": {"path": "../ours", "editable": True}
    }
    assert not any(told.startswith("ours") for told in begun.left_out)


def test_a_label_in_a_bound_of_poetry_s_is_left_to_the_index(tmp_path: Path):
    text = """\
[tool.poetry]
name = "x"
version = "0.1"
description = ""
authors = []
[tool.poetry.dependencies]
python = "^3.11"
torch = { version = "^2.4.0+cu124", source = "torch-gpu" }
exact = "2.0+local"
[[tool.poetry.source]]
name = "torch-gpu"
url = "https://example.org/whl/cu124"
priority = "explicit"
"""
    (tmp_path / "pyproject.toml").write_text(text)
    begun = init(tmp_path, python="", requires=[], begin_from=tmp_path / "pyproject.toml")
    assert begun.requires == ("torch>=2.4.0,<3.0.0", "exact==2.0+local")


PROGRAM = """\
#!/usr/bin/env python
# /// script
# requires-python = ">=3.11"
# dependencies = [
#   "requests<3",
#
#   "rich",
# ]
# [tool.uv]
# exclude-newer = "2025-03-16T00:00:00Z"
# ///
# and a remark
import requests
"""


def test_a_program_says_what_it_needs(tmp_path: Path):
    (tmp_path / "tool.py").write_text(PROGRAM)
    begun = init(tmp_path, python="", requires=[], begin_from=tmp_path / "tool.py")
    assert (begun.python, begun.requires) == (">=3.11", ("requests<3", "rich"))
    assert "\nas-of = 2025-03-15\n" in begun.manifest.read_text()


@pytest.mark.parametrize(
    ("text", "code", "where"),
    [
        ("import requests\n", "no-wishes", "tool.py"),
        (PROGRAM.replace("# ///\n", ""), "no-wishes", "tool.py"),
        (PROGRAM + PROGRAM, "no-wishes", "tool.py"),
        (PROGRAM.replace('"rich"', '"rich'), "toml-syntax", "tool.py, line 7, column 11"),
        (PROGRAM.replace("rich", "=rich"), "invalid-requirement", "tool.py, dependencies"),
        (PROGRAM.replace(">=3.11", "3.11 up"), "invalid-document", "requires-python"),
    ],
)
def test_what_a_program_does_not_say_as_it_should_is_told(tmp_path: Path, text: str, code: str, where: str):
    (tmp_path / "tool.py").write_text(text)
    with pytest.raises(RequestError) as caught:
        init(tmp_path, python="", requires=[], begin_from=tmp_path / "tool.py")
    assert (caught.value.code, where in caught.value.where) == (code, True), caught.value.where
    assert not (tmp_path / "envlock.toml").exists()


@pytest.mark.parametrize(
    ("written", "as_of"),
    [
        ("2025-03-16", "2025-03-16"),
        ("2025-03-16T12:00:00Z", "2025-03-16"),
        ("2025-03-16T01:00:00+02:00", "2025-03-15"),
        ("1 week", None),
    ],
)
def test_what_uv_leaves_out_as_too_new_is_a_groups_time(tmp_path: Path, written: str, as_of: str | None):
    text = f'[project]\nname = "x"\ndependencies = ["rich"]\n[tool.uv]\nexclude-newer = "{written}"\n'
    (tmp_path / "pyproject.toml").write_text(text)
    begun = init(tmp_path, python="", requires=[], begin_from=tmp_path / "pyproject.toml")
    group = tomllib.loads(begun.manifest.read_text())["groups"]["stack"]
    assert str(group.get("as-of")) == str(as_of)
    assert bool(begun.left_out) == (as_of is None)


PIXIS = """\
[workspace]
name = "x"
channels = ["conda-forge"]
platforms = ["linux-64"]
[activation]
env = { PYTHONNOUSERSITE = "1" }
[system-requirements]
cuda = "12.0"
[dependencies]
python = "3.10"
numpy = ">=1.26,<2"
pillow = "10.0.1"
opencv = { version = "4.*", build = "headless_*" }
cxx-compiler = ">=1.9,<2"
[target.osx-arm64.dependencies]
appnope = "*"
[target.linux-64.dependencies]
psutil = ">=5,<6"
[pypi-options]
extra-index-urls = ["https://example.org/whl/cpu"]
[pypi-dependencies]
numpy = "==1.26.4"
psutil = ">=5, <6"
ray = { version = "2.9.0", extras = ["default", "data"] }
evo = "*"
ours = { path = "./ours", editable = true }
theirs = { git = "https://example.org/x.git", rev = "abc", subdirectory = "py" }
file = { url = "https://example.org/file-1.0.tar.gz" }
[feature.gpu.dependencies]
pytorch-gpu = "2.1.*"
[feature.lint.dependencies]
cuda-version = "12.*"
[feature.lint.pypi-dependencies]
ruff = "*"
gone = { path = "./gone" }
[environments]
default = ["gpu"]
cpu = []
lint = { features = ["gpu", "lint"], solve-group = "default" }
alone = { features = ["gpu", "lint"], no-default-feature = true }
"""
OF_PIXI = (
    "opencv-python==4.*",
    "pillow==10.0.1",
    "psutil>=5, <6",
    "torch==2.1.*",
    "numpy==1.26.4",
    "ray[default,data]==2.9.0",
    "evo",
    "theirs @ git+https://example.org/x.git@abc#subdirectory=py",
    "file @ https://example.org/file-1.0.tar.gz",
)


def test_pixi_s_default_environment_is_the_first_group_and_those_that_add_to_it_extend_it(tmp_path: Path):
    place_sources(tmp_path / "ours")
    (tmp_path / "pixi.toml").write_text(PIXIS)
    begun = init(tmp_path, python="", requires=[], begin_from=tmp_path / "pixi.toml")
    assert begun.python == "3.10"
    assert set(begun.requires) == {"Ours", *OF_PIXI}
    assert begun.further == {"lint": ("ruff",)}
    assert {text.partition(":")[0].partition(" (")[0] for text in begun.left_out} == {
        "cxx-compiler >=1.9,<2",
        "numpy>=1.26,<2",
        "--extra-index-url https",
        "variables PYTHONNOUSERSITE",
        "cuda 12.0 of system-requirements",
        "environments without all of 'default'",
        "lint",
    }
    assert sum(text.startswith("lint: ") for text in begun.left_out) == 2
    assert any("(cpu, alone)" in text for text in begun.left_out)
    document = tomllib.loads(begun.manifest.read_text())
    assert document["sources"] == {"Ours": {"path": "./ours", "editable": True}}


def test_a_project_says_to_pixi_what_it_takes_besides(tmp_path: Path):
    text = """\
[project]
name = "x"
requires-python = ">=3.9"
dependencies = ["rich"]
[project.optional-dependencies]
more = ["six"]
[tool.pixi.dependencies]
python = "3.11.*"
h5py = "*"
"""
    (tmp_path / "pyproject.toml").write_text(text)
    begun = init(tmp_path, python="", requires=[], begin_from=tmp_path / "pyproject.toml")
    assert (begun.python, begun.requires, begun.further) == ("3.11", ("h5py", "rich"), {"more": ("six",)})


@pytest.mark.parametrize(
    ("text", "where"),
    [
        ("[dependencies]\nnumpy = 1.26\n", "dependencies.numpy"),
        ("[environments]\nlint = 3\n", "environments.lint"),
        ('[pypi-dependencies]\nray = { extras = "default" }\n', "pypi-dependencies.ray.extras"),
    ],
)
def test_what_is_no_manifest_of_pixi_s_is_told(tmp_path: Path, text: str, where: str):
    (tmp_path / "pixi.toml").write_text(text)
    with pytest.raises(RequestError) as caught:
        init(tmp_path, python="", requires=[], begin_from=tmp_path / "pixi.toml")
    assert (caught.value.code, where in caught.value.where) == ("invalid-document", True), caught.value.where


def test_a_moment_that_no_calendar_has_is_left_to_people(tmp_path: Path):
    file = tmp_path / "pyproject.toml"
    file.write_text('[project]\nname = "x"\n[tool.uv]\nexclude-newer = "0001-01-01T00:00:00Z"\n')
    begun = init(tmp_path, python="3.11", requires=[], begin_from=file)
    assert [text.partition(":")[0] for text in begun.left_out] == ["tool.uv.exclude-newer 0001-01-01T00"]
