#!/bin/sh
# The main job on this machine: solve, create and verify fixtures/today, with an MPI from a wheel.
# Needs no root, no MPI and no GPU; works in a copy under out/, so that the checkout stays as it is.
set -eu
cd "$(dirname "$0")/.."
. tools/setup.sh
mkdir -p out/today
cp fixtures/today/envlock.toml out/today/
if ! .venv/bin/envlock detect --json | grep -q '"version": "3\.11\.'; then
  here=$(.venv/bin/python -c 'import sys; print("%d.%d" % sys.version_info[:2])')
  echo "no Python 3.11 on this machine: the demonstration takes Python $here"
  sed -i "s/^python = .*/python = \"$here\"/" out/today/envlock.toml
fi
.venv/bin/envlock solve today --project out/today
.venv/bin/envlock verify today --project out/today
