"""The machine at hand as a target."""

from __future__ import annotations

import os
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor

from envlock.edges.cache import Cache
from envlock.edges.host.gpu import find_driver, find_toolkits
from envlock.edges.host.interpreters import find_interpreters
from envlock.edges.host.modules import find_cray_mpich, find_modules
from envlock.edges.host.mpi import find_mpis
from envlock.edges.host.processor import find_processor
from envlock.edges.host.system import find_glibc, find_system_tools, os_name
from envlock.model.target import Target

_WORKERS = 8  # they wait for other processes, so that more of them than cores pay


def detect_target(
    name: str = "local", environ: Mapping[str, str] = os.environ, cache: Cache | None = None
) -> Target:
    """Look at this machine; what is not there is not offered, and nothing here fails.

    Args:
        name: what to call the target.
        environ: whose ``PATH``, ``HOME`` and so on say where to look.
        cache: keeps what interpreters say of themselves.
    """
    with ThreadPoolExecutor(_WORKERS) as askers, ThreadPoolExecutor(_WORKERS) as jobs:
        driver = jobs.submit(find_driver)
        toolkits = jobs.submit(find_toolkits, environ)
        tools = jobs.submit(find_system_tools, environ)
        mpis = jobs.submit(find_mpis, environ, askers)
        modules = jobs.submit(find_modules, environ)
        interpreters = find_interpreters(environ, askers, cache)
        offers = (
            *find_glibc(),
            *find_processor(),
            *driver.result(),
            *toolkits.result(),
            *tools.result(),
            *find_cray_mpich(environ),
            *mpis.result(),
            *modules.result(),
        )
    return Target(
        name=name, os=os_name(), machine=os.uname().machine, interpreters=interpreters, offers=offers
    )
