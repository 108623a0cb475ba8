# Sourced by the scripts beside it: a virtual environment in .venv with envlock and what its tests need.
# PYTHON names the interpreter (3.11 or newer); it is made anew when pyproject.toml has changed.
if ! cmp -s pyproject.toml .venv/installed-for; then
  "${PYTHON:-python3}" -c 'import sys; sys.exit(sys.version_info < (3, 11))' || {
    echo "error: envlock needs Python 3.11 or newer; name one with PYTHON=/path/to/python" >&2
    exit 2
  }
  "${PYTHON:-python3}" -m venv --clear .venv || exit
  # Where two of these meet, one may find the other's half of a .venv, whose pip would install for everybody.
  PIP_REQUIRE_VIRTUALENV=1 .venv/bin/python -m pip install --quiet --disable-pip-version-check --editable '.[test]' || exit
  cp pyproject.toml .venv/installed-for
fi
