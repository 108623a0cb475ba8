"""A clear message from a node that does not see the environment, instead of the launcher's obscure one."""

from __future__ import annotations

LOOK = '[ -x "$0" ] || { echo "envlock: $(uname -n) does not see $0" >&2; sleep 1; exit 127; }; '
"""The start of a shell script whose ``$0`` is the interpreter.

``uname`` is there where ``hostname`` is not, as in small containers. The pause is for its message: when one
task fails, srun ends all, and may lose what that one said just before.
"""


def checked(program: tuple[str, ...]) -> list[str]:
    """Return the program behind a check that its interpreter is there, which needs no launch of its own."""
    return ["/bin/sh", "-c", LOOK + 'exec "$0" "$@"', *program]
