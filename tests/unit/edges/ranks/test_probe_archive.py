from __future__ import annotations

import zipfile
from pathlib import Path

from envlock.edges.ranks.probe_archive import write_probe


def test_the_same_sources_give_the_same_bytes(tmp_path: Path) -> None:
    write_probe(tmp_path / "one.pyz")
    write_probe(tmp_path / "two.pyz")
    assert (tmp_path / "one.pyz").read_bytes() == (tmp_path / "two.pyz").read_bytes()


def test_it_holds_the_whole_package_and_nothing_of_ours(tmp_path: Path) -> None:
    write_probe(tmp_path / "probe.pyz")
    with zipfile.ZipFile(tmp_path / "probe.pyz") as archive:
        names = archive.namelist()
        sources = {name: archive.read(name).decode() for name in names}
    assert {"__main__.py", "probe/__main__.py", "probe/back_ends/mpi4py.py"} <= set(names)
    assert not [name for name, text in sources.items() if "import envlock" in text or "from envlock" in text]
