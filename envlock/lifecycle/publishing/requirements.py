"""A lock as a requirements file that pip and uv install with ``--require-hashes``."""

from __future__ import annotations

from collections.abc import Mapping

from envlock.model.lock import Lock


def requirements_text(lock: Lock, wheels: Mapping[str, str] | None = None) -> str:
    """The file's text.

    Args:
        lock: the lock.
        wheels: component -> sha256 of the wheel built for it; where one is not given, pip builds it anew
            from the sdist, and not against the system components that the lock names.
    """
    built = wheels or {}
    lines = [
        f"# {lock.group} on {lock.target}: Python {lock.python}; made by {lock.created_by}",
        "# pip install --no-deps --require-hashes -r FILE",
    ]
    for pin in lock.distributions:
        if pin.build is not None and pin.component not in built:
            against = ", ".join(f"{name} {version}" for name, version in pin.build.systems.items())
            lines.append(f"# {pin.name} is built from source" + (f" with {against}" if against else ""))
        digest = built.get(pin.component, pin.file.sha256)
        lines.append(f"{pin.name}=={pin.version}" + (f" \\\n    --hash=sha256:{digest}" if digest else ""))
    return "\n".join(lines) + "\n"
