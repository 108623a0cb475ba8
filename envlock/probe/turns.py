"""How long this process has waited for a processor, though it could have run: others use them (proc(5))."""

import glob


def waited_s() -> float:
    """Seconds that its threads were ready and did not run, all together; 0 where the kernel does not tell."""
    total = 0
    for path in glob.glob("/proc/self/task/*/schedstat"):
        try:
            with open(path, encoding="ascii") as stream:
                total += int(stream.read().split()[1])
        except (OSError, IndexError, ValueError):  # a thread that ended meanwhile, or a kernel without it
            continue
    return total / 1e9
