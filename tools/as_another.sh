#!/bin/sh
# The quick tests, and those with processes, as most people would run them: not as root, with the system's own Python
# (Debian 12's is 3.11.2), with a umask that shuts others out, and from a folder with a space in its name. To be run by
# root, who may look everywhere.
set -eu
cd "$(dirname "$0")/.."
user=envlock-tester
id "$user" >/dev/null 2>&1 || useradd --create-home "$user"
files=$(mktemp)
settings=$(mktemp) # of pip: what this machine is told to install from counts for everybody
for place in "${XDG_CONFIG_HOME:-$HOME/.config}/pip/pip.conf" "$HOME/.pip/pip.conf"; do
  if test -r "$place"; then cp "$place" "$settings" && break; fi
done
git ls-files --cached --others --exclude-standard -z | tar --null --files-from=- -cf "$files"
chown "$user" "$files" "$settings" # and nobody else may read them: settings may hold passwords
status=0
runuser -u "$user" -- sh -c '
  set -eu
  umask 077
  export HOME="$(getent passwd "$(id -un)" | cut -d: -f6)" PYTHON=/usr/bin/python3 PIP_CONFIG_FILE="$1"
  clone="$HOME/a clone"
  rm -rf "$clone"
  mkdir "$clone"
  cd "$clone"
  tar -xf "$0"
  git init -q . && git add -A # tests ask git what is in the repository
  . tools/setup.sh
  unset PYENV_ROOT # interpreters of root
  .venv/bin/pytest -q -n auto --dist worksteal -m "not live and not cluster and not gpu and not property"
' "$files" "$settings" || status=$?
rm -f "$files" "$settings"
exit "$status"
