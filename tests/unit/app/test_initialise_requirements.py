"""What `init` takes over from a requirements file, in every form that pip reads."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from envlock.app.checking.combination import installed_together
from envlock.app.initialise import init
from envlock.app.project import Options, open_project
from envlock.edges.pip_configuration import USUAL_INDEX
from envlock.model.errors import RequestError
from envlock.model.project.policy import Forms


def test_a_requirements_file_begins_a_project(tmp_path: Path):
    (tmp_path / "more.txt").write_text("scipy>=1.9 \\\n  --hash=sha256:00\n")
    (tmp_path / "requirements.txt").write_text(
        "# ours\n--extra-index-url https://example.org/whl\nnumpy==1.26.4  # pinned\n"
        "-r more.txt\n-e ./src\ntorch\nspacy; python_version > '3'\nmodel @ ./model-1.0.tar.gz\n"
    )
    begun = init(tmp_path, python="3.11", requires=["gensim"], begin_from=tmp_path / "requirements.txt")
    group = open_project(Options(project=tmp_path)).manifest.group("stack")
    wanted = [
        "numpy==1.26.4",
        "scipy>=1.9",
        "torch",
        "spacy; python_version > '3'",
        "model @ ./model-1.0.tar.gz",
    ]
    assert [wish.text for wish in group.wishes] == [*wanted, "gensim"]
    assert [text.partition(" (")[0] for text in begun.left_out] == [
        *("--hash", "--extra-index-url https://example.org/whl", "-e ./src")
    ]


@pytest.mark.parametrize(
    ("line", "wish"),
    [
        ("numpy==1.26.4\t# pinned", "numpy==1.26.4"),
        ("numpy==1.26.4\t--hash=sha256:00", "numpy==1.26.4"),
        ("cmake>=3.20", "pypi:cmake>=3.20"),
        ("https://example.org/model-1.0-py3-none-any.whl", None),
        ("git+https://example.org/ours.git@v1#egg=ours", "ours @ git+https://example.org/ours.git@v1"),
        (
            "git+https://example.org/ours.git@v1#egg=ours[fast]&subdirectory=python ; python_version > '3'",
            "ours[fast] @ git+https://example.org/ours.git@v1#subdirectory=python ; python_version > '3'",
        ),
    ],
)
def test_lines_as_pip_has_them(tmp_path: Path, line: str, wish: str | None):
    file = tmp_path / "requirements.txt"
    file.write_text(f"{line}\n")
    init(tmp_path, python="3.11", requires=[], begin_from=file)
    (found,) = open_project(Options(project=tmp_path)).manifest.group("stack").wishes
    assert found.text == (wish or f"model @ {line}")


def test_folders_in_which_conda_built_are_asked_for_by_name(tmp_path: Path):
    """``pip freeze`` prints them in an environment of conda's; they are on no other machine."""
    (tmp_path / "requirements.txt").write_text(
        "appdirs @ file:///home/conda/feedstock_root/build_artifacts/appdirs_1603108395799/work\n"
        "certifi @ file:///croot/certifi_1671487769961/work/certifi\n"
        "cffi @ file:///D:/bld/cffi_1671179506518/work ; python_version > '3'\n"
        "numpy @ file:///home/conda/feedstock_root/build_artifacts/bld/rattler-build_numpy_1707225359/work/dist/"
        "numpy-1.26.4-cp310-cp310-linux_x86_64.whl#sha256=00\n"
        "ours @ file:///srv/ours/work\n"
    )
    begun = init(tmp_path, python="3.11", requires=[], begin_from=tmp_path / "requirements.txt")
    assert begun.requires == (
        "appdirs",
        "certifi",
        "cffi ; python_version > '3'",
        "numpy==1.26.4",
        "ours @ file:///srv/ours/work",
    )
    (told,) = begun.left_out
    assert told.startswith("folders in which conda built appdirs, certifi, cffi: ")


EXPORTED = """\
# This file may be used to create an environment using:
# $ conda create --name <env> --file <this file>
# platform: linux-64
_libgcc_mutex=0.1=main
numpy=1.21.2=py38h20f2e39_0
python=3.8.12=h12debd9_0
pytorch=1.10.0=py3.8_cuda10.2_cudnn7.6.5_0
opencv-python=4.5.1.48=pypi_0
"""


def test_what_conda_list_exports_is_read_by_condas_names(tmp_path: Path):
    file = tmp_path / "requirements.txt"
    file.write_text(EXPORTED)
    begun = init(tmp_path, python=None, requires=[], begin_from=file)
    assert begun.python == "3.8"
    assert begun.requires == ("numpy==1.21.2", "torch==1.10.0", "opencv-python==4.5.1.48")
    listing = installed_together(file)
    assert {(one.name, one.version) for one in listing.distributions} == {
        ("numpy", "1.21.2"),
        ("torch", "1.10.0"),
        ("opencv-python", "4.5.1.48"),
    }


def test_addresses_that_conda_list_prints_are_refused(tmp_path: Path):
    file = tmp_path / "explicit.txt"
    file.write_text(
        EXPORTED.partition("_libgcc")[0] + "@EXPLICIT\nhttps://example.org/numpy-1.21.2-py38.conda\n"
    )
    with pytest.raises(RequestError) as caught:
        init(tmp_path, python=None, requires=[], begin_from=file)
    assert caught.value.code == "conda-names"


@pytest.mark.parametrize("option", ["-e ", "-e", "--editable ", "--editable="])
def test_an_editable_repository_is_taken_at_its_revision(tmp_path: Path, option: str):
    file = tmp_path / "requirements.txt"
    file.write_text(f"{option}git+https://example.org/ours.git@v1#egg=ours\n-e ./src\n")
    begun = init(tmp_path, python="3.11", requires=[], begin_from=file)
    assert begun.requires == ("ours @ git+https://example.org/ours.git@v1",)
    told, folder = begun.left_out
    assert "it is built from its sources at that revision" in told
    assert folder.startswith("-e ./src")


@pytest.mark.parametrize(
    "line",
    [
        "-e git://example.org/ours.git@v1#egg=ours",
        "-e git+git://example.org/ours.git@v1#egg=ours",
        "git+git://example.org/ours.git@v1#egg=ours",
        "ours @ git+git://example.org/ours.git@v1",
    ],
)
def test_a_repository_by_gits_own_protocol_is_read_by_https(tmp_path: Path, line: str):
    """As files from before 2022 have it; pip puts its prefix before what ``-e`` names."""
    file = tmp_path / "requirements.txt"
    file.write_text(f"{line}\n")
    begun = init(tmp_path, python="3.11", requires=[], begin_from=file)
    assert begun.requires == ("ours @ git+https://example.org/ours.git@v1",)
    assert any("https in place of git://" in told for told in begun.left_out)


def test_constraints_and_the_python_of_a_compiled_file_are_taken_over(tmp_path: Path):
    (tmp_path / "requirements.txt").write_text(
        "# This file is autogenerated by pip-compile with Python 3.9\n"
        "-c limits/constraints.txt\n--require-hashes\n-e ./src\nnumpy==1.26.4 --hash=sha256:aa\n"
    )
    (tmp_path / "limits").mkdir()
    (tmp_path / "limits/constraints.txt").write_text("urllib3<2\n-c more.txt\n")
    (tmp_path / "limits/more.txt").write_text("cmake<4\n")
    begun = init(tmp_path / "new", python=None, requires=[], begin_from=tmp_path / "requirements.txt")
    group = open_project(Options(project=tmp_path / "new")).manifest.group("stack")
    assert (begun.python, [wish.text for wish in group.wishes]) == ("3.9", ["numpy==1.26.4"])
    assert [one.component for one in group.policy.constraints] == ["urllib3", "pypi:cmake"]
    assert [text.partition("; ")[2] for text in begun.left_out] == [
        "locks always have hashes",
        "the lock has the hashes of what the indexes offer: compare them, if yours are from elsewhere",
        "in [sources] of the manifest: NAME = { path = FOLDER, editable = true }",
    ]


def test_options_are_read_in_every_way_that_pip_reads_them(tmp_path: Path):
    (tmp_path / "requirements.txt").write_text("-rmore.txt\n-climits.txt\n-e.\nnumpy\n")
    (tmp_path / "more.txt").write_text("six\n")
    (tmp_path / "limits.txt").write_text("numpy<2\n")
    begun = init(tmp_path, python="3.11", requires=[], begin_from=tmp_path / "requirements.txt")
    group = open_project(Options(project=tmp_path)).manifest.group("stack")
    assert [wish.text for wish in group.wishes] == ["six", "numpy"]
    assert [one.component for one in group.policy.constraints] == ["numpy"]
    assert [text.partition("; ")[2] for text in begun.left_out] == [
        "in [sources] of the manifest: NAME = { path = FOLDER, editable = true }"
    ]


def test_values_in_quotes_and_options_that_share_a_line_are_read_like_pip_does(tmp_path: Path):
    (tmp_path / "requirements.txt").write_text(
        "-r \"more wishes.txt\" -c 'limits of ours.txt'\nnumpy==1.22.4 -f ./wheels\n"
        '--pre --index-url="https://example.org/one" --extra-index-url https://example.org/two\n'
    )
    (tmp_path / "more wishes.txt").write_text("six\n")
    (tmp_path / "limits of ours.txt").write_text("numpy<2\n")
    begun = init(tmp_path, python="3.11", requires=[], begin_from=tmp_path / "requirements.txt")
    assert begun.requires == ("six", "numpy==1.22.4")
    group = open_project(Options(project=tmp_path)).manifest.group("stack")
    assert [one.component for one in group.policy.constraints] == ["numpy"]
    assert [text.partition(" (")[0] for text in begun.left_out] == [
        *("--pre", "-f", '--index-url="https://example.org/one"', "--extra-index-url https://example.org/two")
    ]


def test_constraints_that_lead_back_to_themselves_are_refused(tmp_path: Path):
    (tmp_path / "requirements.txt").write_text("numpy\n-c limits.txt\n")
    (tmp_path / "limits.txt").write_text("-c more.txt\n")
    (tmp_path / "more.txt").write_text("-c limits.txt\n")
    with pytest.raises(RequestError) as caught:
        init(tmp_path, python="3.11", requires=[], begin_from=tmp_path / "requirements.txt")
    assert caught.value.code == "requirements-cycle"


def test_forms_that_a_requirements_file_asks_for_are_taken_over(tmp_path: Path):
    file = tmp_path / "requirements.txt"
    file.write_text(
        "--no-binary numpy,SciPy\n--only-binary=:all:\n--no-binary mpi4py\n--only-binary scipy\nmpi4py\n"
    )
    begun = init(tmp_path, python="3.11", requires=[], begin_from=file)
    forms = open_project(Options(project=tmp_path)).manifest.group("stack").policy.forms
    assert forms == Forms(no_binary=frozenset({"mpi4py"}), only_binary=frozenset({":all:", "scipy"}))
    assert begun.left_out == ()


def test_files_that_requirements_name_are_found_from_another_folder(tmp_path: Path):
    (tmp_path / "a").mkdir()
    (tmp_path / "a/requirements.txt").write_text(
        "model[gpu] @ ./model-1.0.tar.gz ; python_version > '3'\nother @ file:wheels/other-1.0.tar.gz\n"
        "third @ file:///srv/third-1.0.tar.gz\n./fourth-1.0.tar.gz\n-c limits.txt\n"
    )
    (tmp_path / "a/limits.txt").write_text("fifth @ ./fifth-1.0.tar.gz\nsixth<2\n")
    begun = init(tmp_path / "b", python="3.11", requires=[], begin_from=tmp_path / "a/requirements.txt")
    assert begun.requires == (
        "model[gpu] @ ../a/model-1.0.tar.gz ; python_version > '3'",
        "other @ ../a/wheels/other-1.0.tar.gz",
        "third @ file:///srv/third-1.0.tar.gz",
        "../a/fourth-1.0.tar.gz",
    )
    (left,) = begun.left_out
    assert left.startswith("fifth @ ./fifth-1.0.tar.gz (")
    group = open_project(Options(project=tmp_path / "b")).manifest.group("stack")
    assert [one.text for one in group.policy.constraints] == ["sixth<2"]


def test_so_are_those_of_a_project_and_its_extras(tmp_path: Path):
    (tmp_path / "a").mkdir()
    (tmp_path / "a/pyproject.toml").write_text(
        '[project]\nname = "ours"\nversion = "1"\ndependencies = ["model @ file:./model-1.0.tar.gz"]\n'
        '[project.optional-dependencies]\nmore = ["other @ file:other-1.0.tar.gz"]\n'
    )
    begun = init(tmp_path / "b", python="3.11", requires=[], begin_from=tmp_path / "a/pyproject.toml")
    assert begun.requires == ("model @ ../a/model-1.0.tar.gz",)
    assert begun.further == {"more": ("other @ ../a/other-1.0.tar.gz",)}


@pytest.mark.parametrize(
    "lines",
    [
        "--extra-index-url https://example.org/whl/cu113\n",
        "-i https://example.org/whl/cu113\n",
        f"--index-url {USUAL_INDEX}/\n--extra-index-url https://example.org/whl/cu113\n",
        f"--index-url https://example.org/whl/cu113\n--extra-index-url {USUAL_INDEX}\n",
    ],
    ids=["added", "main", "beside the usual", "before the usual"],
)
def test_builds_with_a_label_come_from_the_index_that_the_file_adds(tmp_path: Path, lines: str):
    """As PyTorch's own instructions have it."""
    file = tmp_path / "requirements.txt"
    file.write_text(f"{lines}torch==1.12.1+cu113\ntorchvision == 0.13.1+cu113\nnumpy==1.23.5\n")
    begun = init(tmp_path, python="3.10", requires=[], begin_from=file)
    assert begun.left_out == ()
    document = tomllib.loads(begun.manifest.read_text())
    assert document["indexes"] == [
        {"name": "cu113", "url": "https://example.org/whl/cu113", "explicit": True}
    ]
    assert document["sources"] == {"torch": "cu113", "torchvision": "cu113"}


@pytest.mark.parametrize(
    "lines",
    [
        "--extra-index-url https://example.org/whl/cu113\ntorch==1.12.1\n",
        "--extra-index-url https://example.org/a\n--extra-index-url https://example.org/b\ntorch==1+cu113\n",
        "--extra-index-url https://me:secret@example.org/a\ntorch==1.12.1+cu113\n",
    ],
    ids=["no-label", "two-indexes", "secret"],
)
def test_otherwise_such_indexes_are_left_to_people(tmp_path: Path, lines: str):
    file = tmp_path / "requirements.txt"
    file.write_text(lines)
    begun = init(tmp_path, python="3.10", requires=[], begin_from=file)
    assert len(begun.left_out) == lines.count("--extra")
    assert "indexes" not in tomllib.loads(begun.manifest.read_text())
    assert "secret" not in begun.manifest.read_text() + "".join(begun.left_out)


@pytest.mark.parametrize(
    ("given", "project", "wish", "path"),
    [
        ("./mine", ".", "mine", "./mine"),
        ("./mine[train]", "project/new", "mine[train]", "../../mine"),
        (".", "project", "outer", ".."),
        ("{root}/mine", ".", "mine", "{root}/mine"),
    ],
)
def test_a_folder_on_the_command_line_becomes_a_source(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, given: str, project: str, wish: str, path: str
) -> None:
    for folder, name in (("mine", "mine"), (".", "outer")):
        (tmp_path / folder).mkdir(exist_ok=True)
        (tmp_path / folder / "pyproject.toml").write_text(f'[project]\nname = "{name}"\nversion = "1"\n')
    monkeypatch.chdir(tmp_path)
    begun = init(Path(project), python=None, requires=["six", given.format(root=tmp_path)])
    assert (begun.requires, begun.left_out) == ((wish, "six"), ())
    document = tomllib.loads(begun.manifest.read_text())
    assert document["sources"] == {wish.partition("[")[0]: {"path": path.format(root=tmp_path)}}


def test_a_folder_of_no_sources_on_the_command_line_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(RequestError, match="does not say which distribution it is") as caught:
        init(Path(), python=None, requires=["./mine"])
    assert caught.value.where == "envlock.toml (not written), groups.stack.requires"
    assert not (tmp_path / "envlock.toml").exists()


@pytest.mark.parametrize(
    "line",
    [
        "ours @ git+https://me:s3cret@example.org/ours.git@v1",
        "ours @ https://${S3CRET}@example.org/ours-1.0.tar.gz",
        "ours @ https://example.org/ours-1.0.tar.gz?token=s3cret",
        "-e git+https://me:s3cret@example.org/ours.git#egg=ours",
    ],
)
def test_an_address_that_no_manifest_may_have_is_told(tmp_path: Path, line: str) -> None:
    file = tmp_path / "requirements.txt"
    file.write_text(f"six\n{line}\ntheirs @ git+ssh://git@example.org/theirs.git@v1\n")
    begun = init(tmp_path, python="3.11", requires=[], begin_from=file)
    assert begun.requires == ("six", "theirs @ git+ssh://git@example.org/theirs.git@v1")
    told = begun.left_out[-1]
    assert told.startswith("ours @ ")
    assert told.endswith("a name and its password go into ~/.netrc")
    assert "s3cret" not in begun.manifest.read_text() + "".join(begun.left_out)


def test_a_further_group_with_nothing_but_secrets_in_it_is_none(tmp_path: Path) -> None:
    file = tmp_path / "pyproject.toml"
    file.write_text(
        '[project]\nname = "x"\nversion = "1"\ndependencies = ["six"]\n'
        '[project.optional-dependencies]\nmore = ["ours @ https://me:s3cret@example.org/ours-1.0.tar.gz"]\n'
    )
    begun = init(tmp_path, python="3.11", requires=[], begin_from=file)
    assert (begun.requires, begun.further) == (("six",), {})
    assert len(begun.left_out) == 1


@pytest.mark.parametrize(
    ("lines", "wanted", "left"),
    [
        (["opencv-python-headless", "opencv_python"], ["opencv_python"], ["opencv-python-headless"]),
        (
            ["opencv-python", "opencv-python-headless==4.5.5.64"],
            ["opencv-python==4.5.5.64"],
            ["opencv-python-headless==4.5.5.64"],
        ),
        (
            ["opencv-python==4.5.1.48", "numpy", "opencv-python-headless==4.3.0.36"],
            ["opencv-python==4.5.1.48", "numpy"],
            ["opencv-python-headless==4.3.0.36"],
        ),
        (
            ["opencv-python", "opencv-contrib-python<4.6", "opencv-python-headless"],
            ["opencv-contrib-python<4.6"],
            ["opencv-python", "opencv-python-headless"],
        ),
        (["tb-nightly==2.9.0a20220401", "tensorboard"], ["tensorboard"], ["tb-nightly==2.9.0a20220401"]),
    ],
)
def test_of_several_builds_of_one_library_one_stays(
    lines: list[str], wanted: list[str], left: list[str], tmp_path: Path
) -> None:
    (tmp_path / "requirements.txt").write_text("\n".join(lines) + "\n")
    begun = init(tmp_path, python="3.11", requires=[], begin_from=tmp_path / "requirements.txt")
    group = open_project(Options(project=tmp_path)).manifest.group("stack")
    assert [wish.text for wish in group.wishes] == wanted
    assert [text.partition(": ")[0] for text in begun.left_out] == left


def test_builds_for_different_machines_stay(tmp_path: Path) -> None:
    lines = ["opencv-python; sys_platform == 'win32'", "opencv-python-headless; sys_platform == 'linux'"]
    (tmp_path / "requirements.txt").write_text("\n".join(lines) + "\n")
    init(tmp_path, python="3.11", requires=[], begin_from=tmp_path / "requirements.txt")
    group = open_project(Options(project=tmp_path)).manifest.group("stack")
    assert [wish.text for wish in group.wishes] == lines
