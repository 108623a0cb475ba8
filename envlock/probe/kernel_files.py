"""What the kernel tells in files, of which any may be missing in a container."""


def kernel_text(path: str) -> str:
    """Return a file's text; empty where it is not there or not ours to read."""
    try:
        with open(path, encoding="utf-8", errors="replace") as stream:
            return stream.read()
    except OSError:
        return ""
