"""How long this process has waited for a processor although it could run: others use them (proc(5))."""

import glob


def waited_s() -> float:
    """Return the total seconds its threads were ready but did not run; 0 if the kernel does not tell."""
    total = 0
    for path in glob.glob("/proc/self/task/*/schedstat"):
        try:
            with open(path, encoding="ascii") as stream:
                total += int(stream.read().split()[1])
        except (OSError, IndexError, ValueError):  # a thread that has ended meanwhile, or a kernel without it
            continue
    return total / 1e9
