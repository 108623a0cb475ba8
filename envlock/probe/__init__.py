"""Runs inside a target environment: standard library only, Python 3.6 and newer, nothing of ours.

The package is shipped as one zip archive that the environment's own interpreter runs::

    python probe.pyz one-process --plan PLAN.json --out RESULT.json
    LAUNCHER python probe.pyz rank --plan PLAN.json --out-dir DIR
    python probe.pyz local --ranks N -- rank --plan PLAN.json --out-dir DIR

Arguments are files and results are JSON files, written atomically: nothing depends on standard output, to
which imported packages may print anything. ``plan.py`` describes the plan, ``one_process.py`` and ``rank.py``
their results.
"""
