"""A pin that was compiled with NumPy 1 and does not say so, and a younger one that lets NumPy 2 in."""

from __future__ import annotations

import subprocess

import pytest

from tests.live.conftest import Workplace, need_python

pytestmark = pytest.mark.live

MANIFEST = """\
[groups.image]
python = "3.11"
requires = ["edt==2.4.0", "scipy==1.14.1"]
"""


def test_an_answer_is_found_in_which_it_can_be_imported(tmp_path):
    need_python("3.11")
    site = Workplace(tmp_path)
    (tmp_path / "envlock.toml").write_text(MANIFEST)
    distributions = {one["name"]: one for one in site.json("solve", "image")["distributions"]}
    assert distributions["numpy"]["version"].startswith("1.")
    assert "removed-names:edt-2.4.0+numpy-2" in distributions["numpy"]["facts"]
    python = f"{site.envlock('where', 'image').strip()}/bin/python"
    assert subprocess.run([python, "-c", "import edt, scipy"], check=False, timeout=600).returncode == 0
