"""Detect this machine as a target."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from functools import partial

from envlock.edges.cache import Cache
from envlock.edges.host.amd import find_amd
from envlock.edges.host.gpu import find_driver, find_toolkits
from envlock.edges.host.interpreters import find_interpreters
from envlock.edges.host.libraries import find_headers, find_libraries, find_unpacked
from envlock.edges.host.modules import find_cray_mpich, find_modules
from envlock.edges.host.mpi import find_mpis
from envlock.edges.host.processor import find_processor
from envlock.edges.host.remembered import NotKeptError, Remembered
from envlock.edges.host.system import find_glibc, find_system_tools, os_name
from envlock.edges.host.tools import Ask, ForEach, ask
from envlock.edges.threads import Threads
from envlock.model.gpu import AMD, NVIDIA
from envlock.model.knowing.detection import Detection
from envlock.model.project.target import Offer, Target
from envlock.model.project.toolchains import with_toolchains

_WORKERS = 8  # they wait for other processes, so more of them than cores pay off


def detect_target(
    signs: Detection,
    name: str = "local",
    environ: Mapping[str, str] = os.environ,
    cache: Cache | None = None,
) -> Target:
    """Look at this machine; what is missing is not offered, and nothing here fails.

    Args:
        signs: how components show that no program reports.
        name: what to call the target.
        environ: the variables (``PATH``, ``HOME`` ...) that say where to look.
        cache: keeps what tools say about themselves; without one, all are asked.
    """
    if cache is None:
        return _asking(signs, name, environ, ask)
    remembered = Remembered(cache, environ)
    try:
        return _looked(signs, name, environ, remembered.kept, map, map)
    except NotKeptError:
        return _asking(signs, name, environ, remembered.ask)


def _asking(signs: Detection, name: str, environ: Mapping[str, str], ask: Ask) -> Target:
    """Detect with several tools asked at a time, because waiting for them takes most of the time."""
    with Threads(_WORKERS) as parts, Threads(_WORKERS) as tools:
        return _looked(signs, name, environ, ask, parts.map, tools.map)


def _looked(
    signs: Detection,
    name: str,
    environ: Mapping[str, str],
    ask: Ask,
    each_part: ForEach,
    each_tool: ForEach,
) -> Target:
    looks: tuple[Callable[[], tuple[Offer, ...]], ...] = (
        find_glibc,
        find_processor,
        find_driver,
        partial(find_amd, signs.without_screens, environ),
        partial(find_libraries, signs.libraries, environ),
        partial(find_headers, signs.headers, environ),
        partial(find_unpacked, signs.folders, environ),
        partial(find_toolkits, environ, ask),
        partial(find_system_tools, environ, ask),
        partial(find_cray_mpich, environ),
        partial(find_mpis, environ, each_tool, ask),
        partial(find_modules, signs.module_names, environ),
    )
    parts = each_part(lambda look: look(), looks)
    interpreters = find_interpreters(environ, each_tool, ask)
    found = Target(
        name=name,
        os=os_name(),
        machine=os.uname().machine,
        interpreters=interpreters,
        offers=_of_one_maker([offer for part in parts for offer in part]),
    )
    return with_toolchains(found, signs.toolchains)


def _of_one_maker(offers: Sequence[Offer]) -> tuple[Offer, ...]:
    """Leave out AMD's GPUs beside NVIDIA's: nothing is built for both, and AMD's drive the screen there."""
    left_out = AMD if any(offer.component == NVIDIA for offer in offers) else ""
    return tuple(offer for offer in offers if offer.component != left_out)
