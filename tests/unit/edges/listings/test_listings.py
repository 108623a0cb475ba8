"""Reading what is installed together, from every form that says so."""

from __future__ import annotations

from pathlib import Path

import pytest
from packaging.markers import default_environment

from envlock.edges.listings import marker_environments
from envlock.edges.listings.conda_files import is_conda_file, read_conda_file
from envlock.edges.listings.marker_environments import Reader
from envlock.edges.listings.reading import read_listing
from envlock.edges.listings.wish_files import read_wishes
from envlock.model.component import Via
from envlock.model.errors import RequestError
from envlock.model.published.listing import Listing
from tests.memory import interpreter

REQUIREMENTS = """\
# a comment
torch==1.4.0 \\
    --hash=sha256:aa \\
    --hash=sha256:bb
Foo.Bar==2  # why
scipy>=1.2
left==1.*
colorama==0.4 ; sys_platform == "win32"
--index-url https://example.invalid/simple
-rmore/attached.txt
-e git+https://example.invalid/a#egg=b
-r more/rest.txt
built @ file:///x/built-1.2.tar.gz
ready @ file:///x/ready-1.3-py3-none-any.whl#sha256=aa
./beside/near-1.4-py3-none-any.whl ; python_version > "3"
./a-folder
"""

UV = """\
version = 1
[[package]]
name = "mine"
version = "0.1"
source = { virtual = "." }
dependencies = [
  { name = "torch", version = "1.4.0" },
  { name = "torch", version = "1.5.0", marker = "sys_platform == 'win32'" },
  { name = "old", marker = "python_version < '3.9'" },
  { name = "wide", extra = ["more"] },
]
[package.optional-dependencies]
plot = [{ name = "unwanted" }]
[[package]]
name = "old"
version = "1"
[[package]]
name = "wide"
version = "1"
[package.optional-dependencies]
more = [{ name = "further" }]
[[package]]
name = "further"
version = "1"
[[package]]
name = "unwanted"
version = "1"
[[package]]
name = "torch"
version = "1.4.0"
[[package]]
name = "torch"
version = "1.5.0"
resolution-markers = ["sys_platform == 'win32'", "sys_platform == 'cygwin'"]
"""

PYLOCK = """\
lock-version = "1.0"
[[packages]]
name = "torch"
version = "1.4.0"
[[packages]]
name = "colorama"
version = "0.4"
marker = "sys_platform == 'win32'"
[[packages]]
name = "local-folder"
"""


def pins(listing: Listing) -> dict[str, str]:
    return {one.name: one.version for one in listing.distributions}


def test_a_requirements_file_with_what_it_includes(tmp_path: Path) -> None:
    (tmp_path / "more").mkdir()
    (tmp_path / "more" / "rest.txt").write_text("numpy===1.18.0\n")
    (tmp_path / "more" / "attached.txt").write_text("attached==1.0\n")
    (tmp_path / "r.txt").write_text(REQUIREMENTS)
    found = read_listing(tmp_path / "r.txt")
    assert pins(found) == {
        "torch": "1.4.0", "Foo.Bar": "2", "numpy": "1.18.0", "built": "1.2", "ready": "1.3",
        "near": "1.4", "attached": "1.0",
    }  # fmt: skip
    assert {one.name: one.via for one in found.distributions if one.via} == {
        "built": Via.BUILD,
        "ready": Via.WHEEL,
        "near": Via.WHEEL,
    }
    assert found.ranges == ("scipy>=1.2", "left==1.*")
    assert [text.split()[0] for text in found.passed_over] == ["colorama==0.4", "-e", "./a-folder"]


def test_a_series_beside_a_version_does_not_hide_that_it_is_pinned(tmp_path: Path) -> None:
    (tmp_path / "r.txt").write_text("numpy==1.*,==1.24.1\n")
    found = read_listing(tmp_path / "r.txt")
    assert [(one.name, one.version) for one in found.distributions] == [("numpy", "1.24.1")]
    assert not found.ranges


def test_constraints_pin_what_a_file_names_and_nothing_else(tmp_path: Path) -> None:
    (tmp_path / "r.txt").write_text("Num_Py>=1.20\npandas\nscipy==1.9.3\n-c c.txt\n")
    (tmp_path / "c.txt").write_text("num-py==1.22.0\nsix==1.16.0\n-c more.txt\n")
    (tmp_path / "more.txt").write_text("scipy<2\n")
    found = read_listing(tmp_path / "r.txt")
    assert pins(found) == {"Num_Py": "1.22.0", "scipy": "1.9.3"}
    assert (found.ranges, found.passed_over) == (("pandas",), ())
    assert not found.contradictions


@pytest.mark.parametrize(
    ("lines", "told"),
    [
        ("numpy==1.26.4\nNumPy==1.26.3", "numpy 1.26.4: NumPy==1.26.3 (r.txt, line 2)"),
        ("numpy<1.26\nnumpy==1.26.4", "numpy 1.26.4: numpy<1.26 (r.txt, line 1)"),
        ("numpy==1.26.4\n-c c.txt", "numpy 1.26.4: numpy<1.26 (c.txt, line 1)"),
        ("numpy==1.26.4\nnumpy==1.26.4", ""),
        ("numpy==1.26.4\nnumpy==1.20; python_version < '3'", ""),
        ("torch==2.1.0\ntorch==2.1.0+cu118", ""),
        ("torch==2.1.0rc1\ntorch<3", ""),
        ("pytz===2004d\npytz", ""),
        ("six\n-c c.txt", ""),
        ("scipy<1.3\nscipy>=1.3", ": scipy>=1.3 (r.txt, line 2)"),
        ("scipy<1.3\nscipy>=1.2", ""),
    ],
)
def test_what_a_file_asks_of_one_distribution_holds_together(tmp_path: Path, lines: str, told: str) -> None:
    (tmp_path / "r.txt").write_text(lines)
    (tmp_path / "c.txt").write_text("numpy<1.26\nnumpy==1.20")
    found = read_listing(tmp_path / "r.txt").contradictions
    said = [f"{one.name} {one.version}: {one.other} ({Path(one.other_place).name})" for one in found]
    assert said == ([told if told[0] != ":" else f"scipy {told}"] if told else [])


def test_what_includes_itself_is_refused(tmp_path: Path) -> None:
    (tmp_path / "r.txt").write_text("-r r.txt\n")
    with pytest.raises(RequestError, match="includes itself"):
        read_listing(tmp_path / "r.txt")


@pytest.mark.parametrize("line", ["-r {}", "-c {}", "--requirement={}", "--constraint {}"])
@pytest.mark.parametrize("address", ["https://me:secret@example.org/c.txt", "HTTP://example.org/c.txt"])
def test_an_address_of_more_requirements_is_not_taken_for_a_path(
    tmp_path: Path, line: str, address: str
) -> None:
    (tmp_path / "r.txt").write_text(f"torch==1.4.0\n{line.format(address)}\n")
    with pytest.raises(RequestError) as caught:
        read_listing(tmp_path / "r.txt")
    assert caught.value.code == "requirements-address"
    assert (caught.value.where, bool(caught.value.why)) == (f"{tmp_path / 'r.txt'}, line 2", True)
    assert "example.org/c.txt" in caught.value.message
    assert "download" in caught.value.hint
    assert "secret" not in str(caught.value)


def test_an_address_is_told_where_a_conda_environment_asks_for_it(tmp_path: Path) -> None:
    file = tmp_path / "environment.yml"
    file.write_text("dependencies:\n- pip:\n  - -r https://example.org/r.txt\n")
    with pytest.raises(RequestError) as caught:
        read_conda_file(file)
    assert (caught.value.code, caught.value.where) == ("requirements-address", str(file))


def test_a_line_that_is_no_requirement_is_named(tmp_path: Path) -> None:
    (tmp_path / "r.txt").write_text("torch==1.4.0\ntorch = 1\n")
    with pytest.raises(RequestError) as caught:
        read_listing(tmp_path / "r.txt")
    assert caught.value.where.endswith("r.txt, line 2")


POETRY = """\
[[package]]
name = "numpy"
version = "1.26.4"
optional = false
python-versions = ">=3.9"
groups = ["main"]
[[package]]
name = "colorama"
version = "0.4.6"
optional = false
python-versions = "*"
groups = ["main", "dev"]
markers = {main = "platform_system == 'Windows'", dev = "sys_platform == 'win32'"}
[[package]]
name = "tomli"
version = "2.0"
optional = false
python-versions = "*"
markers = "python_version < '3.11'"
[[package]]
name = "plot"
version = "1.0"
optional = true
python-versions = "*"
[metadata]
lock-version = "2.1"
python-versions = "^3.9"
content-hash = "aa"
"""


def test_a_poetry_lock_without_extras_and_other_platforms(tmp_path: Path) -> None:
    (tmp_path / "poetry.lock").write_text(POETRY)
    reader = Reader(interpreters=(interpreter("3.11.7"),))
    found = read_listing(tmp_path / "poetry.lock", reader)
    assert pins(found) == {"numpy": "1.26.4"}
    assert (found.kind, found.solved, found.read_for) == ("a poetry.lock", True, "3.11.7")
    assert [text.split()[0] for text in found.passed_over] == ["colorama", "tomli", "plot"]
    found = read_listing(tmp_path / "poetry.lock", Reader(python="3.9"))
    assert pins(found) == {"numpy": "1.26.4", "tomli": "2.0"}
    (tmp_path / "poetry.lock").write_text(POETRY.replace("python_version <", "python is"))
    with pytest.raises(RequestError, match="is not an environment marker"):
        read_listing(tmp_path / "poetry.lock", reader)


def test_a_pipfile_lock_that_is_nested_too_deeply_is_none(tmp_path: Path) -> None:
    (tmp_path / "Pipfile.lock").write_text("[" * 100_000)
    with pytest.raises(RequestError) as caught:
        read_listing(tmp_path / "Pipfile.lock")
    assert caught.value.code == "no-lock"


def test_a_uv_lock_without_the_project_and_other_platforms(tmp_path: Path) -> None:
    (tmp_path / "uv.lock").write_text(UV)
    found = read_listing(tmp_path / "uv.lock")
    assert pins(found) == {"torch": "1.4.0", "wide": "1", "further": "1"}
    assert {text.partition(" (")[0] for text in found.passed_over} == {"torch 1.5.0", "old 1", "unwanted 1"}


def test_a_pylock_of_any_tool(tmp_path: Path) -> None:
    (tmp_path / "pylock.toml").write_text(PYLOCK)
    found = read_listing(tmp_path / "pylock.toml")
    assert pins(found) == {"torch": "1.4.0"}
    assert len(found.passed_over) == 2


def test_a_lock_of_pdm_s_is_none_of_uv_s(tmp_path: Path) -> None:
    """Both have ``[[package]]``, but PDM says in keys of its own which are for other platforms."""
    (tmp_path / "pdm.lock").write_text(
        '[metadata]\nlock_version = "4.5.0"\ncontent_hash = "sha256:x"\n'
        '[[package]]\nname = "pywin32"\nversion = "306"\nmarker = "sys_platform == \'win32\'"\n'
    )
    with pytest.raises(RequestError) as caught:
        read_listing(tmp_path / "pdm.lock")
    assert caught.value.code == "no-lock"


def test_a_toml_file_of_something_else_is_no_lock(tmp_path: Path) -> None:
    (tmp_path / "x.toml").write_text("[tool.x]\nname = 'x'\n")
    with pytest.raises(RequestError) as caught:
        read_listing(tmp_path / "x.toml")
    assert caught.value.code == "no-lock"


def test_an_environment_tells_its_python_and_what_was_built_here(tmp_path: Path) -> None:
    packages = tmp_path / "lib/python3.7/site-packages"
    for name, tag in (("torch", "cp37-cp37m-manylinux1_x86_64"), ("mpi4py", "cp37-cp37m-linux_x86_64")):
        folder = packages / f"{name}-1.0.dist-info"
        folder.mkdir(parents=True)
        (folder / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n\nVersion: 9\n")
        (folder / "WHEEL").write_text(f"Wheel-Version: 1.0\nTag: {tag}\n")
    (packages / "old-2.egg-info").write_text("Metadata-Version: 1.0\nName: old\nVersion: 2\n")
    (tmp_path / "pyvenv.cfg").write_text("home = /x\nversion = 3.7.16\n")
    found = read_listing(tmp_path)
    assert {one.name: (one.version, one.via) for one in found.distributions} == {
        "torch": ("1.0", Via.WHEEL),
        "mpi4py": ("1.0", Via.BUILD),
        "old": ("2", None),
    }
    assert [(one.name, one.version) for one in found.systems] == [("python", "3.7.16")]


def test_of_several_folders_the_first_on_the_path_has_a_distribution(tmp_path: Path) -> None:
    order = ("lib64/python3.7/site-packages", "lib/python3.7/site-packages", "lib/python3.7/dist-packages")
    named = ("Foo.Bar", "foo-bar", "foo_bar")
    for number, (folder, name) in enumerate(zip(order, named, strict=True), 1):
        info = tmp_path / folder / f"foo_bar-{number}.dist-info"
        info.mkdir(parents=True)
        (info / "METADATA").write_text(f"Name: {name}\nVersion: {number}\n")
    assert pins(read_listing(tmp_path)) == {"Foo.Bar": "1"}


def test_a_folder_by_two_names_is_read_once_and_is_the_first(tmp_path: Path) -> None:
    for folder, version in (("lib/python3.7/site-packages", 1), ("lib/python3.7/dist-packages", 2)):
        info = tmp_path / folder / "foo.egg-info"
        info.mkdir(parents=True)
        (info / "PKG-INFO").write_text(f"Name: foo\nVersion: {version}\n")
    (tmp_path / "lib64").symlink_to("lib")
    assert pins(read_listing(tmp_path)) == {"foo": "1"}


def test_a_folder_without_packages_is_no_environment(tmp_path: Path) -> None:
    with pytest.raises(RequestError) as caught:
        read_listing(tmp_path)
    assert caught.value.code == "no-environment"


@pytest.mark.parametrize(
    ("reader", "declared", "found"),
    [
        (Reader(python="3.8"), "", True),
        (Reader(python="3.12"), "", False),
        (Reader(interpreters=(interpreter("3.12.1"), interpreter("3.8.2"))), "", False),
        (Reader(interpreters=(interpreter("3.12.1"), interpreter("3.8.2"))), "<3.9", True),
        (Reader(), "==3.8.*", True),
        (Reader(), ">=3.11", False),
    ],
)
def test_markers_are_those_of_who_reads(tmp_path: Path, reader: Reader, declared: str, found: bool) -> None:
    text = f'requires-python = "{declared}"\n' if declared else ""
    text += 'lock-version = "1.0"\n[[packages]]\nname = "old"\nversion = "1"\n'
    text += "marker = \"python_version < '3.9'\"\n"
    (tmp_path / "pylock.toml").write_text(text)
    (tmp_path / "r.txt").write_text(
        "# autogenerated by pip-compile with Python 3.8\nold==1 ; python_version < '3.9'\n"
    )
    assert bool(pins(read_listing(tmp_path / "pylock.toml", reader))) is found
    if not declared:
        assert bool(pins(read_listing(tmp_path / "r.txt", reader))) is (found or bool(reader.interpreters))


def test_an_address_without_a_name_is_passed_over(tmp_path: Path) -> None:
    address = "git+https://example.org/ours.git"
    (tmp_path / "r.txt").write_text(f"{address}\nnumpy==1.26.4\n")
    found = read_listing(tmp_path / "r.txt")
    assert (list(pins(found)), found.passed_over) == (["numpy"], (address,))


def test_a_laptop_of_another_system_reads_for_nodes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    said = {**default_environment(), "sys_platform": "darwin", "platform_system": "Darwin"}
    monkeypatch.setattr(marker_environments, "default_environment", lambda: said)
    (tmp_path / "r.txt").write_text(
        "nvidia-nccl-cu12==2.21.5 ; platform_system == 'Linux' and platform_machine == 'x86_64'\n"
        "appnope==0.1.4 ; sys_platform == 'darwin'\n"
    )
    assert list(pins(read_listing(tmp_path / "r.txt", Reader()))) == ["nvidia-nccl-cu12"]


def test_who_compiled_requirements_reads_them(tmp_path: Path) -> None:
    (tmp_path / "r.txt").write_text(
        "#    uv pip compile in --python-version 3.7 -o r.txt\nold==1 ; python_version < '3.8'\n"
    )
    found = read_listing(tmp_path / "r.txt")
    assert (pins(found), found.read_for) == ({"old": "1"}, "3.7")


def test_what_is_no_marker_is_told_with_its_place(tmp_path: Path) -> None:
    (tmp_path / "pylock.toml").write_text(
        'lock-version = "1.0"\n[[packages]]\nname = "a"\nversion = "1"\nmarker = "nonsense"\n'
    )
    with pytest.raises(RequestError) as caught:
        read_listing(tmp_path / "pylock.toml")
    assert caught.value.where.endswith("pylock.toml, packages[0].marker")


@pytest.mark.parametrize("text", ["", "# nothing yet\n\n"])
def test_a_file_that_asks_for_nothing_begins_no_project(tmp_path: Path, text: str) -> None:
    (tmp_path / "list.txt").write_text(text)
    with pytest.raises(RequestError, match="requires nothing"):
        read_wishes(tmp_path / "list.txt")


@pytest.mark.parametrize(
    ("text", "next_step"),
    [
        (
            "# packages in environment at /opt/conda:\n#\nnumpy  1.24.3  py310h5f9d8c6_1\n",
            "--from /opt/conda",
        ),
        ("# $ conda create --name <env>\n# platform: linux-64\nnumpy=1.24.3=py310_1\n", "$CONDA_PREFIX"),
        ("Package    Version\n---------- -------\nnumpy      1.24.3\n", "pip freeze"),
        ('[{"name": "numpy", "version": "1.24.3"}]\n', "pip freeze"),
    ],
)
def test_tables_for_people_lead_to_what_can_be_read(tmp_path: Path, text: str, next_step: str) -> None:
    (tmp_path / "list.txt").write_text(text)
    for read in (read_listing, read_wishes):
        with pytest.raises(RequestError) as caught:
            read(tmp_path / "list.txt")
        assert next_step in caught.value.hint


def test_no_password_of_a_file_is_told(tmp_path: Path) -> None:
    (tmp_path / "r.txt").write_text(
        "--index-url https://me:s3cret@example.org/simple\ngit+https://me:s3cret@example.org/a.git\n"
        "git+https://s3cret@example.org/b.git\n-f https://s3cret%40x@example.org/c\n"
        "d @ https://example.org/d-1.0-py3-none-any.whl?access_token=s3cret&a=b\n"
    )
    told = (*read_wishes(tmp_path / "r.txt").left_out, *read_listing(tmp_path / "r.txt").passed_over)
    assert len(told) == 7
    assert "s3cret" not in "".join(told)
    assert "https://***@example.org/simple" in told[0]


PROJECT = """\
[project]
name = "x"
requires-python = ">=3.9"
dependencies = ["torch==2.1.0", "numpy", "scipy[array]>=1.2", "six ; sys_platform == 'win32'"]
[project.optional-dependencies]
plots = ["matplotlib==3.8.0"]
[tool.uv]
constraint-dependencies = ["numpy<2"]
"""


def test_a_project_pins_and_asks_for_what_whoever_installs_it_gets(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text(PROJECT)
    for found in (
        read_listing(tmp_path / "pyproject.toml"),
        read_listing(Path("standard input"), text=PROJECT),
    ):
        assert pins(found) == {"torch": "2.1.0"}
        assert found.ranges == ("numpy<2", "scipy[array]>=1.2")
        assert (found.requires_python, found.complete) == (">=3.9", False)
        assert [text.split()[0] for text in found.passed_over] == ["six", "plots:"]


@pytest.mark.parametrize("name", ["setup.py", "setup.cfg", "x.json"])
def test_what_is_no_list_leads_to_what_is_one(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text("{}")
    with pytest.raises(RequestError) as caught:
        read_listing(tmp_path / name)
    assert caught.value.code == "no-lock"
    assert "pip freeze" in caught.value.hint


PIPFILE = """\
[packages]
torch = "==2.1.0"
numpy = "<2"
scipy = {version = ">=1.2", extras = ["array"]}
colorama = {version = "==0.4", sys_platform = "== 'win32'"}
here = {path = ".", editable = true}

[dev-packages]
pytest = "==8.0"

[requires]
python_version = "3.9"
"""


def test_a_pipfile_pins_and_asks(tmp_path: Path) -> None:
    (tmp_path / "Pipfile").write_text(PIPFILE)
    found = read_listing(tmp_path / "Pipfile")
    assert pins(found) == {"torch": "2.1.0"}
    assert found.ranges == ("numpy<2", "scipy[array]>=1.2")
    assert (found.kind, found.requires_python, found.complete) == ("a Pipfile", "==3.9.*", False)
    assert found.read_for == "3.9"
    assert [text.split()[0] for text in found.passed_over] == ["colorama==0.4", "dev:"]


@pytest.mark.parametrize("python", ["*", ">=3.6", "three"])
def test_a_pipfile_for_no_certain_python(tmp_path: Path, python: str) -> None:
    (tmp_path / "Pipfile").write_text(PIPFILE.replace('"3.9"', f'"{python}"'))
    found = read_listing(tmp_path / "Pipfile")
    assert (pins(found), found.requires_python, found.read_for) == ({"torch": "2.1.0"}, "", "")


PIPFILE_LOCK = """\
{
  "_meta": {"hash": {"sha256": "aa"}, "requires": {"python_version": "3.9"}, "sources": []},
  "default": {
    "torch": {"hashes": ["sha256:aa"], "index": "pypi", "version": "==2.1.0"},
    "tomli": {"markers": "python_version < '3.11'", "version": "==2.0.1"},
    "colorama": {"markers": "sys_platform == 'win32'", "version": "==0.4"},
    "here": {"editable": true, "path": "."},
    "any": {"version": "*"}
  },
  "develop": {"pytest": {"version": "==8.0"}}
}
"""


def test_a_lock_of_pipenvs(tmp_path: Path) -> None:
    (tmp_path / "Pipfile.lock").write_text(PIPFILE_LOCK)
    found = read_listing(tmp_path / "Pipfile.lock")
    assert pins(found) == {"torch": "2.1.0", "tomli": "2.0.1"}
    assert (found.kind, found.solved, found.complete, found.read_for) == ("a Pipfile.lock", True, True, "3.9")
    assert found.passed_over == (
        "colorama 0.4 (for other platforms)",
        "here (no version)",
        "any (no version)",
        "pytest==8.0 (of develop)",
    )


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("", "no-lock"),
        ("{", "no-lock"),
        ("{}", "no-lock"),
        ('{"_meta": {}, "default": {"x": {"version": 1}}}', "invalid-document"),
        ('{"_meta": {}, "default": {"x": {"version": "==1", "markers": "never"}}}', "invalid-document"),
    ],
)
def test_a_broken_lock_of_pipenvs(tmp_path: Path, text: str, code: str) -> None:
    (tmp_path / "Pipfile.lock").write_text(text)
    with pytest.raises(RequestError) as caught:
        read_listing(tmp_path / "Pipfile.lock")
    assert caught.value.code == code
    assert "Pipfile.lock" in caught.value.where


CONDA_LOCK = """\
version: 1
metadata:
  platforms: [linux-64, linux-aarch64]
package:
- name: numpy
  version: 1.26.4
  manager: conda
  platform: linux-64
  url: https://example.org/linux-64/numpy-1.26.4-py311h64a7726_0.conda
- name: numpy
  version: 1.26.0
  manager: conda
  platform: linux-aarch64
  url: https://example.org/linux-aarch64/numpy-1.26.0-py311h64a7726_0.tar.bz2
- name: bzip2
  version: 1.0.8
  manager: conda
  platform: linux-64
  url: https://example.org/linux-64/bzip2-1.0.8-hda65f42_9.conda
- name: six
  version: 1.16.0
  manager: pip
  platform: linux-64
  url: https://example.org/six-1.16.0-py2.py3-none-any.whl
- name: ruff
  version: 0.4.0
  manager: conda
  platform: linux-64
  url: https://example.org/linux-64/ruff-0.4.0-py311_0.conda
  optional: true
"""
PIXI_LOCK = """\
version: 6
environments:
  default:
    channels:
    - url: https://example.org/conda-forge/
    packages:
      linux-64:
      - conda: https://example.org/linux-64/numpy-1.26.4-py311h64a7726_0.conda
      - conda: https://example.org/linux-64/bzip2-1.0.8-hda65f42_9.conda
      - pypi: https://example.org/six-1.16.0-py2.py3-none-any.whl
      - pypi: ./ours
      linux-aarch64:
      - conda: https://example.org/linux-aarch64/numpy-1.26.0-py311h64a7726_0.tar.bz2
  dev:
    packages:
      linux-64:
      - conda: https://example.org/linux-64/ruff-0.4.0-py311_0.conda
packages:
- conda: https://example.org/linux-64/numpy-1.26.4-py311h64a7726_0.conda
  sha256: aa
- pypi: https://example.org/six-1.16.0-py2.py3-none-any.whl
  name: six
  version: 1.16.0
- pypi: ./ours
  name: ours
  version: '1.0'
"""
OLDER_PIXI_LOCK = PIXI_LOCK.replace(
    "- pypi: https://example.org/six-1.16.0-py2.py3-none-any.whl\n  name",
    "- kind: pypi\n  url: https://example.org/six-1.16.0-py2.py3-none-any.whl\n  name",
)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("conda-lock.yml", CONDA_LOCK),
        ("pixi.lock", PIXI_LOCK),
        ("pixi.lock", OLDER_PIXI_LOCK),
    ],
)
def test_of_a_lock_of_conda_s_packages_those_for_the_node_count(tmp_path: Path, name: str, text: str) -> None:
    (tmp_path / name).write_text(text)
    assert is_conda_file(tmp_path / name)
    assert is_conda_file(Path("standard input"), text)
    found = read_conda_file(tmp_path / name)
    assert found.specs == ("numpy=1.26.4=py311h64a7726_0", "bzip2=1.0.8=hda65f42_9")
    ours = ["./ours"] if name == "pixi.lock" else []
    assert [line for _, line in found.pip] == ["six==1.16.0", *ours]
    there = read_conda_file(tmp_path / name, machine="aarch64")
    assert (there.specs, there.pip) == (("numpy=1.26.0=py311h64a7726_0",), ())
    with pytest.raises(RequestError, match="nothing for linux-ppc64le") as caught:
        read_conda_file(tmp_path / name, machine="ppc64le")
    assert caught.value.code == "no-environment"


LOCKS_WITH_FILES = {
    "uv.lock": """\
version = 1
[[package]]
name = "one"
version = "1"
sdist = { url = "https://example.org/one-1.tar.gz" }
wheels = [{ url = "https://example.org/one-1-py3-none-any.whl" }]
[[package]]
name = "two"
version = "2"
sdist = { url = "https://example.org/two-2.tar.gz" }
""",
    "poetry.lock": """\
[[package]]
name = "one"
version = "1"
files = [{ file = "one-1.tar.gz" }, { file = "one-1-py3-none-any.whl" }]
[[package]]
name = "two"
version = "2"
files = [{ file = "two-2.tar.gz" }]
[metadata]
content-hash = "aa"
python-versions = ">=3.9"
""",
    "pylock.toml": """\
lock-version = "1.0"
created-by = "x"
[[packages]]
name = "one"
version = "1"
sdist = { name = "one-1.tar.gz" }
wheels = [{ name = "one-1-py3-none-any.whl" }]
[[packages]]
name = "two"
version = "2"
sdist = { name = "two-2.tar.gz" }
""",
}


@pytest.mark.parametrize("name", LOCKS_WITH_FILES)
def test_what_a_lock_lists_wheels_of_is_not_built(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text(LOCKS_WITH_FILES[name])
    found = read_listing(tmp_path / name)
    assert [(one.name, one.via) for one in found.distributions] == [("one", Via.WHEEL), ("two", None)]
