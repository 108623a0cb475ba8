"""Programs as they lie on disks: encodings, notebooks, and what cannot be read."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from envlock.analysis.program.uses import in_cells
from envlock.edges.code_files import read_code
from envlock.model.errors import RequestError
from tests.programs import read_program


def cell(source: str | list[str], kind: str = "code") -> dict[str, object]:
    return {"cell_type": kind, "source": source}


def notebook(folder: Path, *cells: dict[str, object]) -> Path:
    path = folder / "a.ipynb"
    path.write_text(json.dumps({"nbformat": 4, "cells": list(cells)}))
    return path


def test_a_notebook_is_one_program_told_by_its_cells(tmp_path: Path) -> None:
    path = notebook(
        tmp_path,
        cell("# Training", "markdown"),
        cell(["%matplotlib inline\n", "!pip install gensim\n", "from gensim.models import Word2Vec\n"]),
        cell("files = !ls\nhelp?\nif files:\n    %time x = 1\nm = Word2Vec(size=1)"),
        cell("%%bash\nfor i in 1 2; do echo $i; done"),
        cell("print 'two'"),
        cell("%%time\nm.wv.vocab"),
    )
    [file] = read_code([tmp_path])
    assert [name for name, _ in file.unread] == [f"{path}, cell 5"]
    uses = in_cells(read_program(file.text, file.name), file.cells).uses
    assert [use.place for use in uses] == [f"{path}, cell 2:3", f"{path}, cell 3:5", f"{path}, cell 6:2"]
    assert uses[-1].path == "gensim.models.Word2Vec().wv.vocab"


def test_the_form_of_old_notebooks(tmp_path: Path) -> None:
    path = tmp_path / "old.ipynb"
    sheet = {"cells": [{"cell_type": "code", "input": ["import g\n", "g.f()"]}]}
    path.write_text(json.dumps({"nbformat": 3, "worksheets": [sheet]}))
    [file] = read_code([path])
    assert file.text == "import g\ng.f()"


def test_the_encoding_that_a_file_names(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_bytes("# -*- coding: latin-1 -*-\nname = 'Grüße'\n".encode("latin-1"))
    (tmp_path / "b.py").write_bytes("\ufeffname = 'Grüße'\n".encode())
    assert ["Grüße" in file.text for file in read_code([tmp_path])] == [True, True]


@pytest.mark.parametrize(
    ("name", "content"),
    [("a.py", b"\xff\xfe"), ("a.ipynb", b"{"), ("a.ipynb", b"[]"), ("a.py", b"# coding: no\n")],
)
def test_what_cannot_be_read_is_told_and_the_rest_is_read(tmp_path: Path, name: str, content: bytes) -> None:
    (tmp_path / name).write_bytes(content)
    (tmp_path / "b.py").write_text("import g")
    broken, whole = read_code([tmp_path])
    assert [one for one, _ in broken.unread] == [str(tmp_path / name)]
    assert whole.text == "import g"


def test_nothing_to_look_at(tmp_path: Path) -> None:
    with pytest.raises(RequestError, match="nothing to look at"):
        list(read_code([tmp_path / "gone"]))


@pytest.mark.parametrize("coding", ["no-such", "hex", "utf-16"])
def test_a_file_in_what_is_no_encoding_of_text_is_told(tmp_path: Path, coding: str) -> None:
    path = tmp_path / "a.py"
    path.write_text(f"# -*- coding: {coding} -*-\nx = 1\n")
    [file] = read_code([path])
    assert [name for name, _ in file.unread] == [str(path)]


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("print('%s %s'\n      % (1, 2))", "print('%s %s'\n      % (1, 2))"),
        ("x = 7 \\\n  % 3", "x = 7 \\\n  % 3"),
        ("s = '''\n%d\n!x\n'''", "s = '''\n%d\n!x\n'''"),
        ("!pip install g \\\n    h\nimport g", "pass\n\nimport g"),
        ("%time m = W(size=1)\nm.wv", "m = W(size=1)\nm.wv"),
        ("%timeit -n 10 -r3 g.f(1)", "g.f(1)"),
        ("%time -f", "pass"),
        ("%time !ls", "pass"),
        ("a = 'x\u2028y'", "a = 'x\u2028y'"),
    ],
)
def test_what_is_python_in_a_cell_and_what_is_ipythons(tmp_path: Path, source: str, text: str) -> None:
    [file] = read_code([notebook(tmp_path, cell(source))])
    assert (file.text, file.unread) == (text, ())


def test_a_folder_that_is_closed_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One of another user, below a program that is shared."""
    closed = tmp_path / "closed"
    closed.mkdir()
    (tmp_path / "a.py").write_text("import g")
    look = Path.iterdir

    def looking(folder: Path) -> Iterator[Path]:
        if folder == closed:
            raise PermissionError(13, "Permission denied", str(folder))
        return look(folder)

    monkeypatch.setattr(Path, "iterdir", looking)
    found = {file.name: file.unread for file in read_code([tmp_path])}
    assert found[str(tmp_path / "a.py")] == ()
    assert [name for name, _ in found[str(closed)]] == [str(closed)]


def test_a_folder_without_code_is_not_called_fine(tmp_path: Path) -> None:
    (tmp_path / "run.sh").write_text("python train.py\n")
    with pytest.raises(RequestError, match="nothing to look at"):
        list(read_code([tmp_path]))


def test_a_notebook_that_is_nested_too_deeply_is_told_as_unread(tmp_path: Path) -> None:
    file = tmp_path / "deep.ipynb"
    file.write_text("[" * 100_000)
    (found,) = read_code([file])
    assert [name for name, _ in found.unread] == [str(file)]
