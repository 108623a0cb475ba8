#!/bin/sh
# What can be checked quickly and without a network once the packages are installed: style, types, tests.
# Sets up .venv on the first run. Arguments go to pytest; the default is all tests without a mark.
set -eu
cd "$(dirname "$0")/.."
. tools/setup.sh
.venv/bin/ruff format --check .
.venv/bin/ruff check .
.venv/bin/mypy
.venv/bin/envlock kb lint
.venv/bin/pytest -q -n auto --dist worksteal "$@"
