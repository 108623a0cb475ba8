from __future__ import annotations

import tomllib
from collections.abc import Mapping
from pathlib import Path

import pytest

from envlock.app.initialise import init
from envlock.app.project import Options, open_project
from envlock.model.errors import ExitStatus, RequestError


def test_the_smallest_project_opens(tmp_path: Path):
    begun = init(tmp_path / "new", python="3.11", requires=["torch==2.4.*", 'spacy; python_version > "3"'])
    group = open_project(Options(project=tmp_path / "new")).manifest.group("stack")
    assert begun.manifest == tmp_path / "new" / "envlock.toml"
    assert [wish.text for wish in group.wishes] == ["torch==2.4.*", 'spacy; python_version > "3"']
    assert group.python.contains("3.11.7")
    assert not group.python.contains("3.12.1")


def test_where_no_python_is_named_a_solve_chooses_one(tmp_path: Path):
    begun = init(tmp_path, python=None, requires=["torch==1.8.1"])
    assert begun.python == ""
    group = open_project(Options(project=tmp_path)).manifest.group("stack")
    assert group.python.contains("3.8.10")
    assert group.python.contains("3.14.0")


def test_every_comment_is_a_line_that_works(tmp_path: Path):
    path = init(tmp_path, python="3.11", requires=["numpy"]).manifest
    uncommented = path.read_text().replace("# system", "system").replace("# as-of", "as-of")
    path.write_text(uncommented)
    group = open_project(Options(project=tmp_path)).manifest.group("stack")
    assert [wish.component for wish in group.wishes] == ["numpy", "openmpi"]
    assert str(group.as_of) == "2024-06-30"


def test_nothing_is_overwritten_unless_told(tmp_path: Path):
    path = init(tmp_path, python="3.11", requires=[]).manifest
    before = path.read_text()
    with pytest.raises(RequestError) as caught:
        init(tmp_path, python="3.12", requires=[])
    assert (caught.value.code, caught.value.status) == ("manifest-exists", ExitStatus.BAD_REQUEST)
    assert path.read_text() == before
    assert init(tmp_path, python="3.12", requires=[], force=True).python == "3.12"


@pytest.mark.parametrize(
    ("python", "requires"),
    [("three", []), ("3.11", ["torch=1"]), ("3.11", ["openmpi>=4"]), ("3.11", ['a"\n[x]'])],
)
def test_what_is_wrong_is_not_written(tmp_path: Path, python: str, requires: list[str]):
    with pytest.raises(RequestError) as caught:
        init(tmp_path, python=python, requires=requires)
    assert caught.value.hint
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("python", ["2.7", "3.5", ">=2.7,<3", "3.4.2"])
def test_a_python_that_is_too_old_is_refused(tmp_path: Path, python: str):
    with pytest.raises(RequestError, match=r"Python 3\.6 and newer") as raised:
        init(tmp_path, python=python, requires=["six"])
    assert raised.value.code == "python-too-old"
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("python", [">=2.7", "3.6", "<3.8", "4"])
def test_a_python_that_some_node_may_have_is_not(tmp_path: Path, python: str):
    init(tmp_path, python=python, requires=["six"])


@pytest.mark.parametrize("name", ["requirements.txt", "pyproject.toml"])
def test_what_is_no_requirement_is_told_where_it_stands(tmp_path: Path, name: str):
    file = tmp_path / name
    file.write_text("numpy\ntorch=1\n" if name.endswith("txt") else '[project]\ndependencies = ["torch=1"]\n')
    with pytest.raises(RequestError) as caught:
        init(tmp_path, python="3.11", requires=[], begin_from=file)
    place = "line 2" if name.endswith("txt") else "project.dependencies"
    assert caught.value.where == f"{file}, {place}"
    assert not (tmp_path / "envlock.toml").exists()


def test_extras_and_dependency_groups_of_a_project_are_groups_that_extend(tmp_path: Path):
    file = tmp_path / "pyproject.toml"
    file.write_text("""
        [project]
        name = "My_Project"
        dependencies = ["numpy"]
        [project.optional-dependencies]
        fast = ["numba"]
        Plots = ["matplotlib"]
        all = ["my-project[fast,plots,all]", "cmake"]
        stack = ["rich"]
        nothing = []
        [dependency-groups]
        test = ["pytest", { include-group = "lint" }]
        lint = ["ruff"]
        fast = ["my-project[plots]"]
    """)
    begun = init(tmp_path, python="3.11", requires=[], begin_from=file)
    assert begun.requires == ("numpy",)
    assert begun.further == {
        "fast": ("numba", "matplotlib"),
        "plots": ("matplotlib",),
        "all": ("numba", "matplotlib", "pypi:cmake"),
        "stack-stack": ("rich",),
        "test": ("pytest", "ruff"),
        "lint": ("ruff",),
    }
    manifest = open_project(Options(project=tmp_path)).manifest
    assert [wish.text for wish in manifest.group("test").wishes] == ["numpy", "pytest", "ruff"]
    assert {manifest.group(name).extends for name in begun.further} == {"stack"}


@pytest.mark.parametrize(
    ("groups", "why"),
    [
        ('a = [{ include-group = "b" }]', "'b' not found"),
        ('a = [{ include-group = "a" }]', "includes itself"),
    ],
)
def test_dependency_groups_that_are_none(tmp_path: Path, groups: str, why: str):
    file = tmp_path / "pyproject.toml"
    file.write_text(f'[project]\nname = "x"\n[dependency-groups]\n{groups}\n')
    with pytest.raises(RequestError) as caught:
        init(tmp_path, python="3.11", requires=[], begin_from=file)
    assert caught.value.code == "invalid-project"
    assert why in caught.value.why
    assert not (tmp_path / "envlock.toml").exists()


def test_a_project_begins_one_with_its_python(tmp_path: Path):
    file = tmp_path / "pyproject.toml"
    file.write_text('[project]\nname = "x"\nrequires-python = ">=3.10"\ndependencies = ["numpy", "torch"]\n')
    begun = init(tmp_path, python=None, requires=[], begin_from=file)
    assert (begun.python, begun.requires, begun.left_out) == (">=3.10", ("numpy", "torch"), ())
    file.write_text('[project]\nname = "x"\ndynamic = ["dependencies"]\n')
    assert "dynamic" in init(tmp_path, python="3.11", requires=[], begin_from=file, force=True).left_out[0]


@pytest.mark.parametrize("text", ["[tool.black]\n", None])
def test_a_file_that_asks_for_nothing(tmp_path: Path, text: str | None):
    file = tmp_path / "pyproject.toml"
    if text is not None:
        file.write_text(text)
    with pytest.raises(RequestError):
        init(tmp_path, python="3.11", requires=[], begin_from=file)
    assert not (tmp_path / "envlock.toml").exists()


def test_names_are_read_by_a_sites_own_knowledge_too(tmp_path):
    (tmp_path / "ours").mkdir()
    (tmp_path / "ours/components.toml").write_text(
        '[[component]]\nname = "our-fabric"\ntitle = "the library of our network"\nlayer = "core"\n'
    )
    file = tmp_path / "requirements.txt"
    file.write_text("our-fabric>=1\n")
    begun = init(tmp_path, python="3.11", requires=[], begin_from=file, overlays=[tmp_path / "ours"])
    assert begun.requires == ("pypi:our-fabric>=1",)


@pytest.mark.parametrize("name", ["environment.yml", "requirements.txt", "own-1.0-py3-none-any.whl"])
def test_a_file_is_not_taken_for_a_distribution(tmp_path, monkeypatch, name):
    monkeypatch.chdir(tmp_path)
    (tmp_path / name).write_text("")
    with pytest.raises(RequestError) as caught:
        init(tmp_path / "project", python=None, requires=["torch", name])
    assert (caught.value.code, f"--from {name}" in caught.value.hint) == ("file-as-requirement", True)
    assert not (tmp_path / "project").exists()
    (tmp_path / "numpy").write_text("")  # a file without an ending may have any name
    assert init(tmp_path / "project", python=None, requires=["numpy"]).requires == ("numpy",)


def test_a_conda_environment(tmp_path):
    file = tmp_path / "environment.yml"
    file.write_text(
        "name: nlp\nchannels: [pytorch]\ndependencies:\n- python=3.7\n- pytorch=1.4\n- cudatoolkit=10.1\n"
        "- pip:\n  - gensim==3.8.1\n  - -r more/pip.txt\n  - git+https://example.org/ours.git\n"
        "variables:\n  OMP_NUM_THREADS: 1\n"
    )
    (tmp_path / "more").mkdir()
    (tmp_path / "more/pip.txt").write_text("wandb\n")
    begun = init(tmp_path, python=None, requires=["spacy==2.2.3"], begin_from=file)
    assert (begun.python, begun.requires) == (
        "3.7",
        ("torch==1.4.*", "gensim==3.8.1", "wandb", "spacy==2.2.3"),
    )
    assert [one.partition(" ")[0] for one in begun.left_out] == [
        *("cudatoolkit=10.1:", "git+https://example.org/ours.git", "variables"),
    ]
    assert "NAME @ ADDRESS" in begun.left_out[1]
    assert not any("environment.yml" in text for text in begun.requires)


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("dependencies: [a\n", "yaml-syntax"),
        ("- a\n", "no-environment"),
        ("name: x\n", "no-environment"),
        ("dependencies:\n- pip: gensim\n", "invalid-document"),
        ("dependencies: !!python/object/apply:os.getcwd []\n", "yaml-syntax"),
        ("name: 2021-02-30\ndependencies: [pip]\n", "yaml-syntax"),
    ],
)
def test_what_is_no_conda_environment(tmp_path, text, code):
    file = tmp_path / "environment.yml"
    file.write_text(text)
    with pytest.raises(RequestError) as caught:
        init(tmp_path, python="3.11", requires=[], begin_from=file)
    assert caught.value.code == code
    assert "environment.yml" in caught.value.where
    assert not (tmp_path / "envlock.toml").exists()


def place_sources(folder: Path) -> None:
    folder.mkdir()
    (folder / "pyproject.toml").write_text('[project]\nname = "Ours"\nversion = "1.0"\n')


@pytest.mark.parametrize(
    ("line", "wish", "source"),
    [
        ("-e ./ours", "Ours", {"path": "../file/ours", "editable": True}),
        ("--editable=ours[fast,plots]", "Ours[fast,plots]", {"path": "../file/ours", "editable": True}),
        ("-e ours#egg=theirs", "Ours", {"path": "../file/ours", "editable": True}),
        ("./ours", "Ours", {"path": "../file/ours"}),
        ("./ours[fast] ; python_version > '3'", "Ours[fast]", {"path": "../file/ours"}),
    ],
)
def test_a_folder_in_a_file_becomes_a_source(
    tmp_path: Path, line: str, wish: str, source: Mapping[str, object]
) -> None:
    place_sources(tmp_path / "ours")
    origin = tmp_path / "file"
    origin.mkdir()
    (tmp_path / "ours").rename(origin / "ours")
    (origin / "requirements.txt").write_text(f"{line}\n./wheels/other-1.0-py3-none-any.whl\n")
    begun = init(tmp_path / "here", python="3.11", requires=[], begin_from=origin / "requirements.txt")
    assert (begun.requires, begun.left_out) == (
        (wish, "../file/wheels/other-1.0-py3-none-any.whl"),
        (),
    )
    assert tomllib.loads(begun.manifest.read_text())["sources"] == {"Ours": source}


def test_a_path_needs_no_dot(tmp_path: Path) -> None:
    """As pip takes it."""
    place_sources(tmp_path / "ours")
    (tmp_path / "modules").mkdir()
    (tmp_path / "ours").rename(tmp_path / "modules/ours")
    (tmp_path / "requirements.txt").write_text(
        "modules/ours\nwheels/other-1.0-py3-none-any.whl\nsix==1.16 ; os_name != 'a/b'\n"
    )
    begun = init(tmp_path, python="3.11", requires=[], begin_from=tmp_path / "requirements.txt")
    assert begun.requires == ("Ours", "./wheels/other-1.0-py3-none-any.whl", "six==1.16 ; os_name != 'a/b'")
    assert tomllib.loads(begun.manifest.read_text())["sources"] == {"Ours": {"path": "./modules/ours"}}


def test_the_folder_of_the_file_itself_is_a_source(tmp_path: Path) -> None:
    """As many an ``environment.yml`` has it."""
    (tmp_path / "setup.py").write_text("from setuptools import setup\nsetup(name='ours', version='1.0')\n")
    file = tmp_path / "environment.yml"
    file.write_text("dependencies:\n  - python=3.11\n  - pip:\n    - -e .\n")
    begun = init(tmp_path, python=None, requires=[], begin_from=file)
    assert tomllib.loads(begun.manifest.read_text())["sources"] == {"ours": {"path": ".", "editable": True}}


def test_what_pip_installs_over_condas_counts(tmp_path: Path) -> None:
    """As pip does in such an environment, after conda."""
    file = tmp_path / "environment.yml"
    file.write_text(
        "dependencies:\n  - tensorboard=1.14.0\n  - scipy=1.3.0\n  - six\n"
        "  - pip:\n    - TensorBoard==2.1.1\n    - six\n    - ./ours-1.0-py3-none-any.whl\n"
    )
    begun = init(tmp_path, python="3.7", requires=[], begin_from=file)
    assert begun.requires == ("scipy==1.3.0.*", "TensorBoard==2.1.1", "six", "./ours-1.0-py3-none-any.whl")
    assert begun.left_out == ("tensorboard==1.14.0.*: pip installs TensorBoard==2.1.1 over it",)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("setup.py", "from setuptools import setup\nsetup(name='ours', version='1.0')\n"),
        ("setup.cfg", "[metadata]\nname = ours\nversion = 1.0\n"),
    ],
)
def test_a_project_of_setuptools_is_asked_for_itself(tmp_path: Path, name: str, text: str) -> None:
    (tmp_path / name).write_text(text)
    begun = init(tmp_path, python="3.11", requires=[], begin_from=tmp_path / name)
    assert (begun.requires, begun.left_out) == (("ours",), ())
    assert tomllib.loads(begun.manifest.read_text())["sources"] == {"ours": {"path": ".", "editable": True}}


def test_a_project_whose_version_only_its_code_tells_can_be_solved(tmp_path: Path) -> None:
    """As research code often has it: none at all, or one that is read from elsewhere."""
    (tmp_path / "setup.py").write_text("from setuptools import setup\nsetup(name='ours', version=read())\n")
    begun = init(tmp_path, python="3.11", requires=[], begin_from=tmp_path / "setup.py")
    source = {"path": ".", "editable": True, "version": "0.0.0"}
    assert tomllib.loads(begun.manifest.read_text())["sources"] == {"ours": source}
    assert begun.left_out == ("the version of ours, which only its code tells: 0.0.0 in [sources]",)
    (tmp_path / "requirements.txt").write_text(".\n")
    begun = init(tmp_path, python="3.11", requires=[], begin_from=tmp_path / "requirements.txt", force=True)
    assert tomllib.loads(begun.manifest.read_text())["sources"] == {"ours": {"path": "."}}


def test_a_folder_that_does_not_say_what_it_is_is_left_out(tmp_path: Path) -> None:
    (tmp_path / "requirements.txt").write_text("six\n-e ./nowhere\n")
    begun = init(tmp_path, python="3.11", requires=[], begin_from=tmp_path / "requirements.txt")
    (told,) = begun.left_out
    assert told.startswith("-e ./nowhere (")
    assert "sources" not in tomllib.loads(begun.manifest.read_text())


@pytest.mark.parametrize("name", ["uv.lock", "poetry.lock", "setup.py", "setup.cfg"])
def test_what_is_no_list_of_wishes_is_not_read_line_by_line(tmp_path: Path, name: str):
    (tmp_path / name).write_text("version = 1\n")
    with pytest.raises(RequestError) as caught:
        init(tmp_path, python="3.11", requires=[], begin_from=tmp_path / name)
    assert caught.value.code == "no-wishes"
