"""A lock as a requirements file that pip and uv install with ``--require-hashes``."""

from __future__ import annotations

from collections.abc import Mapping

from envlock.model.locked.lock import Lock
from envlock.model.locked.pins import DistributionPin
from envlock.model.project.package_sources import REPOSITORY, is_url


def requirements_text(lock: Lock, wheels: Mapping[str, str] | None = None) -> str:
    """Return the file's text.

    What none of pip's own indexes lists is named by its place; so is what comes from an index of the
    manifest, which a reader need not know, and which uv would ask for everything. A folder or a repository
    has no hash for pip: a comment says what to do about it, because a pin of its name might install somebody
    else's project.

    Args:
        lock: the lock.
        wheels: component -> sha256 of the wheel built for it, if all files lie beside each other; without its
            wheel, pip rebuilds a distribution from the sdist, and not against the system components that the
            lock names.
    """
    built = wheels or {}
    lines = [
        f"# {lock.group} on {lock.target}: Python {lock.python}; made by {lock.created_by}",
        "# pip install --no-deps --require-hashes -r FILE",
    ]
    for pin in lock.distributions:
        elsewhere = wheels is None and (pin.file.direct or pin.file.index is not None)
        place = _place(pin) if elsewhere else f"{pin.name}=={pin.version}"
        if not place:
            lines.append(f"# {pin.name} {pin.version} has no hash for pip: {_by_itself(pin)}")
            continue
        if pin.build is not None and pin.component not in built:
            against = ", ".join(f"{name} {version}" for name, version in pin.build.systems.items())
            lines.append(f"# {pin.name} is built from source" + (f" with {against}" if against else ""))
        digest = built.get(pin.component, pin.file.sha256)
        lines.append(place + (f" \\\n    --hash=sha256:{digest}" if digest else ""))
    return "\n".join(lines) + "\n"


def _place(pin: DistributionPin) -> str:
    """Return a file that the manifest names, as a requirement; empty for a folder or a repository.

    A path is relative to the project's folder; pip takes it as relative to the folder that it is started in.
    """
    url = pin.file.url
    if pin.file.is_folder or pin.file.editable or url.startswith(REPOSITORY):
        return ""
    return f"{pin.name} @ {url}" if is_url(url) else _path(url)


def _by_itself(pin: DistributionPin) -> str:
    url = pin.file.url
    if url.startswith(REPOSITORY):
        return f'pip install --no-deps "{pin.name} @ {url}"'
    place = url if is_url(url) else _path(url)
    return f"in the project's folder, pip install --no-deps {'-e ' if pin.file.editable else ''}{place}"


def _path(url: str) -> str:
    """Return a path in a form that pip recognises as one."""
    return url if url.startswith("/") else f"./{url}"
