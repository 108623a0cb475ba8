"""Which of a site's modules go together: those of one generation of EasyBuild's toolchains.

All modules of a generation are built on one GCC. To load two generations at once fails ("A different version
of the 'GCCcore' module is already loaded"), or exchanges libraries beneath what was built with others.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from types import MappingProxyType

from envlock.model.project.target import Offer, Target

TOOLCHAIN = "toolchain"
"""The component whose versions are the generations, by their GCC; a property of offers."""
_CUDA = "cuda"
_FOR_CUDA = re.compile(r"-CUDA-(\d+(?:\.\d+)+)")
_GCC = re.compile(r"(?:^|[-/])GCC(?:core)?[-/](\d+\.\d+\.\d+)(?=$|[-/])")
"""EasyBuild's name for it in capitals: other sites' ``gcc`` says nothing of what else goes with it."""


def generation_of(modules: Iterable[str], toolchains: Mapping[str, str]) -> str:
    """Return the GCC that modules were built on, by their names; empty where these do not say.

    Args:
        modules: the modules of one offer (``OpenMPI/4.1.4-GCC-12.2.0``, ``Horovod/0.28.1-foss-2022a``).
        toolchains: a toolchain (``foss-2022a``) -> its GCC.
    """
    for module in modules:
        if match := _GCC.search(module):
            return match[1]
        words = f"-{module.replace('/', '-')}-"
        for name, gcc in toolchains.items():
            if f"-{name}-" in words:
                return gcc
    return ""


def cuda_of(modules: Iterable[str]) -> str:
    """Return the CUDA that modules bring along (``NCCL/2.8.3-GCCcore-10.2.0-CUDA-11.1.1``), or nothing."""
    found = (match[1] for module in modules if (match := _FOR_CUDA.search(module)))
    return next(found, "")


def with_toolchains(target: Target, toolchains: Mapping[str, str]) -> Target:
    """Return a target whose offers and interpreters have what their modules' names say that they bring along.

    That is their generation, and of offers a CUDA. What an offer says already stands.
    """

    def with_properties(offer: Offer) -> Offer:
        brought = {TOOLCHAIN: generation_of(offer.modules, toolchains)}
        if offer.component != _CUDA:
            brought[_CUDA] = cuda_of(offer.modules)
        new = {name: version for name, version in brought.items() if version}
        if not new.keys() - offer.properties.keys():
            return offer
        return replace(offer, properties=MappingProxyType({**new, **offer.properties}))

    return replace(
        target,
        interpreters=tuple(
            replace(interpreter, toolchain=generation_of(interpreter.modules, toolchains))
            for interpreter in target.interpreters
        ),
        offers=tuple(map(with_properties, target.offers)),
        distributions=tuple(map(with_properties, target.distributions)),
    )
