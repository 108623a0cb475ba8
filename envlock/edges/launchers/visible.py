"""A word from a node that does not see the environment, in place of the launcher's riddle."""

from __future__ import annotations

LOOK = '[ -x "$0" ] || { echo "envlock: $(hostname) does not see $0" >&2; sleep 1; exit 127; }; '
"""Start of a shell's script whose name is the interpreter.

The moment is for what it says: srun ends all where one fails, and may lose what that one said just before.
"""


def checked(program: tuple[str, ...]) -> list[str]:
    """The program behind a look whether its interpreter is there; costs no start of its own."""
    return ["/bin/sh", "-c", LOOK + 'exec "$0" "$@"', *program]
