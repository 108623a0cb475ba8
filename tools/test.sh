#!/bin/sh
# Everything that can be checked without a network once the packages are installed: style, types, tests.
# Sets up .venv on the first run. Arguments go to pytest; the default is all offline tests.
set -eu
cd "$(dirname "$0")/.."
. tools/setup.sh
.venv/bin/ruff format --check .
.venv/bin/ruff check .
.venv/bin/mypy
.venv/bin/envlock kb lint
.venv/bin/pytest -q -n auto --dist worksteal "$@"
