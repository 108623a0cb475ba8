"""A pin that imports what it does not ask for."""

from __future__ import annotations

import subprocess

import pytest

from tests.live.conftest import Workplace, need_python

pytestmark = pytest.mark.live

MANIFEST = '[groups.scores]\npython = "3.9"\nrequires = ["sacrebleu==1.2"]\n'


def test_it_can_be_imported(tmp_path):
    need_python("3.9")
    site = Workplace(tmp_path)
    (tmp_path / "envlock.toml").write_text(MANIFEST)
    distributions = {one["name"]: one for one in site.json("solve", "scores")["distributions"]}
    assert distributions["numpy"]["facts"] == ["unstated-imports:sacrebleu+numpy"]
    python = f"{site.envlock('where', 'scores').strip()}/bin/python"
    assert subprocess.run([python, "-c", "import sacrebleu"], check=False, timeout=600).returncode == 0
